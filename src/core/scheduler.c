#include "scheduler.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler_control.h"
#include "xalloc.h"

void turn_clear(struct turn *turn)
{
    for (size_t i = 0; i < turn->event_count; i++)
        free((void *)(uintptr_t)turn->events[i].text); /* ours: emit() copied it */
    turn->event_count = 0;
    turn->action_count = 0;
}

void turn_done(struct turn *turn)
{
    turn_clear(turn);
    free(turn->events);
    free(turn->actions);
    *turn = (struct turn){0};
}

struct event scheduler_event(const struct scheduling *now, enum event_kind kind, int task)
{
    struct event event = {.seq = now->state->last_seq + 1,
                          .at = now->input->now,
                          .kind = kind,
                          .task = task,
                          .step = -1};
    if (task < 0)
        return event;
    const struct step_state *step = run_state_step(now->state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    event.step = run_state_step_number(now->state, task);
    event.round = 1;
    event.grant = step->grant > 0 ? step->grant : 1;
    event.attempt = attempt ? attempt->number : 0;
    return event;
}

void scheduler_emit(const struct scheduling *now, struct event event, const char *text)
{
    struct turn *turn = now->turn;
    size_t len = text ? strlen(text) : 0;
    event.text = len > 0 && len <= EVENT_TEXT_MAX ? xstrndup(text, len) : NULL;

    struct err err = {0};
    bool fits = run_state_apply(now->state, &event, &err);
    assert(fits);
    (void)fits;
    turn->events =
        xgrow(turn->events, &turn->event_cap, turn->event_count + 1, sizeof(*turn->events));
    turn->events[turn->event_count++] = event;
}

void scheduler_act(const struct scheduling *now, struct action action)
{
    struct turn *turn = now->turn;
    turn->actions =
        xgrow(turn->actions, &turn->action_cap, turn->action_count + 1, sizeof(*turn->actions));
    turn->actions[turn->action_count++] = action;
}

const struct plan_step *scheduler_plan_step(const struct run_state *state, int task)
{
    return &state->plan->tasks[task].steps[run_state_step_number(state, task)];
}

/* Everything that needs this task, directly or not, cannot go on. */
static void block_dependents(const struct scheduling *now, int failed)
{
    const struct run_state *state = now->state;
    size_t cap = 0;
    size_t count = 0;
    int *line = xgrow(NULL, &cap, 1, sizeof(*line));
    line[count++] = failed;
    for (size_t at = 0; at < count; at++) {
        const struct plan_task *plan = &state->plan->tasks[line[at]];
        for (int i = 0; i < plan->dependent_count; i++) {
            int task = plan->dependents[i];
            const struct task_state *dependent = &state->tasks[task];
            if (task_status_is_final(dependent->status) || dependent->cancelling)
                continue;
            struct event event = scheduler_event(now, EVENT_TASK_BLOCKED, task);
            event.a = line[at];
            scheduler_emit(now, event, NULL);
            line = xgrow(line, &cap, count + 1, sizeof(*line));
            line[count++] = task;
        }
    }
    free(line);
}

void scheduler_end_step(const struct scheduling *now, int task, const struct decision *decision)
{
    const struct step_state *step = run_state_step(now->state, task);
    struct event event = scheduler_event(now, EVENT_STEP_ENDED, task);
    event.a = decision->kind;
    event.b = step->used;
    event.c = decision->entropy;
    event.d = decision->capture && event.attempt > 0;
    scheduler_emit(now, event, NULL);
    if (decision->kind != DECISION_SUCCEEDED)
        block_dependents(now, task);
}

/* A person asked to stop this task and its present attempt is over. */
static void cancel_rest(const struct scheduling *now, int task)
{
    const struct task_state *state = &now->state->tasks[task];
    bool goes_on = state->cancelling && !task_status_is_final(state->status);
    if (!goes_on)
        return;
    struct decision decision = {.kind = DECISION_CANCELLED};
    scheduler_end_step(now, task, &decision);
}

static bool meets_reason(const struct plan_expectation *expect, const struct verdict *verdict)
{
    const unsigned otherwise = 1U << REASON_TEST_FAIL | 1U << REASON_COMPILE | 1U << REASON_NONE;
    unsigned reasons = expect->reasons != 0 ? expect->reasons : otherwise;
    return (reasons & 1U << verdict->reason) != 0;
}

static bool can_be_expected(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_EXIT && outcome->code != 126 && outcome->code != 127;
}

/* Turn a verdict round where the step is expected to fail. What the world did, or a
 * person, is judged as it is: only its label says that red was wanted. */
static struct verdict apply_expectation(const struct plan_step *step, const struct input *input)
{
    struct verdict verdict = input->verdict;
    if (step->expect.what != PLAN_EXPECT_FAILURE || input->outcome.kind == OUTCOME_CANCELLED ||
        input->outcome.kind == OUTCOME_INTERRUPTED)
        return verdict;
    if (verdict.class == VERDICT_SUCCESS) {
        verdict.class = VERDICT_PERSISTENT;
        verdict.expectation = VERDICT_UNEXPECTED_PASS;
        (void)snprintf(verdict.rule, sizeof(verdict.rule), "expect.failure");
        return verdict;
    }
    bool met = verdict.class == VERDICT_PERSISTENT && can_be_expected(&input->outcome) &&
               meets_reason(&step->expect, &verdict) &&
               (!step->expect.match || input->expectation_met);
    if (met)
        verdict.class = VERDICT_SUCCESS;
    else
        verdict.expectation = VERDICT_WRONG_REASON;
    return verdict;
}

static struct protocol_facts gather_facts(const struct scheduling *now, int task,
                                          const struct verdict *verdict)
{
    const struct run_state *state = now->state;
    const struct plan_step *plan = scheduler_plan_step(state, task);
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct draw_key key = {.seed = state->seed,
                           .task = task,
                           .step = run_state_step_number(state, task),
                           .round = 1,
                           .attempt = attempt->number};
    struct protocol_facts facts = {
        .policy = plan->policy,
        .phase = plan->phase,
        .outcome = &now->input->outcome,
        .verdict = verdict,
        .used = step->used > 0 ? step->used : 1,
        .allowed = step->allowed,
        .retry = step->retries + 1,
        .free_hints = step->free_hints,
        .same = step->same,
        .stopping = state->tasks[task].cancelling,
        .interrupted = step->interrupted,
        .repeatable = plan->idempotent,
        .started_mono_ms = step->first_start.mono_ms,
        .held_ms = step->held_ms + run_state_held_ms(state, task, &now->input->now),
        .draw = policy_draw(&key),
        .now = now->input->now,
    };
    if (now->input->outcome.kind == OUTCOME_NOT_STARTED) {
        facts.policy = plan_policy_find(state->plan, "infrastructure");
        facts.used = step->start_failures;
        facts.allowed = facts.policy->max_attempts;
        facts.retry = step->start_failures;
    }
    return facts;
}

static void start_wait(const struct scheduling *now, int task, const struct protocol_facts *facts,
                       const struct decision *decision)
{
    const struct policy *policy = facts->policy;
    struct event event = scheduler_event(now, EVENT_WAIT_STARTED, task);
    event.a = decision->delay.delay_ms;
    event.b = decision->due.at_ms;
    event.c = decision->due.mono_ms;
    event.d = decision->delay.exact_ms;
    event.e = !decision->counts && facts->outcome->kind != OUTCOME_INTERRUPTED;

    char text[400];
    (void)snprintf(text, sizeof(text),
                   "{\"policy\":\"%s\",\"n\":%d,\"base\":%" PRId64 ",\"multiplier\":%.6g,"
                   "\"cap\":%" PRId64 ",\"jitter\":%.6g,\"factor\":%.9g,\"hint\":%" PRId64
                   ",\"used\":%d,\"allowed\":%d}",
                   policy->name, decision->delay.n, policy->base_delay_ms, policy->multiplier,
                   policy->cap_ms, policy->jitter, decision->delay.factor, decision->delay.hint_ms,
                   facts->used, facts->allowed);
    scheduler_emit(now, event, text);
}

/* outcome facts that are not 0, as the event's text */
static void ended_text(const struct input *input, struct str *text)
{
    const struct outcome *outcome = &input->outcome;
    const struct {
        const char *key;
        int64_t value;
    } facts[] = {
        {"rss", outcome->rss_kib_max},    {"cpu", outcome->cpu_ms},
        {"out_lines", outcome->lines[0]}, {"err_lines", outcome->lines[1]},
        {"left", outcome->left},
    };
    str_add_char(text, '{');
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        if (facts[i].value != 0)
            str_json_i64(text, facts[i].key, facts[i].value);
    }
    if (input->fingerprint.hi != 0 || input->fingerprint.lo != 0) {
        char hex[33];
        (void)snprintf(hex, sizeof(hex), "%016" PRIx64 "%016" PRIx64, input->fingerprint.hi,
                       input->fingerprint.lo);
        str_json_text(text, "fp", hex);
    }
    str_add_char(text, '}');
}

