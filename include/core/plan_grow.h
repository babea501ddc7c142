/*
 * plan_grow.h - a plan that grows while its run is active.
 *
 * A plan with "grows": true begins without tasks; each is added by an event of the run. So a
 * growing plan belongs to exactly one fold (run_state.h) or engine. It is a copy of a base, whose
 * rules it uses (policies, sandbox, limits, loops), with tasks of its own; the base never
 * changes.
 *
 * An added task needs no others, works in place, and has steps that run a command without a
 * contract. Steps that are not declared idempotent get one attempt in every phase, whatever their
 * policy, since nothing can be restored before a second one; whoever adds the task is told. A
 * failed start never ran, and may be repeated.
 */
#ifndef DEVS_PLAN_GROW_H
#define DEVS_PLAN_GROW_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "plan.h"

/* Returns true if the plan has all its tasks, like plans of people and agents. Otherwise adds a
 * violation: only devs itself starts runs with growing plans. */
ATTR_MUST_USE bool plan_is_whole(const struct plan *plan, struct violations *violations);

/* Returns a growing copy of `base`, which has "grows" and must outlive it. The caller calls
 * plan_free(). */
ATTR_MUST_USE struct plan *plan_growing(const struct plan *base);

/* Reads a task (JSON as within a plan) and adds it. Fails and changes nothing: with ERR_INVALID
 * if the task is invalid, its id is taken, or it has what no added task may have; with ERR_LIMIT
 * if there are PLAN_TASKS_MAX. O(log tasks) if ids arrive in ascending order, else later ids
 * move up (16 bytes each). One thread at a time. */
ATTR_MUST_USE bool plan_grow(struct plan *plan, const char *task_json, size_t len, struct err *err);

/* Removes the last task, which must exist, as if it had not been added. */
void plan_shrink(struct plan *plan);

/* Frees what is no longer needed of a task that is over: arguments, environment and sandbox of
 * its steps. Keeps its id, title and number of steps. */
void plan_forget_calls(struct plan *plan, int task);

#endif
