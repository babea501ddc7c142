#include "scheduling.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fold.h"

enum { ANSWER_MAX = 200 };

/* What an act did, in words. */
struct answer {
    bool done;
    char words[ANSWER_MAX];
};

ATTR_PRINTF(2, 3) static void refuse(struct answer *answer, const char *fmt, ...);
ATTR_PRINTF(2, 3) static void accept(struct answer *answer, const char *fmt, ...);

ATTR_PRINTF(3, 0)
static void set_answer(struct answer *answer, bool done, const char *fmt, va_list args)
{
    answer->done = done;
    (void)vsnprintf(answer->words, sizeof(answer->words), fmt, args);
}

static void refuse(struct answer *answer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_answer(answer, false, fmt, args);
    va_end(args);
}

static void accept(struct answer *answer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_answer(answer, true, fmt, args);
    va_end(args);
}

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
        refuse(answer, "it is %s already", task_status_name(state->status));
        return;
    }
    bool runs = state->status == TASK_RUNNING;
    ask_cancel(now, control, task);
    stop_task(now, control, task);
    if (!runs)
        accept(answer, "cancelled, nothing was running");
    else if (now->scheduler->is_session)
        accept(answer, told_by_hook);
    else if (now->scheduler->orphaned)
        accept(answer, "its devs is gone: no more tries, but its pid %lld may still run",
               (long long)step_state_attempt(run_state_step(now->state, task))->pid);
    else if (control->mode == CANCEL_STOP)
        accept(answer, "no more tries; the one that runs may end by itself");
    else
        accept(answer, control->mode == CANCEL_KILL ? "KILL sent to its group"
                                                    : "TERM sent to its group, KILL follows");
}

static void cancel_run(const struct scheduling *now, const struct control *control,
                       struct answer *answer)
{
    if (now->state->ended) {
        refuse(answer, "the run has ended");
        return;
    }
    ask_cancel(now, control, -1);
    for (int i = 0; i < now->state->plan->task_count; i++)
        stop_task(now, control, i);
    if (now->state->running > 0 && now->scheduler->is_session)
        accept(answer, told_by_hook);
    else if (now->scheduler->orphaned && now->state->running > 0)
        accept(answer, "its devs is gone: no more tries, but %d of its processes may still run",
               now->state->running);
    else
        accept(answer, "the run is being cancelled");
}

/* What is stuck goes on, with thresholds that are higher; any other end is a new beginning. */
static void reopen(const struct scheduling *now, const struct control *control, int task)
{
    const struct plan_step *plan = scheduler_plan_step(now->state, task);
    const struct task_state *state = &now->state->tasks[task];
    struct event event = scheduler_event(now, EVENT_STEP_REOPENED, task);
    int grant = run_state_step(now->state, task)->grant;
    event.a = grant < FOLD_COUNT_MAX ? grant + 1 : grant;
    event.grant = (int)event.a;
    event.b = control->tries > 0 ? control->tries : plan_step_attempts(plan);
    if (state->status == TASK_STUCK)
        event.c = circles_next_scale(state->circles);
    scheduler_emit_by(now, event, control->by);
    scheduler_give_hint(now, control, task, 0);
}

/* After "go on" so many more that are alike will stop it again; 0: the next one. */
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
    int window = policy->window;
    if (window == 0 || (policy->same_stops > 0 && policy->same_stops < window))
        window = policy->same_stops;
    return window * scale - run_state_step(state, task)->same;
}

/* Whichever comes first: what is alike, or the end of the tries. */
static void accept_go_on(struct answer *answer, int more, int tries)
{
    if (more > tries)
        accept(answer, "goes on for %d more tr%s at most", tries, tries == 1 ? "y" : "ies");
    else if (more > 0)
        accept(answer, "goes on; stops again after %d more alike", more);
    else
        accept(answer, "goes on for one more; stops again if it is alike");
}

/* Ended without success: a fresh set of attempts, unless a needed task is in the way. */
static void retry_ended(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    int in_the_way = run_state_blocker(now->state, task);
    if (now->state->plan->grows) {
        refuse(answer, "whoever called it has had its answer, and may call again");
        return;
    }
    if (in_the_way >= 0) {
        refuse(answer, "it needs %s, which did not pass: retry that one",
               now->state->plan->tasks[in_the_way].id);
        return;
    }
    const struct task_agent *agent = now->state->tasks[task].agent;
    const bool by_calls = agent && agent->is_stuck;
    const int rounds = agent ? agent->rounds : 0;
    const bool stuck = now->state->tasks[task].status == TASK_STUCK;
    int more = stuck ? alike_more(now->state, task) : 0;
    reopen(now, control, task);
    if (by_calls)
        accept(answer, "goes on; its calls are called alike %d times as late",
               circles_scale(now->state->tasks[task].circles));
    else if (stuck)
        accept_go_on(answer, more, run_state_step(now->state, task)->allowed);
    else if (agent && agent->rounds > rounds)
        accept(answer, "a fresh set of tries, and up to %d more rounds", agent->rounds - rounds);
    else
        accept(answer, "a fresh set of tries");
}

