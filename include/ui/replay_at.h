/*
 * replay_at.h - finds a moment of a run that the user describes in text, without a screen. Main
 * thread.
 */
#ifndef DEVS_REPLAY_AT_H
#define DEVS_REPLAY_AT_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "follower.h"

struct replay_at {
    int64_t seq;   /* the last event up to that moment; 0 = none */
    int64_t at_ms; /* time of that event, or later, UTC */
};

/* Finds the moment that `words` describes: a bookmark's name, "14:00:31", "-2m" (before the last
 * event), "#211", "T-104 try 2", "start", "end"; NULL is the last event. Reads the run to its end
 * through `follower`. Fails with ERR_INVALID if `words` cannot be parsed, and with ERR_NOT_FOUND if
 * the run has no such moment. */
ATTR_MUST_USE bool replay_at_find(struct follower *follower, const char *words,
                                  struct replay_at *out, struct err *err);

#endif
