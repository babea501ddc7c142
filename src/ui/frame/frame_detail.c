/* frame_detail.c - the Detail screen: state of the task at the top, why the selected attempt ended
 * as it did, what is proven, and its output. The table of attempts is in frame_detail_tries.c. */
#include <assert.h>
#include <stddef.h>

#include "agent_stream.h"
#include "ascii.h"
#include "event_lines.h"
#include "frame_internal.h"
#include "retry_help.h"
#include "shown.h"
#include "text.h"

enum { GAP_COLUMNS = 3, PART_COUNT_MAX = 8 };

static const struct task_state *task_of(const struct detail *detail)
{
    return &detail->state->tasks[detail->task];
}

/* Appends "age 6:42"; if there is room, also how long its attempts ran and how long it waited. The
 * age of an ended task is its age at the end. */
static void add_age(const struct detail *detail, struct str *out)
{
    const struct task_state *task = task_of(detail);
    const int64_t now_ms = frame_now(detail->input).mono_ms;
    if (task->first_start.at_ms == 0)
        return;
    const int64_t until_ms = task_status_is_final(task->status) ? task->since.mono_ms : now_ms;
    str_add(out, "age ");
    shown_duration(until_ms - task->first_start.mono_ms, out);
    if (!detail->is_wide)
        return;

    const int steps = detail->state->plan->tasks[detail->task].step_count;
    int64_t ran_ms = 0;
    for (int i = 0; i < steps; i++) {
        const struct step_state *step = &task->steps[i];
        for (size_t n = 0; n < step->attempt_count; n++) {
            const struct attempt_state *attempt = &step->attempts[n];
            const bool ended = attempt->ended.mono_ms != 0;
            ran_ms += ended ? attempt->outcome.ran_ms - attempt->outcome.own_wait_ms
                            : run_state_running_ms(detail->state, detail->task, attempt, now_ms);
        }
    }
    const struct step_state *present = run_state_step(detail->state, detail->task);
    str_add(out, " (ran ");
    shown_duration(ran_ms, out);
    str_add(out, ", waited ");
    shown_duration(task->waited_ms, out);
    if (present->status == STEP_WAITING) {
        str_add(out, " + now ");
        shown_duration(now_ms - present->wait_from.mono_ms, out);
    }
    str_add_char(out, ')');
}

/* Draws as many parts as fit, side by side. Returns the column after them. */
static int put_parts(struct canvas *canvas, struct spot spot, const struct str *parts, int count)
{
    for (int i = 0; i < count; i++) {
        const int width = text_width(str_text(&parts[i]), parts[i].len);
        if (width == 0)
            continue;
        if (width > spot.width)
            break;
        const int end = frame_put(canvas, spot, STYLE_PLAIN, str_text(&parts[i])) + GAP_COLUMNS;
        spot.width -= end - spot.column;
        spot.column = end;
    }
    return spot.column;
}

/* Draws the state of the task, "phase GREEN (R✓G▸V·)", its tries, its age, and the cost and name of
 * its agent. */
static void draw_state_line(struct canvas *canvas, struct spot spot, const struct detail *detail)
{
    const struct plan_task *plan = &detail->state->plan->tasks[detail->task];
    const struct task_agent *agent = task_of(detail)->agent;
    const enum shown shown =
        shown_task(detail->state, detail->task, detail->input->facts->orphaned);
    struct str parts[PART_COUNT_MAX] = {0};
    struct str state = {0};
    str_addf(&state, "%s %s", shown_sign(shown, canvas->ascii), shown_word(shown));
    const int end = frame_put(canvas, spot, frame_style(shown), str_text(&state)) + GAP_COLUMNS;
    spot.width -= end - spot.column;
    spot.column = end;

    const int step = run_state_step_number(detail->state, detail->task);
    str_addf(&parts[0], "phase %s (", phase_name(plan->steps[step].phase));
    shown_strip(detail->state, detail->task, canvas->ascii, &parts[0]);
    str_add_char(&parts[0], ')');
    shown_try_of(detail->state, detail->task, &parts[1]);
    add_age(detail, &parts[2]);
    if (agent) {
        const struct agent_used used = task_agent_used(agent);
        if (used.cost_micro > 0) {
            str_add(&parts[3], "cost ");
            agent_cost_words(used.cost_micro, &parts[3]);
        }
        if (detail->is_wide && agent->agent)
            str_addf(&parts[3], "%sagent %s", parts[3].len > 0 ? "   " : "", agent->agent);
    }
    (void)put_parts(canvas, spot, parts, PART_COUNT_MAX);
    for (int i = 0; i < PART_COUNT_MAX; i++)
        str_done(&parts[i]);
    str_done(&state);
}

