/*
 * agents.h - agents in the simulator: what they tell while they run, how their budgets and
 * rounds go, by the simulator's own account; and what the fold made of it.
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

/* Make one of the task's steps an agent's, sometimes, and give it rounds and budgets. */
void agents_make_task(struct plot_task *task, int infrastructure, struct chance *chance);
void agents_make_run(struct plot *plot, struct chance *chance);
/* What an agent tells at some turn. */
void agents_make_op(struct plot_op *op, struct chance *chance);
/* The step that an agent prompted once more would begin at, -1 = none. */
int agents_first_step(const struct plot_task *task, int step);
bool agents_has(const struct plot_task *task);
/* Keys of the plan: each with a comma before it. */
void agents_write_budget(const int64_t budget[BUDGET_KIND_COUNT], struct str *out);
/* The text of a fact that is told. */
void agents_text(const struct plot_op *op, struct str *out);

/* agents_model.c */

void agents_init(struct model *model);
void agents_take(struct taking *taking);
/* What attempts and people change beside that. */
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
/* From how much on it is spoken of. */
int64_t agents_mark(const struct model *model, int task, int kind);
/* When a budget of time is to be looked at, -1 = never. */
int64_t agents_due(const struct model *model);
int64_t agents_task_due(const struct model *model, int task);
bool agents_check(struct finding *finding, const struct model *model,
                  const struct run_state *state);

/* agents_oracle.c */

/* Foretell what becomes of a fact of an agent. */
void agents_foretell(struct oracle *oracle);
/* What is said of budgets, and with may_end what ends for it. */
void agents_look(struct oracle *oracle, int task, bool may_end);
void agents_look_at_calls(struct oracle *oracle, int task, bool may_end);
/* Before anything is started: what time has used up. */
void agents_time(struct oracle *oracle);
/* Is a budget used up that this step would need? */
bool agents_spent(const struct model *model, int task, int step);
enum outcome_stop agents_stop(const struct oracle *oracle, int task, const struct outcome *outcome);
bool agents_round_follows(const struct oracle *oracle, int task, const struct facts *facts,
                          const struct outcome *outcome, const struct ruling *ruling);
void agents_start_round(struct oracle *oracle, int task);

#endif
