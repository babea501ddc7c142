/*
 * agents.h - agents in the simulator: which steps have one, and what they report while running.
 */
#ifndef DEVS_SIM_AGENTS_H
#define DEVS_SIM_AGENTS_H

#include <stdbool.h>

#include "event.h"
#include "plot.h"

struct chance;

/* Sometimes makes one of the task's steps an agent step, and gives it rounds and budgets. */
void agents_make_task(struct plot_task *task, int infrastructure, struct chance *chance);
void agents_make_run(struct plot *plot, struct chance *chance);
/* Makes something for an agent to report at some turn. */
void agents_make_op(struct plot_op *op, struct chance *chance);
/* Returns the step at which a new round of the agent would begin, -1 = none. */
int agents_first_step(const struct plot_task *task, int step);
bool agents_has(const struct plot_task *task);
/* Appends keys of the plan, each preceded by a comma. */
void agents_write_budget(const int64_t budget[BUDGET_KIND_COUNT], struct str *out);
/* Returns the fact that the agent reports, with its texts. */
struct event agents_fact(const struct plot_op *op);

#endif
