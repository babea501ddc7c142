/* scheduler_control.c - the requests of people, and the answers. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "attr.h"
#include "fold.h"
#include "scheduler_internal.h"

enum { ANSWER_MAX = 200, MS_PER_S = 1000 };

/* What became of a control. */
struct answer {
    bool done;
    char words[ANSWER_MAX];
};

ATTR_PRINTF(3, 0)
static void set_answer(struct answer *answer, bool done, const char *fmt, va_list args)
{
    answer->done = done;
    (void)vsnprintf(answer->words, sizeof(answer->words), fmt, args);
}

/* Sets the answer to a control that is not carried out, and why. */
ATTR_PRINTF(2, 3)
static void answer_refuse(struct answer *answer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_answer(answer, false, fmt, args);
    va_end(args);
}

/* Sets the answer to a control that is carried out. */
ATTR_PRINTF(2, 3)
static void answer_accept(struct answer *answer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_answer(answer, true, fmt, args);
    va_end(args);
}

/* What a person can add to a retry: a hint, and a number of attempts. */

/* Returns whether the control is a retry with a hint or with extra attempts. */
static bool has_choices(const struct control *control)
{
    return control->verb == CONTROL_RETRY && (control->hint[0] != '\0' || control->tries > 0);
}

/* Records the hint, and how many attempts the set has in all (0: as before). */
static void record_hint(const struct scheduling *now, const struct control *control, int task,
                        int allowed)
{
    struct event event = scheduler_event(now, EVENT_HINT_GIVEN, task);
    event.hint.allowed = allowed;
    if (control->hint[0] == '\0' && allowed == 0)
        return;
    if (control->hint[0] != '\0')
        event.hint.hint = control->hint;
    scheduler_emit_by(now, event, control->by);
}

/* Records the hint with the attempts counted from now, before the step's next attempt. */
static void record_choices(const struct scheduling *now, const struct control *control, int task)
{
    int used = run_state_step(now->state, task)->used;
    record_hint(now, control, task, control->tries > 0 ? used + control->tries : 0);
}

/* Appends the effect of the choices to the answer of an accepted retry: "; 4 tries from now on; the
 * agent gets your hint". */
static void describe_choices(const struct scheduling *now, const struct control *control, int task,
                             struct answer *answer)
{
    const struct task_agent *agent = now->state->tasks[task].agent;
    struct str words = {0};
    str_add(&words, answer->words);
    if (control->tries > 0)
        str_addf(&words, "; %d tr%s from now on", control->tries,
                 control->tries == 1 ? "y" : "ies");
    if (control->hint[0] != '\0') {
        switch (run_state_hint_goes(now->state, task)) {
        case HINT_GOES_NOWHERE:
            str_add(&words, "; your hint is only kept as a note because this step has no agent");
            break;
        case HINT_GOES_HERE:
            str_add(&words, "; the agent gets your hint");
            break;
        case HINT_GOES_BACK:
            if (agent->round < agent->rounds)
                str_addf(&words, "; the agent gets your hint in round %d", agent->round + 1);
            else
                str_add(&words, "; the agent gets your hint if it has another round");
            break;
        case HINT_GOES_ON:
            str_add(&words, "; the next agent of the task gets your hint");
            break;
        }
    }
    answer_accept(answer, "%s", str_text(&words));
    str_done(&words);
}

/* Retrying a step. */

/* A stuck task continues with higher thresholds; any other task starts over. */
void scheduler_reopen(const struct scheduling *now, const struct control *control, int task)
{
    const struct plan_step *plan = scheduler_plan_step(now->state, task);
    const struct task_state *state = &now->state->tasks[task];
    struct event event = scheduler_event(now, EVENT_STEP_REOPENED, task);
    int grant = run_state_step(now->state, task)->grant;
    event.reopened.grant = grant < FOLD_COUNT_MAX ? grant + 1 : grant;
    event.grant = event.reopened.grant;
    event.reopened.allowed = control->tries > 0 ? control->tries : plan_step_attempts(plan);
    if (state->status == TASK_STUCK)
        event.reopened.scale = circles_next_scale(state->circles);
    scheduler_emit_by(now, event, control->by);
    record_hint(now, control, task, 0);
}