/* Draws when the task continues, or since when it has been in its state; with the formula if there
 * is room. */
static void draw_next_line(struct canvas *canvas, struct spot spot, const struct detail *detail)
{
    struct str parts[PART_COUNT_MAX] = {0};
    frame_add_state(detail->input, detail->task, false, &parts[0]);
    const int width = text_width(str_text(&parts[0]), parts[0].len);
    if (width > spot.width) {
        (void)frame_put(canvas, spot, STYLE_PLAIN, str_text(&parts[0]));
    } else {
        frame_add_bar(detail->input, detail->task, &parts[1]);
        shown_formula(run_state_step(detail->state, detail->task), &parts[2]);
        (void)put_parts(canvas, spot, parts, PART_COUNT_MAX);
    }
    for (int i = 0; i < PART_COUNT_MAX; i++)
        str_done(&parts[i]);
}

static bool has_ended(const struct detail *detail)
{
    return detail->attempt && detail->attempt->ended.mono_ms != 0;
}

static bool has_failed(const struct detail *detail)
{
    return has_ended(detail) && detail->attempt->class != VERDICT_SUCCESS;
}

/* Returns the verdict of the attempt in view, or NULL if it is not known yet. The state has only
 * the verdict of a step's latest failure, which is read into *room; others come from the
 * forensics. */
static const struct verdict *verdict_of(const struct detail *detail, struct verdict *room)
{
    const struct forensics *forensics = detail->input->facts->forensics;
    const struct log_output_key key = {
        .task = detail->task, .step = detail->at.step, .attempt = detail->at.attempt};
    const struct verdict *kept = log_words_verdict(detail->state, &key, room);
    if (kept)
        return kept;
    if (!forensics || forensics->key.task != key.task || forensics->key.step != key.step ||
        forensics->key.attempt != key.attempt)
        return NULL;
    return forensics->verdict.class != VERDICT_SUCCESS ? &forensics->verdict : NULL;
}

/* Appends the title of draw_why(): "why try 3 failed". */
static void add_why_title(const struct detail *detail, struct str *out)
{
    if (!detail->attempt)
        str_add(out, "before the first try");
    else
        str_addf(out,
                 has_failed(detail)  ? "why try %d failed"
                 : has_ended(detail) ? "try %d passed"
                                     : "try %d is running",
                 detail->attempt->number);
}

/* Draws the attempt's hint, how it ended and why. */
static void put_try(struct preview *preview, const struct detail *detail)
{
    const struct attempt_state *attempt = detail->attempt;
    const struct plan_step *plan = &detail->state->plan->tasks[detail->task].steps[detail->at.step];
    const struct shown_time time = frame_time(preview->input);
    struct verdict room;
    struct rows rows = {0};
    rows_hint(&rows, attempt);
    rows_attempt_host(&rows, detail->state, attempt);
    if (has_failed(detail)) {
        rows_verdict(&rows, plan, attempt, verdict_of(detail, &room), &time);
        rows_same(&rows, detail->state, detail->task, detail->at.step, attempt);
        /* The end of the task was caused by its current attempt. */
        if (attempt == step_state_attempt(run_state_step(detail->state, detail->task)))
            rows_ending(&rows, detail->state, detail->task);
    } else if (has_ended(detail)) {
        rows_attempt(&rows, attempt, &time);
    }
    preview_put_rows(preview, &rows);
}

