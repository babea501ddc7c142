/* fold_agent.c - what the log says of an agent: its session, what it used, its calls, its
 * rounds. */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "xalloc.h"

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

/* What the event's text says takes the place of what was known. */
static void keep_text(const struct fold *fold, const char *key, char **out)
{
    const char *text = json_text(json_get(fold->text, key), NULL);
    free(*out);
    *out = text && text[0] != '\0' ? xstrdup(text) : NULL;
}

void fold_agent_session(const struct fold *fold)
{
    if (!adapter_session_is_id(json_text(json_get(fold->text, "session"), NULL)))
        return; /* nothing to go on in */
    keep_text(fold, "agent", &fold->task->agent->agent);
    keep_text(fold, "session", &fold->task->agent->session);
    fold->task->agent->heard_step = fold->event->step;
    fold->task->agent->heard_attempt = fold->event->attempt;
    fold->task->agent->heard_new = !json_bool(json_get(fold->text, "resumed"), false);
}

/* What was said of this attempt before makes way. */
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
    *now = agent_used_of_event(fold->event);
    agent_used_add(run, &before);
    agent_used_add(run, now);
    if (now->refused > 0)
        keep_text(fold, "call", &fold->task->agent->refused);
}

/* A message stands among the calls, without a tool. */
static void keep_message(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    if (json_text(json_get(fold->text, "tool"), "")[0] != '\0')
        return;
    keep_text(fold, "what", &agent->said);
    agent->said_step = fold->event->step;
    agent->said_attempt = agent->said ? fold->event->attempt : 0;
}

static void forget_message(struct task_agent *agent)
{
    free(agent->said);
    agent->said = NULL;
    agent->said_step = 0;
    agent->said_attempt = 0;
}

void fold_agent_call(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    struct entropy_fact fact;
    keep_message(fold);
    if (agent->is_stuck)
        return; /* it is about to end, and the verdict stands */
    const bool is_person = strcmp(json_text(json_get(fold->text, "tool"), ""), "user") == 0;
    if (!agent->calls)
        agent->calls = xcalloc(1, sizeof(*agent->calls));
    if (!fold_read_fact(fold->text, &fact)) {
        if (is_person)
            circles_begin_anew(agent->calls);
        return;
    }
    const struct circles_attempt of = {
        .step = fold->event->step, .number = (int)fold->event->a, .at = fold->event->at};
    circles_apply(agent->calls, &fact, &of, &fold->state->plan->loops);
}

void fold_agent_loops(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    agent->calls->told = true;
    agent->is_stuck = agent->calls->verdict.level == ENTROPY_STUCK;
}

void fold_agent_nudge(const struct fold *fold)
{
    keep_text(fold, "nudge", &fold->task->agent->nudge);
}

/* Each attempt's calls are looked at by themselves, with the thresholds that a person left. */
void fold_agent_started(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    if (!agent || !fold_is_of_agent(fold))
        return;
    forget_message(agent);
    free(agent->refused);
    agent->refused = NULL;
    circles_free(agent->calls);
    agent->calls = xcalloc(1, sizeof(*agent->calls));
    agent->calls->state.scale = circles_scale(fold->task->circles);
    agent->is_stuck = false;
}

/* Its prompt is with it now, and what was to be said stood in that. */
void fold_agent_runs(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    if (!agent || !fold_is_of_agent(fold))
        return;
    free(agent->nudge);
    agent->nudge = NULL;
}

void fold_agent_ended(const struct fold *fold)
{
    struct task_agent *agent = fold->task->agent;
    if (!agent)
        return;
    agent_used_add(&agent->past, &agent->now);
    agent->now = (struct agent_used){0};
}

/* Rounds that are used up are given once more. */
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

/* It waits for its turn as if it had never been there; its attempts stay. */
static void open_anew(struct step_state *step)
{
    fold_open_grant(step, 0, 0);
    step->status = STEP_PENDING;
    step->results_from = (int)step->attempt_count + 1;
    free(step->trees);
    step->trees = NULL;
    if (!step->formulas)
        return;
    free(step->formulas->end_json);
    step->formulas->end_json = NULL;
}

/* The step that failed has used up its chances; the one that is opened is the agent's. */
void fold_round_started(const struct fold *fold)
{
    struct task_state *task = fold->task;
    const int first = (int)fold->event->b;
    const int last = (int)fold->event->c;
    task->agent->round = (int)fold->event->a;
    keep_text(fold, "prompt", &task->agent->repair);
    task->entropy++;
    for (int i = first; i <= last; i++) {
        fold_keep_tries(fold, i);
        open_anew(&task->steps[i]);
    }
    task->step = first;
    fold_make_ready(fold, fold_task_number(fold));
}
