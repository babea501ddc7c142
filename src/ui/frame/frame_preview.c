/* frame_preview.c - what is known about the selected task, or the tasks with one fault: when it
 * continues, why, what is proven, its tries, its agent. Lines without data in the log are left
 * out. */
#include <string.h>

#include "adapter.h"
#include "clock.h"
#include "frame_internal.h"
#include "lines.h"
#include "repair.h"
#include "rows.h"
#include "shown.h"
#include "text.h"

/* Appends the proof of a step, "RED: failed as expected (try 1), 0:12 ago", or that there is none
 * yet. */
static void add_proof(const struct preview *preview, int number, struct str *out)
{
    const struct plan_step *plan = &preview->state->plan->tasks[preview->task].steps[number];
    str_addf(out, "%s: ", phase_name(plan->phase));
    if (!frame_add_proof(preview->input, preview->task, number, out))
        str_add(out, "none yet");
}

/* Appends part `part`, from 0 to count - 1. */
typedef void part_fn(const struct preview *preview, int part, struct str *out);
struct parts {
    int count;
    part_fn *add;
    const char *after; /* text after the last part; "" = none */
};

/* Draws as many of the last parts as fit into a line, in their order. */
static void put_last_parts(struct preview *preview, const char *label, struct parts parts)
{
    int room = preview->box->columns - preview->text_column;
    struct str text = {0};
    str_add(&text, parts.after);
    for (int i = parts.count - 1; i >= 0; i--) {
        struct str longer = {0};
        parts.add(preview, i, &longer);
        if (text.len > 0)
            str_addf(&longer, "   %s", text.data);
        bool fits = text.len == 0 || text_width(longer.data, longer.len) <= room;
        str_done(fits ? &text : &longer);
        if (!fits)
            break;
        text = longer;
    }
    preview_put(preview, label, str_text(&text));
    str_done(&text);
}

/* Draws the last parts: on separate lines if everything is shown, otherwise in one line. */
static void put_parts(struct preview *preview, const char *label, struct parts parts)
{
    if (preview_is_full(preview))
        return;
    if (preview->kind != FRAME_PREVIEW_ROOMY) {
        put_last_parts(preview, label, parts);
        return;
    }
    const int room = preview->box->rows - preview->row;
    const int first = parts.count > room ? parts.count - room : 0;
    for (int i = first; i < parts.count; i++) {
        struct str text = {0};
        parts.add(preview, i, &text);
        preview_put(preview, i == first ? label : "", str_text(&text));
        str_done(&text);
    }
}

/* Appends "3 ✗ test-fail 1:47"; "1 ✗ start: busy" for a try that could not be started. */
static void add_try(const struct preview *preview, int index, struct str *out)
{
    const struct attempt_state *attempts = run_state_step(preview->state, preview->task)->attempts;
    const struct attempt_state *attempt = &attempts[index];
    bool ascii = preview->canvas->ascii;
    struct moment now = frame_now(preview->input);
    bool ended = attempt->ended.mono_ms != 0;
    enum shown sign = SHOWN_RUNNING;
    if (ended)
        sign = attempt->class == VERDICT_SUCCESS ? SHOWN_PASSED : SHOWN_GAVE_UP;
    else if (run_state_queue(preview->state, preview->task))
        sign = SHOWN_QUEUED;
    str_addf(out, "%d %s ", attempt->number, shown_sign(sign, ascii));
    if (ended && attempt->outcome.kind == OUTCOME_NOT_STARTED) {
        str_add(out, "start: ");
        shown_try_class(attempt, out);
        return;
    }
    if (ended)
        shown_try_class(attempt, out);
    else
        str_add(out, run_state_queue(preview->state, preview->task) ? "queued" : "runs");
    str_add_char(out, ' ');
    if (ended)
        shown_ran(&attempt->outcome, out);
    else
        shown_duration(run_state_since_ms(preview->state, preview->task, attempt, now.mono_ms),
                       out);
    if (!ended || preview->kind != FRAME_PREVIEW_ROOMY)
        return;
    if (attempt->new_permille >= 0) {
        str_add(out, "  new ");
        frame_add_share(attempt, preview->canvas->ascii, out);
    }
    if (frame_is_same_fault(attempts, index))
        str_add(out, "  same fault");
}