static void record_end(const struct scheduling *now, int task)
{
    const struct input *input = now->input;
    struct event event = scheduler_event(now, EVENT_ATTEMPT_ENDED, task);
    event.a = input->outcome.kind;
    event.b = input->outcome.code;
    event.c = input->outcome.ran_ms;
    event.d = input->outcome.bytes[0];
    event.e = input->outcome.bytes[1];
    struct str text = {0};
    ended_text(input, &text);
    scheduler_emit(now, event, text.len > 2 ? text.data : NULL);
    str_done(&text);
}

static void record_verdict(const struct scheduling *now, int task, const struct verdict *verdict)
{
    bool plain_success = verdict->class == VERDICT_SUCCESS && now->input->outcome.code == 0;
    if (plain_success)
        return;
    struct event event = scheduler_event(now, EVENT_ATTEMPT_JUDGED, task);
    event.a = verdict->class;
    event.b = verdict->type;
    event.c = verdict->reason;
    struct str text = {0};
    str_add_char(&text, '{');
    verdict_to_json(verdict, &text);
    str_add_char(&text, '}');
    scheduler_emit(now, event, text.data);
    str_done(&text);
}

static void on_ended(const struct scheduling *now)
{
    int task = now->input->task;
    const struct plan_step *plan = scheduler_plan_step(now->state, task);
    struct verdict verdict = apply_expectation(plan, now->input);

    record_end(now, task);
    record_verdict(now, task, &verdict);

    struct protocol_facts facts = gather_facts(now, task, &verdict);
    struct decision decision;
    protocol_decide(&facts, &decision);
    if (decision.kind == DECISION_WAIT) {
        start_wait(now, task, &facts, &decision);
    } else {
        scheduler_end_step(now, task, &decision);
        cancel_rest(now, task);
    }
}

