/* scheduler_judge.c - the end of an attempt: its verdict, and what comes next.
 *
 * First its consequences for loops and for the gate of its source, then the decision. */
#include <stdio.h>
#include <string.h>

#include "fold.h"
#include "scheduler_internal.h"
#include "str.h"
#include "text.h"

/* Loops: the consequences of the detector's levels for the task. */

static bool is_last_step(const struct run_state *state, int task)
{
    return run_state_step_number(state, task) == state->plan->tasks[task].step_count - 1;
}

void scheduler_emit_suspicion(const struct scheduling *now, int task, const struct circles *circles,
                              const struct suspicion *of)
{
    struct event event = scheduler_event(now, EVENT_LOOP_SUSPECTED, task);
    struct str nudge = {0};
    event.loop.of_calls = of->of_calls;
    entropy_nudge(&circles->verdict, of->what, of->masks, &nudge);
    event.loop.nudge = str_text(&nudge);
    event.loop.facts = circles_facts(circles, event.step, of->masks, scheduler_scratch(now));
    scheduler_emit(now, event);
    str_done(&nudge);
}

/* Reports that the task may be looping, if that is new and the task continues nevertheless, with a
 * new round or as decided. */
static void suspect_loop(const struct scheduling *now, int task, const struct decision *decision,
                         bool new_round)
{
    const struct circles *circles = now->state->tasks[task].circles;
    bool goes_on = new_round || decision->kind == DECISION_WAIT ||
                   (decision->kind == DECISION_SUCCEEDED && !is_last_step(now->state, task));
    bool is_news = circles && circles->verdict.level == ENTROPY_SUSPECT && circles->verdict.news &&
                   !circles->told;
    if (!goes_on || !is_news)
        return;
    /* The command as a person would type it; nothing for an agent, which does not know how it was
     * called. */
    enum { CALL_BYTES_MAX = 1024 };
    const struct plan_step *plan = scheduler_plan_step(now->state, task);
    struct str call = {0};
    for (char **arg = plan->argv; !plan->agent && *arg && call.len < CALL_BYTES_MAX; arg++)
        str_addf(&call, "%s%.*s", call.len > 0 ? " " : "", CALL_BYTES_MAX, *arg);
    const struct suspicion of = {.what = str_text(&call), .masks = now->input->masks};
    scheduler_emit_suspicion(now, task, circles, &of);
    str_done(&call);
}

/* Gates: the consequences of an attempt's end for its source, and which task starts next. */

/* Returns whether this machine, or the task's executor, has a free slot for the task. */
static bool has_slot(const struct run_state *state, int task)
{
    return state->plan->tasks[task].executor >= 0
               ? run_state_free_host(state, task) >= 0
               : state->running - state->running_away < state->jobs;
}

/* Returns the first task of an executor that has a free slot; -1 if there is none. */
static int first_away(const struct run_state *state)
{
    bool is_full[PLAN_EXECUTORS_MAX] = {false};
    int left = state->plan->executor_count; /* executors that may have a free slot */
    int task = -1;
    while (left > 0 && (task = number_set_next(&state->ready_away, task)) >= 0) {
        bool *full = &is_full[state->plan->tasks[task].executor];
        if (*full)
            continue;
        if (has_slot(state, task))
            return task;
        if (run_state_bound_host(state, task) >= 0)
            continue; /* another task may run on another host */
        *full = true;
        left--;
    }
    return -1;
}

/* Returns the task of a gate's line that starts next. A task without a slot does not keep those
 * behind it from starting. Returns -1 if there is none. O(line). */
static int next_in_line(const struct run_state *state, const struct gate_state *gate,
                        int64_t now_mono_ms)
{
    const int first = gate_next(gate);
    if (has_slot(state, first))
        return first;
    const bool waits_for_chosen = gate->status == GATE_CLOSED && now_mono_ms < gate->due.mono_ms;
    if (state->plan->executor_count == 0 || waits_for_chosen)
        return -1;
    int task = -1;
    while ((task = number_set_next(&gate->line, task)) >= 0 && !has_slot(state, task))
        continue;
    return task;
}

int scheduler_next_ready(const struct scheduling *now)
{
    const struct run_state *state = now->state;
    int first = number_set_first(&state->ready);
    if (first >= 0 && !has_slot(state, first))
        first = -1;
    const int away = first_away(state);
    if (away >= 0 && (first < 0 || away < first))
        first = away;
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct gate_state *gate = &state->gates[i];
        if (gate->line.count == 0 || !gate_lets_start(gate, now->input->now.mono_ms))
            continue;
        const int next = next_in_line(state, gate, now->input->now.mono_ms);
        if (next < 0)
            continue;
        if (first < 0 || next < first)
            first = next;
    }
    return first;
}

