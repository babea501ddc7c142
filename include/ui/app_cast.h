/* app_cast.h - plays a run on the cockpit's screens into a recording for terminal players:
 * asciicast v2 (https://docs.asciinema.org/manual/asciicast/v2/). Main thread; needs no terminal.
 *
 * The recording has the frames that the user would have seen: at most ten per second of the
 * recording, and one per second while a timer is running. Silences in the run longer than
 * REPLAY_GAP_MS_MAX (30 s) are shortened to REPLAY_GAP_CUT_MS (1 s), as in a replay. */
#ifndef DEVS_APP_CAST_H
#define DEVS_APP_CAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app.h"

enum {
    APP_CAST_SPEED_MAX = 64,
    APP_CAST_FRAMES_MAX = 200000, /* maximum number of frames per recording */
    APP_CAST_TICK_MS = 100,       /* minimum interval between frames */
    APP_CAST_CHOICE_MS = 3000,    /* a task stays selected at least this long */
    APP_CAST_STILL_MS = 3000,     /* how long the last frame stays */
};

struct app_cast {
    int rows, columns;
    int speed;                 /* 1 to APP_CAST_SPEED_MAX: seconds of the run per second of the
                                  recording */
    const char *task;          /* id of the selected task; NULL = in the tasks view, the task of
                                  the latest event */
    const char *view;          /* name of the view, as in struct app_picture */
    const struct theme *theme; /* borrowed */
    /* Receives the next bytes. Returning false aborts the recording; *err must be set. */
    bool (*write)(void *ctx, const char *bytes, size_t len, struct err *err);
    /* Reports progress: `done` of `all` events are written. Returning false aborts, as with
     * write(). May be NULL. */
    bool (*tell)(void *ctx, int64_t done, int64_t all, struct err *err);
    void *ctx; /* borrowed; passed to write() and tell() */
};

/* Writes the recording. Uses place, run and ascii of the options. Fails with ERR_INVALID or
 * ERR_NOT_FOUND if a name in `cast` matches nothing in the log, and with ERR_LIMIT if the recording
 * takes more than APP_CAST_FRAMES_MAX frames. */
ATTR_MUST_USE bool app_cast_write(const struct app_options *options, const struct app_cast *cast,
                                  struct err *err);

#endif
