/*
 * completion_plan.h - the plan that a command line names, and the tasks that Tab offers of it.
 * Any thread.
 */
#ifndef DEVS_COMPLETION_PLAN_H
#define DEVS_COMPLETION_PLAN_H

#include <stddef.h>

/* What devs init writes: it is meant where a line names no plan yet. */
#define COMPLETION_PLAN_DEFAULT "plan.json"

/* The first operand of the command on the line, whose words these are without the program's own;
 * one that bash has cut at "=" is read, too. COMPLETION_PLAN_DEFAULT if there is none. Borrowed. */
const char *completion_plan_named(char *const *words, size_t count);

/* Show each task of the plan in this file, in its order; `title` is its id if it has none. The plan
 * need not be a right one: what cannot be read shows nothing. The texts are borrowed for the call,
 * and not cleaned. */
typedef void completion_task_fn(void *ctx, const char *id, const char *title);
/* Call `show` for them; `ctx` is its own. */
void completion_plan_tasks(const char *path, completion_task_fn *show, void *ctx);

#endif
