#include "frame_detail.h"

#include <assert.h>

#include "frame_detail_parts.h"
#include "frame_page.h"
#include "frame_rest.h"
#include "frame_timeline.h"

enum {
    MEDIUM_COLUMNS = 58, /* narrower or lower: no log, no rules */
    MEDIUM_ROWS = 12,    /* of the body, as below */
    WIDE_ROWS = 24,
    HEAD_ROWS = 2,
    HEAD_ROWS_MIN = 5, /* lower: the head has one row */
    TRIES_MIN = 3,
    TRIES_MAX_WIDE = 8,
    WHY_MIN = 3,
    LOG_MIN = 3,
    TIMELINE_ROWS = 2, /* a bar, and the axis */
    WHY_COLUMNS = 66,  /* wide: beside the log */
};

/* Where things are; rows of -1 are not there, boxes without rows neither. */
struct layout {
    struct frame_page page;
    struct frame_box head, timeline, tries, why, log;
    int timeline_rule, tries_rule, heads, why_rule, log_rule;
    int divider; /* column between why and log */
    int log_head;
    unsigned panes;
    bool is_wide;
};

static struct detail detail_of(const struct frame_input *input, bool is_wide)
{
    const struct run_state *state = input->facts->state;
    struct detail detail = {.input = input,
                            .state = state,
                            .task = input->view->chosen,
                            .at = view_try_now(input->view, state),
                            .is_wide = is_wide};
    detail.attempt = view_try_state(state, &detail.at);
    return detail;
}

/* How many rows the reason takes, up to so many. */
static int why_rows(const struct frame_input *input, int columns, int most_rows)
{
    const struct detail detail = detail_of(input, false);
    struct canvas canvas = {0};
    canvas_init(&canvas, most_rows, columns, false);
    const struct frame_box box = {0, 0, most_rows, columns};
    const int rows = detail_draw_why(&canvas, &box, FRAME_PREVIEW_WITH_LOG, &detail);
    canvas_done(&canvas);
    return rows;
}

static void lay_small(struct layout *out, struct frame_box rest, int tries)
{
    out->head =
        frame_take(&rest, rest.rows >= HEAD_ROWS_MIN ? HEAD_ROWS : frame_least(1, rest.rows));
    const int half = frame_least(frame_most(1, rest.rows / 2), rest.rows);
    out->tries = frame_take(&rest, frame_least(frame_most(tries, 1), half));
    out->why = frame_take(&rest, rest.rows);
    out->panes = VIEW_HAS_LIST;
}

static void lay_medium(struct layout *out, struct frame_box rest, int tries,
                       const struct frame_input *input)
{
    out->head = frame_take(&rest, HEAD_ROWS);
    out->tries_rule = frame_take_row(&rest);
    out->heads = frame_take_row(&rest);
    out->tries = frame_take(
        &rest, frame_least(frame_most(tries, 1), frame_most(TRIES_MIN, (rest.rows - 2) / 3)));
    out->why_rule = frame_take_row(&rest);
    const int room = frame_most(WHY_MIN, rest.rows - 1 - LOG_MIN);
    out->why = frame_take(&rest, why_rows(input, rest.columns,
                                          frame_least(room, frame_most(WHY_MIN, rest.rows / 2))));
    out->log_rule = frame_take_row(&rest);
    out->log = frame_take(&rest, rest.rows);
    out->panes = VIEW_HAS_LIST | VIEW_HAS_PREVIEW | VIEW_HAS_LOG;
}

static void lay_wide(struct layout *out, struct frame_box rest, int tries)
{
    out->is_wide = true;
    out->head = frame_take(&rest, HEAD_ROWS);
    out->timeline_rule = frame_take_row(&rest);
    out->timeline = frame_take(&rest, TIMELINE_ROWS);
    out->tries_rule = frame_take_row(&rest);
    out->heads = frame_take_row(&rest);
    out->tries = frame_take(&rest, frame_least(frame_most(tries, 1), TRIES_MAX_WIDE));
    out->why_rule = frame_take_row(&rest);
    out->divider = WHY_COLUMNS;
    out->log_head = rest.row;
    out->why = (struct frame_box){rest.row, 0, rest.rows, WHY_COLUMNS};
    out->log = (struct frame_box){rest.row + 1, WHY_COLUMNS + 1, rest.rows - 1,
                                  rest.columns - WHY_COLUMNS - 1};
    out->panes = VIEW_HAS_LIST | VIEW_HAS_PREVIEW | VIEW_HAS_LOG;
}

/* One pane alone. */
static void lay_zoomed(struct layout *out, struct frame_box rest, enum view_pane pane)
{
    if (pane == VIEW_PANE_LOG) {
        out->log_rule = frame_take_row(&rest);
        out->log = frame_take(&rest, rest.rows);
    } else if (pane == VIEW_PANE_PREVIEW) {
        out->is_wide = true;
        out->why = frame_take(&rest, rest.rows);
    } else {
        out->heads = frame_take_row(&rest);
        out->tries = frame_take(&rest, rest.rows);
    }
}

