/*
 * scheduler_agent.c - agents: their budgets, the rounds in which they are prompted again, and their
 * calls while they run.
 */
#include <string.h>

#include "classify.h"
#include "fold.h"
#include "repair.h"
#include "scheduler_internal.h"
#include "utf8.h"

/* Budgets: warns when most of a budget is used, and stops tasks that would exceed it. */

static const struct budget_state *budget_of(const struct run_state *state, int task)
{
    return task >= 0 ? &state->tasks[task].agent->budget : &state->budget;
}

static void report_budget(const struct scheduling *now, int task, const struct budget_use *use,
                          bool is_spent)
{
    struct event event = scheduler_event(now, EVENT_BUDGET, task);
    event.budget.kind = use->kind;
    event.budget.used = use->used < FOLD_TIME_MAX_MS ? use->used : FOLD_TIME_MAX_MS;
    event.budget.limit = use->limit;
    event.budget.is_spent = is_spent;
    scheduler_emit(now, event);
}

/* Checks one budget of a task, or of the run (`task` is -1). A budget that is used up stops the
 * task's running attempt, or all agents of the run, except in tasks that a person has cancelled. */
static void look_at_budget(const struct scheduling *now, int task, enum budget_kind kind,
                           bool may_end)
{
    const struct run_state *state = now->state;
    const struct budget_state *budget = budget_of(state, task);
    struct budget_use use;
    if (!run_state_budget(state, task, kind, &now->input->now, &use))
        return;
    if (budget_use_is_spent(&use) && (budget->spent & 1U << kind) == 0) {
        report_budget(now, task, &use, true);
        const int first = task >= 0 ? task : 0;
        const int last = task >= 0 ? task : state->plan->task_count - 1;
        for (int i = first; may_end && i <= last; i++) {
            const bool is_meant = task >= 0 || scheduler_plan_step(state, i)->agent;
            if (is_meant && state->tasks[i].status == TASK_RUNNING && !state->tasks[i].cancelling)
                scheduler_end_attempt(now, i, CANCEL_TERM);
        }
    } else if (budget_use_is_near(&use) && (budget->told & 1U << kind) == 0) {
        report_budget(now, task, &use, false);
    }
}

void scheduler_budget_look(const struct scheduling *now, int task, bool may_end)
{
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        look_at_budget(now, task, (enum budget_kind)kind, may_end);
        look_at_budget(now, -1, (enum budget_kind)kind, may_end);
    }
}

void scheduler_budget_day(const struct scheduling *now)
{
    look_at_budget(now, -1, BUDGET_DAY, true);
}