static void add_try_share(const struct preview *preview, int index, struct str *out)
{
    frame_add_share(&run_state_step(preview->state, preview->task)->attempts[index],
                    preview->canvas->ascii, out);
}

/* Draws the share of new output for each try, and whether the last tries had the same result or
 * almost nothing new. Draws nothing in a roomy preview, where each try has a line that includes its
 * share. */
static void put_shares(struct preview *preview)
{
    enum { LITTLE_PERMILLE = 100 };
    const struct step_state *step = run_state_step(preview->state, preview->task);
    const struct attempt_state *attempts = step->attempts;
    int ended = (int)step->attempt_count;
    if (ended > 0 && attempts[ended - 1].ended.mono_ms == 0)
        ended--;
    bool is_known = false;
    for (int i = 0; i < ended; i++)
        is_known = is_known || attempts[i].new_permille >= 0;
    if (!is_known || ended < 2 || preview->kind == FRAME_PREVIEW_ROOMY)
        return;

    int same = 0, little = 0; /* numbers of consecutive last tries with the same fault, and with
                                 little new output */
    while (same < ended && frame_is_same_fault(attempts, ended - 1 - same))
        same++;
    while (little < ended && attempts[ended - 1 - little].new_permille >= 0 &&
           attempts[ended - 1 - little].new_permille <= LITTLE_PERMILLE)
        little++;
    struct str after = {0};
    if (same > 0)
        str_addf(&after, "same result %d times in a row", same + 1);
    else if (little > 1)
        str_addf(&after, "almost nothing new %d times in a row", little);
    put_last_parts(preview, "new", (struct parts){ended, add_try_share, str_text(&after)});
    str_done(&after);
}

void preview_put_proofs(struct preview *preview)
{
    const int step = run_state_step_number(preview->state, preview->task);
    put_parts(preview, "proof", (struct parts){step + 1, add_proof, ""});
}

/* Draws each try of the current step, and what the tries have in common. */
static void preview_put_present_tries(struct preview *preview)
{
    size_t tries = run_state_step(preview->state, preview->task)->attempt_count;
    put_parts(preview, "tries", (struct parts){(int)tries, add_try, ""});
    put_shares(preview);
}

void preview_put_agent(struct preview *preview)
{
    const struct moment now = frame_now(preview->input);
    struct shown_circle circle;
    struct rows rows = {0};
    rows_agent(&rows, preview->state, preview->task, &now);
    if (shown_circles_of(preview->state, preview->task, &circle))
        rows_loop(&rows, &circle, run_state_step_number(preview->state, preview->task));
    rows_place(&rows, preview->state, preview->task);
    preview_put_rows(preview, &rows);
}

void preview_put_said(struct preview *preview)
{
    const int lines = preview->kind == FRAME_PREVIEW_ROOMY ? 2 : 1;
    struct rows rows = {0};
    rows_said(&rows, preview->state, preview->task,
              lines * (preview->box->columns - preview->text_column));
    preview_put_rows(preview, &rows);
}

enum { MS_PER_S = 1000, MORE_COLUMNS = 8 };

/* Draws "3 tasks, timeout, since 13:58:40 (1:02), 7 tries used". */
static void put_fold_facts(struct preview *preview, const struct view_fold *fold)
{
    const struct view *view = preview->input->view;
    const struct moment now = frame_now(preview->input);
    char hms[CLOCK_TEXT_MAX];
    struct str text = {0};
    int tries = 0;
    for (int i = 0; i < view->order_count; i++) {
        if (view_fold_of(view, i) == fold)
            tries += (int)run_state_step(preview->state, i)->attempt_count;
    }
    str_addf(&text, "%d tasks, ", fold->fault.count);
    shown_class(preview->state, fold->fault.first, &text);
    str_addf(&text, ", since %s (", clock_hms(fold->fault.since.at_ms, hms));
    shown_duration(now.mono_ms - fold->fault.since.mono_ms, &text);
    str_addf(&text, "), %d tries used", tries);
    preview_put(preview, "fault", str_text(&text));
    str_done(&text);
}

