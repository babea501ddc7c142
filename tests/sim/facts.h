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
/* Returns a valid fact of this kind, with its texts. */
struct event facts_plain(enum event_kind kind);
/* Makes the event this fact, but keeps its time and what it is about. */
void facts_put(struct event *event, const struct event *fact);

/* Predicts the effect of a fact. */
void facts_foretell(struct oracle *oracle);
/* Adds a fact to the model. */
void facts_take(struct taking *taking);

bool facts_check(struct finding *finding, const struct model *model, const struct run_state *state,
                 int task);

#endif