/* May its step start, but for a gate that is not open? */
static bool is_behind_gate(const struct run_state *state, int task)
{
    const struct gate_state *gate = run_state_gate(state, task);
    return gate && gate->status != GATE_OPEN && heap_has(&gate->line, task);
}

/* May it start, or does its turn come, whatever a person asks? */
static bool starts_unasked(const struct run_state *state, int task)
{
    return !is_behind_gate(state, task) || run_state_gate(state, task)->status == GATE_SPREADING;
}

/* The first needed task that has not passed, -1 = none. */
static int first_unmet(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    for (int i = 0; i < plan->need_count; i++) {
        if (state->tasks[plan->needs[i]].status != TASK_PASSED)
            return plan->needs[i];
    }
    return -1;
}

/* What is held or waits goes to the head of what may start; behind a closed gate it is
 * sent as the next probe. False: others come before it, as the answer says. */
static bool start_now(const struct scheduling *now, const struct control *control, int task,
                      struct answer *answer)
{
    if (now->state->tasks[task].held)
        scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_RELEASED, task), control->by);
    if (now->state->tasks[task].status == TASK_BACKOFF) {
        struct event event = scheduler_event(now, EVENT_WAIT_ENDED, task);
        event.a = 1;
        scheduler_emit_by(now, event, control->by);
    }
    const struct gate_state *gate = run_state_gate(now->state, task);
    int missing = first_unmet(now->state, task);
    bool at_once = false;
    if (missing >= 0)
        accept(answer, "released; it needs %s", now->state->plan->tasks[missing].id);
    else if (gate && gate->status == GATE_PROBING)
        accept(answer, "starts once %s is through: its source is limited",
               now->state->plan->tasks[gate->probe].id);
    else if (gate && gate->status == GATE_SPREADING)
        accept(answer, "starts in its turn: its source has just opened");
    else
        at_once = true;
    if (at_once)
        accept(answer, "starts with the next free slot");
    scheduler_gate_send(now, task, control->by);
    return at_once;
}

/* Behind a retry that is done: what comes of what was said with it. */
static void add_choices(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    struct str words = {0};
    str_add(&words, answer->words);
    scheduler_choices_words(now, control, task, &words);
    accept(answer, "%s", str_text(&words));
    str_done(&words);
}

/* It starts without a retry, but what is said with one counts. */
static void retry_queued(const struct scheduling *now, const struct control *control, int task,
                         struct answer *answer)
{
    const bool is_spread = is_behind_gate(now->state, task); /* and its gate opens */
    if (!scheduler_has_choices(control)) {
        refuse(answer,
               is_spread ? "it starts in its turn" : "it is queued: it starts as soon as it can");
        return;
    }
    scheduler_give_choices(now, control, task);
    accept(answer, is_spread ? "it starts in its turn" : "it is queued");
}

static void retry_by_status(const struct scheduling *now, const struct control *control, int task,
                            struct answer *answer)
{
    const struct task_state *state = &now->state->tasks[task];
    switch (state->status) {
    case TASK_RUNNING:
        refuse(answer, "it is running");
        return;
    case TASK_PASSED:
        refuse(answer, "it has passed");
        return;
    case TASK_GAVE_UP:
    case TASK_CANCELLED:
    case TASK_BLOCKED:
    case TASK_NEEDS_YOU:
    case TASK_STUCK:
        retry_ended(now, control, task, answer);
        return;
    case TASK_QUEUED:
        if (!state->held && starts_unasked(now->state, task)) {
            retry_queued(now, control, task, answer);
            return;
        }
        break;
    case TASK_BACKOFF:
    case TASK_STATUS_COUNT:
        break;
    }
    scheduler_give_choices(now, control, task);
    (void)start_now(now, control, task, answer);
}

static void retry_task(const struct scheduling *now, const struct control *control, int task,
                       struct answer *answer)
{
    retry_by_status(now, control, task, answer);
    if (answer->done)
        add_choices(now, control, task, answer);
}

static void hold_task(const struct scheduling *now, const struct control *control, int task,
                      struct answer *answer)
{
    const struct task_state *state = &now->state->tasks[task];
    if (task_status_is_final(state->status)) {
        refuse(answer, "it is %s already", task_status_name(state->status));
    } else if (state->held) {
        refuse(answer, "it is held already");
    } else {
        scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_HELD, task), control->by);
        accept(answer, "held: no new tries until it is released");
    }
}

