/* frame_log.c - the output of an attempt: the last lines in a pane, and all lines on the Log
 * screen. */
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "event_lines.h"
#include "frame.h"
#include "frame_internal.h"
#include "lines.h"
#include "log_lines.h"
#include "shown.h"
#include "text.h"

/* The part of a line that one row of the screen shows. */
struct frame_piece {
    const char *text; /* text of the whole line; borrowed */
    size_t line_len;  /* its length in bytes */
    size_t from, len; /* the part shown in this row, in bytes of `text` */
    struct spot spot; /* position of the part on the screen */
};

struct pager_row {
    const struct frame_input *input;
    const struct pager_line *line;
    int hidden; /* number of rows of this line that are above the screen */
};

enum { TIME_COLUMNS = 11, LOW_ROWS = 3 };

const char *frame_log_note(const struct view *view)
{
    return view->pane == VIEW_PANE_LOG ? "{down} {up} scroll  {follow} follow  {filter} search"
                                       : "{pane-next} focuses this pane";
}

bool frame_log_is_of_other_step(const struct frame_input *input)
{
    const struct log_output_key *key = &input->facts->log->key;
    const int task = input->view->chosen;
    return task >= 0 && key->attempt > 0 && key->task == task && input->facts->log->count > 0 &&
           key->step < run_state_step_number(input->facts->state, task);
}

const char *frame_log_phase(const struct frame_input *input)
{
    const struct log_output_key *key = &input->facts->log->key;
    return phase_name(input->facts->state->plan->tasks[key->task].steps[key->step].phase);
}

/* Returns the name of the rule if the verdict is based on bytes of this line, or NULL. *room is
 * storage for the verdict. */
static const char *rule_of(const struct frame_input *input, const struct log_line *line,
                           struct verdict *room)
{
    const struct log_tail *log = input->facts->log;
    const struct verdict *verdict = log_words_verdict(input->facts->state, &log->key, room);
    if (!verdict || verdict->stream == VERDICT_STREAM_NONE)
        return NULL;
    const int stream = verdict->stream == VERDICT_STREAM_OUT ? LOG_STREAM_OUT : LOG_STREAM_ERR;
    const bool is_it = stream == line->stream && verdict->offset >= line->offset &&
                       verdict->offset <= line->offset + (int64_t)line->len;
    return is_it ? verdict->rule : NULL;
}

/* Marks the search text, ignoring case, even where a line break splits it. "" matches nothing. */
static void frame_mark_found(struct canvas *canvas, const struct frame_piece *piece,
                             const char *needle)
{
    const size_t len = strlen(needle);
    const struct spot *spot = &piece->spot;
    const char *end = piece->text + piece->line_len;
    const char *at = words_find(piece->text, piece->line_len, needle);
    while (at && at < piece->text + piece->from + piece->len) {
        const size_t start = (size_t)(at - piece->text);
        const size_t from = start > piece->from ? start : piece->from;
        if (start + len > piece->from) {
            const int first = text_width(piece->text + piece->from, from - piece->from);
            const int width = text_width(piece->text + from, start + len - from);
            for (int i = first; i < first + width && i < spot->width; i++) {
                struct cell *cell = canvas_cell(canvas, spot->row, spot->column + i);
                if (cell)
                    cell->style = STYLE_MATCH;
            }
        }
        at += len;
        at = words_find(at, (size_t)(end - at), needle);
    }
}

enum { NOTE_GAP = 3, NOTE_LONG_COLUMNS = 100 };

/* Draws "<- rule tap.not-ok matched here" at the right end, if the text (`used` columns) leaves
 * room; shortened on a narrow canvas. */
static void frame_rule_note(struct canvas *canvas, struct spot spot, int used, const char *rule)
{
    struct str note = {0};
    const bool is_long = canvas->columns >= NOTE_LONG_COLUMNS;
    str_addf(&note, "<- %s%s%s", is_long ? "rule " : "", rule, is_long ? " matched here" : "");
    const int width = text_width(note.data, note.len);
    if (*rule != '\0' && used + NOTE_GAP + width <= spot.width)
        (void)frame_put_right(canvas, spot, STYLE_LABEL, note.data);
    str_done(&note);
}

/* Draws a line of the pane. FRAME_LOG_WITH_TIMES adds its time and stream, and the rule that
 * matched it. */
