/*
 * fold_attempt.c - how events change attempts and steps: loops, hints, the life of an attempt, and
 * the waits and ends of steps.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "fold.h"
#include "xalloc.h"

/* Loops. */

struct circles *fold_circles(struct task_state *task)
{
    if (!task->circles)
        task->circles = xcalloc(1, sizeof(*task->circles));
    return task->circles;
}

/* Forgets the loop state: nothing that the task did so far counts. */
static void forget_circles(const struct fold *fold)
{
    circles_free(fold->task->circles);
    fold->task->circles = NULL;
}

/* A person's additions to a retry: a hint for the next attempt, and the number of attempts. */

void fold_hint_given(const struct fold *fold)
{
    const bool is_note =
        run_state_hint_goes(fold->state, fold_task_number(fold)) == HINT_GOES_NOWHERE;
    struct attempt_hint **hint = is_note ? &fold->step->hint : &fold->task->agent->hint;
    const char *text = fold->event->hint.hint;
    const char *by = fold->event->by;
    const int allowed = fold->event->hint.allowed;
    if (allowed > 0) {
        fold_keep_tries(fold, fold->event->step);
        if (fold->step->grant == 0) /* the set has not begun */
            fold_open_grant(fold->step, 1, allowed);
        else
            fold->step->allowed = allowed;
    }
    if (!text || text[0] == '\0')
        return;
    free(*hint);
    *hint = xcalloc(1, sizeof(**hint));
    (void)snprintf((*hint)->text, sizeof((*hint)->text), "%s", text);
    (void)snprintf((*hint)->by, sizeof((*hint)->by), "%s", by ? by : "");
}

/* Attempts. */

static_assert((int)AGENT_RETRIES_MAX <= (int)FOLD_COUNT_MAX,
              "own retries are counted without overflow");

void fold_attempt_started(const struct fold *fold)
{
    struct run_state *state = fold->state;
    struct step_state *step = fold->step;
    const struct event *event = fold->event;
    int number = fold_task_number(fold);
    const struct plan_step *plan = &state->plan->tasks[number].steps[event->step];
    struct gate_state *gate = run_state_gate(state, number);
    const bool is_gated = gate && gate->status != GATE_OPEN;

    /* If its gate is closed, this attempt is the probe. If the gate is spreading starts, the next
     * task of the queue waits its turn. */
    fold_not_ready(fold, number);
    if (gate && gate->status == GATE_CLOSED) {
        gate->status = GATE_PROBING;
        gate->probe = number;
    } else if (gate && gate->status == GATE_SPREADING) {
        gate->due.at_ms = event->at.at_ms + gate->spacing_ms;
        gate->due.mono_ms = event->at.mono_ms + gate->spacing_ms;
    }
    if (step->grant == 0)
        fold_open_grant(step, 1, plan_step_attempts(plan));
    if (step->first_start.at_ms == 0)
        step->first_start = event->at;
    if (fold->task->first_start.at_ms == 0)
        fold->task->first_start = event->at;
    fold->task->fence = (struct moment){0};

    if (step->attempt_count == step->attempt_cap) {
        /* Starts with one: most steps are tried once, and some runs have very many steps. */
        const uint32_t cap = step->attempt_cap > 0 ? 2 * step->attempt_cap : 1;
        struct attempt_state *attempts = xcalloc(cap, sizeof(*attempts));
        if (step->attempt_count > 0)
            memcpy(attempts, step->attempts, step->attempt_count * sizeof(*attempts));
        free(step->attempts);
        step->attempts = attempts;
        step->attempt_cap = cap;
    }
    struct attempt_hint **hint = plan->agent ? &fold->task->agent->hint : &step->hint;
    step->attempts[step->attempt_count] = (struct attempt_state){
        .number = event->attempt,
        .grant = step->grant,
        .round = run_state_round(state, number),
        .started = event->at,
        .waited_ms = step->wait_from.at_ms != 0 ? event->at.mono_ms - step->wait_from.mono_ms : 0,
        .queued_ms = event->at.mono_ms - fold->task->since.mono_ms,
        .gated = is_gated,
        .by_hand = step->by_hand,
        .new_permille = -1,
        .host = -1,
        .call = event->started.call,
        .hint = *hint,
    };
    *hint = NULL;
    step->attempt_count++;
    step->by_hand = false;
    step->wait_from = (struct moment){0};
    step->status = STEP_RUNNING;
    step->judged = false;
    step->silent_failure = false;
    step->quiet = false;
    state->attempts++;
    state->running++;
    fold_set_status(fold, fold->task, TASK_RUNNING);
    fold_wall_begin(fold);
    fold_agent_started(fold);
}

