/* frame_message.c - the message line: the answer to a key, or what needs the user's attention. */
#include "clock.h"
#include "frame_internal.h"
#include "notice.h"
#include "rows.h"
#include "text.h"
#include "view.h"

enum {
    HINT_COLUMNS = 50, /* in fewer columns, the key that jumps to the task is not named */
    ANSWER_MS = 3000,  /* the answer to a key stays at least this long */
};

/* Appends how many tasks passed and what became of the others, and a hint if there is room. */
static void add_run_end(const struct frame_input *input, int columns, struct str *out)
{
    struct rows rows = {0};
    rows_result(&rows, input->facts->state);
    str_add(out, rows_value(&rows, "result"));
    rows_done(&rows);
    if (input->facts->replay)
        return;
    struct str hint = {0};
    frame_say(input, ". {quit} quits, {timeline} shows where the time went", &hint);
    if (text_width(str_text(out), out->len) + text_width(str_text(&hint), hint.len) > columns)
        str_clear(&hint);
    str_add(out, str_text(&hint));
    str_done(&hint);
}

/* The text of the message line, in parts. */
struct message {
    struct str text;  /* owned */
    struct str brief; /* owned; a shorter text that leaves room for `later` */
    struct str later; /* owned; short version of later news; "" = none */
    int task;         /* number of the task that `text` is about; -1 = none */
};

/* Appends "T-105 gave up: 6 of 6 tries used (timeout)". */
static void add_stop(const struct run_state *state, int task, struct str *out)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const enum task_status status = state->tasks[task].status;
    const int others = status == TASK_NEEDS_YOU ? state->counts[TASK_NEEDS_YOU] - 1 : 0;
    struct str why = {0}, class = {0};
    if (status == TASK_NEEDS_YOU)
        shown_cause(state, task, &why);
    else
        shown_end(&plan->steps[run_state_step_number(state, task)], run_state_step(state, task),
                  &why);
    if (status == TASK_GAVE_UP)
        shown_class(state, task, &class);
    str_addf(out, "%s %s", plan->id, notice_predicate(notice_of_status(status)));
    if (others > 0)
        str_addf(out, ", and %d more", others);
    str_addf(out, "%s%s", why.len > 0 ? ": " : "", str_text(&why));
    if (class.len > 0)
        str_addf(out, " (%s)", class.data);
    str_done(&why);
    str_done(&class);
}

/* Appends "14:02:40 T-104 is stuck", "14:02:31 T-107 needs you: auth"; the preview has the rest. */
static void add_brief(const struct run_state *state, int task, int64_t at_ms, struct str *out)
{
    char hms[CLOCK_TEXT_MAX];
    struct str class = {0};
    str_addf(out, "%s ", clock_hms(at_ms, hms));
    if (task < 0) {
        str_add(out, state->notice);
        return;
    }
    shown_class(state, task, &class);
    str_addf(out, "%s %s", state->plan->tasks[task].id,
             notice_predicate(notice_of_status(state->tasks[task].status)));
    if (state->tasks[task].status == TASK_NEEDS_YOU && class.len > 0)
        str_addf(out, ": %s", class.data);
    str_done(&class);
}

/* Appends the latest notice. If a task needs the user, its message stays until no task needs the
 * user, and later news follows it. */
static void add_notice(const struct frame_input *input, struct message *out)
{
    const struct run_state *state = input->facts->state;
    char hms[CLOCK_TEXT_MAX];
    if (state->notice[0] == '\0') {
        if (input->is_session)
            shown_session_seen(clock_hms(state->last.at_ms, hms), &out->text);
        return;
    }
    int noticed = -1; /* the task of the notice, if its state has not changed since */
    int in_need = -1; /* the task that most recently began to need the user */
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        if (noticed < 0 && task_status_is_failed(task->status) &&
            task->since.at_ms == state->notice_at_ms)
            noticed = i;
        if (task->status == TASK_NEEDS_YOU &&
            (in_need < 0 || task->since.at_ms > state->tasks[in_need].since.at_ms))
            in_need = i;
    }
    out->task = in_need >= 0 ? in_need : noticed;
    const int64_t at_ms = in_need >= 0 ? state->tasks[in_need].since.at_ms : state->notice_at_ms;
    str_addf(&out->text, "%s ", clock_hms(at_ms, hms));
    if (out->task >= 0)
        add_stop(state, out->task, &out->text);
    else
        str_add(&out->text, state->notice);
    if (in_need < 0 || noticed == in_need || state->notice_at_ms <= at_ms)
        return;
    add_brief(state, in_need, at_ms, &out->brief);
    add_brief(state, noticed, state->notice_at_ms, &out->later);
}

