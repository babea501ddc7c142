/*
 * comparison.h - answers against the oracle's, states against the model and one another.
 */
#ifndef DEVS_SIM_COMPARISON_H
#define DEVS_SIM_COMPARISON_H

#include <stddef.h>

#include "finding.h"
#include "oracle.h"
#include "run_state.h"
#include "scheduler.h"

/* Are the turn's first `count` events those that were foretold? With `whole`, is that all
 * there is of them, and are the actions the same? */
bool compare_answers(struct finding *finding, const struct oracle *oracle, const struct turn *turn,
                     size_t count, bool whole);

/* Is the state what the model says? */
bool compare_model(struct finding *finding, const struct model *model,
                   const struct run_state *state);

/* Does the state keep the texts of the turn's decisions? */
bool compare_texts(struct finding *finding, const struct run_state *state, const struct turn *turn);

/* Do two folds know the same, field by field? */
bool compare_folds(struct finding *finding, const struct run_state *live,
                   const struct run_state *again);

/* Do the policies that the run had decide the same once more (what_if.h)? `live`: the state after
 * all of the log. */
bool compare_what_if(struct finding *finding, const char *plan_text, const struct event *log,
                     size_t count, const struct run_state *live);

#endif