void scheduler_budget_time(const struct scheduling *now)
{
    const struct heap *walls = &now->state->walls;
    if (now->state->plan->budget.limits[BUDGET_WALL] != 0)
        look_at_budget(now, -1, BUDGET_WALL, true);
    int task = heap_first(walls);
    while (task >= 0 && heap_key(walls, task) <= now->input->now.mono_ms) {
        look_at_budget(now, task, BUDGET_WALL, true);
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

/* Finds the first budget of these kinds that is used up. */
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

/* A command uses nothing but time. */
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
    struct decision_inputs inputs = event_new(EVENT_STEP_ENDED).step_ended.inputs;
    protocol_add_budget(&spent, by_run, &inputs);
    scheduler_end_step(now, task, &needs_you, &inputs);
    return true;
}

/* Rounds: when an agent is prompted again, and with what. */

/* Returns whether the step failed because of the work, not because of the environment or a
 * person. */
static bool is_over_for_the_work(const struct protocol_facts *facts,
                                 const struct decision *decision)
{
    const struct verdict *verdict = facts->verdict;
    const struct outcome *outcome = facts->outcome;
    const bool has_run =
        outcome->kind == OUTCOME_EXIT || outcome->kind == OUTCOME_SIGNAL ||
        (outcome->kind == OUTCOME_NOT_STARTED && !start_code_is_known(outcome->code));
    const bool is_final = decision->kind == DECISION_FAILED ||
                          decision->kind == DECISION_RETRY_EXHAUSTED ||
                          decision->kind == DECISION_MAX_RETRIES;
    return has_run && is_final && verdict->class == VERDICT_PERSISTENT && !verdict->ask &&
           !protocol_is_parked(verdict);
}

bool scheduler_round_follows(const struct scheduling *now, int task,
                             const struct protocol_facts *facts, const struct decision *decision)
{
    const struct task_state *state = &now->state->tasks[task];
    const struct plan_task *plan = &now->state->plan->tasks[task];
    const int step = run_state_step_number(now->state, task);
    if (!state->agent || state->agent->round >= state->agent->rounds || state->cancelling ||
        state->agent->round >= FOLD_COUNT_MAX || plan_task_agent_step(plan, step) < 0 ||
        !is_over_for_the_work(facts, decision))
        return false;
    /* An agent can repair its own answer if only the form is wrong (requirement D3). */
    if (facts->verdict->reason == REASON_CONTRACT)
        return !facts->verdict->no_retry;
    return !plan->steps[step].agent;
}

/* Returns whether the step ended the same way in the previous round, with the same output. */
static bool ends_as_before(const struct step_state *step)
{
    const struct attempt_state *now = step_state_attempt(step);
    for (size_t i = step->attempt_count - 1; i > 0; i--) {
        const struct attempt_state *before = &step->attempts[i - 1];
        if (before->round < now->round)
            return before->round == now->round - 1 && digest_is_known(now->fingerprint) &&
                   digest_equal(before->fingerprint, now->fingerprint);
    }
    return false;
}

static void write_failure(const struct scheduling *now, int task,
                          const struct protocol_facts *facts, struct str *out)
{
    const struct input *input = now->input;
    const struct plan_step *step = scheduler_plan_step(now->state, task);
    const struct verdict *verdict = facts->verdict;
    if (step->agent && input->repair && strlen(input->repair) <= SCHEDULER_PROMPT_MAX) {
        str_add(out, input->repair);
        return;
    }
    struct str ended = {0};
    outcome_words(facts->outcome, &ended);
    if (verdict->match[0] != '\0' && verdict->violations[0] == '\0')
        str_addf(&ended, ": %s", verdict->match);
    const size_t tail = input->tail_len < SCHEDULER_TAIL_MAX ? input->tail_len : SCHEDULER_TAIL_MAX;
    const struct repair_failure failure = {
        .argv = step->agent ? NULL : step->argv,
        .ended = str_text(&ended),
        .violations = verdict->violations[0] != '\0' ? verdict->violations : NULL,
        .tail = input->tail ? input->tail + input->tail_len - tail : NULL,
        .tail_len = tail,
        .expected_to_fail = step->expect.what == PLAN_EXPECT_FAILURE,
    };
    repair_failure_prompt(&failure, SCHEDULER_PROMPT_MAX, out);
    str_done(&ended);
}

/* Returns the prompt, cut at the beginning if it is too long as JSON, because its end says what to
 * do. */
static const char *end_of_prompt(const struct str *prompt)
{
    struct str json = {0};
    size_t from = 0;
    for (;;) {
        str_clear(&json);
        str_json_text(&json, "prompt", str_text(prompt) + from);
        if (json.len <= EVENT_TEXT_MAX)
            break;
        from += json.len - EVENT_TEXT_MAX;
        while (from < prompt->len && utf8_is_inner(prompt->data[from]))
            from++;
        if (from > prompt->len)
            from = prompt->len;
    }
    str_done(&json);
    return str_text(prompt) + from;
}

void scheduler_round_start(const struct scheduling *now, int task,
                           const struct protocol_facts *facts)
{
    const struct plan_task *plan = &now->state->plan->tasks[task];
    struct event event = scheduler_event(now, EVENT_ROUND_STARTED, task);
    struct str prompt = {0};
    event.round_started.round = now->state->tasks[task].agent->round + 1;
    event.round_started.from_step = plan_task_agent_step(plan, event.step);
    event.round_started.failed_step = event.step;
    event.round_started.failed_attempt = event.attempt;
    write_failure(now, task, facts, &prompt);
    /* Warns an agent that repeats itself before its task ends because of it. */
    const bool is_off = now->state->plan->loops.preset == ENTROPY_OFF;
    if (!is_off && ends_as_before(run_state_step(now->state, task)))
        str_add(&prompt,
                "\nThis is the same result as in the previous round: nothing you did since then "
                "has changed it. Try a different approach, or say what blocks you.\n");
    event.round_started.prompt = end_of_prompt(&prompt);
    scheduler_emit(now, event);
    str_done(&prompt);
}

/* The calls of an agent while it runs, and attempts that were stopped for them or for a budget. */

/* Reports a new loop in the agent's calls. If `may_end`, stops an agent that has become stuck. A
 * suspicion is meant for the next prompt; an agent that is stuck gets no further prompt. */
static void look_at_calls(const struct scheduling *now, int task, bool may_end)
{
    const struct input *input = now->input;
    const struct task_agent *agent = now->state->tasks[task].agent;
    const struct circles *calls = agent->calls;
    const bool was_stuck = agent->is_stuck;
    if (!calls || calls->verdict.level == ENTROPY_OK || !calls->verdict.news || calls->told)
        return;
    const bool is_call = input->kind == INPUT_FACT && input->fact_event.kind == EVENT_AGENT_CALL;
    const struct suspicion of = {.of_calls = true,
                                 .what = is_call ? input->fact_event.call.what : NULL};
    scheduler_emit_suspicion(now, task, calls, &of);
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

void scheduler_agent_resumes(const struct scheduling *now, int task)
{
    const struct task_state *state = &now->state->tasks[task];
    struct budget_use spent;
    bool by_run;
    scheduler_agent_settle(now, task);
    if (!state->agent || state->cancelling)
        return;
    const bool is_stuck = scheduler_plan_step(now->state, task)->agent && state->agent->is_stuck;
    const int step = run_state_step_number(now->state, task);
    if (is_stuck || scheduler_budget_spent(now, task, step, &spent, &by_run))
        scheduler_end_attempt(now, task, CANCEL_TERM);
}

/* A command that follows the agent ends because of a budget only if it was stopped for that
 * budget. */
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
    (void)facts_judge(&facts,
                      &verdict); /* facts_judge() always knows the reason for which we stopped it */
    if (verdict.match[0] == '\0')
        memcpy(verdict.match, ended->verdict.match, sizeof(verdict.match));
    ended->verdict = verdict;
    return true;
}
