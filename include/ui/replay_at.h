/*
 * replay_at.h - a moment of a run from people's words, where no screen is open. Main thread.
 */
#ifndef DEVS_REPLAY_AT_H
#define DEVS_REPLAY_AT_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "follower.h"

struct replay_at {
    int64_t seq;   /* the last event that had happened; 0 = none */
    int64_t at_ms; /* UTC; that of the event, or later */
};

/* What the words mean: a bookmark's name, "14:00:31", "-2m" (before the last event), "#211", "T-104
 * try 2", "start", "end"; NULL is the last event. Reads the run to its end through `follower`.
 * ERR_INVALID: nobody understands them; ERR_NOT_FOUND: the run has no such place. */
ATTR_MUST_USE bool replay_at_find(struct follower *follower, const char *words,
                                  struct replay_at *out, struct err *err);

#endif
