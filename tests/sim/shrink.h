/*
 * shrink.h - reduces a failing plot to what is needed to make it fail.
 */
#ifndef DEVS_SIM_SHRINK_H
#define DEVS_SIM_SHRINK_H

#include "finding.h"
#include "plot.h"

/* Plays a plot in a separate process, which may be killed or abort; that is a finding, too. Returns
 * false if something was broken. */
bool shrink_play(const struct plot *plot, struct finding *finding);

/* Removes from *plot everything that is not needed to break the same invariant. */
void shrink(struct plot *plot, struct finding *finding);

/* Prints a plot event by event, in a separate process. */
void shrink_trace(const struct plot *plot);

#endif
