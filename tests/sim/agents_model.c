#include "agents.h"

#include <inttypes.h>
#include <stdio.h>

enum { PERCENT_TOLD = 80 };

void agents_init(struct model *model)
{
    for (int i = 0; i < model->plot->task_count; i++) {
        struct model_agent *agent = &model->tasks[i].agent;
        agent->there = agents_has(&model->plot->tasks[i]);
        agent->round = 1;
        agent->rounds = model->plot->tasks[i].rounds > 1 ? model->plot->tasks[i].rounds : 1;
        agent->calls.scale = 1;
    }
}

int agents_round(const struct model *model, int task)
{
    return model->tasks[task].agent.round;
}

static int64_t wall(const struct model_budget *budget, const struct moment *now)
{
    int64_t ms = now->mono_ms - budget->from.mono_ms;
    return budget->wall_ms + (budget->runs && ms > 0 ? ms : 0);
}

int64_t agents_used(const struct model *model, int task, int kind, const struct moment *now)
{
    int64_t sum = 0;
    if (kind == BUDGET_WALL)
        return wall(task < 0 ? &model->budget : &model->tasks[task].agent.budget, now);
    for (int i = 0; i < model->plot->task_count; i++) {
        const struct model_agent *agent = &model->tasks[i].agent;
        if (task < 0 || task == i)
            sum += agent->past[kind] + agent->now[kind];
    }
    return sum;
}

int64_t agents_limit(const struct model *model, int task, int kind)
{
    const int64_t *limits = task < 0 ? model->plot->budget : model->plot->tasks[task].budget;
    const struct model_budget *budget =
        task < 0 ? &model->budget : &model->tasks[task].agent.budget;
    return limits[kind] != 0 ? limits[kind] + budget->base[kind] : 0;
}

int64_t agents_mark(const struct model *model, int task, int kind)
{
    const struct model_budget *budget =
        task < 0 ? &model->budget : &model->tasks[task].agent.budget;
    const int64_t given = agents_limit(model, task, kind) - budget->base[kind];
    const int64_t most = given * PERCENT_TOLD / 100;
    return budget->base[kind] + (most > 0 ? most : 1);
}

/* Task -1 is the run. */
int64_t agents_task_due(const struct model *model, int task)
{
    const struct model_budget *budget =
        task < 0 ? &model->budget : &model->tasks[task].agent.budget;
    const unsigned bit = 1U << BUDGET_WALL;
    int64_t limit = agents_limit(model, task, BUDGET_WALL);
    if (limit == 0 || !budget->runs || (budget->spent & bit) != 0)
        return -1;
    if ((budget->told & bit) == 0)
        limit = agents_mark(model, task, BUDGET_WALL);
    limit += budget->from.mono_ms - budget->wall_ms;
    return limit > 0 ? limit : 0;
}

int64_t agents_due(const struct model *model)
{
    int64_t due_ms = agents_task_due(model, -1);
    for (int i = 0; i < model->plot->task_count; i++) {
        int64_t of_task_ms = model->tasks[i].agent.there ? agents_task_due(model, i) : -1;
        if (of_task_ms >= 0 && (due_ms < 0 || of_task_ms < due_ms))
            due_ms = of_task_ms;
    }
    return due_ms;
}

static void begin(struct model_budget *budget, const struct moment *now)
{
    budget->runs = true;
    budget->from = *now;
}

static void end(struct model_budget *budget, const struct moment *now)
{
    budget->wall_ms = wall(budget, now);
    budget->runs = false;
}

static bool is_agents(const struct taking *taking)
{
    return taking->model->plot->tasks[taking->number].steps[taking->event->step].agent;
}

void agents_take_started(struct taking *taking)
{
    struct model_agent *agent = &taking->task->agent;
    const struct moment *now = &taking->event->at;
    if (model_running(taking->model) == 1)
        begin(&taking->model->budget, now);
    if (!agent->there)
        return;
    begin(&agent->budget, now);
    if (!is_agents(taking))
        return;
    agent->calls = (struct trail){.scale = taking->task->has_trail ? taking->task->trail.scale : 1};
    agent->has_calls = true;
    agent->is_stuck = false;
}

void agents_take_running(struct taking *taking)
{
    if (is_agents(taking))
        taking->task->agent.nudge = false;
}

void agents_take_ended(struct taking *taking)
{
    struct model_agent *agent = &taking->task->agent;
    if (model_running(taking->model) == 0)
        end(&taking->model->budget, &taking->event->at);
    if (!agent->there)
        return;
    end(&agent->budget, &taking->event->at);
    for (int kind = 0; kind < BUDGET_KIND_COUNT; kind++) {
        agent->past[kind] += agent->now[kind];
        agent->now[kind] = 0;
    }
}

