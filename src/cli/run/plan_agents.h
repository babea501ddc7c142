/*
 * plan_agents.h - the agents of a plan: checks that their programs are installed, chooses one, and
 * changes agent, model or session as the command line asks.
 */
#ifndef DEVS_PLAN_AGENTS_H
#define DEVS_PLAN_AGENTS_H

#include "adapter.h"
#include "json.h"
#include "plan.h"
#include "str.h"

/* The requested changes; NULL = as the plan says. Everything is borrowed. */
struct plan_agents_edit {
    const char *agent;   /* replaces every step's, and drops keys that only the old one knows */
    const char *model;   /* NULL = the plan's */
    const char *session; /* for steps without a session, */
    const char *owner;   /* and only for this agent's; NULL = for all */
};

/* Appends the plan, a JSON value, with the changes; other JSON is appended unchanged. A
 * plan_file_edit_fn; ctx is the edit. */
void plan_agents_edit(void *ctx, const struct json *plan, struct str *out);

/* Checks whether a step must fail because its agent's program is missing. Prints what is missing
 * and how to install it, and returns the exit code. Accepts programs that may appear later:
 * paths that an earlier step may create, programs in a container, or in the step's own PATH. */
int plan_agents_check(const struct plan *plan);

/* Appends what this step's agent is missing as one line; nothing if it can run. */
void plan_agents_missing(const struct plan_step *step, struct str *out);

/* Finds the adapter called `name`, whose program must be installed. NULL means the first one in
 * the order of adapters_at() whose program is. Returns the exit code: EXIT_USAGE for an unknown
 * name, EXIT_NO_AGENT if the program is missing. *out is borrowed from the set. */
int agent_choose(const struct adapters *adapters, const char *name, const struct adapter **out);

#endif