static void add_fold_times(const struct preview *preview, const struct fault *fault,
                           struct str *out)
{
    char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX];
    const struct moment now = frame_now(preview->input);
    int64_t left_ms = fault->due_first.mono_ms - now.mono_ms;
    (void)clock_hms(fault->due_first.at_ms, first);
    (void)clock_hms(fault->due_last.at_ms, last);
    if (left_ms <= 0) {
        str_addf(out, "due since %s", first);
    } else if (strcmp(first, last) != 0) {
        str_addf(out, "between %s and %s", first, last);
    } else {
        str_add(out, "in ");
        shown_duration(left_ms + MS_PER_S - 1, out);
        str_addf(out, ", at %s", first);
    }
}

static void put_fold_next(struct preview *preview, const struct view_fold *fold)
{
    const struct plan_task *tasks = preview->state->plan->tasks;
    const bool is_read_only = preview->input->facts->read_only;
    bool live = preview->input->facts->mode == VIEW_LIVE && !is_read_only;
    struct str text = {0};
    if (fold->leader >= 0)
        str_addf(&text, "one by one, once %s passes", tasks[fold->leader].id);
    else if (fold->held == fold->fault.count && is_read_only)
        str_add(&text, "held: no new tries until they are released");
    else if (fold->held == fold->fault.count)
        frame_say(preview->input, "held: no new tries until {hold} releases them", &text);
    else
        add_fold_times(preview, &fold->fault, &text);
    if (live && fold->leader < 0) {
        frame_say(preview->input, "   {retry} = ", &text);
        str_addf(&text, "%s alone, the others wait for it", tasks[preview->task].id);
    }
    preview_put(preview, "next", str_text(&text));
    str_done(&text);
}

/* Draws "T-104 in 0:12, T-109 in 0:40 +4", as many tasks as fit. */
static void put_fold_tasks(struct preview *preview, const struct view_fold *fold)
{
    const struct view *view = preview->input->view;
    const struct shown_time time = frame_time(preview->input);
    int rows = preview->kind == FRAME_PREVIEW_ROOMY ? PREVIEW_WRAP_ROWS : 1;
    int room = (preview->box->columns - preview->text_column) * rows - MORE_COLUMNS * rows;
    int left = fold->fault.count;
    struct str text = {0};
    for (int i = 0; i < view->order_count && left > 0; i++) {
        if (view_fold_of(view, i) != fold)
            continue;
        struct str one = {0};
        str_addf(&one, "%s%s ", text.len > 0 ? ", " : "", preview->state->plan->tasks[i].id);
        shown_next(preview->state, i, preview->input->facts->orphaned, &time, &one);
        bool fits = text_width(str_text(&text), text.len) + text_width(one.data, one.len) <= room;
        if (fits || text.len == 0)
            str_add(&text, one.data);
        str_done(&one);
        if (!fits)
            break;
        left--;
    }
    if (left > 0)
        str_addf(&text, " +%d", left);
    preview_put(preview, "tasks", str_text(&text));
    str_done(&text);
}

enum { LABEL_COLUMN = 1 };

bool preview_is_full(const struct preview *preview)
{
    return preview->row >= preview->box->rows;
}

