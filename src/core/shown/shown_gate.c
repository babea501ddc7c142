/* shown_gate.c - gates in words. */
#include "shown.h"

enum { SECOND_MS = 1000 };

static bool keeps_back(const struct run_state *state, int source)
{
    return state->started && !state->ended && state->gates[source].status != GATE_OPEN;
}

bool shown_has_gate(const struct run_state *state)
{
    for (int i = 0; i < state->plan->source_count; i++) {
        if (keeps_back(state, i))
            return true;
    }
    return false;
}

/* Which of two changes next: a probe that is out may change its gate at any moment. */
static bool is_sooner(const struct gate_state *a, const struct gate_state *b)
{
    bool a_probes = a->status == GATE_PROBING, b_probes = b->status == GATE_PROBING;
    if (a_probes || b_probes)
        return a_probes && !b_probes;
    return a->due.mono_ms < b->due.mono_ms;
}

int shown_waiting(const struct run_state *state, int source)
{
    const struct gate_state *gate = &state->gates[source];
    int count = gate->line.count;
    for (int i = 0; i < state->waits.count; i++)
        count += run_state_gate(state, state->waits.items[i]) == gate;
    return count;
}

static bool waits_for(const struct run_state *state, int task, const struct gate_state *gate)
{
    return number_set_has(&gate->line, task) ||
           (heap_has(&state->waits, task) && run_state_gate(state, task) == gate);
}

/* "; T-104, T-105 and 4 more wait", "; 6 wait". */
static void add_waiting(const struct run_state *state, int source, enum shown_room room,
                        struct str *out)
{
    enum { NAMED_MAX = 2 };
    const int count = shown_waiting(state, source);
    int named = 0;
    if (count == 0)
        return;
    str_add(out, "; ");
    for (int i = 0; room == SHOWN_IN_FULL && i < state->plan->task_count && named < NAMED_MAX;
         i++) {
        if (!waits_for(state, i, &state->gates[source]))
            continue;
        const bool is_last = named + 1 == count;
        str_addf(out, "%s%s", named == 0 ? "" : is_last ? " and " : ", ", state->plan->tasks[i].id);
        named++;
    }
    if (named > 0 && count > named)
        str_addf(out, " and %d more", count - named);
    else if (named == 0)
        str_addf(out, "%d", count);
    str_add(out, count == 1 ? " waits" : " wait");
}

static void add_closed(const struct run_state *state, int source, const struct shown_time *time,
                       enum shown_room room, struct str *out)
{
    const struct gate_state *gate = &state->gates[source];
    int64_t left_ms = gate->due.mono_ms - time->now.mono_ms;
    char text[SHOWN_CLOCK_MAX];
    if (gate->chosen >= 0) {
        str_addf(out, ": %s is sent", state->plan->tasks[gate->chosen].id);
    } else if (left_ms <= 0) {
        str_add(out, ": the next one tries");
    } else if (room == SHOWN_IN_FULL) {
        str_addf(out, " until %s (", time->hms(gate->due.at_ms, text));
        shown_left(left_ms, out);
        str_add_char(out, ')');
    } else {
        str_add_char(out, ' ');
        shown_left(left_ms, out);
    }
}

static void add_spacing(const struct gate_state *gate, enum shown_room room, struct str *out)
{
    str_add(out, " is over");
    if (room == SHOWN_IN_FULL && gate->spacing_ms == SECOND_MS) {
        str_add(out, ", one start a second");
    } else if (room == SHOWN_IN_FULL) {
        str_add(out, ", one start in ");
        shown_seconds(gate->spacing_ms, out);
    }
    str_addf(out, ", %d left", gate->line.count);
}

static void add_gate(const struct run_state *state, int source, const struct shown_time *time,
                     enum shown_room room, struct str *out)
{
    const struct gate_state *gate = &state->gates[source];
    str_addf(out, "rate limit of %s", state->plan->sources[source]);
    switch (gate->status) {
    case GATE_CLOSED:
        add_closed(state, source, time, room, out);
        add_waiting(state, source, room, out);
        if (gate->closed > 1)
            str_addf(out, "; hit %d times in a row", gate->closed);
        break;
    case GATE_PROBING:
        str_addf(out, ": %s tries", state->plan->tasks[gate->probe].id);
        add_waiting(state, source, room, out);
        break;
    case GATE_SPREADING:
        add_spacing(gate, room, out);
        break;
    case GATE_OPEN:
    case GATE_STATUS_COUNT:
        break;
    }
}

void shown_gate(const struct run_state *state, int source, const struct shown_time *time,
                enum shown_room room, struct str *out)
{
    if (keeps_back(state, source))
        add_gate(state, source, time, room, out);
}

void shown_gates(const struct run_state *state, const struct shown_time *time, enum shown_room room,
                 struct str *out)
{
    int soonest = -1, more = 0;
    for (int i = 0; i < state->plan->source_count; i++) {
        if (!keeps_back(state, i))
            continue;
        more += soonest >= 0;
        if (soonest < 0 || is_sooner(&state->gates[i], &state->gates[soonest]))
            soonest = i;
    }
    if (soonest < 0)
        return;
    add_gate(state, soonest, time, room, out);
    if (more > 0)
        str_addf(out, "   +%d", more);
}

bool shown_behind_gate(const struct run_state *state, int task, const struct moment *now,
                       struct str *out)
{
    const struct gate_state *gate = run_state_gate(state, task);
    if (!gate || gate->status == GATE_OPEN || !number_set_has(&gate->line, task))
        return false;
    int64_t left_ms = gate->due.mono_ms - now->mono_ms;
    if (gate->status == GATE_PROBING) {
        str_addf(out, "after %s", state->plan->tasks[gate->probe].id);
        return true;
    }
    if (gate->status == GATE_SPREADING)
        left_ms += number_set_before(&gate->line, task) * gate->spacing_ms;
    int next = gate_next(gate);
    bool is_next = gate->status != GATE_CLOSED || next == task;
    bool moves = left_ms <= 0 || gate->chosen >= 0;
    if (moves && is_next)
        return false; /* it waits for a slot */
    if (moves) {
        str_addf(out, "after %s", state->plan->tasks[next].id);
        return true;
    }
    str_add(out, "limit ");
    shown_left(left_ms, out);
    return true;
}