static void draw_tail_line(struct canvas *canvas, struct spot spot, enum frame_log_kind kind,
                           const struct frame_input *input, size_t index)
{
    const struct log_tail *log = input->facts->log;
    const struct log_line *line = &log->lines[index];
    const char *text = log_tail_line(log, index);
    if (kind == FRAME_LOG_WITH_TIMES) {
        char hms[CLOCK_TEXT_MAX];
        (void)frame_put(canvas, (struct spot){spot.row, spot.column + 1, TIME_COLUMNS - 2},
                        STYLE_LABEL, clock_hms(line->at_ms, hms));
        if (line->stream == LOG_STREAM_ERR)
            (void)frame_put(canvas, (struct spot){spot.row, spot.column + TIME_COLUMNS - 1, 1},
                            STYLE_LABEL, "│");
        spot.column += TIME_COLUMNS;
        spot.width -= TIME_COLUMNS;
    }
    if (spot.width <= 0)
        return;
    const enum style style = line->stream == LOG_TAIL_ENGINE ? STYLE_LABEL : STYLE_PLAIN;
    const int used = canvas_text_n(canvas, spot, style, text, line->len);
    struct verdict room;
    const char *rule = rule_of(input, line, &room);
    if (rule && kind == FRAME_LOG_WITH_TIMES)
        frame_rule_note(canvas, spot, used, rule);
    const struct frame_piece piece = {.text = text,
                                      .line_len = line->len,
                                      .len = line->len,
                                      .spot = {spot.row, spot.column, used}};
    frame_mark_found(canvas, &piece, input->view->search.text);
}

/* Appends what a try without output is doing, in a sentence. */
static void add_no_output_yet(const struct frame_input *input, const struct attempt_state *attempt,
                              struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct task_job *job = run_state_queue(state, input->view->chosen);
    str_add(out, "No output yet");
    if (job) {
        str_addf(out, ": job %s waits in the queue", job->id);
        if (job->reason[0] != '\0')
            str_addf(out, " (%s)", job->reason);
    } else if (attempt->pid > 0 || attempt->host >= 0) {
        if (attempt->pid > 0)
            str_addf(out, ", pid %lld alive for ", (long long)attempt->pid);
        else
            str_addf(out, "; on %s for ", run_state_host_place(state, attempt->host).host);
        shown_duration(
            run_state_since_ms(state, input->view->chosen, attempt, frame_now(input).mono_ms), out);
    }
    str_add_char(out, '.');
}

void frame_log(struct canvas *canvas, const struct frame_box *box, enum frame_log_kind kind,
               const struct frame_input *input)
{
    const struct log_tail *log = input->facts->log;
    frame_pane_zone(canvas, box, VIEW_PANE_LOG);
    if (input->view->chosen < 0 || box->rows <= 0 || box->columns <= 0)
        return;
    if (log->count == 0) {
        const struct attempt_state *attempt =
            step_state_attempt(run_state_step(input->facts->state, input->view->chosen));
        struct str text = {0};
        if (!attempt) {
            str_add(&text, "No tries yet.");
        } else if (attempt->ended.mono_ms != 0) {
            str_add(&text, input->facts->replay ? "No output up to here." : "No output.");
        } else {
            add_no_output_yet(input, attempt, &text);
        }
        int indent = kind == FRAME_LOG_WITH_TIMES ? 1 : 0;
        (void)frame_put(canvas,
                        (struct spot){box->row, box->column + indent, box->columns - indent},
                        STYLE_LABEL, str_text(&text));
        str_done(&text);
        return;
    }
    size_t rows = (size_t)box->rows;
    size_t end = log->count > input->view->log_back ? log->count - input->view->log_back : 1;
    /* The engine's lines only summarize the attempt, so in a low box they are dropped first. */
    const bool is_low = kind == FRAME_LOG_BARE && rows < LOW_ROWS && input->view->log_back == 0;
    if (is_low && log->said > 0)
        end = log->said;
    size_t first = end > rows ? end - rows : 0;
    for (size_t i = first; i < log->count && i < first + rows; i++) {
        struct spot spot = {box->row + (int)(i - first), box->column, box->columns};
        draw_tail_line(canvas, spot, kind, input, i);
    }
}

enum {
    TIME_COLUMN = 1,
    STREAM_COLUMN = 10,
    TEXT_COLUMN = 11, /* column of the text if times are shown */
    NARROW_TEXT_COLUMN = 2,
};

/* Returns the number of columns before the text: a sign, the time, the stream. */
static int pager_line_columns(int columns)
{
    return columns >= PAGE_PATH_COLUMNS ? TEXT_COLUMN : NARROW_TEXT_COLUMN;
}

static enum style style_of(const struct log_pager *pager, const struct pager_line *line)
{
    if (line->stream == PAGER_ENGINE)
        return STYLE_LABEL;
    return log_pager_is_rule(pager, line) ? STYLE_MATCH : STYLE_PLAIN;
}

/* Draws the columns before the first row of a line: the sign of a search hit, the time, the
 * stream. */
