/* scheduler_retry.c - what a person may do to have a step tried again. */
#include "fold.h"
#include "scheduler_answer.h"

/* What is stuck goes on, with thresholds that are higher; any other end is a new beginning. */
void scheduler_reopen(const struct scheduling *now, const struct control *control, int task)
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
        answer_accept(answer, "continues for %d more tr%s at most", tries,
                      tries == 1 ? "y" : "ies");
    else if (more > 0)
        answer_accept(answer, "continues; stops again after %d more alike", more);
    else
        answer_accept(answer, "continues for one more; stops again if it is alike");
}

/* Ended without success: a fresh set of attempts, unless a needed task is in the way. */
static void retry_ended(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    int in_the_way = run_state_blocker(now->state, task);
    if (now->state->plan->grows) {
        answer_refuse(answer, "its caller has the answer and may call again");
        return;
    }
    if (in_the_way >= 0) {
        answer_refuse(answer, "it needs %s, which did not pass: retry that one",
                      now->state->plan->tasks[in_the_way].id);
        return;
    }
    const struct task_agent *agent = now->state->tasks[task].agent;
    const bool by_calls = agent && agent->is_stuck;
    const int rounds = agent ? agent->rounds : 0;
    const bool stuck = now->state->tasks[task].status == TASK_STUCK;
    int more = stuck ? alike_more(now->state, task) : 0;
    scheduler_reopen(now, control, task);
    if (by_calls)
        answer_accept(answer, "continues; its calls are called alike %d times as late",
                      circles_scale(now->state->tasks[task].circles));
    else if (stuck)
        accept_go_on(answer, more, run_state_step(now->state, task)->allowed);
    else if (agent && agent->rounds > rounds)
        answer_accept(answer, "a new set of tries, and up to %d more rounds",
                      agent->rounds - rounds);
    else
        answer_accept(answer, "a new set of tries");
}

/* May its step start, but for a gate that is not open? */
static bool is_behind_gate(const struct run_state *state, int task)
{
    const struct gate_state *gate = run_state_gate(state, task);
    return gate && gate->status != GATE_OPEN && number_set_has(&gate->line, task);
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
        answer_accept(answer, "released; it needs %s", now->state->plan->tasks[missing].id);
    else if (gate && gate->status == GATE_PROBING)
        answer_accept(answer, "starts once %s gets through: its source is limited",
                      now->state->plan->tasks[gate->probe].id);
    else if (gate && gate->status == GATE_SPREADING)
        answer_accept(answer, "starts in its turn: its source has just opened");
    else
        at_once = true;
    if (at_once)
        answer_accept(answer, "starts with the next free slot");
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
    answer_accept(answer, "%s", str_text(&words));
    str_done(&words);
}

/* It starts without a retry, but what is said with one counts. */
static void retry_queued(const struct scheduling *now, const struct control *control, int task,
                         struct answer *answer)
{
    const bool is_spread = is_behind_gate(now->state, task); /* and its gate opens */
    if (!scheduler_has_choices(control)) {
        answer_refuse(answer, is_spread ? "it starts in its turn"
                                        : "it is queued: it starts as soon as it can");
        return;
    }
    scheduler_give_choices(now, control, task);
    answer_accept(answer, is_spread ? "it starts in its turn" : "it is queued");
}

static void retry_by_status(const struct scheduling *now, const struct control *control, int task,
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

void scheduler_retry(const struct scheduling *now, const struct control *control, int task,
                     struct answer *answer)
{
    retry_by_status(now, control, task, answer);
    if (answer->done)
        add_choices(now, control, task, answer);
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
void scheduler_send_one(const struct scheduling *now, const struct control *control, int task,
                        struct answer *answer)
{
    const struct run_state *state = now->state;
    const struct step_state *step = run_state_step(state, task);
    if (step->status != STEP_WAITING) {
        answer_refuse(answer, "it does not wait for a next try");
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
    answer_accept(answer, "%s; %d that wait%s with the same fault follow%s once it gets through",
                  at_once ? "sent" : start.words, others, others == 1 ? "s" : "",
                  others == 1 ? "s" : "");
}
