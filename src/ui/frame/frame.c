/* frame.c - selects the screen to draw, and draws the parts that all screens share: text, divider
 * lines, zones, ids, the time. */
#include "frame.h"

#include <assert.h>
#include <string.h>

#include "clock.h"
#include "frame_internal.h"
#include "text.h"

enum {
    GO_TO_COLUMNS = 60, /* in fewer columns, the prompt does not list the accepted forms */
    SCREEN_COLUMNS = 6, /* on narrower canvases, the Tasks screen is drawn instead of any other */
};

/* Draws the help, including which keys do nothing at present, and why. */
static void draw_help(struct canvas *canvas, const struct frame_input *input)
{
    const struct view *view = input->view;
    struct str why[UI_ACT_COUNT] = {{0}};
    const char *refusals[UI_ACT_COUNT];
    for (enum act act = UI_NONE; act < UI_ACT_COUNT; act++)
        refusals[act] =
            view_refusal(view, input->facts, act, &why[act]) ? str_text(&why[act]) : NULL;
    const struct help_about about = {
        .screen = screen_name(view_screen(view)),
        .target = view->chosen >= 0 ? input->facts->state->plan->tasks[view->chosen].id : "",
        .refusals = refusals,
    };
    help_draw(&view->help, canvas, &about);
    for (enum act act = UI_NONE; act < UI_ACT_COUNT; act++)
        str_done(&why[act]);
}

/* Draws the open prompt, input line or help. Prompts and input lines cover the bottom rows, the
 * help covers everything. */
static void draw_over(struct canvas *canvas, const struct frame_input *input)
{
    const struct view *view = input->view;
    if (view->report.kind != REPORT_NONE)
        frame_report(canvas, input);
    if (view->command.line.open)
        view_command_draw(view, input->facts, canvas);
    else if (view->filter.open)
        line_edit_draw(&view->filter, canvas, canvas->rows - 1, "filter: ");
    else if (view->search.open)
        line_edit_draw(&view->search, canvas, canvas->rows - 1,
                       view->log.asks_only ? "only lines with: " : "find: ");
    else if (view->runs.filter.open)
        line_edit_draw(&view->runs.filter, canvas, canvas->rows - 1, "filter: ");
    else if (view->bookmark.open)
        line_edit_draw(&view->bookmark, canvas, canvas->rows - 1, "bookmark (a name, or Enter): ");
    else if (view->report.file.open)
        line_edit_draw(&view->report.file, canvas, canvas->rows - 1, "compare with policy file: ");
    else if (view->go_to.open)
        line_edit_draw(&view->go_to, canvas, canvas->rows - 1,
                       canvas->columns >= GO_TO_COLUMNS
                           ? "go to (14:00, -5m, #211, T-104 try 2, start): "
                           : "go to: ");
    if (view->sorted.is_open)
        view_order_draw(view, canvas);
    if (view->prompt.kind != PROMPT_NONE)
        prompt_draw(&view->prompt, canvas);
    correct_draw(&view->correct, canvas);
    if (view->help.open)
        draw_help(canvas, input);
}

typedef void frame_screen_fn(struct canvas *canvas, const struct frame_input *input);
static frame_screen_fn *const drawers[SCREEN_COUNT] = {
    [SCREEN_TASKS] = frame_tasks,       [SCREEN_DETAIL] = frame_detail,
    [SCREEN_LOG] = frame_pager,         [SCREEN_FORENSICS] = frame_forensics,
    [SCREEN_TIMELINE] = frame_timeline, [SCREEN_RUNS] = frame_runs,
    [SCREEN_HOSTS] = frame_hosts,
};

void frame_draw(struct canvas *canvas, const struct frame_input *input)
{
    canvas_clear(canvas);
    const bool has_room = canvas->columns >= SCREEN_COLUMNS;
    frame_screen_fn *draw = drawers[view_screen(input->view)];
    if (draw && has_room)
        draw(canvas, input);
    else
        frame_tasks(canvas, input);
    draw_over(canvas, input);
}