/* Returns when the source may be tried again: together with the step that hit the limit or, if that
 * step does not continue, after the wait that it would have had. */
static struct moment limit_due(const struct protocol_facts *facts, const struct decision *decision,
                               int closed)
{
    if (decision->kind == DECISION_WAIT)
        return decision->due;
    struct moment due = facts->now;
    if (decision->kind == DECISION_NEEDS_YOU)
        return due; /* longer than the policy waits: the next attempt finds out for itself */
    const struct delay delay =
        policy_delay(facts->policy, closed + 1, facts->draw, facts->verdict->retry_after_ms);
    due.at_ms += delay.delay_ms;
    due.mono_ms += delay.delay_ms;
    return due;
}

/* One closing of a gate: until when, how many in a row, and which task a person sends first. */
struct closing {
    struct moment due;
    int closed;
    int chosen; /* -1 = none */
};

static void close_gate(const struct scheduling *now, int task, int source, struct closing closing,
                       const char *by)
{
    struct event event = scheduler_event(now, EVENT_GATE_CLOSED, task);
    event.gate_closed.source = source;
    event.gate_closed.due = closing.due;
    event.gate_closed.limits = closing.closed;
    event.gate_closed.chosen = closing.chosen;
    scheduler_emit_by(now, event, by);
}

void scheduler_gate_lost(const struct scheduling *now, int source)
{
    const struct gate_state *gate = &now->state->gates[source];
    struct closing closing = {.due = now->input->now, .closed = gate->closed, .chosen = -1};
    close_gate(now, gate->probe, source, closing, "");
}

/* Applies a verdict on a step of this source to the source's gate. */
static void take_gate_verdict(const struct scheduling *now, int task, int source,
                              const struct protocol_facts *facts, const struct decision *decision)
{
    const struct gate_state *gate = &now->state->gates[source];
    const struct verdict *verdict = facts->verdict;
    const bool is_probe = gate->status == GATE_PROBING && gate->probe == task;
    const bool has_exited = facts->outcome->kind == OUTCOME_EXIT;
    /* The source set a limit: a limit to wait for, or a parked limit, longer than the policy waits,
     * to be routed around. */
    const bool waits_parked = protocol_is_parked(verdict) && decision->kind == DECISION_WAIT;
    const bool is_limited = waits_parked || (verdict->class == VERDICT_TRANSIENT &&
                                             verdict->type == TRANSIENT_API_RATE_LIMIT);
    if (has_exited && is_limited) {
        const struct moment due = limit_due(facts, decision, gate->closed);
        const bool known = gate->status == GATE_CLOSED && due.mono_ms <= gate->due.mono_ms;
        if (known || (gate->status == GATE_PROBING && !is_probe))
            return; /* the attempt started before the gate closed: the probe is more recent */
        struct closing closing = {.due = due, .closed = gate->closed, .chosen = gate->chosen};
        if (gate->status != GATE_CLOSED && closing.closed < FOLD_COUNT_MAX)
            closing.closed++;
        close_gate(now, task, source, closing, "");
    } else if (is_probe && has_exited) {
        struct event event = scheduler_event(now, EVENT_GATE_OPENED, task);
        event.gate_opened.source = source;
        event.gate_opened.waiting = gate->line.count;
        event.gate_opened.spacing_ms = SCHEDULER_SPACING_MS;
        scheduler_emit(now, event);
    } else if (is_probe) {
        scheduler_gate_lost(now, source);
    }
}

void scheduler_gate_send(const struct scheduling *now, int task, const char *by)
{
    const struct gate_state *gate = run_state_gate(now->state, task);
    if (!gate || gate->status != GATE_CLOSED || !number_set_has(&gate->line, task))
        return;
    int source = (int)(gate - now->state->gates);
    struct closing closing = {.due = gate->due, .closed = gate->closed, .chosen = task};
    close_gate(now, task, source, closing, by);
}

/* The end. */

void scheduler_cancel_rest(const struct scheduling *now, int task)
{
    const struct task_state *state = &now->state->tasks[task];
    bool goes_on = state->cancelling && !task_status_is_final(state->status);
    bool runs = run_state_step(now->state, task)->status == STEP_RUNNING; /* still, elsewhere */
    if (!goes_on || runs)
        return;
    struct decision decision = {.kind = DECISION_CANCELLED, .capture = true};
    scheduler_end_step(now, task, &decision, NULL);
}