/* Returns how many more equal results stop the task again after "go on"; 0: the next one. */
static int alike_more(const struct run_state *state, int task)
{
    const struct circles *circles = state->tasks[task].circles;
    const struct policy *policy = scheduler_plan_step(state, task)->policy;
    const int scale = circles_next_scale(circles);
    if (circles && circles->verdict.level == ENTROPY_STUCK) {
        const int count = circles->verdict.count;
        const int next = count / circles_scale(circles) * scale;
        const int most = count > ENTROPY_REPEAT_MAX ? count : ENTROPY_REPEAT_MAX;
        return (next < most ? next : most) - count;
    }
    if (state->plan->loops.preset == ENTROPY_OFF)
        return INT_MAX;
    return policy_equal_max(policy) * scale - run_state_step(state, task)->same;
}

/* Gives a failed step a new set of attempts, unless a needed task prevents it. */
static void retry_ended(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    const struct run_state *state = now->state;
    int in_the_way = run_state_blocker(state, task);
    if (state->plan->grows) {
        answer_refuse(answer, "its caller has the answer and may call again");
        return;
    }
    if (in_the_way >= 0) {
        answer_refuse(answer, "it needs %s, which did not pass; retry that task",
                      state->plan->tasks[in_the_way].id);
        return;
    }
    const int64_t fence_ms = run_state_fence_ms(state, task, now->input->now.at_ms);
    if (fence_ms > 0) {
        const int host = step_state_latest(run_state_step(state, task))->host;
        answer_refuse(answer, "its last try may still run on %s for up to %lld s; retry after that",
                      run_state_host_place(state, host).host,
                      (long long)((fence_ms + MS_PER_S - 1) / MS_PER_S));
        return;
    }
    const struct task_agent *agent = state->tasks[task].agent;
    const bool by_calls = agent && agent->is_stuck;
    const int rounds = agent ? agent->rounds : 0;
    const bool stuck = state->tasks[task].status == TASK_STUCK;
    const int more = stuck ? alike_more(state, task) : 0;
    scheduler_reopen(now, control, task);

    /* A stuck task ends with whichever comes first: equal results or the end of the attempts. */
    const int tries = run_state_step(state, task)->allowed;
    if (by_calls)
        answer_accept(answer, "continues; stops after %d times as many repeats",
                      circles_scale(state->tasks[task].circles));
    else if (stuck && more > tries)
        answer_accept(answer, "continues for at most %d more tr%s", tries,
                      tries == 1 ? "y" : "ies");
    else if (stuck && more > 0)
        answer_accept(answer, "continues; stops again after %d more equal results", more);
    else if (stuck)
        answer_accept(answer, "continues for one more try; stops again if the result is the same");
    else if (agent && agent->rounds > rounds)
        answer_accept(answer, "a new set of tries, and up to %d more rounds",
                      agent->rounds - rounds);
    else
        answer_accept(answer, "a new set of tries");
}

/* Releases a held task, ends the wait of a waiting one, and makes the task the next probe of a
 * closed gate. Returns true if the task starts with the next free slot; otherwise says in the
 * answer what it waits for. */
static bool start_now(const struct scheduling *now, const struct control *control, int task,
                      struct answer *answer)
{
    if (now->state->tasks[task].held)
        scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_RELEASED, task), control->by);
    if (now->state->tasks[task].status == TASK_BACKOFF) {
        struct event event = scheduler_event(now, EVENT_WAIT_ENDED, task);
        event.wait_ended.skipped = true;
        scheduler_emit_by(now, event, control->by);
    }
    const struct gate_state *gate = run_state_gate(now->state, task);
    int missing = run_state_unmet(now->state, task);
    bool at_once = false;
    if (missing >= 0)
        answer_accept(answer, "released; it still needs %s", now->state->plan->tasks[missing].id);
    else if (gate && gate->status == GATE_PROBING)
        answer_accept(answer, "starts once %s gets through: the source is rate-limited",
                      now->state->plan->tasks[gate->probe].id);
    else if (gate && gate->status == GATE_SPREADING)
        answer_accept(answer, "starts when its turn comes: the source has just opened");
    else
        at_once = true;
    if (at_once)
        answer_accept(answer, "starts with the next free slot");
    scheduler_gate_send(now, task, control->by);
    return at_once;
}

/* Starts the task's step again: at once if the task waits or is held, with a new set of attempts if
 * it has ended. */
