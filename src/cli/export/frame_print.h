/*
 * frame_print.h - `devs debug --frame`: prints one frame of the cockpit; the size of such frames.
 */
#ifndef DEVS_FRAME_PRINT_H
#define DEVS_FRAME_PRINT_H

#include <stdbool.h>

#include "attr.h"
#include "command.h"
#include "err.h"
#include "place.h"
#include "target.h"
#include "theme.h"

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

/* A smaller picture has no room for a word of what it is about. */
enum { FRAME_COLUMNS_MIN = 20, FRAME_ROWS_MIN = 4 };

/* "80x24": columns x rows, from FRAME_COLUMNS_MIN x FRAME_ROWS_MIN to what a canvas holds. */
ATTR_MUST_USE bool frame_size_parse(const char *word, int *rows_out, int *columns_out,
                                    struct err *err);
/* As the options say; without colors, too, there is bold and underline. */
ATTR_MUST_USE bool frame_theme(const struct globals *globals, struct theme *out, struct err *err);

#endif
