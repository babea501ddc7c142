/*
 * plan_agents_check.h - are the agents of a plan on this machine? Asked before anything is started.
 *
 * Main thread.
 */
#ifndef DEVS_PLAN_AGENTS_CHECK_H
#define DEVS_PLAN_AGENTS_CHECK_H

#include "plan.h"
#include "str.h"

/* Is there a step whose agent can only fail, for want of its program? Returns the exit code; what
 * is missing is printed, with what to install. A step whose program may yet be there counts as one
 * that can go: by a path that an earlier step may make, in a container, in a PATH of the step's
 * own. */
int plan_agents_check(const struct plan *plan);

/* The same for this one step: append what is missing in words, on one line; nothing otherwise. */
void plan_agents_missing(const struct plan_step *step, struct str *out);

#endif
