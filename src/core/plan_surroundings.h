/*
 * plan_surroundings.h - what is around the steps of a plan: where they work, how they are
 * kept apart, their limits, and what happens when the terminal goes away.
 */
#ifndef DEVS_PLAN_SURROUNDINGS_H
#define DEVS_PLAN_SURROUNDINGS_H

#include "plan.h"

/* As they are where nothing is said; loops too. */
void plan_surroundings_init(struct plan *plan);

#endif
