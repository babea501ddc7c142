/*
 * frame_print.h - `devs debug --frame`: one frame of the cockpit on standard output.
 */
#ifndef DEVS_FRAME_PRINT_H
#define DEVS_FRAME_PRINT_H

#include <stdbool.h>

#include "command.h"
#include "place.h"
#include "target.h"

/* As on the command line; NULL = not said. */
struct frame_words {
    const char *size; /* "80x24" */
    const char *at, *view, *task;
    bool svg, replay;
};

/* Of the target's run, and of its task unless one is named. Returns the exit code; errors are
 * printed. */
int frame_print(const struct globals *globals, const struct frame_words *words,
                const struct place *place, const struct target *target);

#endif
