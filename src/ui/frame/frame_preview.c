/*
 * frame_preview.c - what is known of the chosen task: when it goes on, why it is
 * as it is, what is proven, which tries there were. Lines that the log cannot
 * fill are left out.
 */
#include <string.h>

#include "adapter.h"
#include "agent_session.h"
#include "frame_preview.h"
#include "line_wrap.h"

enum { LABEL_COLUMN = 1 };

bool preview_is_full(const struct preview *preview)
{
    return preview->row >= preview->box->rows;
}

static const struct task_state *task_of(const struct preview *preview)
{
    return &preview->state->tasks[preview->task];
}

static void put_row(struct preview *preview, const char *label, const char *text, size_t len)
{
    const struct frame_box *box = preview->box;
    int row = box->row + preview->row++;
    if (row < box->row) /* scrolled out */
        return;
    (void)frame_put(
        preview->canvas,
        (struct spot){row, box->column + LABEL_COLUMN, preview->text_column - LABEL_COLUMN - 1},
        STYLE_LABEL, label);
    struct spot spot = {row, box->column + preview->text_column,
                        box->columns - preview->text_column};
    if (spot.width > 0)
        (void)canvas_text_n(preview->canvas, spot, STYLE_PLAIN, text, len);
}

void preview_put(struct preview *preview, const char *label, const char *text)
{
    int width = preview->box->columns - preview->text_column;
    int rows = preview->kind == FRAME_PREVIEW_ROOMY ? PREVIEW_WRAP_ROWS : 1;
    for (int i = 0; i < rows && *text != '\0' && !preview_is_full(preview) && width > 0; i++) {
        size_t len = strlen(text);
        bool last = i == rows - 1;
        size_t part = last ? len : line_wrap_fit(text, len, width);
        put_row(preview, i == 0 ? label : "", text, part);
        text += part;
    }
}

void preview_put_ending(struct preview *preview)
{
    struct str text = {0};
    if (task_of(preview)->status != TASK_CANCELLED)
        shown_ending(preview->state, preview->task, &text);
    preview_put(preview, "end", str_text(&text));
    str_done(&text);
}

/* `test-fail "expected 19.99, got 20.00"`: where there is no room for the rule's name. */
static void add_evidence(const struct preview *preview, struct str *out)
{
    struct verdict room;
    const struct verdict *verdict =
        step_state_verdict(run_state_step(preview->state, preview->task), &room);
    if (task_of(preview)->held || !verdict || verdict->match[0] == '\0')
        return;
    shown_class(preview->state, preview->task, out);
    if (out->len > 0)
        str_addf(out, " \"%s\"", verdict->match);
}

static void put_why(struct preview *preview)
{
    struct str text = {0};
    if (preview->kind == FRAME_PREVIEW_SHORT)
        add_evidence(preview, &text);
    if (text.len == 0)
        shown_cause(preview->state, preview->task, &text);
    preview_put(preview, "why", str_text(&text));
    str_done(&text);
    if (preview->kind != FRAME_PREVIEW_SHORT)
        preview_put_ending(preview);
}

/* What keeps the output from fitting its contract; the first of it is in `why`. */
void preview_put_misfits(struct preview *preview)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    bool has_failed = step->status == STEP_WAITING ||
                      (step->status == STEP_ENDED && step->end != DECISION_SUCCEEDED);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    const char *at = verdict && has_failed ? verdict->violations : "";
    const char *label = "misfit";
    while (*at != '\0') {
        size_t len = strcspn(at, "\n");
        struct str line = {0};
        str_add_n(&line, at, len);
        preview_put(preview, label, str_text(&line));
        str_done(&line);
        label = "";
        at += len + (at[len] == '\n');
    }
}

bool preview_has_close_miss(const struct verdict *verdict)
{
    for (int i = 0; i < verdict->near_count; i++) {
        if (verdict->near[i].why != NEAR_PATTERN)
            return true;
    }
    return false;
}

/* Rules that looked at the output and why they did not decide; a time that the server gave
 * and nobody waits for. */
