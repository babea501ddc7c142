/*
 * facts.h - facts that the engine reports besides the ends of attempts.
 */
#ifndef DEVS_SIM_FACTS_H
#define DEVS_SIM_FACTS_H

#include <stdbool.h>

#include "event.h"
#include "plot.h"

struct chance;

/* Makes a fact; a few have invalid numbers. */
void facts_make(struct plot_op *op, struct chance *chance);
/* Returns a valid fact of this kind, with its texts. */
struct event facts_plain(enum event_kind kind);
/* Makes the event this fact, but keeps its number, time, task, step and attempt. */
void facts_put(struct event *event, const struct event *fact);
/* Returns whether all numbers of the fact are valid. */
bool facts_are_valid(const struct event *fact);

#endif
