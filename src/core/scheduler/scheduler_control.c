/* scheduler_control.c - acts of persons: what each asks for, and its answer. */
#include "scheduler_answer.h"

/* What runs is told to end; what waits ends here and now. */
static void stop_task(const struct scheduling *now, const struct control *control, int task)
{
    const struct task_state *state = &now->state->tasks[task];
    if (task_status_is_final(state->status))
        return;
    if (state->status != TASK_RUNNING) {
        struct decision decision = {.kind = DECISION_CANCELLED, .capture = true};
        scheduler_end_step(now, task, &decision, NULL);
        return;
    }
    if (control->mode == CANCEL_STOP)
        return;
    scheduler_end_attempt(now, task, control->mode);
}

static void ask_cancel(const struct scheduling *now, const struct control *control, int task)
{
    struct event event = scheduler_event(now, EVENT_CANCEL_ASKED, task);
    event.a = control->mode;
    scheduler_emit_by(now, event, control->by);
}

static const char told_by_hook[] = "the agent is told to stop when it makes its next call";

static void cancel_task(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    const struct task_state *state = &now->state->tasks[task];
    if (task_status_is_final(state->status)) {
        answer_refuse(answer, "it is %s already", task_status_name(state->status));
        return;
    }
    bool runs = state->status == TASK_RUNNING;
    ask_cancel(now, control, task);
    stop_task(now, control, task);
    if (!runs)
        answer_accept(answer, "cancelled, nothing was running");
    else if (now->scheduler->is_session)
        answer_accept(answer, told_by_hook);
    else if (now->scheduler->orphaned)
        answer_accept(answer, "its devs is gone: no more tries, but its pid %lld may still run",
                      (long long)step_state_attempt(run_state_step(now->state, task))->pid);
    else if (control->mode == CANCEL_STOP)
        answer_accept(answer, "no more tries; the running one may finish");
    else
        answer_accept(answer, control->mode == CANCEL_KILL
                                  ? "KILL sent to its group"
                                  : "TERM sent to its group, KILL follows");
}

static void cancel_run(const struct scheduling *now, const struct control *control,
                       struct answer *answer)
{
    if (now->state->ended) {
        answer_refuse(answer, "the run has ended");
        return;
    }
    ask_cancel(now, control, -1);
    for (int i = 0; i < now->state->plan->task_count; i++)
        stop_task(now, control, i);
    if (now->state->running > 0 && now->scheduler->is_session)
        answer_accept(answer, told_by_hook);
    else if (now->scheduler->orphaned && now->state->running > 0)
        answer_accept(answer,
                      "its devs is gone: no more tries, but %d of its processes may still run",
                      now->state->running);
    else
        answer_accept(answer, "the run is being cancelled");
}

static void hold_task(const struct scheduling *now, const struct control *control, int task,
                      struct answer *answer)
{
    const struct task_state *state = &now->state->tasks[task];
    if (task_status_is_final(state->status)) {
        answer_refuse(answer, "it is %s already", task_status_name(state->status));
    } else if (state->held) {
        answer_refuse(answer, "it is held already");
    } else {
        scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_HELD, task), control->by);
        answer_accept(answer, "held: no new tries until it is released");
    }
}

static void release_task(const struct scheduling *now, const struct control *control, int task,
                         struct answer *answer)
{
    if (!now->state->tasks[task].held) {
        answer_refuse(answer, "it is not held");
        return;
    }
    scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_RELEASED, task), control->by);
    answer_accept(answer, "released");
}