static void end_due_waits(const struct scheduling *now)
{
    const struct heap *waits = &now->state->waits;
    int task = heap_first(waits);
    while (task >= 0 && heap_key(waits, task) <= now->input->now.mono_ms) {
        scheduler_emit(now, scheduler_event(now, EVENT_WAIT_ENDED, task), NULL);
        task = heap_first(waits);
    }
}

static void start_attempt(const struct scheduling *now, int task)
{
    const struct plan_step *step = scheduler_plan_step(now->state, task);
    struct digest call =
        plan_call_digest(step, now->scheduler->run_dir, now->scheduler->environment);
    struct event event = scheduler_event(now, EVENT_ATTEMPT_STARTED, task);
    event.attempt++;
    event.a = (int64_t)call.hi;
    event.b = (int64_t)call.lo;
    scheduler_emit(now, event, NULL);
    scheduler_act(
        now, (struct action){
                 .kind = ACTION_SPAWN, .task = task, .step = event.step, .attempt = event.attempt});
}

/* A wait may have ended in a hold or in a queue: the deadline is kept at the start too. */
static bool is_too_late(const struct scheduling *now, int task)
{
    const struct step_state *step = run_state_step(now->state, task);
    return step->first_start.at_ms != 0 &&
           protocol_is_late(scheduler_plan_step(now->state, task)->policy,
                            step->first_start.mono_ms, step->held_ms, now->input->now.mono_ms);
}

static void fill_slots(const struct scheduling *now)
{
    const struct decision deadline = {.kind = DECISION_DEADLINE, .entropy = true, .capture = true};
    struct run_state *state = now->state;
    while (state->running < state->jobs && heap_first(&state->ready) >= 0) {
        int task = heap_first(&state->ready);
        if (is_too_late(now, task))
            scheduler_end_step(now, task, &deadline);
        else
            start_attempt(now, task);
    }
}