static void put_near(struct preview *preview)
{
    const struct step_state *step = run_state_step(preview->state, preview->task);
    struct str text = {0};
    bool has_failed = step->status == STEP_WAITING ||
                      (step->status == STEP_ENDED && step->end != DECISION_SUCCEEDED);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    bool is_worth_a_line =
        verdict && (preview->kind == FRAME_PREVIEW_ROOMY || preview_has_close_miss(verdict));
    if (is_worth_a_line && has_failed)
        shown_near(verdict, &text);
    preview_put(preview, "near", str_text(&text));
    str_clear(&text);
    if (verdict && step->status == STEP_ENDED && has_failed)
        shown_hint(verdict, &text);
    preview_put(preview, "hint", str_text(&text));
    str_done(&text);
}

/* Where it works that does not work in place, what is not enforced there, and what has been
 * proven on another tree. */
void preview_put_place(struct preview *preview)
{
    struct str text = {0};
    shown_lacks(preview->state, preview->task, &text);
    preview_put(preview, "lacks", str_text(&text));
    str_clear(&text);
    shown_stale(preview->state, preview->task, &text);
    preview_put(preview, "stale", str_text(&text));
    str_clear(&text);
    if (preview->kind == FRAME_PREVIEW_ROOMY)
        shown_workspace(preview->state, preview->task, &text);
    preview_put(preview, "where", str_text(&text));
    str_done(&text);
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

static void put_log_step(struct preview *preview, int row)
{
    struct str text = {0};
    str_addf(&text, "step %d", preview->input->facts->log->key.step + 1);
    (void)frame_put(preview->canvas,
                    (struct spot){row, preview->box->column + LABEL_COLUMN,
                                  preview->text_column - LABEL_COLUMN},
                    STYLE_LABEL, str_text(&text));
    str_done(&text);
}

/* A recording with its records has a pane for the log, too. */
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
    (void)frame_put(preview->canvas, (struct spot){rest.row, box->column + LABEL_COLUMN, 3},
                    STYLE_LABEL, "log");
    if (frame_log_is_of_other_step(preview->input) && rest.rows > 1)
        put_log_step(preview, rest.row + 1);
    frame_log(preview->canvas, &rest, FRAME_LOG_BARE, preview->input);
}

/* What is needed least comes last: there is room for it where a person asks for more. */
static void put_rest(struct preview *preview)
{
    put_near(preview);
    preview_put_command(preview);
}

static void put_fold(struct preview *preview, const struct view_fold *fold)
{
    preview_put_fold(preview, fold);
    put_why(preview);
    if (preview->kind != FRAME_PREVIEW_ROOMY)
        put_log(preview);
}

/* In a recording: what came of it, or how to see that. */
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
        str_addf(&text, "%s shows what came of it",
                 keymap_key_name(key->key, preview->canvas->ascii, name));
    preview_put(preview, "later", str_text(&text));
    str_done(&text);
}

/* What a person asked for comes before what there may be no room for. */
static void put_task(struct preview *preview)
{
    const bool is_asked_for = preview->input->facts->later != NULL;
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
    preview_put_circles(preview);
    preview_put_place(preview);
    if (preview->kind == FRAME_PREVIEW_ROOMY)
        preview_put_misfits(preview);
    else
        put_near(preview);
    preview_put_tries(preview);
    preview_put_said(preview);
    if (!is_asked_for)
        put_later(preview);
    if (preview->kind == FRAME_PREVIEW_ROOMY)
        put_rest(preview);
    else
        put_log(preview);
}

static int draw(struct canvas *canvas, const struct frame_box *box, enum frame_preview_kind kind,
                const struct frame_input *input, int top)
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
    (void)draw(canvas, box, kind, input, top);
}

int frame_preview_rows(int columns, const struct frame_input *input)
{
    struct canvas canvas = {0};
    const struct frame_box box = {0, 0, FRAME_PREVIEW_ROWS_MAX, columns};
    canvas_init(&canvas, box.rows, columns, false);
    const int rows = draw(&canvas, &box, FRAME_PREVIEW_ROOMY, input, 0);
    canvas_done(&canvas);
    return rows;
}
