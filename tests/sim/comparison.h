/*
 * comparison.h - compares states with each other, and decisions with the same ones made again.
 */
#ifndef DEVS_SIM_COMPARISON_H
#define DEVS_SIM_COMPARISON_H

#include <stddef.h>

#include "finding.h"
#include "run_state.h"
#include "scheduler.h"

/* Checks that the state keeps the texts of the turn's decisions. */
bool compare_texts(struct finding *finding, const struct run_state *state, const struct turn *turn);

/* Compares two states, field by field. */
bool compare_folds(struct finding *finding, const struct run_state *live,
                   const struct run_state *again);

/* Checks that the run's own policies make the same decisions again (what_if.h). `live` is the state
 * after the whole log. */
bool compare_what_if(struct finding *finding, const char *plan_text, const struct event *log,
                     size_t count, const struct run_state *live);

#endif
