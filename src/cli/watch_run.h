/*
 * watch_run.h - the cockpit on a run whose engine is somewhere else, or over.
 */
#ifndef DEVS_WATCH_RUN_H
#define DEVS_WATCH_RUN_H

#include <stdint.h>

#include "app.h"
#include "command.h"
#include "place.h"

/* run 0 = the newest. Returns the exit code; errors are printed. */
int watch_run(struct globals *globals, const struct place *place, int64_t run, enum app_mode mode);

#endif