/* Ends the silence of an attempt that wrote output again, or ended. */
void fold_attempt_heard(const struct fold *fold)
{
    const struct moment *now = &fold->event->at;
    const int64_t mono_ms = fold->step->heard_mono_ms;
    const struct moment heard = {.at_ms = now->at_ms - (now->mono_ms - mono_ms),
                                 .mono_ms = mono_ms};
    if (fold->step->quiet)
        fold_pause(fold, PAUSE_QUIET, &heard);
    fold->step->quiet = false;
}

void fold_attempt_running(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    const int64_t pid = fold->event->running.pid;
    fold_reach_host(fold);
    struct attempt_state *attempt = step_state_latest(fold->step);
    attempt->pid = pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
    attempt->slot = (uint16_t)fold->event->running.slot;
    attempt->port = (uint16_t)fold->event->running.port;
    if (agent && fold_is_of_agent(fold)) {
        /* The agent now has its prompt, which included the pending nudge. */
        free(agent->nudge);
        agent->nudge = NULL;
    }
}

void fold_attempt_ended(const struct fold *fold)
{
    struct run_state *state = fold->state;
    struct task_state *task = fold->task;
    struct step_state *step = fold->step;
    struct attempt_state *attempt = step_state_latest(step);
    const struct event_end *end = &fold->event->ended;

    attempt->ended = fold->event->at;
    attempt->outcome = end->outcome;
    attempt->fingerprint = end->fingerprint;
    attempt->partial = end->partial;
    attempt->skipped_bytes = end->skipped_bytes;
    attempt->new_permille = end->new_permille;

    /* Counts the equal results in a row, including the newest. */
    const struct attempt_state *before = step->attempt_count > 1 ? attempt - 1 : NULL;
    const bool is_same = before && before->number >= step->results_from &&
                         digest_is_same(before->fingerprint, attempt->fingerprint);
    step->same = is_same ? step->same + 1 : 1;

    /* Adds the attempt to the task's trajectory, if the event has a loop fact. The fact leaves out
     * values that other parts of the log contain. */
    if (end->has_loop && circles_counts(end->outcome.kind) && state->use != RUN_STATE_TELLS) {
        struct entropy_fact fact = end->loop;
        fact.call = circles_call(attempt->call, fold->event->step);
        if (!digest_is_known(fact.outcome))
            fact.outcome = attempt->fingerprint;
        fact.new_permille = attempt->new_permille;
        const struct circles_attempt of = {
            .step = fold->event->step, .number = attempt->number, .at = fold->event->at};
        circles_apply(fold_circles(task), &fact, &of, &state->plan->loops);
    }

    /* Attempts that never started, and those that devs or their machine broke off, have counts of
     * their own. */
    step->silent_failure = end->fails;
    if (end->outcome.kind == OUTCOME_NOT_STARTED) {
        step->start_failures++;
        state->attempts--;
    } else {
        step->start_failures = 0;
        if (outcome_is_broken_off(end->outcome.kind)) {
            step->interrupted++;
        } else {
            const int room = FOLD_COUNT_MAX - step->own_retries;
            step->used++;
            step->own_retries += end->outcome.own_retries < room ? end->outcome.own_retries : room;
        }
    }
    task->waited_ms += end->outcome.own_wait_ms;
    state->waited_ms += end->outcome.own_wait_ms;
    step->status = STEP_JUDGING;
    fold_attempt_heard(fold);
    fold_leave_host(fold);
    fold_queue_end(fold);
    state->running--;
    fold_wall_end(fold);
    if (task->agent) {
        agent_used_add(&task->agent->past, &task->agent->now);
        task->agent->now = (struct agent_used){0};
    }
}

void fold_attempt_judged(const struct fold *fold)
{
    struct attempt_state *attempt = step_state_latest(fold->step);
    struct verdict_record record = fold->event->judged;
    struct verdict verdict;
    attempt->class = record.label.class;
    attempt->type = record.label.type;
    attempt->reason = record.label.reason;
    fold->step->judged = true;
    fold->step->verdict = record.label;
    if (fold->state->use == RUN_STATE_TELLS) /* event_text.c shows no other members */
        record = (struct verdict_record){.label = record.label,
                                         .expectation = record.expectation,
                                         .retry_after_ms = -1,
                                         .resume_at_ms = -1,
                                         .subtype = record.subtype,
                                         .match = record.match};
    verdict_from_record(&record, &verdict);
    step_state_keep_verdict(fold->step, &verdict);
}

