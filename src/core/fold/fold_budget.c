/* fold_budget.c - what is left of the budgets of a task and of the run. */
#include "fold.h"

static void begin_wall(struct budget_state *budget, const struct moment *now)
{
    budget->runs = true;
    budget->wall_from = *now;
}

static void end_wall(struct budget_state *budget, const struct moment *now)
{
    if (!budget->runs)
        return;
    budget->wall_ms =
        agent_used_sum(budget->wall_ms, agent_used_sum(now->mono_ms, -budget->wall_from.mono_ms));
    budget->runs = false;
    budget->wall_from = (struct moment){0};
}

/* When is the task's wall budget to be looked at next? */
static void set_alarm(const struct fold *fold, int number)
{
    struct run_state *state = fold->state;
    if (run_state_wall_due(state, number) < 0) {
        heap_remove(&state->walls, number);
        return;
    }
    heap_put(&state->walls, number, run_state_wall_due(state, number));
}

void fold_wall_begin(const struct fold *fold)
{
    const struct moment *now = &fold->event->at;
    if (fold->state->running == 1)
        begin_wall(&fold->state->budget, now);
    if (!fold->task->agent)
        return;
    begin_wall(&fold->task->agent->budget, now);
    set_alarm(fold, fold_task_number(fold));
}

void fold_wall_end(const struct fold *fold)
{
    const struct moment *now = &fold->event->at;
    if (fold->state->running == 0)
        end_wall(&fold->state->budget, now);
    if (!fold->task->agent)
        return;
    end_wall(&fold->task->agent->budget, now);
    set_alarm(fold, fold_task_number(fold));
}

static void bridge(const struct fold *fold, struct budget_state *budget)
{
    if (!budget->runs)
        return;
    end_wall(budget, &fold->state->heard);
    begin_wall(budget, &fold->event->at);
}

void fold_wall_recover(const struct fold *fold)
{
    bridge(fold, &fold->state->budget);
    for (int i = 0; i < fold->state->plan->task_count; i++) {
        struct task_agent *agent = fold->state->tasks[i].agent;
        if (!agent || !agent->budget.runs)
            continue;
        bridge(fold, &agent->budget);
        set_alarm(fold, i);
    }
}

static void put_off(struct budget_state *budget, int64_t ms)
{
    if (!budget->runs)
        return;
    budget->wall_from.at_ms += ms;
    budget->wall_from.mono_ms += ms;
}

void fold_wall_stand(const struct fold *fold, int64_t ms)
{
    put_off(&fold->state->budget, ms);
    for (int i = 0; i < fold->state->plan->task_count && fold->state->running > 0; i++) {
        if (!fold->state->tasks[i].agent)
            continue;
        put_off(&fold->state->tasks[i].agent->budget, ms);
        set_alarm(fold, i);
    }
}

void fold_budget(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct budget_state *budget = fold->task ? &fold->task->agent->budget : &fold->state->budget;
    const bool is_spent = event->d == EVENT_BUDGET_SPENT;
    const struct budget_use use = {
        .kind = (enum budget_kind)event->a, .used = event->b, .limit = event->c};
    budget->told |= 1U << event->a;
    if (is_spent)
        budget->spent |= 1U << event->a;
    if (fold->task)
        set_alarm(fold, fold_task_number(fold));
    struct str words = {0};
    str_add(&words, is_spent ? "budget spent: " : "budget: ");
    budget_use_words(&use, &words);
    fold_set_notice(fold, str_text(&words));
    str_done(&words);
}

/* Of a task, or of the run (-1). */
static void give_again(const struct fold *fold, int task, struct budget_state *budget)
{
    struct budget_use use;
    if (budget->spent == 0)
        return;
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        if ((budget->spent & 1U << kind) == 0)
            continue;
        (void)run_state_budget(fold->state, task, (enum budget_kind)kind, &fold->event->at, &use);
        budget->base[kind] = agent_used_sum(use.used, 0);
    }
    budget->told &= ~budget->spent;
    budget->spent = 0;
}

void fold_budget_again(const struct fold *fold)
{
    if (!fold->task->agent)
        return;
    give_again(fold, fold_task_number(fold), &fold->task->agent->budget);
    give_again(fold, -1, &fold->state->budget);
}
