/*
 * plan_graph.h - the needs of a plan's tasks as a graph: who depends on whom, and
 * which tasks need each other in a circle. Neither recurses, both are O(n).
 */
#ifndef DEVS_PLAN_GRAPH_H
#define DEVS_PLAN_GRAPH_H

#include <stdbool.h>

#include "plan.h"
#include "str.h"

/* Make plan->by_id from the ids; tasks without one are left out. */
void plan_index_ids(struct plan *plan);
/* Has no task the id of another one? By that index. */
bool plan_ids_differ(const struct plan *plan);

/* Make each task's dependents from all tasks' needs. */
void plan_link_dependents(struct plan *plan);

/* All zero is empty: nothing is in a circle. */
struct plan_cycles {
    int *next;    /* owned; by task: a need that keeps it in a circle, -1 = none */
    bool *starts; /* owned; by task: it is the first in the document of its circle */
};

/* Find circles that have no task in common: at least one if there are any.
 * Dependents are linked. */
void plan_cycles_init(struct plan_cycles *cycles, const struct plan *plan);
void plan_cycles_done(struct plan_cycles *cycles);

/* "a -> b -> a" for the circle that starts with this task; a long one is cut. */
void plan_cycles_name(const struct plan_cycles *cycles, const struct plan *plan, int task,
                      struct str *out);

#endif
