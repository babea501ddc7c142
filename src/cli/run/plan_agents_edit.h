/*
 * plan_agents_edit.h - a plan's agents as a command line wants them: another agent or model, and
 * the session that their steps go on in. Pure; any thread.
 */
#ifndef DEVS_PLAN_AGENTS_EDIT_H
#define DEVS_PLAN_AGENTS_EDIT_H

#include "json.h"
#include "str.h"

/* What is wanted; NULL = as the plan says. All borrowed. */
struct plan_agents_edit {
    const char *agent;   /* in place of every step's own; what only that one understands goes */
    const char *model;   /* likewise */
    const char *session; /* of steps that say none, */
    const char *owner;   /* and only of this agent's; NULL = of all */
};

/* Append the plan, a JSON value, with the edit made; what is no plan comes out as it is. As a
 * plan_file_edit_fn; ctx is the edit. */
void plan_agents_edit(void *ctx, const struct json *plan, struct str *out);

#endif