void frame_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    if (view_screen(view) == SCREEN_TIMELINE)
        frame_timeline_fit(view, rows, columns, input);
    else if (view_screen(view) == SCREEN_DETAIL)
        frame_detail_fit(view, rows, columns, input);
    else if (view_screen(view) == SCREEN_HOSTS)
        frame_hosts_fit(view, rows, columns, input);
    else
        frame_tasks_fit(view, rows, columns, input);
}

static const enum style styles[] = {
    [SHOWN_NEEDS_YOU] = STYLE_NEEDS_YOU, [SHOWN_BACKOFF] = STYLE_BACKOFF,
    [SHOWN_RUNNING] = STYLE_RUNNING,     [SHOWN_QUIET] = STYLE_QUIET,
    [SHOWN_STOPPING] = STYLE_HELD,       [SHOWN_QUEUED] = STYLE_PLAIN,
    [SHOWN_HELD] = STYLE_HELD,           [SHOWN_PASSED] = STYLE_PASSED,
    [SHOWN_GAVE_UP] = STYLE_FAILED,      [SHOWN_CANCELLED] = STYLE_PLAIN,
    [SHOWN_STUCK] = STYLE_FAILED,        [SHOWN_BLOCKED] = STYLE_PLAIN,
    [SHOWN_LOST] = STYLE_LOST,
};
static_assert(ARRAY_LEN(styles) == SHOWN_COUNT, "every shown state has a style");

enum style frame_style(enum shown shown)
{
    assert(shown < SHOWN_COUNT);
    return styles[shown];
}

struct moment frame_now(const struct frame_input *input)
{
    const struct view_facts *facts = input->facts;
    if (facts->mode == VIEW_ENDED)
        return facts->state->ended_at;
    return facts->mode == VIEW_INTERRUPTED ? facts->state->heard : facts->now;
}

struct shown_time frame_time(const struct frame_input *input)
{
    return (struct shown_time){.now = frame_now(input),
                               .clock = clock_short,
                               .hms = clock_hms,
                               .date = clock_date,
                               .times = input->view->times};
}

struct shown_look frame_look(const struct frame_input *input, bool ascii)
{
    return (struct shown_look){
        .time = frame_time(input), .orphaned = input->facts->orphaned, .ascii = ascii};
}

void frame_say(const struct frame_input *input, const char *words, struct str *out)
{
    keymap_say(input->view->keys, words, out);
}

int frame_put(struct canvas *canvas, struct spot spot, enum style style, const char *text)
{
    if (spot.width <= 0)
        return spot.column;
    return spot.column + canvas_text(canvas, spot, style, text);
}

int frame_put_right(struct canvas *canvas, struct spot spot, enum style style, const char *text)
{
    int width = text_width(text, strlen(text));
    if (width > spot.width)
        return spot.column + spot.width;
    int at = spot.column + spot.width - width;
    (void)canvas_text(canvas, (struct spot){spot.row, at, width}, style, text);
    return at;
}

void frame_pane_zone(struct canvas *canvas, const struct frame_box *box, uint32_t pane)
{
    const struct canvas_zone zone = {.spot = {box->row, box->column, box->columns},
                                     .rows = box->rows,
                                     .kind = ZONE_PANE,
                                     .value = pane};
    canvas_add_area(canvas, &zone);
}

void frame_rule(struct canvas *canvas, struct spot spot, const char *title, const char *note)
{
    canvas_rule(canvas, spot.row, spot.column, spot.width);
    int note_width = *note != '\0' ? text_width(note, strlen(note)) : 0;
    bool has_note = note_width > 0 && note_width + 16 < spot.width;
    int room = spot.width - 4 - (has_note ? note_width + 4 : 0);
    if (*title != '\0' && room > 0) {
        struct str text = {0};
        str_addf(&text, " %s", title);
        int end = frame_put(canvas, (struct spot){spot.row, spot.column + 2, room}, STYLE_HEAD,
                            str_text(&text));
        (void)frame_put(canvas, (struct spot){spot.row, end, 1}, STYLE_HEAD, " ");
        str_done(&text);
    }
    if (has_note) {
        struct str text = {0};
        str_addf(&text, " %s ", note);
        (void)frame_put_right(canvas, (struct spot){spot.row, spot.column, spot.width - 1},
                              STYLE_RULE, str_text(&text));
        str_done(&text);
    }
}

