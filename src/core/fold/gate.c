/* gate.c - the gate of a step, and what it lets start. */
#include "run_state.h"

struct gate_state *run_state_gate(const struct run_state *state, int task)
{
    const int source = state->plan->tasks[task].steps[run_state_step_number(state, task)].source;
    return source >= 0 ? &state->gates[source] : NULL;
}

bool gate_lets_start(const struct gate_state *gate, int64_t now_mono_ms)
{
    switch (gate->status) {
    case GATE_OPEN:
        return true;
    case GATE_CLOSED:
        return gate->chosen >= 0 || now_mono_ms >= gate->due.mono_ms;
    case GATE_SPREADING:
        return now_mono_ms >= gate->due.mono_ms;
    case GATE_PROBING:
    case GATE_STATUS_COUNT:
        break;
    }
    return false;
}

int gate_next(const struct gate_state *gate)
{
    return gate->chosen >= 0 ? gate->chosen : number_set_first(&gate->line);
}
