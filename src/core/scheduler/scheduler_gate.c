/* scheduler_gate.c - what the end of an attempt says of its source. */
#include "fold.h"
#include "scheduling.h"

int scheduler_next_ready(const struct scheduling *now)
{
    const struct run_state *state = now->state;
    int first = number_set_first(&state->ready);
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct gate_state *gate = &state->gates[i];
        if (gate->line.count == 0 || !gate_lets_start(gate, now->input->now.mono_ms))
            continue;
        int next = gate_next(gate);
        if (first < 0 || next < first)
            first = next;
    }
    return first;
}

/* A limit that the source set: to wait for, or, parked beyond what the policy waits, to
 * go round. */
static bool met_limit(const struct protocol_facts *facts, const struct decision *decision)
{
    const struct verdict *verdict = facts->verdict;
    if (facts->outcome->kind != OUTCOME_EXIT)
        return false;
    bool waits_parked = protocol_is_parked(verdict) && decision->kind == DECISION_WAIT;
    return waits_parked ||
           (verdict->class == VERDICT_TRANSIENT && verdict->type == TRANSIENT_API_RATE_LIMIT);
}

/* When the source may be asked again: with the step that met the limit; where that one
 * does not go on, after the wait that it would have had. */
static struct moment limit_due(const struct protocol_facts *facts, const struct decision *decision,
                               int closed)
{
    if (decision->kind == DECISION_WAIT)
        return decision->due;
    struct moment due = facts->now;
    if (decision->kind == DECISION_NEEDS_YOU)
        return due; /* too far away for the policy: the next one finds out for itself */
    const struct delay delay =
        policy_delay(facts->policy, closed + 1, facts->draw, facts->verdict->retry_after_ms);
    due.at_ms += delay.delay_ms;
    due.mono_ms += delay.delay_ms;
    return due;
}

/* One more closing: until when, which one in a row, and whom a person sends first. */
struct closing {
    struct moment due;
    int closed;
    int chosen; /* -1 = none */
};

static void close_gate(const struct scheduling *now, int task, int source, struct closing closing,
                       const char *by)
{
    struct event event = scheduler_event(now, EVENT_GATE_CLOSED, task);
    event.a = source;
    event.b = closing.due.at_ms;
    event.c = closing.due.mono_ms;
    event.d = closing.closed;
    event.e = closing.chosen + 1;
    scheduler_emit_by(now, event, by);
}

static void on_limit(const struct scheduling *now, int task, int source, struct moment due)
{
    const struct gate_state *gate = &now->state->gates[source];
    bool is_probe = gate->probe == task;
    bool known = gate->status == GATE_CLOSED && due.mono_ms <= gate->due.mono_ms;
    if (known || (gate->status == GATE_PROBING && !is_probe))
        return; /* started before the gate closed: the probe knows better */
    struct closing closing = {.due = due, .closed = gate->closed, .chosen = gate->chosen};
    if (gate->status != GATE_CLOSED && closing.closed < FOLD_COUNT_MAX)
        closing.closed++;
    close_gate(now, task, source, closing, "");
}

static void open_gate(const struct scheduling *now, int task, int source)
{
    struct event event = scheduler_event(now, EVENT_GATE_OPENED, task);
    event.a = source;
    event.b = now->state->gates[source].line.count;
    event.c = SCHEDULER_SPACING_MS;
    scheduler_emit(now, event, NULL);
}

void scheduler_gate_lost(const struct scheduling *now, int source)
{
    const struct gate_state *gate = &now->state->gates[source];
    struct closing closing = {.due = now->input->now, .closed = gate->closed, .chosen = -1};
    close_gate(now, gate->probe, source, closing, "");
}

void scheduler_gate_judged(const struct scheduling *now, int task, int source,
                           const struct protocol_facts *facts, const struct decision *decision)
{
    const struct gate_state *gate = &now->state->gates[source];
    bool is_probe = gate->status == GATE_PROBING && gate->probe == task;
    if (met_limit(facts, decision))
        on_limit(now, task, source, limit_due(facts, decision, gate->closed));
    else if (is_probe && facts->outcome->kind == OUTCOME_EXIT)
        open_gate(now, task, source);
    else if (is_probe)
        scheduler_gate_lost(now, source);
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