static struct layout layout_none(const struct frame_page *page)
{
    return (struct layout){.page = *page,
                           .timeline_rule = -1,
                           .tries_rule = -1,
                           .heads = -1,
                           .why_rule = -1,
                           .log_rule = -1,
                           .divider = -1,
                           .log_head = -1};
}

static struct layout lay_out(int rows, int columns, const struct frame_input *input)
{
    const struct frame_page page = frame_page_lay(rows, columns, input);
    const struct frame_box rest = page.body;
    struct layout out = layout_none(&page);
    if (input->view->chosen < 0)
        return out;
    const struct detail detail = detail_of(input, false);
    const int tries = detail_try_count(&detail);
    if (columns >= PAGE_WIDE_COLUMNS && rest.rows >= WIDE_ROWS)
        lay_wide(&out, rest, tries);
    else if (columns >= MEDIUM_COLUMNS && rest.rows >= MEDIUM_ROWS)
        lay_medium(&out, rest, tries, input);
    else
        lay_small(&out, rest, tries);
    const enum view_pane pane = input->view->pane;
    if (view_is_zoomed(input->view) && (out.panes & (1u << pane)) != 0) {
        const unsigned panes = out.panes;
        out = layout_none(&page);
        lay_zoomed(&out, rest, pane);
        out.panes = panes;
    }
    return out;
}

/* The rows that all that is known takes. */
static int all_rows(const struct frame_input *input, int columns)
{
    const struct detail detail = detail_of(input, true);
    const struct frame_box box = {0, 0, FRAME_PREVIEW_ROWS_MAX, columns};
    struct canvas canvas = {0};
    if (detail.task < 0 || input->view->pane != VIEW_PANE_PREVIEW)
        return 0;
    canvas_init(&canvas, box.rows, columns, false);
    const int rows = detail_draw_why(&canvas, &box, FRAME_PREVIEW_ROOMY, &detail);
    canvas_done(&canvas);
    return rows;
}

void frame_detail_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    const struct layout layout = lay_out(rows, columns, input);
    view_fit(view, 0, layout.log.rows, layout.panes);
    const int all = layout.is_wide ? all_rows(input, layout.why.columns) : layout.why.rows;
    view_preview_fit(view, all, layout.why.rows);
}

static void add_log_title(const struct frame_input *input, const struct detail *detail,
                          const char *word, struct str *out)
{
    str_add(out, word);
    if (detail->at.attempt > 0)
        str_addf(out, " try %d", detail->at.attempt);
    if (input->view->log_back > 0)
        str_addf(out, "  %zu lines up", input->view->log_back);
}

/* What the keys do to tries; once one is marked to be compared, with which. */
static void add_tries_note(const struct detail *detail, struct str *out)
{
    const struct view_try *marked = &detail->input->view->report.marked;
    const struct plan *plan = detail->input->facts->state->plan;
    str_add(out, "{try-back} {try-next} choose");
    if (marked->attempt == 0 || marked->task >= plan->task_count)
        return;
    str_add(out, "   {compare} compares with ");
    if (marked->task != detail->at.task)
        str_addf(out, "%s ", plan->tasks[marked->task].id);
    str_addf(out, "try %d", marked->attempt);
}

static void draw_rules(struct canvas *canvas, const struct layout *layout,
                       const struct detail *detail)
{
    struct str text = {0};
    struct str note = {0};
    const int columns = canvas->columns;
    if (layout->timeline_rule >= 0)
        frame_rule(canvas, (struct spot){layout->timeline_rule, 0, columns}, "timeline",
                   "this task only");
    str_add(&text, "tries");
    detail_add_hidden(detail, layout->tries.rows, &text);
    add_tries_note(detail, &note);
    if (layout->tries_rule >= 0)
        frame_rule_say(canvas, (struct spot){layout->tries_rule, 0, columns}, str_text(&text),
                       str_text(&note), detail->input);
    str_done(&note);
    str_clear(&text);
    detail_add_why_title(detail, &text);
    if (layout->why_rule >= 0)
        frame_rule_say(canvas, (struct spot){layout->why_rule, 0, columns},
                       layout->is_wide ? "" : str_text(&text),
                       layout->is_wide ? "" : "{forensics} all captures", detail->input);
    str_clear(&text);
    add_log_title(detail->input, detail, "log", &text);
    if (layout->log_rule >= 0)
        frame_rule_say(canvas, (struct spot){layout->log_rule, 0, columns}, str_text(&text),
                       frame_log_note(detail->input->view), detail->input);
    str_done(&text);
}

