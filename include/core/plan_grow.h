/*
 * plan_grow.h - a plan that grows while its run is under way.
 *
 * A plan with "grows": true begins without tasks; each comes as an event of the run, so a plan
 * that is growing belongs to exactly one fold (run_state.h), or to one engine. Such a copy is
 * made of the base, takes its rules (policies, sandbox, limits, loops) from it and adds tasks of
 * its own; the base itself never changes.
 *
 * A task that is added needs no others, works in place, and has steps that run a command and no
 * contract. A step of it that is not declared idempotent gets one attempt in every phase
 * whatever its policy: nothing can be put back before a second one, and whoever asked for it is
 * told that. A start that failed never ran, and may be repeated.
 */
#ifndef DEVS_PLAN_GROW_H
#define DEVS_PLAN_GROW_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "plan.h"

/* Has it all its tasks, as plans of people and agents do? Else a violation says so: only devs
 * itself begins runs whose plan grows. */
ATTR_MUST_USE bool plan_is_whole(const struct plan *plan, struct violations *violations);

/* A growing copy of `base`, which has "grows" and outlives it. The caller ends it with
 * plan_free(). */
ATTR_MUST_USE struct plan *plan_growing(const struct plan *base);

/* Read a task (JSON as within a plan) and add it as the last one. False, and nothing is changed:
 * ERR_INVALID, it is no valid task, has an id that is taken or what no added task may have;
 * ERR_LIMIT, the plan has PLAN_TASKS_MAX. O(log tasks) where ids come in ascending order, else
 * the ids behind move up (16 bytes each). One thread at a time. */
ATTR_MUST_USE bool plan_grow(struct plan *plan, const char *task_json, size_t len, struct err *err);

/* Take the last task away again, as if it had not been added. There is one. */
void plan_shrink(struct plan *plan);

/* What the steps of a task that is over are called with (arguments, environment, sandbox) is
 * wanted no more, and is freed; its id, its title and the number of its steps stay. */
void plan_forget_calls(struct plan *plan, int task);

#endif
