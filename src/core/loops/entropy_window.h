/*
 * entropy_window.h - what the rungs remember of the steps of a segment: the last
 * ENTROPY_WINDOW calls one by one, the rest as counts. Private to core.
 */
#ifndef DEVS_ENTROPY_WINDOW_H
#define DEVS_ENTROPY_WINDOW_H

#include "entropy.h"

/* One call. */
struct past {
    struct digest call, outcome;
    uint64_t raw;
    int64_t step; /* of the segment, from 1 */
    int64_t number;
    unsigned bits;
    enum entropy_gain gain;
};

/* Something that happens in a row. */
struct streak {
    int64_t first, first_number; /* its first step */
    int count;                   /* saturates */
    bool raw_differs;            /* not all raw hashes are the same */
};

enum { ENTROPY_NUDGES_MAX = 8 };

/* Steps that are no calls: only an agent has them. */
struct asides {
    struct past plan;     /* the last planning step since the last call; call unknown: none */
    struct streak replan; /* the last planning step, no call between */
    struct streak pause;  /* pauses, no call between */
    struct streak talk;   /* messages alike, no call between */
    struct streak chant;  /* messages that chant */
};

/* Who was told already. */
struct nudges {
    int count;
    uint64_t identities[ENTROPY_NUDGES_MAX];
};

/* Every task that may be tried again has one, and there may be very many: what most of them do
 * not need lies apart. */
struct entropy_window {
    int64_t steps;         /* of the segment, of all kinds */
    struct past *past;     /* owned; a ring of calls */
    int count, cap, next;  /* of the ring: filled, allocated, where the next one goes */
    bool stuck;            /* the last step was: the next one that is too is no news */
    struct streak repeat;  /* the last call with its result */
    struct streak barren;  /* calls without news; count in percent */
    int64_t barren_told;   /* first step of a barren streak that was told */
    struct asides *asides; /* owned; NULL before the first step that is no call */
    struct nudges *nudges; /* owned; NULL before the first */
};

/* As they are, or none. */
const struct asides *entropy_window_asides(const struct entropy_window *window);
/* What was said to the agent meanwhile. */
const struct nudges *entropy_window_nudges(const struct entropy_window *window);

/* The call `back` steps before the last one (0: the last). */
const struct past *entropy_window_past(const struct entropy_window *window, int back);

/* What one step says on one rung: to be filled in by the rungs. */
struct sight {
    const struct entropy_limits *limits;
    const struct entropy_window *window;
    const struct entropy_fact *fact;
    int64_t number; /* the caller's own, of this step */
    int scale;
};

#endif