/* Beside the reason the log has a head of its own, and a line between them. */
static void draw_beside(struct canvas *canvas, const struct layout *layout,
                        const struct detail *detail)
{
    const struct spot spot = {layout->log_head, layout->log.column + 1, layout->log.columns - 2};
    struct str text = {0};
    frame_say(detail->input, frame_log_note(detail->input->view), &text);
    const int end = frame_put_right(canvas, spot, STYLE_RULE, str_text(&text));
    str_clear(&text);
    add_log_title(detail->input, detail, "LOG", &text);
    (void)frame_put(canvas, (struct spot){spot.row, spot.column, end - spot.column}, STYLE_HEAD,
                    str_text(&text));
    canvas_upright(canvas, layout->why.row, layout->divider, layout->why.rows);
    str_done(&text);
}

/* Which of them has the keys, and where a click gives them to it. */
static void mark_panes(struct canvas *canvas, const struct layout *layout, const struct view *view)
{
    const int why_row = layout->is_wide ? layout->why.row : layout->why_rule;
    const int log_row = layout->log_head >= 0 ? layout->log_head : layout->log_rule;
    const int log_column = layout->log_head >= 0 ? layout->log.column : 0;
    frame_pane_zone(canvas, &layout->why, VIEW_PANE_PREVIEW);
    frame_pane_mark(canvas, (struct spot){why_row, 0, 1}, view, VIEW_PANE_PREVIEW);
    frame_pane_mark(canvas, (struct spot){log_row, log_column, 1}, view, VIEW_PANE_LOG);
}

static void draw_body(struct canvas *canvas, const struct layout *layout,
                      const struct detail *detail)
{
    enum frame_preview_kind kind = FRAME_PREVIEW_WITH_LOG;
    if (layout->is_wide)
        kind = FRAME_PREVIEW_ROOMY;
    else if (layout->why_rule < 0)
        kind = FRAME_PREVIEW_SHORT;
    detail_draw_head(canvas, &layout->head, detail);
    draw_rules(canvas, layout, detail);
    if (layout->timeline.rows > 0)
        frame_timeline_task(canvas, &layout->timeline, detail->input);
    if (layout->tries.rows > 0)
        detail_draw_tries(canvas, layout->heads, &layout->tries, detail);
    if (layout->why.rows > 0)
        (void)detail_draw_why(canvas, &layout->why, kind, detail);
    if (layout->divider >= 0)
        draw_beside(canvas, layout, detail);
    mark_panes(canvas, layout, detail->input->view);
    if (layout->log.rows > 0)
        frame_log(canvas, &layout->log, FRAME_LOG_WITH_TIMES, detail->input);
}

static void draw_page(struct canvas *canvas, const struct layout *layout,
                      const struct frame_input *input)
{
    static const enum act all[] = {UI_QUIT, UI_RETRY,    UI_RETRY_WITH,  UI_CANCEL,
                                   UI_HOLD, UI_TRY_BACK, UI_TRY_FORWARD, UI_OPEN,
                                   UI_ZOOM, UI_COMPARE,  UI_BUNDLE,      UI_HELP};
    static const enum act zoomed[] = {UI_QUIT, UI_ZOOM,    UI_TRY_BACK,   UI_TRY_FORWARD,
                                      UI_OPEN, UI_RETRY,   UI_RETRY_WITH, UI_CANCEL,
                                      UI_HOLD, UI_COMPARE, UI_BUNDLE,     UI_HELP};
    static_assert(ARRAY_LEN(zoomed) == ARRAY_LEN(all), "the same keys in another order");
    const char *briefs[UI_ACT_COUNT] = {
        [UI_QUIT] = "back", [UI_TRY_BACK] = "", [UI_TRY_FORWARD] = "try", [UI_OPEN] = "log"};
    const struct frame_keys keys = {.acts = view_is_zoomed(input->view) ? zoomed : all,
                                    .count = ARRAY_LEN(all),
                                    .briefs = briefs};
    if (view_is_zoomed(input->view))
        briefs[UI_ZOOM] = "all panes";
    frame_name_acts(input, briefs);
    struct str path = {0};
    frame_add_task(input, canvas->columns, &path);
    frame_page_draw(canvas, &layout->page, input, str_text(&path), &keys);
    str_done(&path);
}

void frame_detail(struct canvas *canvas, const struct frame_input *input)
{
    const struct layout layout = lay_out(canvas->rows, canvas->columns, input);
    const struct detail detail = detail_of(input, layout.is_wide);
    draw_page(canvas, &layout, input);
    if (detail.task >= 0)
        draw_body(canvas, &layout, &detail);
    else if (layout.page.body.rows > 0)
        (void)frame_put(canvas, (struct spot){layout.page.body.row, 1, canvas->columns - 1},
                        STYLE_PLAIN, "No task is chosen.");
}