void preview_put(struct preview *preview, const char *label, const char *text)
{
    const struct frame_box *box = preview->box;
    const int rows = preview->kind == FRAME_PREVIEW_ROOMY ? PREVIEW_WRAP_ROWS : 1;
    struct spot name = {0, box->column + LABEL_COLUMN, preview->text_column - LABEL_COLUMN - 1};
    struct spot spot = {0, box->column + preview->text_column, box->columns - preview->text_column};
    for (int i = 0; i < rows && *text != '\0' && !preview_is_full(preview) && spot.width > 0; i++) {
        size_t len = strlen(text);
        if (i < rows - 1)
            len = line_wrap_fit(text, len, spot.width);
        name.row = spot.row = box->row + preview->row++;
        if (spot.row >= box->row) { /* not scrolled out of the box */
            (void)frame_put(preview->canvas, name, STYLE_LABEL, i == 0 ? label : "");
            (void)canvas_text_n(preview->canvas, spot, STYLE_PLAIN, text, len);
        }
        text += len;
    }
}

static void put_row_line(void *ctx, const char *label, const char *text, enum row_style style)
{
    struct preview *preview = ctx;
    if (style == ROW_PLAIN || preview->kind == FRAME_PREVIEW_ROOMY)
        preview_put(preview, label, text);
}

void preview_put_rows(struct preview *preview, struct rows *rows)
{
    rows_each(rows, put_row_line, preview);
    rows_done(rows);
}

static void put_why(struct preview *preview)
{
    const struct verdict *verdict;
    struct verdict room;
    struct rows rows = {0};
    struct str text = {0};
    if (preview->kind != FRAME_PREVIEW_SHORT) {
        rows_cause(&rows, preview->state, preview->task);
        preview_put_rows(preview, &rows);
        return;
    }
    /* `test-fail "expected 19.99, got 20.00"`: no room for the rule's name */
    verdict = step_state_verdict(run_state_step(preview->state, preview->task), &room);
    if (!preview_task(preview)->held && verdict && verdict->match[0] != '\0')
        shown_class(preview->state, preview->task, &text);
    if (text.len > 0)
        str_addf(&text, " \"%s\"", verdict->match);
    else
        shown_cause(preview->state, preview->task, &text);
    preview_put(preview, "why", str_text(&text));
    str_done(&text);
}

/* Draws details of a failed step's verdict. */
static void put_verdict(struct preview *preview)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    const bool has_failed = step->status == STEP_WAITING ||
                            (step->status == STEP_ENDED && step->end != DECISION_SUCCEEDED);
    const struct shown_time time = frame_time(preview->input);
    struct verdict room;
    struct rows rows = {0};
    rows_verdict_more(&rows, has_failed ? step_state_verdict(step, &room) : NULL, &time);
    preview_put_rows(preview, &rows);
}

void preview_put_command(struct preview *preview)
{
    int number = run_state_step_number(preview->state, preview->task);
    char **argv = agent_session_argv(preview->state, preview->task, number);
    struct str text = {0};
    for (int i = 0; argv && argv[i]; i++)
        str_addf(&text, "%s%s", i > 0 ? " " : "", argv[i]);
    adapter_argv_free(argv);
    preview_put(preview, "runs", str_text(&text));
    str_done(&text);
}

/* Returns true if the log has a pane of its own: in a recording, whenever the records have one. */
static bool has_log_beside(const struct preview *preview)
{
    return (preview->input->view->panes & VIEW_HAS_EVENTS) != 0;
}

static void put_log(struct preview *preview)
{
    const struct frame_box *box = preview->box;
    if (preview_is_full(preview) || has_log_beside(preview))
        return;
    struct frame_box rest = {
        .row = box->row + preview->row,
        .column = box->column + preview->text_column,
        .rows = box->rows - preview->row,
        .columns = box->columns - preview->text_column,
    };
    const struct spot label = {rest.row, box->column + LABEL_COLUMN, 3};
    (void)frame_put(preview->canvas, label, STYLE_LABEL, "log");
    if (frame_log_is_of_other_step(preview->input) && rest.rows > 1) {
        struct str step = {0};
        str_addf(&step, "step %d", preview->input->facts->log->key.step + 1);
        (void)frame_put(
            preview->canvas,
            (struct spot){rest.row + 1, label.column, preview->text_column - LABEL_COLUMN},
            STYLE_LABEL, str_text(&step));
        str_done(&step);
    }
    frame_log(preview->canvas, &rest, FRAME_LOG_BARE, preview->input);
}