/* Which exit code wins: stopped by a person, needs one, entropy, gave up. */
static int run_exit_code(const struct run_state *state)
{
    if (state->stopped_by_person)
        return 130;
    if (state->counts[TASK_NEEDS_YOU] > 0)
        return 4;
    if (state->counts[TASK_STUCK] > 0)
        return 3;
    return state->counts[TASK_PASSED] == state->plan->task_count ? 0 : 1;
}

static void end_run(const struct scheduling *now)
{
    const struct run_state *state = now->state;
    int open =
        state->counts[TASK_QUEUED] + state->counts[TASK_RUNNING] + state->counts[TASK_BACKOFF];
    if (!state->started || state->ended || open > 0)
        return;
    struct event event = scheduler_event(now, EVENT_RUN_ENDED, -1);
    event.a = run_exit_code(state);
    scheduler_emit(now, event, NULL);
}

static bool names_live_attempt(const struct run_state *state, const struct input *input)
{
    if (input->task < 0 || input->task >= state->plan->task_count)
        return false;
    const struct step_state *step = run_state_step(state, input->task);
    const struct attempt_state *attempt = step_state_attempt(step);
    return step->status == STEP_RUNNING && attempt &&
           input->step == run_state_step_number(state, input->task) &&
           input->attempt == attempt->number;
}

static void emit_text(const struct scheduling *now, enum event_kind kind, int task, const char *key,
                      const char *value)
{
    struct event event = scheduler_event(now, kind, task);
    if (kind == EVENT_RUN_STARTED)
        event.a = now->input->jobs;
    struct str text = {0};
    str_add_char(&text, '{');
    str_json_text(&text, key, value);
    str_add_char(&text, '}');
    scheduler_emit(now, event, text.data);
    str_done(&text);
}

static void on_attempt_news(const struct scheduling *now)
{
    const struct input *input = now->input;
    struct event event = scheduler_event(now, EVENT_ATTEMPT_RUNNING, input->task);
    switch (input->kind) {
    case INPUT_RUNNING:
        event.a = input->pid;
        event.b = input->pid_start;
        break;
    case INPUT_QUIET:
        event.kind = EVENT_ATTEMPT_QUIET;
        event.a = input->quiet_ms;
        break;
    case INPUT_HEARD:
        event.kind = EVENT_ATTEMPT_HEARD;
        break;
    case INPUT_START:
    case INPUT_ENDED:
    case INPUT_TIME:
    case INPUT_CONTROL:
    case INPUT_NOTE:
    case INPUT_KIND_COUNT:
        assert(false && "not news of an attempt");
    }
    scheduler_emit(now, event, NULL);
}

static void take_input(const struct scheduling *now)
{
    const struct input *input = now->input;
    switch (input->kind) {
    case INPUT_START:
        if (!now->state->started)
            emit_text(now, EVENT_RUN_STARTED, -1, "by", input->control.by);
        break;
    case INPUT_RUNNING:
    case INPUT_QUIET:
    case INPUT_HEARD:
        if (names_live_attempt(now->state, input))
            on_attempt_news(now);
        break;
    case INPUT_ENDED:
        if (names_live_attempt(now->state, input))
            on_ended(now);
        break;
    case INPUT_CONTROL:
        scheduler_control(now, &input->control);
        break;
    case INPUT_NOTE:
        emit_text(now, EVENT_NOTE, -1, "note", input->note);
        break;
    case INPUT_TIME:
    case INPUT_KIND_COUNT:
        break;
    }
}

void scheduler_step(struct scheduler *scheduler, const struct input *input, struct turn *turn)
{
    struct scheduling now = {
        .scheduler = scheduler, .state = scheduler->state, .input = input, .turn = turn};
    take_input(&now);
    end_due_waits(&now);
    if (!scheduler->starts_nothing && !scheduler->orphaned)
        fill_slots(&now);
    end_run(&now);
}

int64_t scheduler_next_due(const struct run_state *state)
{
    int task = heap_first(&state->waits);
    return task >= 0 ? heap_key(&state->waits, task) : -1;
}
