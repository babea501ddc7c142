#include "frame_pager.h"

#include <stddef.h>

#include "clock.h"
#include "frame_mode.h"
#include "frame_page.h"
#include "frame_pager_line.h"
#include "frame_parts.h"
#include "log_pager.h"
#include "shown.h"
#include "text.h"

enum { RULE_ROWS = 8, MB = 1000 * 1000 };

/* Where things are; rows of -1 are not there. */
struct layout {
    struct frame_page page;
    struct frame_box lines;
    int head, rule;
};

static struct layout lay_out(int rows, int columns, const struct frame_input *input)
{
    struct layout out = {.page = frame_page_lay(rows, columns, input), .head = -1, .rule = -1};
    const struct frame_box body = out.page.body;
    int top = body.row;
    if (rows > 3)
        out.head = top++;
    if (rows >= RULE_ROWS)
        out.rule = top++;
    const int left = body.rows - (top - body.row);
    out.lines = (struct frame_box){top, 0, left > 0 ? left : 0, columns};
    return out;
}

struct view_log_room frame_pager_room(int rows, int columns, const struct frame_input *input)
{
    const struct layout layout = lay_out(rows, columns, input);
    return (struct view_log_room){.rows = layout.lines.rows,
                                  .columns = columns - pager_line_columns(columns)};
}

static const struct attempt_state *attempt_of(const struct frame_input *input)
{
    const struct view_try at = view_try_now(input->view, input->facts->state);
    return view_try_state(input->facts->state, &at);
}

static bool is_running(const struct frame_input *input)
{
    const struct attempt_state *attempt = attempt_of(input);
    return attempt && attempt->ended.mono_ms == 0 && !input->facts->orphaned;
}

/* What came after the moment that is shown is left out. */
static bool ends_here(const struct frame_input *input)
{
    return frame_mode_is_bar(input->facts) && !input->view->shows_later;
}

/* Where one is in it. */
static void add_position(const struct frame_input *input, struct str *out)
{
    const struct view_log *log = &input->view->log;
    char hms[CLOCK_TEXT_MAX];
    if (log->below > 0 || log->is_still) {
        str_add_char(out, '+');
        shown_count((int64_t)log->below, "line below", "lines below", out);
        str_add(out, log->is_still ? " and newer ones" : "");
        frame_say(input, ", {follow}", out);
    } else if (ends_here(input))
        str_addf(out, "up to %s", clock_hms(frame_now(input).at_ms, hms));
    else if (!is_running(input) || frame_mode_is_bar(input->facts))
        str_add(out, log->top == 0 && log->row == 0 ? "all of it" : "at the end");
    else
        frame_say(input, log->stays ? "at the end, {follow} follows" : "follows", out);
}

/* "\"tax\" 3 of 17" */
static void add_search(const struct frame_input *input, struct str *out)
{
    const struct log_pager *pager = input->facts->pager;
    const struct view_log *log = &input->view->log;
    const struct pager_set *found = &pager->found;
    if (pager->needle[0] == '\0')
        return;
    const size_t rank = log->hit >= 0 ? pager_set_rank(found, (size_t)log->hit) : 0;
    str_addf(out, "   \"%s\" ", pager->needle);
    if (found->count == 0 && log_pager_is_done(pager))
        str_add(out, "not found");
    else if (rank > 0 && found->lines[rank - 1] == (size_t)log->hit)
        str_addf(out, "%zu of %zu%s", rank, found->count, found->is_full ? "+" : "");
    else
        str_addf(out, "in %zu%s line%s", found->count, found->is_full ? "+" : "",
                 found->count == 1 ? "" : "s");
    if (!log_pager_is_done(pager))
        str_add(out, " so far");
    if (log->only)
        frame_say(input, ", only these ({match-only})", out);
}

static void draw_rule(struct canvas *canvas, const struct layout *layout,
                      const struct frame_input *input)
{
    struct str title = {0};
    if (layout->rule < 0)
        return;
    str_add(&title, "log  ");
    add_position(input, &title);
    add_search(input, &title);
    if (input->view->log.column > 0)
        str_addf(&title, "   from column %d (h)", input->view->log.column + 1);
    const bool has_keys = canvas->columns >= PAGE_PATH_COLUMNS;
    const bool is_wide = canvas->columns >= PAGE_WIDE_COLUMNS;
    frame_rule(canvas, (struct spot){layout->rule, 0, canvas->columns}, title.data,
               ends_here(input) && has_keys ? "later lines are not shown"
               : is_wide  ? "F follow  w wrap  / search  & only matches  e next error"
               : has_keys ? "w wrap  / search"
                          : "");
    str_done(&title);
}

/* "exit 1   test-fail   ran 1:47", or that it runs. */
static void add_state(const struct canvas *canvas, const struct frame_input *input, struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct view_try at = view_try_now(input->view, state);
    const struct attempt_state *attempt = view_try_state(state, &at);
    if (!attempt)
        return;
    if (attempt->ended.mono_ms == 0) {
        const enum shown shown = shown_task(state, at.task, input->facts->orphaned);
        str_addf(out, "%s %s ", shown_sign(shown, canvas->ascii), shown_word(shown));
        shown_duration(frame_now(input).mono_ms - attempt->started.mono_ms, out);
        return;
    }
    outcome_words(&attempt->outcome, out);
    str_add(out, "   ");
    frame_add_try_class(attempt, out);
    str_add(out, "   ran ");
    shown_ran(&attempt->outcome, out);
}