static void release_task(const struct scheduling *now, const struct control *control, int task,
                         struct answer *answer)
{
    if (!now->state->tasks[task].held) {
        refuse(answer, "it is not held");
        return;
    }
    scheduler_emit_by(now, scheduler_event(now, EVENT_TASK_RELEASED, task), control->by);
    accept(answer, "released");
}

/* The fault that the task waits with, if it is one of those that are told. */
static bool find_fault(const struct run_state *state, int task, struct fault *out)
{
    struct fault faults[FAULTS_MAX];
    int count = run_state_faults(state, faults);
    for (int i = 0; i < count; i++) {
        if (!fault_has(&faults[i], state, task))
            continue;
        *out = faults[i];
        return true;
    }
    return false;
}

/* Send this one; what waits with the same fault is held until it is through. */
static void send_one(const struct scheduling *now, const struct control *control, int task,
                     struct answer *answer)
{
    const struct run_state *state = now->state;
    const struct step_state *step = run_state_step(state, task);
    if (step->status != STEP_WAITING) {
        refuse(answer, "it does not wait for a next try");
        return;
    }
    int others = 0;
    struct fault fault;
    bool common = find_fault(state, task, &fault);
    for (int i = 0; i < state->plan->task_count; i++) {
        bool alike = common ? fault_has(&fault, state, i) : run_state_waits_alike(state, task, i);
        if (i == task || state->tasks[i].held || !alike)
            continue;
        struct event event = scheduler_event(now, EVENT_TASK_HELD, i);
        event.a = task + 1;
        scheduler_emit_by(now, event, control->by);
        others++;
    }
    struct answer start = {0};
    bool at_once = start_now(now, control, task, &start);
    accept(answer, "%s; %d that wait%s with the same fault follow%s once it is through",
           at_once ? "sent" : start.words, others, others == 1 ? "s" : "", others == 1 ? "s" : "");
}

/* A person's word on an attempt that is over; nothing is decided anew. */
static void correct(const struct scheduling *now, const struct control *control,
                    struct answer *answer)
{
    const struct run_state *state = now->state;
    const struct verdict_label *label = &control->label;
    int number = control->step >= 0 ? control->step : run_state_step_number(state, control->task);
    if (number >= state->plan->tasks[control->task].step_count) {
        refuse(answer, "it has no step %d", number + 1);
        return;
    }
    const struct step_state *step = &state->tasks[control->task].steps[number];
    const struct attempt_state *attempt = control->attempt == 0
                                              ? step_state_attempt(step)
                                              : step_state_find_attempt(step, control->attempt);
    if (!attempt || attempt->ended.at_ms == 0) {
        refuse(answer, attempt ? "that try is not over" : "there is no such try");
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
    accept(answer, "try %d%s is %s by your word; the first verdict stays", attempt->number,
           attempt->class == VERDICT_SUCCESS ? ", which passed," : "", verdict_label_word(label));
}

static void act_on_task(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    switch (control->verb) {
    case CONTROL_CANCEL:
        cancel_task(now, control, task, answer);
        break;
    case CONTROL_RETRY:
        retry_task(now, control, task, answer);
        break;
    case CONTROL_HOLD:
        hold_task(now, control, task, answer);
        break;
    case CONTROL_RELEASE:
        release_task(now, control, task, answer);
        break;
    case CONTROL_SEND_ONE:
        send_one(now, control, task, answer);
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
        refuse(answer, "it is an act on one task");
        return;
    }
    if (scheduler_has_choices(control)) {
        refuse(answer, "a hint and a number of tries are for one task");
        return;
    }
    int done = 0;
    for (int i = 0; i < now->state->plan->task_count; i++) {
        struct answer one = {0};
        act_on_task(now, control, i, &one);
        done += one.done;
    }
    if (done > 0)
        accept(answer, "%d task%s", done, done == 1 ? "" : "s");
    else
        refuse(answer, "no task for it");
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
        refuse(&answer, "the run has not begun");
    else if (control->task >= now->state->plan->task_count)
        refuse(&answer, "there is no such task");
    else if (control->task < 0)
        act_on_run(now, control, &answer);
    else if (control->verb == CONTROL_CORRECT)
        correct(now, control, &answer);
    else if (control->step >= 0 && control->step != current)
        refuse(&answer, "step %d is over, it is at step %d now", control->step + 1, current + 1);
    else if (control->attempt != 0 && control->attempt != latest)
        refuse(&answer, "try %d is over, it is at try %d now", control->attempt, latest);
    else
        act_on_task(now, control, control->task, &answer);
    answer_control(now, control, &answer);
}
