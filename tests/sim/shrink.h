/*
 * shrink.h - a broken plot cut down to what it takes to break it.
 */
#ifndef DEVS_SIM_SHRINK_H
#define DEVS_SIM_SHRINK_H

#include "finding.h"
#include "plot.h"

/* Play a plot in a process of its own, which may be killed or abort: that is a finding too.
 * False if something was broken. */
bool shrink_play(const struct plot *plot, struct finding *finding);

/* Take out of *plot what the same invariant does not need to break. */
void shrink(struct plot *plot, struct finding *finding);

/* Print a plot event by event, in a process of its own. */
void shrink_trace(const struct plot *plot);

#endif