static void retry_task(const struct scheduling *now, const struct control *control, int task,
                       struct answer *answer)
{
    const struct task_state *state = &now->state->tasks[task];
    switch (state->status) {
    case TASK_RUNNING:
        answer_refuse(answer, "it is running");
        return;
    case TASK_PASSED:
        answer_refuse(answer, "it has passed");
        return;
    case TASK_GAVE_UP:
    case TASK_CANCELLED:
    case TASK_BLOCKED:
    case TASK_NEEDS_YOU:
    case TASK_STUCK:
        retry_ended(now, control, task, answer);
        return;
    case TASK_QUEUED: {
        const bool is_behind = run_state_is_behind_gate(now->state, task);
        const bool is_in_turn =
            !is_behind || run_state_gate(now->state, task)->status == GATE_SPREADING;
        if (state->held || !is_in_turn)
            break;
        /* The task starts even without the retry, but the choices that came with the retry
         * count. */
        if (has_choices(control)) {
            record_choices(now, control, task);
            answer_accept(answer, is_behind ? "it starts when its turn comes" : "it is queued");
        } else {
            answer_refuse(answer, is_behind ? "it starts when its turn comes"
                                            : "it is queued and starts as soon as possible");
        }
        return;
    }
    case TASK_BACKOFF:
    case TASK_STATUS_COUNT:
        break;
    }
    record_choices(now, control, task);
    (void)start_now(now, control, task, answer);
}

/* Sends one task; holds the others that wait with the same fault until it gets through. */
static void send_one(const struct scheduling *now, const struct control *control, int task,
                     struct answer *answer)
{
    const struct run_state *state = now->state;
    const struct step_state *step = run_state_step(state, task);
    if (step->status != STEP_WAITING) {
        answer_refuse(answer, "it is not waiting for another try");
        return;
    }
    /* The fault that the task waits with, if it is one of the reported faults. */
    struct fault faults[FAULTS_MAX];
    const int fault_count = run_state_faults(state, faults);
    int common = 0;
    while (common < fault_count && !fault_has(&faults[common], state, task))
        common++;

    int others = 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        bool alike = common < fault_count ? fault_has(&faults[common], state, i)
                                          : run_state_waits_alike(state, task, i);
        if (i == task || state->tasks[i].held || !alike)
            continue;
        struct event event = scheduler_event(now, EVENT_TASK_HELD, i);
        event.held.follows = task;
        scheduler_emit_by(now, event, control->by);
        others++;
    }
    struct answer start = {0};
    bool at_once = start_now(now, control, task, &start);
    answer_accept(answer, "%s; %d task%s waiting with the same fault follow%s once it gets through",
                  at_once ? "sent" : start.words, others, others == 1 ? "" : "s",
                  others == 1 ? "s" : "");
}

/* Stops the task's running attempt, except with CANCEL_STOP, which lets it finish. A task that is
 * not running ends at once. */
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
    event.cancel.mode = control->mode;
    scheduler_emit_by(now, event, control->by);
}

static const char told_by_hook[] = "the agent will be told to stop at its next call";

/* Answers the cancellation of an attempt that runs on another machine. */
static void answer_from_far(const struct scheduling *now, enum cancel_mode mode, int task,
                            struct answer *answer)
{
    const int number = step_state_attempt(run_state_step(now->state, task))->host;
    const char *host = run_state_host_place(now->state, number).host;
    const bool is_away = now->state->tasks[task].away_since.at_ms > 0;
    if (now->scheduler->orphaned)
        answer_accept(
            answer,
            "the devs of this run has died: no more tries, but this one may still run on %s", host);
    else if (is_away && mode == CANCEL_KILL)
        answer_accept(answer, "no contact with %s: the try may run there until it ends itself",
                      host);
    else if (is_away)
        answer_accept(answer,
                      "no contact with %s: sent once there is; otherwise the try ends itself there",
                      host);
    else
        answer_accept(answer,
                      mode == CANCEL_KILL ? "SIGKILL sent to its processes on %s"
                                          : "SIGTERM sent to its processes on %s, SIGKILL "
                                            "follows",
                      host);
}

static void cancel_task(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    const struct task_state *state = &now->state->tasks[task];
    if (task_status_is_final(state->status)) {
        answer_refuse(answer, "it is already %s", task_status_name(state->status));
        return;
    }
    bool runs = state->status == TASK_RUNNING;
    ask_cancel(now, control, task);
    stop_task(now, control, task);
    if (!runs)
        answer_accept(answer, "cancelled, nothing was running");
    else if (now->scheduler->is_session)
        answer_accept(answer, told_by_hook);
    else if ((control->mode != CANCEL_STOP || now->scheduler->orphaned) &&
             step_state_attempt(run_state_step(now->state, task))->host >= 0)
        answer_from_far(now, control->mode, task, answer);
    else if (now->scheduler->orphaned)
        answer_accept(
            answer,
            "the devs of this run has died: no more tries, but process %lld may still be running",
            (long long)step_state_attempt(run_state_step(now->state, task))->pid);
    else if (control->mode == CANCEL_STOP)
        answer_accept(answer, "no more tries; the running try may finish");
    else
        answer_accept(answer, control->mode == CANCEL_KILL
                                  ? "SIGKILL sent to its process group"
                                  : "SIGTERM sent to its process group, SIGKILL follows");
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
                      "the devs of this run has died: no more tries, but %d of its processes may "
                      "still be running",
                      now->state->running);
    else
        answer_accept(answer, "the run is being cancelled");
}