/* As much of it as there is room for. */
static void add_if_fits(struct str *out, int columns, const char *text)
{
    const size_t before = out->len;
    str_addf(out, "%s%s", before > 0 ? "   " : "", text);
    if (text_width(out->data, out->len) > columns) {
        out->len = before;
        out->data[before] = '\0';
    }
}

static void add_size(const struct log_pager *pager, int columns, struct str *out)
{
    const size_t said = log_pager_said(pager);
    struct str text = {0};
    if (pager->key.attempt == 0)
        return;
    shown_count((int64_t)said, "line", "lines", &text);
    if (!pager->is_through)
        str_addf(&text, ", %lld MB read so far", (long long)(pager->walk.bytes / MB));
    add_if_fits(out, columns, text.data);
    str_clear(&text);
    if (pager->errors.count > 0)
        str_addf(&text, "%zu%s with an error (e)", pager->errors.count,
                 pager->errors.is_full ? "+" : "");
    if (text.len > 0)
        add_if_fits(out, columns, text.data);
    str_done(&text);
}

static void draw_head(struct canvas *canvas, const struct layout *layout,
                      const struct frame_input *input)
{
    const struct log_pager *pager = input->facts->pager;
    struct str left = {0};
    struct str right = {0};
    int end = canvas->columns;
    if (layout->head < 0)
        return;
    if (layout->rule < 0)
        add_position(input, &right);
    if (right.len > 0)
        end = frame_put_right(canvas, (struct spot){layout->head, 1, canvas->columns - 1},
                              STYLE_LABEL, right.data);
    add_state(canvas, input, &left);
    add_size(pager, end - 2, &left);
    if (pager->walk.join.partials[LOG_STREAM_ERR - 1].begun)
        add_if_fits(&left, end - 2, "│ = to err");
    (void)frame_put(canvas, (struct spot){layout->head, 1, end - 2}, STYLE_PLAIN, str_text(&left));
    str_done(&left);
    str_done(&right);
}

/* Why there is nothing to see, where there is nothing. */
static void add_empty(const struct frame_input *input, struct str *out)
{
    const struct log_pager *pager = input->facts->pager;
    const struct attempt_state *attempt = attempt_of(input);
    if (pager->only && pager->found.count == 0 && log_pager_is_done(pager)) {
        str_addf(out, "\"%s\" not found in this log", pager->needle);
        frame_say(input, ": {match-only} Enter shows all lines", out);
    } else if (input->view->chosen < 0) {
        frame_say(input, "No task is chosen: {tasks} shows them all.", out);
    } else if (!attempt) {
        str_add(out, "No tries yet, so nothing was written.");
    } else if (attempt->ended.mono_ms == 0 && log_pager_said(pager) == 0 && pager->is_through) {
        if (input->facts->orphaned)
            str_add(out, "It wrote nothing before it was lost.");
        else
            str_addf(out, "No output yet, pid %lld is alive for ", (long long)attempt->pid);
        if (!input->facts->orphaned) {
            shown_duration(frame_now(input).mono_ms - attempt->started.mono_ms, out);
            str_add_char(out, '.');
        }
    }
}

static void draw_empty(struct canvas *canvas, const struct frame_box *box, int row,
                       const struct frame_input *input)
{
    struct str text = {0};
    add_empty(input, &text);
    row += row > box->row && row + 1 < box->row + box->rows;
    if (text.len > 0 && row < box->row + box->rows)
        (void)frame_put(canvas, (struct spot){row, 1, box->columns - 1}, STYLE_LABEL, text.data);
    str_done(&text);
}

static void draw_lines(struct canvas *canvas, const struct frame_box *box,
                       const struct frame_input *input)
{
    const struct view_log *log = &input->view->log;
    const struct log_pager *pager = input->facts->pager;
    const size_t count = log_pager_count(pager);
    int row = box->row;
    int hidden = log->row;
    for (size_t i = log->top; i < count && row < box->row + box->rows; i++) {
        const struct pager_line *line = log_pager_line(pager, i);
        if (line)
            row = pager_line_draw(canvas, box, row, &(struct pager_row){input, line, hidden});
        else
            row++; /* it has made way for newer output, which comes with the next frame */
        hidden = 0;
    }
    draw_empty(canvas, box, row, input);
}

static void draw_page(struct canvas *canvas, const struct layout *layout,
                      const struct frame_input *input)
{
    static const enum act acts[] = {UI_QUIT,       UI_FOLLOW,   UI_FILTER,      UI_NEXT,
                                    UI_ERROR_NEXT, UI_TRY_BACK, UI_TRY_FORWARD, UI_HELP};
    static const char *const briefs[UI_ACT_COUNT] = {
        [UI_QUIT] = "back", [UI_FILTER] = "find", [UI_TRY_BACK] = "", [UI_TRY_FORWARD] = "try"};
    const struct frame_keys keys = {.acts = acts, .count = ARRAY_LEN(acts), .briefs = briefs};
    struct str path = {0};
    frame_add_try(input, canvas->columns, &path);
    str_add(&path, canvas->columns >= PAGE_PATH_COLUMNS ? " > log" : "");
    frame_page_draw(canvas, &layout->page, input, str_text(&path), &keys);
    str_done(&path);
}

void frame_pager(struct canvas *canvas, const struct frame_input *input)
{
    const struct layout layout = lay_out(canvas->rows, canvas->columns, input);
    draw_page(canvas, &layout, input);
    if (!input->facts->pager)
        return;
    draw_head(canvas, &layout, input);
    draw_rule(canvas, &layout, input);
    draw_lines(canvas, &layout.lines, input);
}
