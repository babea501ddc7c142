/* fold_agent.c - how events change the state of agents: budgets, sessions, usage, calls, rounds. */
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "fold.h"
#include "xalloc.h"

/* Budgets of a task and of the run. */

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

/* Updates the time at which the task's wall budget must be checked. */
static void set_wall_alarm(const struct fold *fold, int number)
{
    struct run_state *state = fold->state;
    const int64_t due_ms = run_state_wall_due(state, number);
    if (due_ms < 0)
        heap_remove(&state->walls, number);
    else
        heap_put(&state->walls, number, due_ms);
}

void fold_wall_begin(const struct fold *fold)
{
    const struct moment *now = &fold->event->at;
    if (fold->state->running - fold->state->in_queue == 1)
        begin_wall(&fold->state->budget, now);
    if (!fold->task->agent)
        return;
    begin_wall(&fold->task->agent->budget, now);
    set_wall_alarm(fold, fold_task_number(fold));
}

void fold_wall_end(const struct fold *fold)
{
    const struct moment *now = &fold->event->at;
    if (fold->state->running - fold->state->in_queue == 0)
        end_wall(&fold->state->budget, now);
    if (!fold->task->agent)
        return;
    end_wall(&fold->task->agent->budget, now);
    set_wall_alarm(fold, fold_task_number(fold));
}

static void bridge_wall(const struct fold *fold, struct budget_state *budget)
{
    if (!budget->runs)
        return;
    end_wall(budget, &fold->state->heard);
    begin_wall(budget, &fold->event->at);
}

void fold_wall_recover(const struct fold *fold)
{
    bridge_wall(fold, &fold->state->budget);
    for (int i = 0; i < fold->state->plan->task_count; i++) {
        struct task_agent *agent = fold->state->tasks[i].agent;
        if (!agent || !agent->budget.runs)
            continue;
        bridge_wall(fold, &agent->budget);
        set_wall_alarm(fold, i);
    }
}

static void put_off_wall(struct budget_state *budget, int64_t ms)
{
    if (!budget->runs)
        return;
    budget->wall_from.at_ms += ms;
    budget->wall_from.mono_ms += ms;
}

void fold_time_stopped(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const int64_t ms = fold->event->stopped.ms;
    state->stopped_ms += ms;
    put_off_wall(&state->budget, ms);
    for (int i = 0; i < state->plan->task_count && state->running > 0; i++) {
        struct task_agent *agent = state->tasks[i].agent;
        if (!agent)
            continue;
        put_off_wall(&agent->budget, ms);
        set_wall_alarm(fold, i);
    }
}

void fold_budget(const struct fold *fold)
{
    const struct event *event = fold->event;
    struct budget_state *budget = fold->task ? &fold->task->agent->budget : &fold->state->budget;
    const bool is_spent = event->budget.is_spent;
    const struct budget_use use = {
        .kind = event->budget.kind, .used = event->budget.used, .limit = event->budget.limit};
    budget->told |= 1U << use.kind;
    if (is_spent)
        budget->spent |= 1U << use.kind;
    if (fold->task)
        set_wall_alarm(fold, fold_task_number(fold));
    struct str words = {0};
    str_add(&words, is_spent ? "budget spent: " : "budget: ");
    budget_use_words(&use, &words);
    fold_set_notice(fold, str_text(&words));
    str_done(&words);
}

/* Renews the budgets of a task or, if `task` is -1, of the run. */
static void renew_budget(const struct fold *fold, int task, struct budget_state *budget)
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
    renew_budget(fold, fold_task_number(fold), &fold->task->agent->budget);
    renew_budget(fold, -1, &fold->state->budget);
}

void fold_day_cost(const struct fold *fold)
{
    struct run_state *state = fold->state;
    const struct event *event = fold->event;
    if (event->day.date != state->day.date) { /* a new day has the whole budget */
        state->budget.base[BUDGET_DAY] = 0;
        state->budget.told &= ~(1U << BUDGET_DAY);
        state->budget.spent &= ~(1U << BUDGET_DAY);
    }
    state->day = (struct day_use){.date = event->day.date,
                                  .cost_micro = event->day.cost_micro,
                                  .own_micro = event->day.own_micro};
}

/* Sessions, usage, calls and rounds. */

struct task_agent *fold_agent_new(const struct plan_task *plan)
{
    if (plan_task_agent_step(plan, plan->step_count - 1) < 0)
        return NULL;
    struct task_agent *agent = xcalloc(1, sizeof(*agent));
    agent->round = 1;
    agent->rounds = plan->rounds;
    return agent;
}

void fold_agent_free(struct task_agent *agent)
{
    if (!agent)
        return;
    free(agent->agent);
    free(agent->session);
    free(agent->repair);
    free(agent->nudge);
    free(agent->said);
    free(agent->refused);
    free(agent->hint);
    circles_free(agent->calls);
    free(agent);
}