/* A person's word on an attempt that is over; nothing is decided anew. */
static void correct(const struct scheduling *now, const struct control *control,
                    struct answer *answer)
{
    const struct run_state *state = now->state;
    const struct verdict_label *label = &control->label;
    int number = control->step >= 0 ? control->step : run_state_step_number(state, control->task);
    if (number >= state->plan->tasks[control->task].step_count) {
        answer_refuse(answer, "it has no step %d", number + 1);
        return;
    }
    const struct step_state *step = &state->tasks[control->task].steps[number];
    const struct attempt_state *attempt = control->attempt == 0
                                              ? step_state_attempt(step)
                                              : step_state_find_attempt(step, control->attempt);
    if (!attempt || attempt->ended.at_ms == 0) {
        answer_refuse(answer, attempt ? "that try has not ended" : "there is no such try");
        return;
    }
    struct event event = scheduler_event(now, EVENT_CLASS_CORRECTED, control->task);
    event.step = number;
    event.round = attempt->round;
    event.grant = attempt->grant;
    event.attempt = attempt->number;
    event.a = label->class;
    event.b = label->type;
    event.c = label->reason;
    scheduler_emit_by(now, event, control->by);
    answer_accept(answer, "try %d%s is now %s; the original verdict is kept", attempt->number,
                  attempt->class == VERDICT_SUCCESS ? ", which passed," : "",
                  verdict_label_word(label));
}

static void act_on_task(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    switch (control->verb) {
    case CONTROL_CANCEL:
        cancel_task(now, control, task, answer);
        break;
    case CONTROL_RETRY:
        scheduler_retry(now, control, task, answer);
        break;
    case CONTROL_HOLD:
        hold_task(now, control, task, answer);
        break;
    case CONTROL_RELEASE:
        release_task(now, control, task, answer);
        break;
    case CONTROL_SEND_ONE:
        scheduler_send_one(now, control, task, answer);
        break;
    case CONTROL_CORRECT: /* scheduler_control() took it */
    case CONTROL_VERB_COUNT:
        break;
    }
}

static void act_on_run(const struct scheduling *now, const struct control *control,
                       struct answer *answer)
{
    if (control->verb == CONTROL_CANCEL) {
        cancel_run(now, control, answer);
        return;
    }
    if (control->verb == CONTROL_SEND_ONE || control->verb == CONTROL_CORRECT) {
        answer_refuse(answer, "this acts on one task only");
        return;
    }
    if (scheduler_has_choices(control)) {
        answer_refuse(answer, "a hint and a number of tries are for one task");
        return;
    }
    int done = 0;
    for (int i = 0; i < now->state->plan->task_count; i++) {
        struct answer one = {0};
        act_on_task(now, control, i, &one);
        done += one.done;
    }
    if (done > 0)
        answer_accept(answer, "%d task%s", done, done == 1 ? "" : "s");
    else
        answer_refuse(answer, "no task for it");
}

static void answer_control(const struct scheduling *now, const struct control *control,
                           const struct answer *answer)
{
    if (control->id == 0)
        return;
    bool has_task = control->task >= 0 && control->task < now->state->plan->task_count;
    struct event event =
        scheduler_event(now, EVENT_CONTROL_ANSWERED, has_task ? control->task : -1);
    event.a = control->id;
    event.b = answer->done;
    event.c = control->verb;
    struct str text = {0};
    str_add_char(&text, '{');
    str_json_text(&text, "answer", answer->words);
    str_json_text(&text, "by", control->by);
    str_add_char(&text, '}');
    scheduler_emit(now, event, text.data);
    str_done(&text);
}

void scheduler_control(const struct scheduling *now, const struct control *control)
{
    struct answer answer = {0};
    int latest = 0;
    int current = 0;
    if (control->task >= 0 && control->task < now->state->plan->task_count) {
        const struct step_state *step = run_state_step(now->state, control->task);
        latest = (int)step->attempt_count;
        current = run_state_step_number(now->state, control->task);
    }
    if (!now->state->started)
        answer_refuse(&answer, "the run has not begun");
    else if (control->task >= now->state->plan->task_count)
        answer_refuse(&answer, "there is no such task");
    else if (control->task < 0)
        act_on_run(now, control, &answer);
    else if (control->verb == CONTROL_CORRECT)
        correct(now, control, &answer);
    else if (control->step >= 0 && control->step != current)
        answer_refuse(&answer, "step %d is over, it is at step %d now", control->step + 1,
                      current + 1);
    else if (control->attempt != 0 && control->attempt != latest)
        answer_refuse(&answer, "try %d is over, it is at try %d now", control->attempt, latest);
    else
        act_on_task(now, control, control->task, &answer);
    answer_control(now, control, &answer);
}