/* Frees the step's last verdict once it is not needed. Later, only screens and the next prompt of
 * an agent show it. */
static void forget_verdict(const struct fold *fold)
{
    const struct plan_task *plan = &fold->state->plan->tasks[fold_task_number(fold)];
    if (fold->state->use == RUN_STATE_SHOWS || plan->steps[fold->event->step].agent)
        return;
    free(fold->step->evidence);
    fold->step->evidence = NULL;
}

void fold_attempt_quiet(const struct fold *fold)
{
    fold->step->quiet = true;
    fold->step->heard_mono_ms = fold->event->at.mono_ms - fold->event->quiet.quiet_ms;
}

/* Waits, and the ends and reopenings of steps. */

/* Returns storage for the inputs of a wait or an end, or NULL if they are not shown. */
static struct step_formulas *formulas_of(const struct fold *fold)
{
    if (fold->state->use == RUN_STATE_SHOWS && !fold->step->formulas)
        fold->step->formulas = xcalloc(1, sizeof(*fold->step->formulas));
    return fold->step->formulas;
}

/* Stores the inputs of a wait or an end. */
static void keep_inputs(const struct fold *fold, const struct decision_inputs *inputs)
{
    const struct plan *plan = fold->state->plan;
    struct step_formulas *formulas = formulas_of(fold);
    if (!formulas)
        return;
    free(formulas->refused);
    formulas->refused = inputs->refused ? xstrdup(inputs->refused) : NULL;
    formulas->inputs = *inputs;
    formulas->inputs.refused = NULL;
    formulas->inputs.loop.why = NULL;
    if (inputs->policy) {
        const struct policy *policy = plan_policy_find(plan, inputs->policy);
        const struct plan_task *task = &plan->tasks[fold_task_number(fold)];
        formulas->inputs.policy =
            policy ? policy->name : task->steps[fold->event->step].policy->name;
    }
}

void fold_wait_started(const struct fold *fold)
{
    struct step_state *step = fold->step;
    const struct event *event = fold->event;

    step->status = STEP_WAITING;
    step->wait_from = event->at;
    step->due = event->wait.due;
    keep_inputs(fold, &event->wait.inputs);
    if (step->formulas)
        step->formulas->delay = event->wait.delay;
    if (event->wait.is_free && step->used > 0) {
        step->used--;
        const int own_retries = step_state_latest(step)->outcome.own_retries;
        step->own_retries -= own_retries < step->own_retries ? own_retries : step->own_retries;
        step->free_hints++;
    }
    if (fold->state->use ==
        RUN_STATE_DECIDES) /* not if streaming: the reader still has to print the verdict */
        forget_verdict(fold);
    heap_put(&fold->state->waits, fold_task_number(fold), step->due.mono_ms);
    fold_set_status(fold, fold->task, TASK_BACKOFF);
}

/* Ends a wait, because its time is up or a person skipped it. */
static void close_wait(const struct fold *fold)
{
    if (fold->step->status != STEP_WAITING)
        return;
    int64_t waited_ms = fold->event->at.mono_ms - fold->step->wait_from.mono_ms;
    heap_remove(&fold->state->waits, fold_task_number(fold));
    fold->task->waited_ms += waited_ms;
    fold->state->waited_ms += waited_ms;
}

void fold_wait_ended(const struct fold *fold)
{
    close_wait(fold);
    fold->step->by_hand = fold->event->wait_ended.skipped;
    fold_make_ready(fold, fold_task_number(fold));
}

static void step_passed(const struct fold *fold)
{
    struct task_state *task = fold->task;
    int number = fold_task_number(fold);
    const struct plan_task *plan = &fold->state->plan->tasks[number];
    task->step++;
    if (task->step < plan->step_count) {
        fold_make_ready(fold, number);
        return;
    }
    fold_let_go(fold);
    fold_set_status(fold, task, TASK_PASSED);
    forget_circles(fold);
    /* A dependent may start if this was the last task that it waited for. */
    for (int i = 0; i < plan->dependent_count; i++) {
        struct task_state *dependent = &fold->state->tasks[plan->dependents[i]];
        fold_changes(fold, plan->dependents[i]);
        dependent->unmet--;
        bool waited = dependent->status == TASK_QUEUED || dependent->status == TASK_BLOCKED;
        if (dependent->unmet == 0 && waited)
            fold_make_ready(fold, plan->dependents[i]);
    }
}

