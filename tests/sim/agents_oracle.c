#include "agents.h"
#include "facts.h"

enum { CALL_NUMBER_MAX = 10000 };

static bool is_count(int64_t value)
{
    return value >= 0 && value < INT64_MAX;
}

static bool may_be(const struct event *fact)
{
    const struct agent_used *used = &fact->used.used;
    if (fact->kind == EVENT_AGENT_SESSION)
        return true;
    if (fact->kind == EVENT_AGENT_CALL)
        return fact->call.number >= 1 && fact->call.number <= CALL_NUMBER_MAX &&
               is_count(fact->call.ms);
    return is_count(used->turns) && is_count(used->calls) && is_count(used->cost_micro);
}

static bool is_of_the_living(const struct oracle *oracle)
{
    const struct input *input = oracle->input;
    const struct model *model = &oracle->model;
    if (input->task < 0 || input->task >= model->plot->task_count)
        return false;
    const struct model_step *step = model_peek(model, input->task);
    return step->status == STEP_RUNNING && input->step == model_step_number(model, input->task) &&
           input->attempt == step->attempt_count && model_plot_step(model, input->task)->agent;
}

/* The step of a trajectory that agents_fact() puts into a call. */
static void read_call(const struct oracle *oracle, struct foretold *told)
{
    const struct plot_op *op = oracle->telling;
    told->has_fact = op->call >= 0;
    told->fact = (struct trail_step){.step = op->call,
                                     .attempt = (int)told->event.call.number,
                                     .result = {.hi = 200 + (uint64_t)op->result, .lo = 1},
                                     .failed = op->fact.call.code != 0,
                                     .news = op->news};
}

static void end_attempt(struct oracle *oracle, int task)
{
    const struct model *model = &oracle->model;
    if (model->tasks[task].status != TASK_RUNNING || model->tasks[task].cancelling)
        return;
    oracle_act(oracle, (struct action){.kind = ACTION_KILL,
                                       .task = task,
                                       .step = model_step_number(model, task),
                                       .attempt = model_peek(model, task)->attempt_count,
                                       .mode = CANCEL_TERM});
}

static void tell(struct oracle *oracle, int task, int kind, bool is_spent)
{
    struct foretold told = oracle_event(oracle, EVENT_BUDGET, task);
    told.event.budget.kind = (enum budget_kind)kind;
    told.event.budget.used = agents_used(&oracle->model, task, kind, &oracle->input->now);
    told.event.budget.limit = agents_limit(&oracle->model, task, kind);
    told.event.budget.is_spent = is_spent;
    oracle_emit(oracle, &told);
}

static void look_at(struct oracle *oracle, int task, int kind, bool may_end)
{
    struct model *model = &oracle->model;
    const struct model_budget *budget =
        task < 0 ? &model->budget : &model->tasks[task].agent.budget;
    const int64_t used = agents_used(model, task, kind, &oracle->input->now);
    const int64_t limit = agents_limit(model, task, kind);
    if (limit == 0)
        return;
    if (used >= limit && (budget->spent & 1U << kind) == 0) {
        tell(oracle, task, kind, true);
        if (!may_end)
            return;
        for (int i = 0; i < model->plot->task_count; i++) {
            if (task == i || (task < 0 && model_plot_step(model, i)->agent))
                end_attempt(oracle, i);
        }
    } else if (used >= agents_mark(model, task, kind) && (budget->told & 1U << kind) == 0) {
        tell(oracle, task, kind, false);
    }
}

void agents_look(struct oracle *oracle, int task, bool may_end)
{
    if (!oracle->model.tasks[task].agent.there)
        return;
    for (int kind = 1; kind < BUDGET_KIND_COUNT; kind++) {
        look_at(oracle, task, kind, may_end);
        look_at(oracle, -1, kind, may_end);
    }
}

/* The task whose time is due first comes first. */
void agents_time(struct oracle *oracle)
{
    struct model *model = &oracle->model;
    look_at(oracle, -1, BUDGET_WALL, true);
    for (;;) {
        int next = -1;
        int64_t next_ms = 0;
        for (int i = 0; i < model->plot->task_count; i++) {
            int64_t due_ms = model->tasks[i].agent.there ? agents_task_due(model, i) : -1;
            if (due_ms < 0 || due_ms > oracle->input->now.mono_ms ||
                (next >= 0 && due_ms >= next_ms))
                continue;
            next = i;
            next_ms = due_ms;
        }
        if (next < 0)
            return;
        look_at(oracle, next, BUDGET_WALL, true);
    }
}

