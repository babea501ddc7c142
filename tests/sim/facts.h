/*
 * facts.h - facts that the engine finds beside the attempts' ends, as the simulator makes
 * them, takes them in, and compares what the fold made of them.
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

/* Make up a fact; a few have numbers that no fact may have. */
void facts_make(struct plot_op *op, struct chance *chance);
/* The text that comes with it: always the same for its kind; NULL = none. */
const char *facts_text(enum event_kind kind);

/* Foretell what becomes of it. */
void facts_foretell(struct oracle *oracle);
/* Take it into the model. */
void facts_take(struct taking *taking);

bool facts_check(struct finding *finding, const struct model *model, const struct run_state *state,
                 int task);

#endif