static void give(const struct taking *taking, int task, struct model_budget *budget)
{
    for (int kind = 1; kind < BUDGET_KIND_COUNT; kind++) {
        if ((budget->spent & 1U << kind) == 0)
            continue;
        budget->base[kind] = agents_used(taking->model, task, kind, &taking->event->at);
        budget->told &= ~(1U << kind);
    }
    budget->spent = 0;
}

void agents_take_reopened(struct taking *taking)
{
    struct model_agent *agent = &taking->task->agent;
    const struct plot_task *plot = &taking->model->plot->tasks[taking->number];
    if (!agent->there)
        return;
    agent->is_stuck = false;
    if (agent->round >= agent->rounds && plot->rounds > 1 &&
        agents_first_step(plot, taking->event->step) >= 0)
        agent->rounds = agent->round + plot->rounds;
    give(taking, taking->number, &agent->budget);
    give(taking, -1, &taking->model->budget);
}

static void bridge(const struct taking *taking, struct model_budget *budget)
{
    if (!budget->runs)
        return;
    end(budget, &taking->model->heard);
    begin(budget, &taking->event->at);
}

void agents_take_recovered(struct taking *taking)
{
    bridge(taking, &taking->model->budget);
    for (int i = 0; i < taking->model->plot->task_count; i++)
        bridge(taking, &taking->model->tasks[i].agent.budget);
}

void agents_take_stopped_time(struct taking *taking)
{
    taking->model->budget.from.mono_ms += taking->event->stopped.ms;
    for (int i = 0; i < taking->model->plot->task_count; i++)
        taking->model->tasks[i].agent.budget.from.mono_ms += taking->event->stopped.ms;
}

void agents_take_suspected(struct taking *taking)
{
    struct model_agent *agent = &taking->task->agent;
    agent->nudge = agent->there;
    if (!taking->event->loop.of_calls)
        return;
    agent->calls.told = true;
    agent->is_stuck = agent->calls.saying.level == ENTROPY_STUCK;
}

static void take_call(struct taking *taking)
{
    struct model_agent *agent = &taking->task->agent;
    struct trail *calls = &agent->calls;
    const int scale = calls->scale;
    if (agent->is_stuck)
        return;
    if (taking->foretold->has_fact)
        trail_add(calls, &taking->foretold->fact, &taking->model->plot->loops, &taking->event->at);
    else
        *calls = (struct trail){.scale = scale};
}

static void take_budget(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model *model = taking->model;
    struct model_budget *budget = event->task < 0 ? &model->budget : &taking->task->agent.budget;
    const struct budget_use use = {
        .kind = event->budget.kind, .used = event->budget.used, .limit = event->budget.limit};
    struct str words = {0};
    budget->told |= 1U << event->budget.kind;
    budget->spent |= event->budget.is_spent ? 1U << event->budget.kind : 0;
    if (event->task >= 0)
        str_addf(&words, "t%d ", model->plot->tasks[event->task].id);
    str_add(&words, event->budget.is_spent ? "budget spent: " : "budget: ");
    budget_use_words(&use, &words); /* the wording of totals is not specified */
    (void)snprintf(model->notice, sizeof(model->notice), "%s", str_text(&words));
    model->notice_at_ms = event->at.at_ms;
    str_done(&words);
}

static void take_round(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model_agent *agent = &taking->task->agent;
    agent->round = event->round_started.round;
    agent->repair = true;
    taking->task->entropy++;
    for (int i = event->round_started.from_step; i <= event->round_started.failed_step; i++) {
        struct model_step *step = &taking->model->steps[taking->number][i];
        step->tries_max = model_tries(taking->model, taking->number, i);
        step->grant = step->allowed = 0;
        step->used = step->start_failures = step->free_hints = step->same = step->interrupted = 0;
        step->finals = step->entropies = step->executed = 0;
        step->first_start = (struct moment){0};
        step->held_ms = 0;
        step->status = STEP_PENDING;
        step->results_from = step->attempt_count + 1;
        step->saved_tree = step->proven_tree = 0;
        step->proven_attempt = 0;
    }
    taking->task->step = event->round_started.from_step;
    model_step(taking->model, taking->number)->status = STEP_READY;
    model_set_status(taking, taking->number, TASK_QUEUED);
}

static void take_session(struct taking *taking)
{
    struct model_agent *agent = &taking->task->agent;
    agent->session = taking->event->session.session[1];
    agent->heard_step = taking->event->step;
    agent->heard_attempt = taking->event->attempt;
}

