/*
 * agents.h - agents in the simulator: what they report while running, the simulator's own account
 * of their budgets and rounds, and a comparison with the state.
 */
#ifndef DEVS_SIM_AGENTS_H
#define DEVS_SIM_AGENTS_H

#include "finding.h"
#include "model.h"
#include "model_take.h"
#include "oracle.h"
#include "plot.h"
#include "run_state.h"

struct chance;

/* agents_plot.c */

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

/* agents_model.c */

void agents_init(struct model *model);
void agents_take(struct taking *taking);
/* Other changes by attempts and people. */
void agents_take_started(struct taking *taking);
void agents_take_running(struct taking *taking);
void agents_take_ended(struct taking *taking);
void agents_take_reopened(struct taking *taking);
void agents_take_recovered(struct taking *taking);
void agents_take_stopped_time(struct taking *taking);
void agents_take_suspected(struct taking *taking);
int agents_round(const struct model *model, int task);
int64_t agents_used(const struct model *model, int task, int kind, const struct moment *now);
int64_t agents_limit(const struct model *model, int task, int kind);
/* Returns the amount from which a budget is reported. */
int64_t agents_mark(const struct model *model, int task, int kind);
/* Returns when a time budget must be checked, -1 = never. */
int64_t agents_due(const struct model *model);
int64_t agents_task_due(const struct model *model, int task);
bool agents_check(struct finding *finding, const struct model *model,
                  const struct run_state *state);

/* agents_oracle.c */

/* Predicts the effect of an agent's fact. */
void agents_foretell(struct oracle *oracle);
/* Predicts reports about budgets and, with may_end, what they end. */
void agents_look(struct oracle *oracle, int task, bool may_end);
void agents_look_at_calls(struct oracle *oracle, int task, bool may_end);
/* Call before anything is started: predicts which time budgets are spent. */
void agents_time(struct oracle *oracle);
/* Returns true if a budget that this step needs is spent. */
bool agents_spent(const struct model *model, int task, int step);
enum outcome_stop agents_stop(const struct oracle *oracle, int task, const struct outcome *outcome);
bool agents_round_follows(const struct oracle *oracle, int task, const struct facts *facts,
                          const struct outcome *outcome, const struct ruling *ruling);
void agents_start_round(struct oracle *oracle, int task);

#endif