/* Draws the tasks with one fault: how many tasks, since when, and which ones. Also draws the log of
 * the selected task. */
static void put_fold(struct preview *preview, const struct view_fold *fold)
{
    put_fold_next(preview, fold);
    put_fold_facts(preview, fold);
    if (preview->kind != FRAME_PREVIEW_SHORT)
        put_fold_tasks(preview, fold);
    put_why(preview);
    if (preview->kind != FRAME_PREVIEW_ROOMY)
        put_log(preview);
}

/* In a recording: draws what happened later, or how to show it. */
static void put_later(struct preview *preview)
{
    const struct frame_input *input = preview->input;
    const struct key_place place = view_place(input->view, input->facts);
    const struct key_binding *key = keymap_of(input->view->keys, UI_LATER, place);
    char name[KEY_NAME_MAX];
    struct str text = {0};
    if (!input->facts->replay)
        return;
    if (input->facts->later)
        str_add(&text, input->facts->later);
    else if (key)
        str_addf(&text, "%s shows what happened next",
                 keymap_key_name(key->key, preview->canvas->ascii, name));
    preview_put(preview, "later", str_text(&text));
    str_done(&text);
}

/* Draws the preview of a task. Details that the user requested come before lines that may not
 * fit. */
static void put_task(struct preview *preview)
{
    const bool is_asked_for = preview->input->facts->later != NULL;
    struct rows rows = {0};
    preview_put_state(preview);
    if (is_asked_for)
        put_later(preview);
    put_why(preview);
    if (preview->kind == FRAME_PREVIEW_SHORT) {
        if (has_log_beside(preview) && preview->box->rows - preview->row > 1)
            preview_put_present_tries(preview);
        if (!is_asked_for)
            put_later(preview);
        put_log(preview);
        return;
    }
    preview_put_agent(preview);
    rows_attempt_host(&rows, preview->state,
                      step_state_attempt(run_state_step(preview->state, preview->task)));
    preview_put_rows(preview, &rows);
    if (preview->kind != FRAME_PREVIEW_ROOMY)
        put_verdict(preview);
    preview_put_proofs(preview);
    preview_put_present_tries(preview);
    preview_put_said(preview);
    if (!is_asked_for)
        put_later(preview);
    if (preview->kind == FRAME_PREVIEW_ROOMY) {
        /* Least important lines last; this kind of preview has room for them. */
        preview_put_command(preview);
        put_verdict(preview);
    } else {
        put_log(preview);
    }
}

/* Returns the number of rows used, including those above the box. */
static int draw_preview(struct canvas *canvas, const struct frame_box *box,
                        enum frame_preview_kind kind, const struct frame_input *input, int top)
{
    struct preview preview = {
        .canvas = canvas,
        .box = box,
        .input = input,
        .state = input->facts->state,
        .kind = kind,
        .task = input->view->chosen,
        .text_column = PREVIEW_TEXT_COLUMN,
        .row = -top,
    };
    if (preview.task < 0)
        return 0;
    const struct view_fold *fold = view_chosen_fold(input->view);
    if (fold)
        put_fold(&preview, fold);
    else
        put_task(&preview);
    return preview.row + top;
}

void frame_preview(struct canvas *canvas, const struct frame_box *box, enum frame_preview_kind kind,
                   const struct frame_input *input)
{
    const int top = kind == FRAME_PREVIEW_ROOMY ? input->view->preview.top : 0;
    (void)draw_preview(canvas, box, kind, input, top);
}

int frame_preview_rows(int columns, const struct frame_input *input)
{
    struct canvas canvas = {0};
    const struct frame_box box = {0, 0, FRAME_PREVIEW_ROWS_MAX, columns};
    canvas_init(&canvas, box.rows, columns, false);
    const int rows = draw_preview(&canvas, &box, FRAME_PREVIEW_ROOMY, input, 0);
    canvas_done(&canvas);
    return rows;
}