/* Extracts the line that says why an attempt never started, cleaned and of at most `max` bytes;
 * empty if there is none. */
static void start_line(const struct input *input, size_t max, struct str *out)
{
    struct str clean = {0};
    if (input->outcome.kind != OUTCOME_NOT_STARTED || !input->start_why)
        return;
    text_clean(&clean, input->start_why, strcspn(input->start_why, "\n"));
    str_add_n(out, str_text(&clean), text_cut(str_text(&clean), clean.len, max));
    str_done(&clean);
}

/* Inverts the verdict of a step that is expected to fail. Failures caused by the environment or a
 * person remain as they are; only their label says that a failure was expected. */
static void turn_round(const struct plan_step *step, const struct input *input,
                       struct verdict *verdict)
{
    const struct plan_expectation *expect = &step->expect;
    const struct outcome *outcome = &input->outcome;
    if (expect->what != PLAN_EXPECT_FAILURE || outcome->kind == OUTCOME_CANCELLED ||
        outcome_is_broken_off(outcome->kind))
        return;
    if (verdict->class == VERDICT_SUCCESS) {
        verdict->class = VERDICT_PERSISTENT;
        verdict->expectation = VERDICT_UNEXPECTED_PASS;
        (void)snprintf(verdict->rule, sizeof(verdict->rule), "expect.failure");
        return;
    }
    const bool can_be_expected =
        outcome->kind == OUTCOME_EXIT && outcome->code != 126 && outcome->code != 127;
    const unsigned otherwise = 1U << REASON_TEST_FAIL | 1U << REASON_COMPILE | 1U << REASON_NONE;
    const unsigned reasons = expect->reasons != 0 ? expect->reasons : otherwise;
    const bool met = verdict->class == VERDICT_PERSISTENT && can_be_expected &&
                     (reasons & 1U << verdict->reason) != 0 &&
                     (!expect->match || input->expectation_met);
    if (met)
        verdict->class = VERDICT_SUCCESS;
    else
        verdict->expectation = VERDICT_WRONG_REASON;
}

/* Returns the verdict that counts: usually the given one, which saves copying a large struct;
 * otherwise *room. */
static const struct verdict *find_verdict(const struct plan_step *step, const struct input *input,
                                          struct verdict *room)
{
    if (step->expect.what != PLAN_EXPECT_FAILURE && input->outcome.kind != OUTCOME_NOT_STARTED)
        return &input->verdict;
    *room = input->verdict;
    if (room->match[0] == '\0') {
        /* A command that never started printed nothing, so this line is the only evidence. */
        struct str line = {0};
        start_line(input, VERDICT_MATCH_MAX - 1, &line);
        (void)snprintf(room->match, sizeof(room->match), "%s", str_text(&line));
        str_done(&line);
    }
    turn_round(step, input, room);
    return room;
}

bool scheduler_would_pass(const struct plan_step *step, const struct input *input)
{
    struct verdict room;
    return find_verdict(step, input, &room)->class == VERDICT_SUCCESS;
}

/* Returns true if nothing can have changed the tree since the previous attempt and the policy asks
 * for that. A workspace is reset before each attempt. For work in place, the steps of other tasks
 * may have changed something. */
static bool is_unchanged(const struct run_state *state, int task)
{
    const struct plan *plan = state->plan;
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *before =
        step_state_find_attempt(step, step_state_latest(step)->number - 1);
    if (!before || scheduler_plan_step(state, task)->policy->unchanged_stops == 0)
        return false;
    if (workspace_can_be_reset(plan->tasks[task].workspace))
        return true;
    for (int i = 0; i < plan->task_count; i++) {
        const struct task_state *other = &state->tasks[i];
        if (i != task && !workspace_can_be_reset(plan->tasks[i].workspace) &&
            (other->status == TASK_RUNNING || other->since.mono_ms > before->started.mono_ms))
            return false;
    }
    return true;
}

/* Collects the facts for the decision. `results` is storage for SCHEDULER_RESULTS_MAX results,
 * which the policy's windows examine. */