void agents_take(struct taking *taking)
{
    const struct event *event = taking->event;
    switch (event->kind) {
    case EVENT_AGENT_SESSION:
        take_session(taking);
        break;
    case EVENT_AGENT_USED:
        taking->task->agent.now[BUDGET_TURNS] = event->used.used.turns;
        taking->task->agent.now[BUDGET_CALLS] = event->used.used.calls;
        taking->task->agent.now[BUDGET_COST] = event->used.used.cost_micro;
        break;
    case EVENT_AGENT_CALL:
        take_call(taking);
        break;
    case EVENT_BUDGET:
        take_budget(taking);
        break;
    default:
        take_round(taking);
        break;
    }
}

struct line {
    const char *what;
    int64_t want, have;
};

static bool check_lines(struct finding *finding, const struct line *lines, size_t count, int task)
{
    for (size_t i = 0; i < count; i++) {
        if (!finding_check(finding, lines[i].want == lines[i].have,
                           "agents are as they told, and their budgets too",
                           "t%d: %s is %" PRId64 ", should be %" PRId64, task, lines[i].what,
                           lines[i].have, lines[i].want))
            return false;
    }
    return true;
}

static bool check_budget(struct finding *finding, const struct model_budget *want,
                         const struct budget_state *have, int task)
{
    const struct line lines[] = {
        {"told", want->told, have->told},
        {"spent", want->spent, have->spent},
        {"time runs", want->runs, have->runs},
        {"time used", want->wall_ms, have->wall_ms},
        {"time since", want->runs ? want->from.mono_ms : 0,
         want->runs ? have->wall_from.mono_ms : 0},
    };
    return check_lines(finding, lines, sizeof(lines) / sizeof(lines[0]), task);
}

static bool check_calls(struct finding *finding, const struct model_agent *want,
                        const struct circles *have, int task)
{
    const struct trail *calls = &want->calls;
    if (!want->has_calls || !have)
        return finding_check(finding, !want->has_calls && !have, "calls are looked at", "t%d",
                             task);
    const bool said = calls->saying.level != ENTROPY_OK;
    const struct line lines[] = {
        {"calls", calls->count, entropy_state_steps(&have->state)},
        {"scale", calls->scale, circles_scale(have)},
        {"level", calls->saying.level, have->verdict.level},
        {"rung", said ? (int64_t)calls->saying.rung : 0, have->verdict.rung},
        {"repeats", said ? calls->saying.count : 0, have->verdict.count},
        {"calls told", calls->told, have->told},
    };
    return check_lines(finding, lines, sizeof(lines) / sizeof(lines[0]), task);
}

static bool check_agent(struct finding *finding, const struct model *model,
                        const struct run_state *state, int task)
{
    const struct model_agent *want = &model->tasks[task].agent;
    const struct task_agent *have = state->tasks[task].agent;
    if (!finding_check(finding, want->there == (have != NULL), "who has an agent", "t%d", task) ||
        !have)
        return !finding->broken;
    const struct agent_used used = task_agent_used(have);
    const struct line lines[] = {
        {"round", want->round, have->round},
        {"rounds", want->rounds, have->rounds},
        {"repair", want->repair, have->repair != NULL},
        {"nudge", want->nudge, have->nudge != NULL},
        {"session", want->session, have->session ? have->session[1] : 0},
        {"heard in step", want->heard_step, have->heard_step},
        {"heard in try", want->heard_attempt, have->heard_attempt},
        {"stuck", want->is_stuck, have->is_stuck},
        {"turns", want->past[BUDGET_TURNS] + want->now[BUDGET_TURNS], used.turns},
        {"calls used", want->past[BUDGET_CALLS] + want->now[BUDGET_CALLS], used.calls},
        {"cost", want->past[BUDGET_COST] + want->now[BUDGET_COST], used.cost_micro},
    };
    return check_lines(finding, lines, sizeof(lines) / sizeof(lines[0]), task) &&
           check_budget(finding, &want->budget, &have->budget, task) &&
           check_calls(finding, want, have->calls, task);
}

bool agents_check(struct finding *finding, const struct model *model, const struct run_state *state)
{
    const struct line lines[] = {
        {"turns of all", agents_used(model, -1, BUDGET_TURNS, &model->last), state->used.turns},
        {"calls of all", agents_used(model, -1, BUDGET_CALLS, &model->last), state->used.calls},
        {"cost of all", agents_used(model, -1, BUDGET_COST, &model->last), state->used.cost_micro},
    };
    bool holds = check_lines(finding, lines, sizeof(lines) / sizeof(lines[0]), -1) &&
                 check_budget(finding, &model->budget, &state->budget, -1);
    for (int i = 0; holds && i < model->plot->task_count; i++)
        holds = check_agent(finding, model, state, i);
    return holds;
}
