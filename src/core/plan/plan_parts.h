/*
 * plan_parts.h - the ends of a plan's parts, for whoever takes one away. Private to core.
 */
#ifndef DEVS_PLAN_PARTS_H
#define DEVS_PLAN_PARTS_H

#include "plan.h"

/* What the step owns; the step itself is its task's. */
void plan_free_step(struct plan_step *step);
/* What the task owns; the task itself is its plan's. */
void plan_free_task(struct plan_task *task);

#endif