static void put_head(struct preview *preview, const char *words, const char *note)
{
    const struct frame_box *box = preview->box;
    if (preview->row > -preview->input->view->preview.top && !preview_is_full(preview))
        preview->row++;
    if (preview_is_full(preview))
        return;
    const struct spot spot = {box->row + preview->row++, box->column + 1, box->columns - 2};
    if (spot.row < box->row) /* scrolled out of the box */
        return;
    const int end = frame_put_right(preview->canvas, spot, STYLE_RULE, note);
    (void)frame_put(preview->canvas, (struct spot){spot.row, spot.column, end - spot.column},
                    STYLE_HEAD, words);
}

/* Draws one step: its proof and how old it is, or its last failed try, or that it is running or was
 * not reached. */
static void put_step(struct preview *preview, int number)
{
    const struct plan_step *plan = &preview->state->plan->tasks[preview->task].steps[number];
    const struct step_state *step = &preview->state->tasks[preview->task].steps[number];
    const struct attempt_state *attempt = step_state_attempt(step);
    const bool ascii = preview->canvas->ascii;
    const char *mark = ascii ? "." : "·";
    struct str words = {0}, text = {0};
    const bool is_stale = shown_proof(preview->state, preview->task, number) == SHOWN_PROOF_STALE;
    if (frame_add_proof(preview->input, preview->task, number, &words)) {
        mark = is_stale ? "?" : shown_sign(SHOWN_PASSED, ascii);
        str_add(&words, is_stale ? "; stale: the tree has changed since" : "");
    } else if (attempt && attempt->ended.mono_ms != 0) {
        str_add(&words, "not yet: last try ");
        outcome_words(&attempt->outcome, &words);
    } else {
        str_add(&words, attempt ? "runs" : "not reached");
    }
    str_addf(&text, "%s %s", mark, str_text(&words));
    preview_put(preview, phase_name(plan->phase), str_text(&text));
    str_done(&words);
    str_done(&text);
}

/* For a waiting task, draws what happens next without user input. If enough similar failures are
 * known, also draws how often a retry passed. */
static void put_ahead(struct preview *preview)
{
    const struct view_facts *facts = preview->input->facts;
    const struct shown_time time = frame_time(preview->input);
    struct retry_case like;
    struct retry_odds odds;
    struct rows rows = {0};
    const bool has_odds = facts->retries && retry_case_of(preview->state, preview->task, &like) &&
                          retry_help_odds(facts->retries, &like, &odds);
    rows_ahead(&rows, preview->state, preview->task, facts->orphaned, has_odds ? &odds : NULL,
               &time);
    if (rows.count > 0)
        put_head(preview, "IF IT CONTINUES", "");
    preview_put_rows(preview, &rows);
}

/* Draws why the selected attempt ended as it did, what is proven, and what else is known about the
 * task. FRAME_PREVIEW_ROOMY draws everything. Returns the number of rows used. */
static int draw_why(struct canvas *canvas, const struct frame_box *box,
                    enum frame_preview_kind kind, const struct detail *detail)
{
    const bool is_roomy = kind == FRAME_PREVIEW_ROOMY;
    struct preview preview = {
        .canvas = canvas,
        .box = box,
        .input = detail->input,
        .state = detail->state,
        .kind = kind,
        .task = detail->task,
        .text_column = PREVIEW_TEXT_COLUMN_DETAIL,
        .row = is_roomy ? -detail->input->view->preview.top : 0,
    };
    const int top = -preview.row;
    struct str text = {0};
    if (is_roomy) {
        add_why_title(detail, &text);
        for (size_t i = 0; i < text.len; i++) {
            if (ascii_is_lower(text.data[i]))
                text.data[i] = (char)(text.data[i] - 'a' + 'A');
        }
        struct str note = {0};
        frame_say(detail->input, "{forensics} all captures", &note);
        put_head(&preview, str_text(&text), str_text(&note));
        str_done(&note);
        str_clear(&text);
    }
    if (detail->attempt) {
        put_try(&preview, detail);
    } else {
        shown_cause(preview.state, preview.task, &text);
        preview_put(&preview, "why", str_text(&text));
    }
    str_done(&text);
    if (is_roomy) {
        put_head(&preview, "WHAT IS PROVEN", "");
        for (int i = 0; i < detail->state->plan->tasks[detail->task].step_count; i++)
            put_step(&preview, i);
        preview_put_said(&preview);
        put_ahead(&preview);
        put_head(&preview, "THE TASK", "");
    } else {
        preview_put_proofs(&preview);
        preview_put_said(&preview);
        preview_put_wait(&preview);
    }
    if (kind != FRAME_PREVIEW_SHORT)
        preview_put_agent(&preview);
    if (is_roomy)
        preview_put_command(&preview);
    return preview.row + top;
}

