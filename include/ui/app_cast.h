/*
 * app_cast.h - a run played on the cockpit's screens into a file that terminals' players take:
 * asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/). Main thread; no terminal.
 *
 * The frames are those that a person would have seen then: at most ten a second of the recording,
 * and one for each second in which a time counts. Silences of the run that are longer than
 * REPLAY_GAP_MS_MAX (30 s) are played in REPLAY_GAP_CUT_MS (1 s), as in a replay.
 */
#ifndef DEVS_APP_CAST_H
#define DEVS_APP_CAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app.h"

enum {
    APP_CAST_SPEED_MAX = 64,
    APP_CAST_FRAMES_MAX = 200000, /* of one recording */
    APP_CAST_TICK_MS = 100,       /* frames are no closer */
    APP_CAST_CHOICE_MS = 3000,    /* a chosen task stays chosen for so long */
    APP_CAST_STILL_MS = 3000,     /* the last frame stays for so long */
};

struct app_cast {
    int rows, columns;
    int speed;                 /* 1 to APP_CAST_SPEED_MAX: so many seconds of the run in one */
    const char *task;          /* id of the chosen one; NULL = on the tasks, what is heard of */
    const char *view;          /* as of struct app_picture */
    const struct theme *theme; /* borrowed */
    /* Take the next bytes; false ends it, with *err set. */
    bool (*write)(void *ctx, const char *bytes, size_t len, struct err *err);
    /* So many of so many events are done; likewise. NULL: nobody asks. */
    bool (*tell)(void *ctx, int64_t done, int64_t all, struct err *err);
    void *ctx; /* borrowed; for both */
};

/* Uses place, run and ascii of the options. ERR_INVALID, ERR_NOT_FOUND: a word fits nothing in the
 * log; ERR_LIMIT: it would be more than APP_CAST_FRAMES_MAX frames. */
ATTR_MUST_USE bool app_cast_write(const struct app_options *options, const struct app_cast *cast,
                                  struct err *err);

#endif