static void draw_pager_front(struct canvas *canvas, int row, const struct pager_row *what)
{
    const struct view_log *log = &what->input->view->log;
    const struct pager_line *line = what->line;
    const bool is_said = line->stream != PAGER_ENGINE;
    const bool has_times = pager_line_columns(canvas->columns) == TEXT_COLUMN;
    char hms[CLOCK_TEXT_MAX];
    if (is_said && log->hit == (int64_t)line->number)
        (void)canvas_text(canvas, (struct spot){row, 0, 1}, STYLE_HEAD, "▸");
    if (has_times)
        (void)canvas_text(canvas, (struct spot){row, TIME_COLUMN, STREAM_COLUMN - TIME_COLUMN},
                          STYLE_LABEL, clock_hms(line->at_ms, hms));
    if (line->stream == LOG_STREAM_ERR)
        (void)canvas_text(canvas, (struct spot){row, has_times ? STREAM_COLUMN : 1, 1}, STYLE_LABEL,
                          "│");
}

/* Marks hits in the part of the line at this spot. */
static void draw_found(struct canvas *canvas, struct spot spot, const struct pager_row *what,
                       size_t from, size_t len)
{
    const struct log_pager *pager = what->input->facts->pager;
    const struct frame_piece piece = {.text = log_pager_text(pager, what->line),
                                      .line_len = what->line->len,
                                      .from = from,
                                      .len = len,
                                      .spot = spot};
    if (what->line->stream != PAGER_ENGINE)
        frame_mark_found(canvas, &piece, pager->needle);
}

/* Draws a line without wrapping, from the view's column on. A sign shows that there is more on the
 * right. */
static void draw_cut(struct canvas *canvas, struct spot spot, const struct pager_row *what,
                     enum style style)
{
    const struct log_pager *pager = what->input->facts->pager;
    const char *text = log_pager_text(pager, what->line);
    int lack = 0;
    const size_t from = line_wrap_skip(text, what->line->len, what->input->view->log.column, &lack);
    spot.column += lack;
    spot.width -= lack;
    const size_t len = what->line->len - from;
    const int used = canvas_text_n(canvas, spot, style, text + from, len);
    draw_found(canvas, (struct spot){spot.row, spot.column, used}, what, from, len);
    if (log_pager_is_rule(pager, what->line))
        frame_rule_note(canvas, spot, used, pager->rule);
}

static int draw_wrapped(struct canvas *canvas, struct spot spot, int end_row,
                        const struct pager_row *what)
{
    const struct log_pager *pager = what->input->facts->pager;
    const struct pager_line *line = what->line;
    const char *text = log_pager_text(pager, line);
    const enum style style = style_of(pager, line);
    size_t at = line_wrap_at(text, line->len, spot.width, what->hidden);
    bool is_first = what->hidden == 0;
    do {
        const size_t len = line_wrap_fit(text + at, line->len - at, spot.width);
        const int used = canvas_text_n(canvas, spot, style, text + at, len);
        draw_found(canvas, (struct spot){spot.row, spot.column, used}, what, at, len);
        if (is_first && log_pager_is_rule(pager, line))
            frame_rule_note(canvas, spot, used, pager->rule);
        is_first = false;
        at += len;
        spot.row++;
    } while (at < line->len && spot.row < end_row);
    return spot.row;
}

enum { RULE_ROWS = 8, MB = 1000 * 1000 };

/* Position of each part; -1 for rows that are not shown. */
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

/* Returns true if output after the moment on screen is left out. */
static bool ends_here(const struct frame_input *input)
{
    return frame_mode_is_bar(input->facts) && !input->view->shows_later;
}

/* Appends the position in the log: "+12 lines below", "up to 14:02:10", "at the end" or
 * "follows". */
static void add_position(const struct frame_input *input, struct str *out)
{
    const struct view_log *log = &input->view->log;
    const struct attempt_state *attempt = attempt_of(input);
    const bool is_running = attempt && attempt->ended.mono_ms == 0 && !input->facts->orphaned;
    if (log->below > 0 || log->is_still) {
        str_add_char(out, '+');
        shown_count((int64_t)log->below, "line below", "lines below", out);
        str_add(out, log->is_still ? " and newer ones" : "");
        frame_say(input, ", {follow}", out);
    } else if (ends_here(input)) {
        char hms[CLOCK_TEXT_MAX];
        str_addf(out, "up to %s", clock_hms(frame_now(input).at_ms, hms));
    } else if (!is_running || frame_mode_is_bar(input->facts)) {
        str_add(out, log->top == 0 && log->row == 0 ? "all lines" : "at the end");
    } else {
        frame_say(input, log->stays ? "at the end, {follow} follows" : "follows", out);
    }
}

