/*
 * replay.h - the position of a replay within its recording. Pure: time is an argument.
 *
 * Keeps one short mark per event. The state itself belongs to the follower, which the app moves to
 * `at`. A position is an event (the last one applied) plus the time that has passed since.
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
    REPLAY_GAP_MS_MAX = 30000, /* longer silences are shortened during playback ... */
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

/* Indexes of the marks with one sign, which few events have. */
struct replay_signed {
    size_t *marks; /* owned; sorted indexes; not kept for REPLAY_PLAIN */
    size_t count, cap;
};

struct replay {
    struct replay_mark *marks; /* owned; the event's seq is the index + 1 */
    size_t count, cap;
    struct replay_signed signs[REPLAY_SIGN_COUNT];
    int64_t at;    /* seq of the last event applied, 0 = before the first */
    int64_t on_ms; /* recorded time since that event */
    int speed;     /* in quarters */
    bool playing;
};

/* What a playback key does. */
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

/* Adds the next event of the recording. */
void replay_add(struct replay *replay, const struct event *event);
/* Like replay_add(), as a callback for a follower; `replay` is the context. */
bool replay_take(void *replay, const struct run_state *state, const struct event *event);

/* Carries out a key; `task` is the selected one. Returns false if there is nothing in that
 * direction. */
bool replay_move(struct replay *replay, enum replay_move move, int task);

/* Returns why there is nothing in that direction, as keymap_say() takes it, or NULL if
 * replay_move() would move. `is_past`: in the past of a live run, where moving to the end returns
 * to the present. Static. */
const char *replay_refusal(const struct replay *replay, enum replay_move move, int task,
                           bool is_past);

/* Advances by `passed_ms` of real time. Returns false if it is not playing. Stops at the end. */
bool replay_play(struct replay *replay, int64_t passed_ms);

/* Returns the current recorded time. */
struct moment replay_now(const struct replay *replay);

struct replay_words {
    const char *text;                 /* borrowed */
    const struct plan *plan;          /* borrowed; for the names of tasks */
    int64_t end_ms;                   /* wall-clock time from which "-2m" counts back */
    const struct bookmark *bookmarks; /* borrowed; of the recording */
    size_t bookmark_count;
};

/* The last event applied, and the time since, as in struct replay. */
struct replay_point {
    int64_t seq, on_ms;
};

/* Finds the position that `words` describes: a bookmark's name (case does not matter), "#211" or
 * "211" (an event), "start", "end", "T-104" or "T-104 try 2" (its start), or a time as clock_find()
 * reads it. Fails with ERR_INVALID if the text cannot be parsed, and with ERR_NOT_FOUND if the
 * recording has no such position. A time after the last event gives that event and on_ms. */
ATTR_MUST_USE bool replay_find(const struct replay *replay, const struct replay_words *words,
                               struct replay_point *out, struct err *err);

#endif