static struct protocol_facts gather_facts(const struct scheduling *now, int task,
                                          const struct outcome *outcome,
                                          const struct verdict *verdict, struct digest *results)
{
    const struct run_state *state = now->state;
    const struct plan_step *plan = scheduler_plan_step(state, task);
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_latest(step);
    struct draw_key key = {.seed = state->seed,
                           .task = task,
                           .step = run_state_step_number(state, task),
                           .round = run_state_round(state, task),
                           .attempt = attempt->number};
    struct protocol_facts facts = {
        .policy = plan->policy,
        .phase = plan->phase,
        .outcome = outcome,
        .verdict = verdict,
        .used = step->used > 0 ? step->used : 1,
        .own_retries = step->own_retries,
        .allowed = step->allowed,
        .free_hints = step->free_hints,
        .same = step->same,
        .stopping = state->tasks[task].cancelling,
        .interrupted = step->interrupted,
        .repeatable = plan_step_is_repeatable(&state->plan->tasks[task], plan),
        .started_mono_ms = step->first_start.mono_ms,
        .held_ms = step->held_ms + run_state_held_ms(state, task, &now->input->now),
        .draw = policy_draw(&key),
        .now = now->input->now,
        .masks = now->input->masks,
        .is_unchanged = is_unchanged(state, task),
        .scale = circles_scale(state->tasks[task].circles),
        .ignores_repeats = state->plan->loops.preset == ENTROPY_OFF,
        .step = run_state_step_number(state, task),
    };
    if (outcome->kind == OUTCOME_NOT_STARTED) {
        facts.policy = plan_policy_find(state->plan, "infrastructure");
        facts.used = step->start_failures;
        facts.own_retries = 0;
        facts.allowed = facts.policy->max_attempts;
    }
    const struct circles *circles = state->tasks[task].circles;
    if (circles_is_about(circles, facts.step, attempt->number))
        facts.circles = circles;
    scheduler_agent_facts(now, task, &facts);
    facts.results = results;
    if (protocol_equal_max(&facts) > 0) {
        /* The latest results of the step since it started over, in order. */
        const struct attempt_state *attempts = step->attempts;
        size_t count = 0;
        while (count < SCHEDULER_RESULTS_MAX && count < step->attempt_count &&
               attempts[step->attempt_count - count - 1].number >= step->results_from)
            count++;
        for (size_t i = 0; i < count; i++)
            results[i] = attempts[step->attempt_count - count + i].fingerprint;
        facts.result_count = count;
    }
    return facts;
}

/* Fills in the event of the end. `fails` tells a success from an exit with code 0 that was judged
 * as a failure: the verdict comes in its own event. */
static void find_end(const struct scheduling *now, int task, bool passed, struct event_end *out)
{
    const struct input *input = now->input;
    *out = (struct event_end){
        .outcome = input->outcome,
        .fingerprint = input->fingerprint,
        .partial = input->partial,
        .skipped_bytes = input->skipped_bytes > 0 ? input->skipped_bytes : 0,
        .fails = input->outcome.kind == OUTCOME_EXIT && input->outcome.code == 0 && !passed,
        .new_permille = -1,
    };
    if (input->outcome.kind != OUTCOME_CANCELLED)
        out->outcome.stop = STOP_ASKED;
    if (input->outcome.kind != OUTCOME_TIMEOUT || input->outcome.quiet_ms < 0)
        out->outcome.quiet_ms = 0;

    /* Copy the facts that loop detection needs. */
    if (!input->has_fact || !circles_counts(input->outcome.kind))
        return;
    out->new_permille = input->fact.new_permille >= 0 ? input->fact.new_permille : -1;
    if (passed && is_last_step(now->state, task))
        return; /* no step follows */
    struct entropy_fact fact = input->fact;
    fact.call = (struct digest){0};
    fact.outcome = input->masked_fingerprint;
    fact.new_permille = -1;
    fact.bits = passed ? fact.bits & ~(unsigned)ENTROPY_FAILED : fact.bits | ENTROPY_FAILED;
    out->has_loop = true;
    out->loop = fact;
}

static void record_end(const struct scheduling *now, int task, bool passed)
{
    enum { START_WHY_MAX = 1000 };
    struct event event = scheduler_event(now, EVENT_ATTEMPT_ENDED, task);
    struct str *why = scheduler_scratch(now);
    find_end(now, task, passed, &event.ended);
    start_line(now->input, START_WHY_MAX, why);
    if (why->len > 0)
        event.ended.start_error = why->data;
    scheduler_emit(now, event);
}