/* Appends '   "tax" 3 of 17'; nothing if there is no search. */
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
    if (input->view->log.column > 0) {
        str_addf(&title, "   from column %d", input->view->log.column + 1);
        frame_say(input, " ({left})", &title);
    }
    const bool has_keys = canvas->columns >= PAGE_PATH_COLUMNS;
    const bool is_wide = canvas->columns >= PAGE_WIDE_COLUMNS;
    frame_rule_say(canvas, (struct spot){layout->rule, 0, canvas->columns}, title.data,
                   ends_here(input) && has_keys ? "later lines are not shown"
                   : is_wide                    ? "{follow} follow  {wrap} wrap  {filter} search"
                                                  "  {match-only} only matches"
                                                  "  {error-next} next error"
                   : has_keys                   ? "{wrap} wrap  {filter} search"
                                                : "",
                   input);
    str_done(&title);
}

/* Appends "exit 1   test-fail   ran 1:47" or, if the try is running, its state and how long it has
 * run. */
static void add_try_state(const struct canvas *canvas, const struct frame_input *input,
                          struct str *out)
{
    const struct run_state *state = input->facts->state;
    const struct view_try at = view_try_now(input->view, state);
    const struct attempt_state *attempt = view_try_state(state, &at);
    if (!attempt)
        return;
    if (attempt->ended.mono_ms == 0) {
        const enum shown shown = shown_task(state, at.task, input->facts->orphaned);
        str_addf(out, "%s %s ", shown_sign(shown, canvas->ascii), shown_word(shown));
        shown_duration(run_state_since_ms(state, at.task, attempt, frame_now(input).mono_ms), out);
        return;
    }
    outcome_words(&attempt->outcome, out);
    str_add(out, "   ");
    shown_try_class(attempt, out);
    str_add(out, "   ran ");
    shown_ran(&attempt->outcome, out);
}

/* Appends the text if there is room. */
static void add_if_fits(struct str *out, int columns, const char *text)
{
    const size_t before = out->len;
    str_addf(out, "%s%s", before > 0 ? "   " : "", text);
    if (text_width(out->data, out->len) > columns) {
        out->len = before;
        out->data[before] = '\0';
    }
}

/* Draws how the try ended or that it is running, how much it wrote and, if there is no divider line
 * to show it, the position in the log. */
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
    const int columns = end - 2;
    add_try_state(canvas, input, &left);
    if (pager->key.attempt != 0) {
        struct str text = {0};
        shown_count((int64_t)log_pager_said(pager), "line", "lines", &text);
        if (!pager->is_through)
            str_addf(&text, ", %lld MB read so far", (long long)(pager->walk.bytes / MB));
        add_if_fits(&left, columns, text.data);
        str_clear(&text);
        if (pager->errors.count > 0) {
            str_addf(&text, "%zu%s with an error", pager->errors.count,
                     pager->errors.is_full ? "+" : "");
            frame_say(input, " ({error-next})", &text);
            add_if_fits(&left, columns, text.data);
        }
        str_done(&text);
    }
    if (pager->walk.join.partials[LOG_STREAM_ERR - 1].begun)
        add_if_fits(&left, columns, "│ = to err");
    (void)frame_put(canvas, (struct spot){layout->head, 1, columns}, STYLE_PLAIN, str_text(&left));
    str_done(&left);
    str_done(&right);
}

/* If there is no output, draws why, below the other lines, which end at `row`. */
static void draw_no_output(struct canvas *canvas, const struct frame_box *box, int row,
                           const struct frame_input *input)
{
    const struct log_pager *pager = input->facts->pager;
    const struct attempt_state *attempt = attempt_of(input);
    struct str text = {0};
    if (pager->only && pager->found.count == 0 && log_pager_is_done(pager)) {
        str_addf(&text, "\"%s\" not found in this log", pager->needle);
        frame_say(input, ": {match-only} Enter shows all lines", &text);
    } else if (input->view->chosen < 0) {
        frame_say(input, "No task selected: {tasks} shows them all.", &text);
    } else if (!attempt) {
        str_add(&text, "No tries yet, so no output.");
    } else if (attempt->ended.mono_ms == 0 && log_pager_said(pager) == 0 && pager->is_through) {
        if (input->facts->orphaned)
            str_add(&text, "No output before it was lost.");
        else
            add_no_output_yet(input, attempt, &text);
    }
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
    const int column = pager_line_columns(box->columns);
    const int end = box->row + box->rows;
    int row = box->row;
    int hidden = log->row;
    for (size_t i = log->top; i < count && row < end; i++) {
        const struct pager_line *line = log_pager_line(pager, i);
        const struct pager_row what = {input, line, hidden};
        const struct spot spot = {row, column, box->columns - column};
        hidden = 0;
        row++;
        /* NULL: newer output has replaced the line; the next frame shows it. */
        if (!line || spot.width <= 0)
            continue;
        if (what.hidden == 0)
            draw_pager_front(canvas, spot.row, &what);
        if (log->unwrapped)
            draw_cut(canvas, spot, &what, style_of(pager, line));
        else
            row = draw_wrapped(canvas, spot, end, &what);
    }
    draw_no_output(canvas, box, row, input);
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