/* Makes the message line; empty if nothing needs attention. */
static void add_message(const struct frame_input *input, int columns, struct message *out)
{
    const struct view *view = input->view;
    const struct view_facts *facts = input->facts;
    const struct run_state *state = facts->state;
    struct str *text = &out->text;
    const bool is_answered = view->message[0] != '\0';
    const bool has_news = facts->mode == VIEW_LIVE && state->notice[0] != '\0' &&
                          state->notice_at_ms > view->message_at_ms &&
                          facts->clock.at_ms - view->message_at_ms >= ANSWER_MS;
    if (is_answered && !has_news) {
        struct str why = {0};
        str_add(text, view->message);
        if (view->message_undo && !view_undo_refusal(view, facts, &why))
            frame_say(input, "   {undo} undoes it", text);
        str_done(&why);
    } else if (facts->mode == VIEW_REPLAY && view_screen(view) == SCREEN_RUNS) {
        return; /* no run is selected that a message could be about */
    } else if (view->leaving) {
        str_addf(text, "starting nothing more; quitting when %d %s ended", state->running,
                 state->running == 1 ? "try has" : "tries have");
    } else if (!state->started) {
        str_add(text, "the run is starting");
    } else if (state->ended) {
        add_run_end(input, columns, text);
    } else if (facts->mode == VIEW_INTERRUPTED) {
        if (state->running > 0) {
            str_add(text, "devs died while ");
            shown_count(state->running, "try was running. ", "tries were running. ", text);
        } else {
            str_add(text, "devs exited before the run ended. ");
        }
        str_addf(text, "Continue it: devs run --continue %lld", (long long)input->number);
        frame_say(input, ". {quit} quits", text);
    } else {
        add_notice(input, out);
    }
}

void frame_message(struct canvas *canvas, int row, const struct frame_input *input)
{
    enum { GAP = 3 };
    const struct view_facts *facts = input->facts;
    struct spot spot = {row, 1, canvas->columns - 1};
    struct message message = {.task = -1};
    add_message(input, spot.width, &message);
    const bool needs_user_elsewhere = facts->mode == VIEW_LIVE && message.task >= 0 &&
                                      message.task != input->view->chosen &&
                                      facts->state->tasks[message.task].status == TASK_NEEDS_YOU;
    if (needs_user_elsewhere && spot.width >= HINT_COLUMNS) {
        struct str hint = {0};
        frame_say(input, "{needs-you-next} = go there", &hint);
        const int at = frame_put_right(canvas, (struct spot){row, 1, spot.width - 1}, STYLE_KEY,
                                       str_text(&hint));
        spot.width = at - spot.column - 2;
        str_done(&hint);
    }

    /* Draws both parts if there is room, the first one shortened if necessary; otherwise draws only
     * the first. */
    const struct str *first = &message.text;
    const int later = text_width(str_text(&message.later), message.later.len);
    const int room = spot.width - later - GAP;
    if (later > 0 && text_width(str_text(first), first->len) > room)
        first = &message.brief;
    const int width = text_width(str_text(first), first->len);
    if (later > 0 && width <= room)
        (void)frame_put(canvas, (struct spot){row, spot.column + width + GAP, later}, STYLE_PLAIN,
                        str_text(&message.later));
    else
        first = &message.text;
    (void)frame_put(canvas, spot, STYLE_PLAIN, str_text(first));
    str_done(&message.text);
    str_done(&message.brief);
    str_done(&message.later);
}
