/* fold_gate.c - folds gates. */
#include "fold.h"

void fold_gate_closed(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct gate_state *gate = &fold->state->gates[event->a];
    if (gate->closed == 0)
        gate->since = event->at;
    gate->status = GATE_CLOSED;
    gate->due = (struct moment){.at_ms = event->b, .mono_ms = event->c};
    gate->closed = (int)event->d;
    int chosen = (int)event->e - 1;
    gate->chosen = chosen >= 0 && number_set_has(&gate->line, chosen) ? chosen : -1;
    gate->probe = -1;
}

void fold_gate_opened(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct gate_state *gate = &fold->state->gates[event->a];
    gate->status = gate->line.count > 0 ? GATE_SPREADING : GATE_OPEN;
    gate->due = event->at;
    gate->spacing_ms = event->c;
    gate->closed = 0;
    gate->chosen = -1;
    gate->probe = -1;
}