enum task_status task_status_after(enum decision_kind end)
{
    switch (end) {
    case DECISION_ENTROPY:
        return TASK_STUCK;
    case DECISION_NEEDS_YOU:
        return TASK_NEEDS_YOU;
    case DECISION_CANCELLED:
        return TASK_CANCELLED;
    case DECISION_SUCCEEDED:
    case DECISION_WAIT:
    case DECISION_FAILED:
    case DECISION_RETRY_EXHAUSTED:
    case DECISION_TRANSIENT_EXHAUSTED:
    case DECISION_DEADLINE:
    case DECISION_MAX_RETRIES:
    case DECISION_KIND_COUNT:
        break;
    }
    return TASK_GAVE_UP;
}

void fold_step_ended(const struct fold *fold)
{
    struct task_state *task = fold->task;
    const enum decision_kind end = fold->event->step_ended.decision;

    fold_not_ready(fold, fold_task_number(fold));
    close_wait(fold);
    fold->step->status = STEP_ENDED;
    fold->step->end = end;
    keep_inputs(fold, &fold->event->step_ended.inputs);
    if (fold->event->step_ended.entropy)
        task->entropy++;
    if (end == DECISION_SUCCEEDED) {
        forget_verdict(fold);
        step_passed(fold);
        return;
    }
    fold_let_go(fold);
    fold_set_status(fold, task, task_status_after(end));
    if (task->status != TASK_STUCK)
        forget_circles(fold);
    if (end == DECISION_NEEDS_YOU)
        fold_set_notice(fold, "needs you");
    else if (end != DECISION_CANCELLED)
        fold_set_notice(fold, decision_word(end));
}

/* Queues the dependents that only this task blocked, then those that only they blocked, and so
 * on. */
static void unblock_dependents(const struct fold *fold, int first)
{
    struct run_state *state = fold->state;
    size_t cap = 0;
    size_t count = 0;
    int *line = xgrow(NULL, &cap, 1, sizeof(*line));
    line[count++] = first;
    for (size_t at = 0; at < count; at++) {
        const struct plan_task *plan = &state->plan->tasks[line[at]];
        for (int i = 0; i < plan->dependent_count; i++) {
            int number = plan->dependents[i];
            struct task_state *task = &state->tasks[number];
            if (task->status != TASK_BLOCKED)
                continue;
            fold_changes(fold, number);
            task->blocked_by = run_state_blocker(state, number);
            if (task->blocked_by >= 0)
                continue;
            fold_set_status(fold, task, TASK_QUEUED);
            line = xgrow(line, &cap, count + 1, sizeof(*line));
            line[count++] = number;
        }
    }
    free(line);
}

void fold_after_ended(const struct fold *fold)
{
    fold->task->after |= 1U << fold->event->after.what;
}

void fold_step_reopened(const struct fold *fold)
{
    fold->task->after = 0;
    int number = fold_task_number(fold);
    const int same = fold->step->same;
    fold_pause(fold, fold->task->status == TASK_NEEDS_YOU ? PAUSE_NEEDS_YOU : PAUSE_OVER,
               &fold->task->since);
    fold_keep_tries(fold, fold->event->step);
    fold_open_grant(fold->step, fold->event->reopened.grant, fold->event->reopened.allowed);
    const int scale = fold->event->reopened.scale; /* factor of the thresholds; 0 = start over */
    if (scale > 0) {
        circles_go_on(fold_circles(fold->task), scale);
        fold->step->same = same;
    } else {
        forget_circles(fold);
        fold->step->results_from = (int)fold->step->attempt_count + 1;
    }
    fold->step->by_hand = true;
    fold_agent_reopened(fold);
    fold_budget_again(fold);
    fold->task->cancelling = false;
    if (fold->state->ended)
        fold_away(fold, &fold->state->ended_at);
    fold->state->ended = false;
    fold->state->stopped_by_person = false;
    if (fold->task->unmet == 0) {
        fold_make_ready(fold, number);
    } else {
        fold->step->status = STEP_PENDING;
        fold_set_status(fold, fold->task, TASK_QUEUED);
    }
    unblock_dependents(fold, number);
}