void agents_look_at_calls(struct oracle *oracle, int task, bool may_end)
{
    const struct model_agent *agent = &oracle->model.tasks[task].agent;
    const struct trail *calls = &agent->calls;
    if (!agent->there || !agent->has_calls || !model_plot_step(&oracle->model, task)->agent ||
        calls->told || !(calls->news || calls->newly_stuck))
        return;
    struct foretold suspected = oracle_event(oracle, EVENT_LOOP_SUSPECTED, task);
    suspected.event.loop.facts.rung = calls->saying.rung;
    suspected.event.loop.facts.first = calls->steps[calls->saying.first].attempt;
    suspected.event.loop.facts.last = calls->steps[calls->said_at - 1].attempt;
    suspected.event.loop.facts.count = calls->saying.count;
    suspected.event.loop.of_calls = true;
    oracle_emit(oracle, &suspected);
    if (agent->is_stuck && may_end)
        oracle_act(oracle,
                   (struct action){.kind = ACTION_KILL,
                                   .task = task,
                                   .step = model_step_number(&oracle->model, task),
                                   .attempt = model_peek(&oracle->model, task)->attempt_count,
                                   .mode = CANCEL_TERM});
}

void agents_foretell(struct oracle *oracle)
{
    const struct input *input = oracle->input;
    const struct event *fact = &input->fact_event;
    if (!may_be(fact) || !is_of_the_living(oracle))
        return;
    struct foretold told = oracle_event(oracle, fact->kind, input->task);
    facts_put(&told.event, fact);
    if (fact->kind == EVENT_AGENT_CALL)
        read_call(oracle, &told);
    oracle_emit(oracle, &told);
    if (fact->kind == EVENT_AGENT_CALL)
        agents_look_at_calls(oracle, input->task, true);
    if (fact->kind != EVENT_AGENT_SESSION)
        agents_look(oracle, input->task, true);
}

bool agents_spent(const struct model *model, int task, int step)
{
    const struct model_agent *agent = &model->tasks[task].agent;
    if (!agent->there)
        return false;
    if (model->plot->tasks[task].steps[step].agent)
        return agent->budget.spent != 0 || model->budget.spent != 0;
    return (agent->budget.spent & 1U << BUDGET_WALL) != 0;
}

enum outcome_stop agents_stop(const struct oracle *oracle, int task, const struct outcome *outcome)
{
    const struct model *model = &oracle->model;
    const struct model_agent *agent = &model->tasks[task].agent;
    const bool is_agents = model_plot_step(model, task)->agent;
    if (!agent->there || (!is_agents && outcome->stop != STOP_BUDGET))
        return STOP_ASKED;
    if (is_agents && agent->is_stuck)
        return STOP_LOOP;
    return agents_spent(model, task, model_step_number(model, task)) ? STOP_BUDGET : STOP_ASKED;
}

bool agents_round_follows(const struct oracle *oracle, int task, const struct facts *facts,
                          const struct outcome *outcome, const struct ruling *ruling)
{
    const struct model *model = &oracle->model;
    const struct model_agent *agent = &model->tasks[task].agent;
    const struct plot_task *plot = &model->plot->tasks[task];
    const struct opinion *opinion = &facts->opinion;
    const int step = model_step_number(model, task);
    const bool ran = outcome->kind == OUTCOME_EXIT || outcome->kind == OUTCOME_SIGNAL ||
                     (outcome->kind == OUTCOME_NOT_STARTED && outcome->code < START_CODE_FIRST);
    const bool is_final = ruling->kind == DECISION_FAILED ||
                          ruling->kind == DECISION_RETRY_EXHAUSTED ||
                          ruling->kind == DECISION_MAX_RETRIES;
    const bool mends =
        opinion->reason == REASON_CONTRACT ? !opinion->no_retry : !plot->steps[step].agent;
    return agent->there && agent->round < agent->rounds && !model->tasks[task].cancelling &&
           agents_first_step(plot, step) >= 0 && ran && is_final && mends &&
           opinion->class == VERDICT_PERSISTENT && !opinion->ask && opinion->hint_ms < 0;
}

void agents_start_round(struct oracle *oracle, int task)
{
    const struct model *model = &oracle->model;
    struct foretold round = oracle_event(oracle, EVENT_ROUND_STARTED, task);
    round.event.round_started.round = model->tasks[task].agent.round + 1;
    round.event.round_started.from_step =
        agents_first_step(&model->plot->tasks[task], round.event.step);
    round.event.round_started.failed_step = round.event.step;
    round.event.round_started.failed_attempt = round.event.attempt;
    oracle_emit(oracle, &round);
    oracle_count(oracle, ROW_ROUND);
}