/* Returns how many rows draw_why() takes, at most `most_rows`. */
static int count_why_rows(enum frame_preview_kind kind, const struct detail *detail, int columns,
                          int most_rows)
{
    struct canvas canvas = {0};
    canvas_init(&canvas, most_rows, columns, false);
    const struct frame_box box = {0, 0, most_rows, columns};
    const int rows = draw_why(&canvas, &box, kind, detail);
    canvas_done(&canvas);
    return rows;
}

enum {
    MEDIUM_COLUMNS = 58, /* in fewer columns, there are neither log nor divider lines */
    MEDIUM_ROWS = 12,    /* minimum height of the body for log and divider lines */
    WIDE_ROWS = 24,
    HEAD_ROWS = 2,
    HEAD_ROWS_MIN = 5, /* in fewer rows, the head has one row */
    TRIES_MIN = 3,
    TRIES_MAX_WIDE = 8,
    WHY_MIN = 3,
    LOG_MIN = 3,
    TIMELINE_ROWS = 2, /* a bar and the axis */
    WHY_COLUMNS = 66,  /* width of `why` in the wide layout, which has the log beside it */
};

/* Position of each part. If a part is not shown, its row is -1, or its box has 0 rows. */
struct layout {
    struct frame_page page;
    struct frame_box head, timeline, tries, why, log;
    int timeline_rule, tries_rule, heads, why_rule, log_rule;
    int divider; /* column of the line between `why` and log */
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
                       const struct detail *detail)
{
    out->head = frame_take(&rest, HEAD_ROWS);
    out->tries_rule = frame_take_row(&rest);
    out->heads = frame_take_row(&rest);
    out->tries = frame_take(
        &rest, frame_least(frame_most(tries, 1), frame_most(TRIES_MIN, (rest.rows - 2) / 3)));
    out->why_rule = frame_take_row(&rest);
    const int room = frame_most(WHY_MIN, rest.rows - 1 - LOG_MIN);
    const int most_rows = frame_least(room, frame_most(WHY_MIN, rest.rows / 2));
    out->why =
        frame_take(&rest, count_why_rows(FRAME_PREVIEW_WITH_LOG, detail, rest.columns, most_rows));
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
    struct frame_box rest = page.body;
    struct layout out = layout_none(&page);
    if (input->view->chosen < 0)
        return out;
    const struct detail detail = detail_of(input, false);
    const int tries = detail_try_count(&detail);
    if (columns >= PAGE_WIDE_COLUMNS && rest.rows >= WIDE_ROWS)
        lay_wide(&out, rest, tries);
    else if (columns >= MEDIUM_COLUMNS && rest.rows >= MEDIUM_ROWS)
        lay_medium(&out, rest, tries, &detail);
    else
        lay_small(&out, rest, tries);

    const enum view_pane pane = input->view->pane;
    if (!view_is_zoomed(input->view) || (out.panes & (1u << pane)) == 0)
        return out;
    const unsigned panes = out.panes;
    out = layout_none(&page);
    out.panes = panes;
    if (pane == VIEW_PANE_LOG) {
        out.log_rule = frame_take_row(&rest);
        out.log = frame_take(&rest, rest.rows);
    } else if (pane == VIEW_PANE_PREVIEW) {
        out.is_wide = true;
        out.why = frame_take(&rest, rest.rows);
    } else {
        out.heads = frame_take_row(&rest);
        out.tries = frame_take(&rest, rest.rows);
    }
    return out;
}

