/*
 * plan_agent.h - the keys of a plan that are about agents: of steps, of tasks and of the plan.
 */
#ifndef DEVS_PLAN_AGENT_H
#define DEVS_PLAN_AGENT_H

#include "plan_reader.h"

/* The agents in sight: the plan's own over those of the settings (`below`, NULL = none) over the
 * built-in ones. Complaints go to reader->agent_violations. */
void plan_agents_load(struct plan_reader *reader, const struct json *value,
                      const struct adapters *below);

/* Is the reader's present step one of an agent, by its keys? */
bool plan_agent_is_named(const struct plan_reader *reader);

/* Read the keys of an agent's step. */
plan_field_fn plan_agent_read_name, plan_agent_read_prompt, plan_agent_read_args,
    plan_agent_read_permission_args, plan_agent_read_model, plan_agent_read_resume,
    plan_agent_read_output;
/* Why no file that a step leaves may have this path, which is not empty; NULL if one may. */
const char *plan_path_fault(const char *path);
/* "quiet_s", of any step. */
plan_field_fn plan_agent_read_quiet;

/* All keys of the step are read: what goes together with an agent, and the command it is. */
void plan_agent_finish(struct plan_reader *reader, const struct json_pointer *path);

/* "rounds" of the task, before its steps are read; what is wrong the schema has said. */
int plan_agent_rounds(const struct json *task);
/* Its steps are read: have rounds and a budget an agent that they are for? */
void plan_agent_check_task(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *task);

/* "budget" of a task or of a plan; what is wrong the schema has said. */
void plan_budget_take(const struct json *value, struct budget *out);
/* Append it as the value of that key. */
void plan_budget_write(const struct budget *budget, struct str *out);

/* Append the keys of an agent's step, the first one without a comma before it. */
void plan_agent_write(const struct plan_step *step, struct str *out);
/* Append the key "agents" with those that are not built in and that a step names. */
void plan_agents_write(const struct plan *plan, struct str *out);

#endif
