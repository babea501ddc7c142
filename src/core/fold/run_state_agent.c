/* run_state_agent.c - questions about the agent of a task, and about what it may use. */
#include <stddef.h>

#include "attr.h"
#include "run_state.h"

struct agent_used task_agent_used(const struct task_agent *agent)
{
    struct agent_used sum = agent->past;
    agent_used_add(&sum, &agent->now);
    return sum;
}

static int64_t wall_ms(const struct budget_state *budget, const struct moment *now)
{
    const int64_t ms = now->mono_ms - budget->wall_from.mono_ms;
    return budget->wall_ms + (budget->runs && ms > 0 ? ms : 0);
}

static int64_t used_of(const struct agent_used *used, enum budget_kind kind)
{
    switch (kind) {
    case BUDGET_COST:
        return used->cost_micro;
    case BUDGET_TURNS:
        return used->turns;
    case BUDGET_CALLS:
        return used->calls;
    case BUDGET_WALL:
    case BUDGET_NONE:
    case BUDGET_KIND_COUNT:
        break;
    }
    return 0;
}

bool run_state_budget(const struct run_state *state, int task, enum budget_kind kind,
                      const struct moment *now, struct budget_use *out)
{
    const struct task_agent *agent = task >= 0 ? state->tasks[task].agent : NULL;
    const struct budget_state *budget = agent ? &agent->budget : &state->budget;
    const struct budget *limits =
        task >= 0 ? &state->plan->tasks[task].budget : &state->plan->budget;
    const struct agent_used used = agent ? task_agent_used(agent) : state->used;
    *out = (struct budget_use){.kind = kind};
    if (task >= 0 && !agent)
        return false;
    out->used = kind == BUDGET_WALL ? wall_ms(budget, now) : used_of(&used, kind);
    out->limit = limits->limits[kind];
    if (out->limit == 0)
        return false;
    out->base = budget->base[kind];
    out->limit += out->base;
    return true;
}

static bool is_due(const struct run_state *state, int of, enum budget_kind kind, int64_t more)
{
    const struct budget_state *budget = of >= 0 ? &state->tasks[of].agent->budget : &state->budget;
    const unsigned bit = 1U << kind;
    struct budget_use use;
    if (!run_state_budget(state, of, kind, &state->last, &use) || (budget->spent & bit) != 0)
        return false;
    use.used += more;
    return budget_use_is_spent(&use) || (budget_use_is_near(&use) && (budget->told & bit) == 0);
}

bool run_state_budget_is_due(const struct run_state *state, int task, const struct agent_used *used)
{
    static const enum budget_kind kinds[] = {BUDGET_COST, BUDGET_TURNS, BUDGET_CALLS};
    const struct task_agent *agent = state->tasks[task].agent;
    bool due = false;
    if (!agent)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const int64_t more = used_of(used, kinds[i]) - used_of(&agent->now, kinds[i]);
        due = due || is_due(state, task, kinds[i], more) || is_due(state, -1, kinds[i], more);
    }
    return due;
}

int64_t run_state_wall_due(const struct run_state *state, int task)
{
    const struct task_agent *agent = task >= 0 ? state->tasks[task].agent : NULL;
    const struct budget_state *budget = agent ? &agent->budget : &state->budget;
    const unsigned bit = 1U << BUDGET_WALL;
    struct budget_use use;
    if (!run_state_budget(state, task, BUDGET_WALL, &state->last, &use) || !budget->runs ||
        (budget->spent & bit) != 0)
        return -1;
    const int64_t mark_ms = (budget->told & bit) != 0 ? use.limit : budget_use_mark(&use);
    const int64_t due_ms = budget->wall_from.mono_ms + mark_ms - budget->wall_ms;
    return due_ms > 0 ? due_ms : 0;
}
