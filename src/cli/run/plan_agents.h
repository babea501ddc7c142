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

/* What is wanted; NULL = as the plan says. All borrowed. */
struct plan_agents_edit {
    const char *agent;   /* in place of every step's own; what only that one understands goes */
    const char *model;   /* NULL = the plan's */
    const char *session; /* of steps that say none, */
    const char *owner;   /* and only of this agent's; NULL = of all */
};

/* Appends the plan, a JSON value, with the edit made; other JSON is appended unchanged. A
 * plan_file_edit_fn; ctx is the edit. */
void plan_agents_edit(void *ctx, const struct json *plan, struct str *out);

/* Is there a step whose agent can only fail, for want of its program? Returns the exit code; what
 * is missing is printed, with what to install. A step whose program may yet be there counts as one
 * that can go: by a path that an earlier step may make, in a container, in a PATH of the step's
 * own. */
int plan_agents_check(const struct plan *plan);

/* The same for this one step: append what is missing in words, on one line; nothing otherwise. */
void plan_agents_missing(const struct plan_step *step, struct str *out);

/* Find the adapter called `name`, whose program must be here; NULL: the first one, in the order of
 * adapters_at(), whose program is. Returns the exit code: EXIT_USAGE for a name that no adapter
 * has, EXIT_NO_AGENT if the program is missing. *out is borrowed from the set. */
int agent_choose(const struct adapters *adapters, const char *name, const struct adapter **out);

#endif