/* Records a person's correction of a finished attempt. Makes no decision again. */
static void correct_attempt(const struct scheduling *now, const struct control *control,
                            struct answer *answer)
{
    const struct run_state *state = now->state;
    const struct verdict_label *label = &control->label;
    int number = control->step >= 0 ? control->step : run_state_step_number(state, control->task);
    if (number >= state->plan->tasks[control->task].step_count) {
        answer_refuse(answer, "the task has no step %d", number + 1);
        return;
    }
    const struct step_state *step = &state->tasks[control->task].steps[number];
    const struct attempt_state *attempt = control->attempt == 0
                                              ? step_state_attempt(step)
                                              : step_state_find_attempt(step, control->attempt);
    if (!attempt || attempt->ended.at_ms == 0) {
        answer_refuse(answer, attempt ? "that try has not ended" : "no such try");
        return;
    }
    struct event event = scheduler_event(now, EVENT_CLASS_CORRECTED, control->task);
    event.step = number;
    event.round = attempt->round;
    event.grant = attempt->grant;
    event.attempt = attempt->number;
    event.corrected = *label;
    scheduler_emit_by(now, event, control->by);
    answer_accept(answer, "try %d%s is now %s; the original verdict is kept", attempt->number,
                  attempt->class == VERDICT_SUCCESS ? ", which passed," : "",
                  verdict_label_word(label));
}

static void act_on_task(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    const struct task_state *state = &now->state->tasks[task];
    switch (control->verb) {
    case CONTROL_CANCEL:
        cancel_task(now, control, task, answer);
        break;
    case CONTROL_RETRY:
        retry_task(now, control, task, answer);
        if (answer->done)
            describe_choices(now, control, task, answer);
        break;
    case CONTROL_HOLD:
        if (task_status_is_final(state->status)) {
            answer_refuse(answer, "it is already %s", task_status_name(state->status));
        } else if (state->held) {
            answer_refuse(answer, "it is already held");
        } else {
            scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_HELD, task), control->by);
            answer_accept(answer, "held: no new tries until it is released");
        }
        break;
    case CONTROL_RELEASE:
        if (!state->held) {
            answer_refuse(answer, "it is not held");
        } else {
            scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_RELEASED, task), control->by);
            answer_accept(answer, "released");
        }
        break;
    case CONTROL_SEND_ONE:
        send_one(now, control, task, answer);
        break;
    case CONTROL_CORRECT: /* handled by scheduler_control() */
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
        answer_refuse(answer, "this works for a single task only");
        return;
    }
    if (has_choices(control)) {
        answer_refuse(answer, "a hint or a number of tries needs a single task");
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
        answer_refuse(answer, "no matching task");
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
        answer_refuse(&answer, "the run has not started");
    else if (control->task >= now->state->plan->task_count)
        answer_refuse(&answer, "no such task");
    else if (control->task < 0)
        act_on_run(now, control, &answer);
    else if (control->verb == CONTROL_CORRECT)
        correct_attempt(now, control, &answer);
    else if (control->step >= 0 && control->step != current)
        answer_refuse(&answer, "the task is at step %d, not %d", current + 1, control->step + 1);
    else if (control->attempt != 0 && control->attempt != latest)
        answer_refuse(&answer, "the step is at try %d, not %d", latest, control->attempt);
    else
        act_on_task(now, control, control->task, &answer);
    if (control->id == 0)
        return;

    const bool has_task = control->task >= 0 && control->task < now->state->plan->task_count;
    struct event event =
        scheduler_event(now, EVENT_CONTROL_ANSWERED, has_task ? control->task : -1);
    event.answered.control = control->id;
    event.answered.done = answer.done;
    event.answered.verb = control->verb;
    event.answered.answer = answer.words;
    scheduler_emit_by(now, event, control->by);
}