void frame_detail_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    const struct layout layout = lay_out(rows, columns, input);
    view_fit(view, 0, layout.log.rows, layout.panes);
    int all = layout.why.rows;
    if (layout.is_wide) {
        const struct detail detail = detail_of(input, true);
        const bool is_shown = detail.task >= 0 && input->view->pane == VIEW_PANE_PREVIEW;
        all = is_shown ? count_why_rows(FRAME_PREVIEW_ROOMY, &detail, layout.why.columns,
                                        FRAME_PREVIEW_ROWS_MAX)
                       : 0;
    }
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

static void draw_rules(struct canvas *canvas, const struct layout *layout,
                       const struct detail *detail)
{
    const struct view_try *marked = &detail->input->view->report.marked;
    const struct plan *plan = detail->input->facts->state->plan;
    struct str text = {0};
    const int columns = canvas->columns;
    if (layout->timeline_rule >= 0)
        frame_rule(canvas, (struct spot){layout->timeline_rule, 0, columns}, "timeline",
                   "this task only");
    if (layout->tries_rule >= 0) {
        struct str note = {0};
        str_add(&text, "tries");
        detail_add_hidden(detail, layout->tries.rows, &text);
        str_add(&note, "{try-back} {try-next} choose");
        if (marked->attempt != 0 && marked->task < plan->task_count) {
            str_add(&note, "   {compare} compares with ");
            if (marked->task != detail->at.task)
                str_addf(&note, "%s ", plan->tasks[marked->task].id);
            str_addf(&note, "try %d", marked->attempt);
        }
        frame_rule_say(canvas, (struct spot){layout->tries_rule, 0, columns}, str_text(&text),
                       str_text(&note), detail->input);
        str_done(&note);
        str_clear(&text);
    }
    if (layout->why_rule >= 0) {
        if (!layout->is_wide)
            add_why_title(detail, &text);
        frame_rule_say(canvas, (struct spot){layout->why_rule, 0, columns}, str_text(&text),
                       layout->is_wide ? "" : "{forensics} all captures", detail->input);
        str_clear(&text);
    }
    if (layout->log_rule >= 0) {
        add_log_title(detail->input, detail, "log", &text);
        frame_rule_say(canvas, (struct spot){layout->log_rule, 0, columns}, str_text(&text),
                       frame_log_note(detail->input->view), detail->input);
    }
    str_done(&text);
}

/* If the log is beside `why`, draws the log's heading and the line between them. */
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

static void draw_body(struct canvas *canvas, const struct layout *layout,
                      const struct detail *detail)
{
    const struct view *view = detail->input->view;
    enum frame_preview_kind kind = FRAME_PREVIEW_WITH_LOG;
    if (layout->is_wide)
        kind = FRAME_PREVIEW_ROOMY;
    else if (layout->why_rule < 0)
        kind = FRAME_PREVIEW_SHORT;
    struct spot head = {layout->head.row, layout->head.column + 1, layout->head.columns - 1};
    if (layout->head.rows > 0)
        draw_state_line(canvas, head, detail);
    head.row++;
    if (layout->head.rows > 1)
        draw_next_line(canvas, head, detail);
    draw_rules(canvas, layout, detail);
    if (layout->timeline.rows > 0)
        frame_timeline_task(canvas, &layout->timeline, detail->input);
    if (layout->tries.rows > 0)
        detail_draw_tries(canvas, layout->heads, &layout->tries, detail);
    if (layout->why.rows > 0)
        (void)draw_why(canvas, &layout->why, kind, detail);
    if (layout->divider >= 0)
        draw_beside(canvas, layout, detail);

    /* The pane with the focus is marked; a click moves the focus. */
    const int why_row = layout->is_wide ? layout->why.row : layout->why_rule;
    const int log_row = layout->log_head >= 0 ? layout->log_head : layout->log_rule;
    const int log_column = layout->log_head >= 0 ? layout->log.column : 0;
    frame_pane_zone(canvas, &layout->why, VIEW_PANE_PREVIEW);
    frame_pane_mark(canvas, (struct spot){why_row, 0, 1}, view, VIEW_PANE_PREVIEW);
    frame_pane_mark(canvas, (struct spot){log_row, log_column, 1}, view, VIEW_PANE_LOG);
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
                        STYLE_PLAIN, "No task selected.");
}