void frame_rule_say(struct canvas *canvas, struct spot spot, const char *title, const char *note,
                    const struct frame_input *input)
{
    struct str text = {0};
    frame_say(input, note, &text);
    frame_rule(canvas, spot, title, str_text(&text));
    str_done(&text);
}

void frame_pane_mark(struct canvas *canvas, struct spot spot, const struct view *view,
                     enum view_pane pane)
{
    if (view->pane == pane && pane != VIEW_PANE_LIST && spot.row >= 0)
        (void)canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, STYLE_KEY, "▸");
}

enum {
    CUT_COLUMNS_MIN = 7,     /* in fewer columns, only the start of an id is shown */
    WINDOW_COLUMNS_MIN = 11, /* in fewer columns, there is no room for a middle part */
    NEIGHBOURS = 8, /* how many tasks to check on each side; similar ids are usually consecutive */
};

/* Number of bytes shown at each end of a long id. */
struct ends {
    size_t front, back;
};

static bool is_cut_alike(const struct ends *ends, const char *a, const char *b)
{
    const size_t a_len = strlen(a);
    const size_t b_len = strlen(b);
    return b_len > ends->front + ends->back && strcmp(a, b) != 0 &&
           strncmp(a, b, ends->front) == 0 &&
           strcmp(a + a_len - ends->back, b + b_len - ends->back) == 0;
}

/* Finds where the id differs from that of the nearest task that would look the same. Returns false
 * if there is no such task. */
static bool find_difference(const struct plan *plan, int task, const struct ends *ends, size_t *out)
{
    const char *id = plan->tasks[task].id;
    for (int i = 1; i <= NEIGHBOURS; i++) {
        const int others[] = {task - i, task + i};
        for (int side = 0; side < 2; side++) {
            const int other = others[side];
            if (other < 0 || other >= plan->task_count ||
                !is_cut_alike(ends, id, plan->tasks[other].id))
                continue;
            *out = ends->front;
            while (id[*out] == plan->tasks[other].id[*out])
                (*out)++;
            return true;
        }
    }
    return false;
}

void frame_add_id(const struct plan *plan, int task, int columns, struct str *out)
{
    const char *id = plan->tasks[task].id;
    const size_t len = strlen(id);
    if (columns < CUT_COLUMNS_MIN || len <= (size_t)columns) {
        str_add(out, id);
        return;
    }
    size_t at = 0;
    const struct ends ends = {.front = ((size_t)columns - 1) / 2, .back = (size_t)columns / 2};
    if (columns < WINDOW_COLUMNS_MIN || !find_difference(plan, task, &ends, &at)) {
        str_addf(out, "%.*s…%s", (int)ends.front, id, id + len - ends.back);
        return;
    }
    /* Both ends, and between them the text around the difference. */
    const size_t room = (size_t)columns - 2; /* two gaps */
    const size_t end = room / 3;
    const size_t window = room - 2 * end;
    size_t start = at > end + window / 2 ? at - window / 2 : end + 1;
    if (start + window + 1 > len - end)
        start = len - end - window - 1;
    str_addf(out, "%.*s…%.*s…%s", (int)end, id, (int)window, id + start, id + len - end);
}

int frame_least(int a, int b)
{
    return a < b ? a : b;
}

int frame_most(int a, int b)
{
    return a > b ? a : b;
}

struct frame_box frame_take(struct frame_box *rest, int rows)
{
    const struct frame_box box = {rest->row, rest->column, rows, rest->columns};
    rest->row += rows;
    rest->rows -= rows;
    return box;
}

int frame_take_row(struct frame_box *rest)
{
    return frame_take(rest, 1).row;
}