/* Decides about the task's ended attempt without emitting anything. */
static void rule_attempt(const struct scheduling *now, int task, const struct outcome *outcome,
                         const struct verdict *verdict, struct scheduler_ruling *out)
{
    out->facts = gather_facts(now, task, outcome, verdict, out->results);
    protocol_decide(&out->facts, &out->decision);
    out->new_round = scheduler_round_follows(now, task, &out->facts, &out->decision);
    if (out->new_round) {
        const struct plan_task *plan = &now->state->plan->tasks[task];
        const int first = plan_task_agent_step(plan, run_state_step_number(now->state, task));
        if (scheduler_budget_spent(now, task, first, &out->facts.spent, &out->facts.spent_by_run)) {
            out->facts.stop = STOP_BUDGET; /* a round without any budget left needs a person */
            protocol_decide(&out->facts, &out->decision);
            out->new_round = false;
        }
    }
    if (!out->new_round)
        protocol_blame_refusal(&out->facts, &out->decision);
}

void scheduler_rule_at(const struct run_state *state, const struct moment *at, int task,
                       const struct outcome *outcome, const struct verdict *verdict,
                       struct scheduler_ruling *out)
{
    struct run_state *same =
        (struct run_state *)(uintptr_t)state; /* never modified: a ruling emits nothing */
    const struct input input = {.now = *at};
    const struct scheduling now = {.state = same, .input = &input};
    rule_attempt(&now, task, outcome, verdict, out);
}

void scheduler_decide(const struct scheduling *now, int task, const struct outcome *outcome,
                      const struct verdict *verdict)
{
    const int source = scheduler_plan_step(now->state, task)->source;
    struct scheduler_ruling ruling;
    rule_attempt(now, task, outcome, verdict, &ruling);
    const struct protocol_facts *facts = &ruling.facts;
    const struct decision *decision = &ruling.decision;
    suspect_loop(now, task, decision, ruling.new_round);

    if (ruling.new_round) {
        scheduler_round_start(now, task, facts);
    } else if (decision->kind == DECISION_SUCCEEDED) {
        scheduler_end_step(now, task, decision, NULL);
    } else if (decision->kind == DECISION_WAIT) {
        struct event event = scheduler_event(now, EVENT_WAIT_STARTED, task);
        event.wait.delay = decision->delay;
        event.wait.due = decision->due;
        event.wait.is_free = !decision->counts && !outcome_is_broken_off(outcome->kind);
        protocol_inputs(facts, decision, scheduler_scratch(now), &event.wait.inputs);
        scheduler_emit(now, event);
    } else {
        struct decision_inputs inputs = event_new(EVENT_STEP_ENDED).step_ended.inputs;
        protocol_inputs(facts, decision, scheduler_scratch(now), &inputs);
        scheduler_end_step(now, task, decision, &inputs);
    }
    if (source >= 0)
        take_gate_verdict(now, task, source, facts, decision);
    scheduler_cancel_rest(now, task);
}

/* Logs the verdict and decides what follows. A plain success has no verdict of its own in the
 * log. */
static void conclude(const struct scheduling *now, int task, const struct outcome *outcome,
                     const struct verdict *verdict)
{
    bool plain = verdict->class == VERDICT_SUCCESS && outcome->code == 0;
    if (!plain) {
        struct event event = scheduler_event(now, EVENT_ATTEMPT_JUDGED, task);
        verdict_to_record(verdict, &event.judged);
        scheduler_emit(now, event);
    }
    scheduler_decide(now, task, outcome, verdict);
}

void scheduler_judge(const struct scheduling *now, int task, const struct input *input)
{
    struct scheduling then = *now;
    struct input stopped;
    then.input = input;
    if (now->state->tasks[task].agent) {
        stopped = *input;
        if (scheduler_agent_stopped(now, task, &stopped))
            then.input = &stopped;
    }
    struct verdict room;
    const struct verdict *verdict =
        find_verdict(scheduler_plan_step(now->state, task), then.input, &room);
    record_end(&then, task, verdict->class == VERDICT_SUCCESS);
    if (now->state->tasks[task].agent)
        scheduler_budget_look(&then, task, false);
    conclude(&then, task, &then.input->outcome, verdict);
}

/* For an exit with code 0 the log has the result, including whether the expectation was met. */
void scheduler_judge_late(const struct scheduling *now, int task, const struct input *input)
{
    const struct outcome *outcome = &input->outcome;
    struct verdict room;
    const bool said = outcome->kind == OUTCOME_EXIT && outcome->code == 0;
    conclude(now, task, outcome,
             said ? &input->verdict
                  : find_verdict(scheduler_plan_step(now->state, task), input, &room));
}
