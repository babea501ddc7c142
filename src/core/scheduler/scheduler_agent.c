/* scheduler_agent.c - what becomes of an agent's calls while it runs, and of an attempt that was
 * ended for them or for a budget. */
#include <string.h>

#include "classify_facts.h"
#include "json.h"
#include "scheduling.h"

/* What the agent called last, as the fact says it. */
static void add_what(const struct input *input, struct str *out)
{
    struct json *text = NULL;
    if (!input->note || !json_parse(input->note, strlen(input->note), &text, NULL, NULL))
        return;
    str_add(out, json_text(json_get(text, "what"), ""));
    json_free(text);
}

static void emit_suspicion(const struct scheduling *now, int task, const struct circles *calls)
{
    struct str what = {0};
    if (now->input->kind == INPUT_FACT)
        add_what(now->input, &what);
    const struct suspicion of = {.loop = EVENT_LOOP_OF_CALLS, .what = what.data};
    scheduler_emit_suspicion(now, task, calls, &of);
    str_done(&what);
}

/* A suspicion is for the next prompt; who is stuck will not hear it. */
static void look_at_calls(const struct scheduling *now, int task, bool may_end)
{
    const struct task_agent *agent = now->state->tasks[task].agent;
    const struct circles *calls = agent->calls;
    const bool was_stuck = agent->is_stuck;
    if (!calls || calls->verdict.level == ENTROPY_OK || !calls->verdict.news || calls->told)
        return;
    emit_suspicion(now, task, calls);
    if (may_end && agent->is_stuck && !was_stuck)
        scheduler_end_attempt(now, task, CANCEL_TERM);
}

void scheduler_agent_told(const struct scheduling *now, enum event_kind kind, int task)
{
    if (kind == EVENT_AGENT_CALL)
        look_at_calls(now, task, true);
    if (kind == EVENT_AGENT_CALL || kind == EVENT_AGENT_USED)
        scheduler_budget_look(now, task, true);
}

void scheduler_agent_settle(const struct scheduling *now, int task)
{
    if (!now->state->tasks[task].agent)
        return;
    const enum step_status status = run_state_step(now->state, task)->status;
    if (scheduler_plan_step(now->state, task)->agent && status == STEP_RUNNING)
        look_at_calls(now, task, false);
    scheduler_budget_look(now, task, false);
}

/* A command behind the agent ends for a budget only if it was ended for that. */
void scheduler_agent_facts(const struct scheduling *now, int task, struct protocol_facts *facts)
{
    const struct task_agent *agent = now->state->tasks[task].agent;
    const bool is_agents = scheduler_plan_step(now->state, task)->agent != NULL;
    const int step = run_state_step_number(now->state, task);
    if (agent && plan_task_agent_step(&now->state->plan->tasks[task], step) >= 0) {
        if (!is_agents || facts->verdict->reason == REASON_CONTRACT)
            facts->refused = agent->refused;
        facts->round = agent->round;
        facts->rounds = agent->rounds;
    }
    if (!agent || (!is_agents && facts->outcome->stop != STOP_BUDGET))
        return;
    if (is_agents && facts->outcome->stop == STOP_HOPELESS)
        facts->stop = STOP_HOPELESS;
    if (is_agents && agent->is_stuck) {
        facts->stop = STOP_LOOP;
        facts->calls = agent->calls;
    } else if (scheduler_budget_spent(now, task, step, &facts->spent, &facts->spent_by_run)) {
        facts->stop = STOP_BUDGET;
    }
}

bool scheduler_agent_stopped(const struct scheduling *now, int task, struct input *ended)
{
    const struct task_state *state = &now->state->tasks[task];
    const int step = run_state_step_number(now->state, task);
    struct budget_use spent;
    bool by_run;
    if (!state->agent || state->cancelling || ended->outcome.kind != OUTCOME_CANCELLED)
        return false;
    if (scheduler_plan_step(now->state, task)->agent && state->agent->is_stuck)
        ended->outcome.stop = STOP_LOOP;
    else if (scheduler_budget_spent(now, task, step, &spent, &by_run))
        ended->outcome.stop = STOP_BUDGET;
    else
        return false;
    const struct classify_input facts = {.outcome = ended->outcome, .memory_killed = -1};
    struct verdict verdict = verdict_new();
    (void)facts_judge(&facts, &verdict); /* why we ended it is always known */
    if (verdict.match[0] == '\0')
        memcpy(verdict.match, ended->verdict.match, sizeof(verdict.match));
    ended->verdict = verdict;
    return true;
}
