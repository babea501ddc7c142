/*
 * facts.h - facts that the engine reports besides the ends of attempts: the simulator makes them,
 * adds them to the model, and compares the resulting state.
 */
#ifndef DEVS_SIM_FACTS_H
#define DEVS_SIM_FACTS_H

#include "finding.h"
#include "model.h"
#include "model_take.h"
#include "oracle.h"
#include "plot.h"
#include "run_state.h"

struct chance;

/* Makes a fact; a few have invalid numbers. */
void facts_make(struct plot_op *op, struct chance *chance);
/* Returns the text of a fact, which depends only on its kind; NULL = none. */
const char *facts_text(enum event_kind kind);

/* Predicts the effect of a fact. */
void facts_foretell(struct oracle *oracle);
/* Adds a fact to the model. */
void facts_take(struct taking *taking);

bool facts_check(struct finding *finding, const struct model *model, const struct run_state *state,
                 int task);

#endif