/* Replaces *out with a copy of the string, or with NULL if the event has none. */
static void keep_text(const char *text, char **out)
{
    free(*out);
    *out = text && text[0] != '\0' ? xstrdup(text) : NULL;
}

void fold_agent_session(const struct fold *fold)
{
    const struct event *event = fold->event;
    if (!adapter_session_is_id(event->session.session))
        return; /* no session to resume */
    keep_text(event->session.agent, &fold->task->agent->agent);
    keep_text(event->session.session, &fold->task->agent->session);
    fold->task->agent->heard_step = fold->event->step;
    fold->task->agent->heard_attempt = fold->event->attempt;
    fold->task->agent->heard_new = !event->session.resumed;
}

/* Replaces the usage that was reported earlier for this attempt. */
void fold_agent_used(const struct fold *fold)
{
    struct agent_used *run = &fold->state->used;
    struct agent_used *now = &fold->task->agent->now;
    const struct agent_used before = {.turns = -now->turns,
                                      .calls = -now->calls,
                                      .cost_micro = -now->cost_micro,
                                      .tokens = -now->tokens,
                                      .own_retries = -now->own_retries,
                                      .refused = -now->refused};
    *now = fold->event->used.used;
    agent_used_add(run, &before);
    agent_used_add(run, now);
    if (now->refused > 0)
        keep_text(fold->event->used.refused_call, &fold->task->agent->refused);
}

void fold_agent_call(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    const struct event *event = fold->event;
    const char *tool = event->call.tool ? event->call.tool : "";
    if (tool[0] == '\0') { /* a message is recorded as a call without a tool */
        keep_text(event->call.what, &agent->said);
        agent->said_step = fold->event->step;
        agent->said_attempt = agent->said ? fold->event->attempt : 0;
    }
    if (agent->is_stuck)
        return; /* the attempt is about to end, and its verdict is final */
    const bool is_person = strcmp(tool, "user") == 0;
    if (!agent->calls)
        agent->calls = xcalloc(1, sizeof(*agent->calls));
    if (!event->call.has_loop) {
        if (is_person)
            circles_begin_anew(agent->calls);
        return;
    }
    const struct circles_attempt of = {
        .step = fold->event->step, .number = (int)event->call.number, .at = event->at};
    circles_apply(agent->calls, &event->call.loop, &of, &fold->state->plan->loops);
}

void fold_loop_suspected(const struct fold *fold)
{
    struct task_state *task = fold->task;
    struct task_agent *agent = task->agent;
    if (fold->event->loop.of_calls) {
        agent->calls->told = true;
        agent->is_stuck = agent->calls->verdict.level == ENTROPY_STUCK;
    } else {
        fold_circles(task)->told = true;
    }
    if (agent)
        keep_text(fold->event->loop.nudge, &agent->nudge);
}

/* Begins the loop state of an attempt: its calls are judged separately, with the thresholds that a
 * person has set. */
void fold_agent_started(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    if (!agent || !fold_is_of_agent(fold))
        return;
    free(agent->said);
    agent->said = NULL;
    agent->said_step = 0;
    agent->said_attempt = 0;
    free(agent->refused);
    agent->refused = NULL;
    circles_free(agent->calls);
    agent->calls = xcalloc(1, sizeof(*agent->calls));
    agent->calls->state.scale = circles_scale(fold->task->circles);
    agent->is_stuck = false;
}

/* Renews rounds that are used up. */
void fold_agent_reopened(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    if (!agent)
        return;
    agent->is_stuck = false;
    if (agent->round < agent->rounds)
        return;
    const struct plan_task *plan = &fold->state->plan->tasks[fold_task_number(fold)];
    if (plan->rounds > 1 && plan_task_agent_step(plan, fold->event->step) >= 0)
        agent->rounds = agent->round + plan->rounds;
}

/* Begins a round: the failed step has used up its attempts, so the agent's step is opened. */
void fold_round_started(const struct fold *fold)
{
    struct task_state *task = fold->task;
    const int first = fold->event->round_started.from_step;
    const int last = fold->event->round_started.failed_step;
    task->agent->round = fold->event->round_started.round;
    keep_text(fold->event->round_started.prompt, &task->agent->repair);
    task->entropy++;
    for (int i = first; i <= last; i++) {
        /* Resets the step as if it had never run, but keeps its attempts. */
        struct step_state *step = &task->steps[i];
        fold_keep_tries(fold, i);
        fold_open_grant(step, 0, 0);
        step->status = STEP_PENDING;
        step->results_from = (int)step->attempt_count + 1;
        free(step->trees);
        step->trees = NULL;
        if (step->formulas) {
            free(step->formulas->refused);
            step->formulas->refused = NULL;
            step->formulas->inputs = (struct decision_inputs){0};
        }
    }
    task->step = first;
    fold_make_ready(fold, fold_task_number(fold));
}
