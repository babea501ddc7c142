/*
 * replay_time.h - a place in a recording, in people's words. Local time; main thread.
 */
#ifndef DEVS_REPLAY_TIME_H
#define DEVS_REPLAY_TIME_H

#include "bookmark.h"
#include "err.h"
#include "plan.h"
#include "replay.h"

struct replay_words {
    const char *text;                 /* borrowed */
    const struct plan *plan;          /* borrowed; for the names of tasks */
    int64_t end_ms;                   /* wall time that "-2m" counts back from */
    const struct bookmark *bookmarks; /* borrowed; of the recording */
    size_t bookmark_count;
};

/* As in struct replay: the last event applied, and how far the clock has gone on from it. */
struct replay_point {
    int64_t seq, on_ms;
};

/* What the words say: a bookmark by its name, in whatever letters, "#211" or "211" (an event),
 * "start", "end", "T-104" or "T-104 try 2" (its start), or a time as clock_find() reads it.
 * ERR_INVALID: nobody understands them; ERR_NOT_FOUND: the recording has no such place. A time
 * after the last event is that event and on_ms. */
ATTR_MUST_USE bool replay_find(const struct replay *replay, const struct replay_words *words,
                               struct replay_point *out, struct err *err);

#endif
