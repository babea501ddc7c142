/*
 * watch_run.h - the cockpit on a run whose engine is somewhere else, or over.
 */
#ifndef DEVS_WATCH_RUN_H
#define DEVS_WATCH_RUN_H

#include <stdint.h>

#include "app.h"
#include "command.h"
#include "place.h"

/* Which run, and where a recording opens. All borrowed. */
struct watch_words {
    int64_t run; /* 0 = the current one */
    const char *at, *view, *task;
};

/* Returns the exit code; errors are printed. */
int watch_run(struct globals *globals, const struct place *place, const struct watch_words *words,
              enum app_mode mode);

#endif
