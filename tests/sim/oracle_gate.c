#include "oracle.h"

enum { SPACING_MS = 1000 };

struct closing {
    int64_t after_ms;
    const struct moment *until; /* replaces after_ms, NULL = none */
    int closed;
    int chosen; /* -1 = none */
    const char *by;
    enum tally_gate why;
};

static void close_gate(struct oracle *oracle, int task, int source, const struct closing *closing)
{
    struct foretold closed = oracle_event(oracle, EVENT_GATE_CLOSED, task);
    closed.event.gate_closed.source = source;
    closed.event.gate_closed.due.at_ms = oracle->input->now.at_ms + closing->after_ms;
    closed.event.gate_closed.due.mono_ms = oracle->input->now.mono_ms + closing->after_ms;
    if (closing->until)
        closed.event.gate_closed.due = *closing->until;
    closed.event.gate_closed.limits = closing->closed;
    closed.event.gate_closed.chosen = closing->chosen;
    closed.event.by = closing->by;
    oracle_emit(oracle, &closed);
    if (oracle->tally)
        oracle->tally->gates[closing->why]++;
}

void oracle_gate_lose(struct oracle *oracle, int source)
{
    const struct model_gate *gate = &oracle->model.gates[source];
    const struct closing closing = {.closed = gate->closed, .chosen = -1, .why = TALLY_GATE_LOST};
    close_gate(oracle, gate->probe, source, &closing);
}

static void open_gate(struct oracle *oracle, int task, int source)
{
    struct foretold opened = oracle_event(oracle, EVENT_GATE_OPENED, task);
    opened.event.gate_opened.source = source;
    opened.event.gate_opened.spacing_ms = SPACING_MS;
    for (int i = 0; i < oracle->model.plot->task_count; i++)
        opened.event.gate_opened.waiting +=
            model_is_in_line(&oracle->model, i) && model_source(&oracle->model, i) == source;
    oracle_emit(oracle, &opened);
    if (oracle->tally)
        oracle->tally
            ->gates[opened.event.gate_opened.waiting > 0 ? TALLY_GATE_SPREADS : TALLY_GATE_OPENS]++;
}

/* The source reported a limit: nothing is sent to it while the step that hit the limit waits. */
static void meet_limit(struct oracle *oracle, int task, int source, const struct facts *facts,
                       const struct ruling *ruling)
{
    const struct model_gate *gate = &oracle->model.gates[source];
    struct ruling as_if = *ruling;
    if (ruling->kind == DECISION_NEEDS_YOU)
        as_if.delay_ms = 0;
    else if (ruling->kind != DECISION_WAIT)
        rules_delay(facts, gate->closed + 1, &as_if);
    struct closing closing = {
        .after_ms = as_if.delay_ms, .closed = gate->closed, .chosen = gate->chosen};
    switch (gate->status) {
    case GATE_CLOSED:
        if (oracle->input->now.mono_ms + closing.after_ms <= gate->due.mono_ms)
            return;
        closing.why = TALLY_GATE_LONGER;
        break;
    case GATE_PROBING:
        if (gate->probe != task)
            return; /* it was started before the gate closed */
        closing.closed++;
        closing.why = TALLY_GATE_AGAIN;
        break;
    case GATE_OPEN:
    case GATE_SPREADING:
    case GATE_STATUS_COUNT:
        closing.closed++;
        closing.why = TALLY_GATE_CLOSES;
        break;
    }
    close_gate(oracle, task, source, &closing);
}

void oracle_gate_judge(struct oracle *oracle, int task, int source, const struct facts *facts,
                       const struct ruling *ruling)
{
    const struct model_gate *gate = &oracle->model.gates[source];
    const struct opinion *opinion = &facts->opinion;
    bool is_probe = gate->status == GATE_PROBING && gate->probe == task;
    bool limited =
        (opinion->class == VERDICT_TRANSIENT && opinion->type == TRANSIENT_API_RATE_LIMIT) ||
        (rules_parked(opinion) && ruling->kind == DECISION_WAIT);
    if (facts->outcome != OUTCOME_EXIT) {
        if (is_probe)
            oracle_gate_lose(oracle, source);
    } else if (limited) {
        meet_limit(oracle, task, source, facts, ruling);
    } else if (is_probe) {
        open_gate(oracle, task, source);
    }
}

void oracle_gate_send(struct oracle *oracle, int task, const char *by)
{
    int source = model_source(&oracle->model, task);
    if (source < 0 || oracle->model.gates[source].status != GATE_CLOSED ||
        !model_is_in_line(&oracle->model, task))
        return;
    const struct model_gate *gate = &oracle->model.gates[source];
    const struct closing closing = {.until = &gate->due,
                                    .closed = gate->closed,
                                    .chosen = task,
                                    .by = by,
                                    .why = TALLY_GATE_SENT};
    close_gate(oracle, task, source, &closing);
}
