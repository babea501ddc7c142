/* fold_grow.c - folds a task that is added to a plan that grows. */
#include <stddef.h>

#include "fold.h"

#include "plan_grow.h"
#include "xalloc.h"

bool fold_takes_task(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const struct json *task = json_get(fold->text, "task");
    struct str text = {0};
    if (!state->growing || fold->event->a != state->plan->task_count || state->ended ||
        state->stopped_by_person || !task)
        return false;
    json_write(&text, task);
    bool ok = plan_grow(state->growing, str_text(&text), text.len, NULL);
    str_done(&text);
    return ok;
}

/* Room for the plan's last task, and for a source that came with it. */
static void make_room(struct run_state *state)
{
    const struct plan *plan = state->plan;
    const size_t tasks = (size_t)plan->task_count;
    state->tasks = xgrow(state->tasks, &state->task_cap, tasks, sizeof(*state->tasks));
    number_set_grow(&state->ready, plan->task_count);
    heap_grow(&state->waits, plan->task_count);
    heap_grow(&state->walls, plan->task_count);
    for (int i = 0; i < state->gate_count; i++)
        number_set_grow(&state->gates[i].line, plan->task_count);
    if (plan->source_count == state->gate_count)
        return;
    state->gates =
        xgrow(state->gates, &state->gate_cap, (size_t)plan->source_count, sizeof(*state->gates));
    for (; state->gate_count < plan->source_count; state->gate_count++) {
        struct gate_state *gate = &state->gates[state->gate_count];
        *gate = (struct gate_state){.probe = -1, .chosen = -1};
        number_set_init(&gate->line, plan->task_count);
    }
}

void fold_task_added(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const int number = (int)fold->event->a;
    const size_t steps = (size_t)state->plan->tasks[number].step_count;
    make_room(state);
    state->tasks[number] = (struct task_state){
        .blocked_by = -1,
        .follows = -1,
        .since = fold->event->at,
        .steps = xcalloc(steps, sizeof(struct step_state)),
    };
    state->counts[TASK_QUEUED]++;
    fold_make_ready(fold, number);
}
