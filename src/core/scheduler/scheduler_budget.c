/* scheduler_budget.c - budgets: spoken of when most of one is used, and the end of what would use
 * more when all of it is. */
#include "fold.h"
#include "scheduling.h"

static const struct budget_state *budget_of(const struct run_state *state, int task)
{
    return task >= 0 ? &state->tasks[task].agent->budget : &state->budget;
}

/* All agents of the run, or whatever the task runs. What a person ends is ending already. */
static void end_all(const struct scheduling *now, int task)
{
    const struct run_state *state = now->state;
    const int first = task >= 0 ? task : 0;
    const int last = task >= 0 ? task : state->plan->task_count - 1;
    for (int i = first; i <= last; i++) {
        const bool is_meant = task >= 0 || scheduler_plan_step(state, i)->agent;
        if (is_meant && state->tasks[i].status == TASK_RUNNING && !state->tasks[i].cancelling)
            scheduler_end_attempt(now, i, CANCEL_TERM);
    }
}

static void tell(const struct scheduling *now, int task, const struct budget_use *use,
                 enum event_budget_mark mark)
{
    struct event event = scheduler_event(now, EVENT_BUDGET, task);
    event.a = use->kind;
    event.b = use->used < FOLD_TIME_MAX_MS ? use->used : FOLD_TIME_MAX_MS;
    event.c = use->limit;
    event.d = mark;
    scheduler_emit(now, event, NULL);
}

/* One budget of a task, or of the run (-1). */
static void look_at(const struct scheduling *now, int task, enum budget_kind kind, bool may_end)
{
    const struct budget_state *budget = budget_of(now->state, task);
    struct budget_use use;
    if (!run_state_budget(now->state, task, kind, &now->input->now, &use))
        return;
    if (budget_use_is_spent(&use) && (budget->spent & 1U << kind) == 0) {
        tell(now, task, &use, EVENT_BUDGET_SPENT);
        if (may_end)
            end_all(now, task);
    } else if (budget_use_is_near(&use) && (budget->told & 1U << kind) == 0) {
        tell(now, task, &use, EVENT_BUDGET_TOLD);
    }
}

void scheduler_budget_look(const struct scheduling *now, int task, bool may_end)
{
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        look_at(now, task, (enum budget_kind)kind, may_end);
        look_at(now, -1, (enum budget_kind)kind, may_end);
    }
}

void scheduler_budget_time(const struct scheduling *now)
{
    const struct heap *walls = &now->state->walls;
    if (now->state->plan->budget.limits[BUDGET_WALL] != 0)
        look_at(now, -1, BUDGET_WALL, true);
    int task = heap_first(walls);
    while (task >= 0 && heap_key(walls, task) <= now->input->now.mono_ms) {
        look_at(now, task, BUDGET_WALL, true);
        task = heap_first(walls);
    }
}

int64_t scheduler_budget_due(const struct run_state *state)
{
    const int task = heap_first(&state->walls);
    const int64_t of_task_ms = task >= 0 ? heap_key(&state->walls, task) : -1;
    const int64_t of_run_ms = run_state_wall_due(state, -1);
    if (of_task_ms < 0 || of_run_ms < 0)
        return of_task_ms < 0 ? of_run_ms : of_task_ms;
    return of_task_ms < of_run_ms ? of_task_ms : of_run_ms;
}

/* The first kind of which all is used, of those in `kinds`. */
static bool find_spent(const struct scheduling *now, int task, unsigned kinds,
                       struct budget_use *out)
{
    const unsigned spent = budget_of(now->state, task)->spent & kinds;
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        if ((spent & 1U << kind) == 0)
            continue;
        (void)run_state_budget(now->state, task, (enum budget_kind)kind, &now->input->now, out);
        return true;
    }
    return false;
}

/* A command takes time and nothing else. */
bool scheduler_budget_spent(const struct scheduling *now, int task, int step,
                            struct budget_use *out, bool *by_run)
{
    const struct plan_task *plan = &now->state->plan->tasks[task];
    const bool is_agents = plan->steps[step].agent != NULL;
    *by_run = false;
    if (!now->state->tasks[task].agent)
        return false;
    if (find_spent(now, task, is_agents ? ~0U : 1U << BUDGET_WALL, out))
        return true;
    *by_run = is_agents && find_spent(now, -1, ~0U, out);
    return *by_run;
}

bool scheduler_budget_ends(const struct scheduling *now, int task)
{
    static const struct decision needs_you = {.kind = DECISION_NEEDS_YOU};
    struct budget_use spent;
    bool by_run;
    if (!scheduler_budget_spent(now, task, run_state_step_number(now->state, task), &spent,
                                &by_run))
        return false;
    struct str text = {0};
    str_add_char(&text, '{');
    protocol_budget_to_json(&spent, by_run, &text);
    str_add_char(&text, '}');
    scheduler_end_step(now, task, &needs_you, text.data);
    str_done(&text);
    return true;
}
