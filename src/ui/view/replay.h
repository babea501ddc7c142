/*
 * replay.h - where a replay is in its recording: pure, time is an argument.
 *
 * The recording is kept as one short mark for each event; the fold itself is
 * the follower's, which the app seeks to `at`. A position is an event (the last
 * one applied) and how far the clock has gone on from it.
 */
#ifndef DEVS_REPLAY_H
#define DEVS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bookmark.h"
#include "err.h"
#include "event.h"
#include "moment.h"
#include "plan.h"
#include "run_state.h"

enum {
    REPLAY_GAP_MS_MAX = 30000, /* a longer silence is cut when playing ... */
    REPLAY_GAP_CUT_MS = 1000,  /* ... to this */
    REPLAY_SPEED_MIN = 1,      /* in quarters: 0.25x */
    REPLAY_SPEED_ONE = 4,
    REPLAY_SPEED_MAX = 256, /* 64x */
};

enum replay_sign { REPLAY_PLAIN, REPLAY_PASS, REPLAY_FAILURE, REPLAY_SIGN_COUNT };

struct replay_mark {
    struct moment at;
    int task;    /* -1 = none */
    int attempt; /* 0 = none */
    uint8_t kind;
    uint8_t sign; /* enum replay_sign */
};

/* Where marks of one sign are: few of many events have one. */
struct replay_signed {
    size_t *marks; /* owned; by index, in order; of REPLAY_PLAIN none are kept */
    size_t count, cap;
};

struct replay {
    struct replay_mark *marks; /* owned; event seq is the index + 1 */
    size_t count, cap;
    struct replay_signed signs[REPLAY_SIGN_COUNT];
    int64_t at;    /* seq of the last event applied, 0 = before the first */
    int64_t on_ms; /* recorded time since then */
    int speed;     /* in quarters */
    bool playing;
};

/* What a transport key does. */
enum replay_move {
    REPLAY_EVENT_BACK,
    REPLAY_EVENT_ON,
    REPLAY_TRY_BACK,
    REPLAY_TRY_ON,
    REPLAY_FAILURE_BACK, /* of any task */
    REPLAY_FAILURE_ON,
    REPLAY_PLAY,
    REPLAY_SLOWER,
    REPLAY_FASTER,
    REPLAY_START,
    REPLAY_END,
};

void replay_init(struct replay *replay);
void replay_done(struct replay *replay);

/* The next event of the recording. */
void replay_add(struct replay *replay, const struct event *event);
/* The same as a follower calls it for each event it has read; `replay` is the context. */
bool replay_take(void *replay, const struct run_state *state, const struct event *event);

/* Carry out a key; `task` is the chosen one. False: there is nothing that way. */
bool replay_move(struct replay *replay, enum replay_move move, int task);

/* Why there is nothing that way, as keymap_say() takes it; NULL: replay_move() moves. `is_past`: of
 * a run that is followed, where the way to the end leads back to the present. Static. */
const char *replay_refusal(const struct replay *replay, enum replay_move move, int task,
                           bool is_past);

/* `passed_ms` of real time went by. False if nothing plays; stops at the end. */
bool replay_play(struct replay *replay, int64_t passed_ms);

/* The recorded time now. */
struct moment replay_now(const struct replay *replay);

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
