/*
 * entropy_window.h - the recent steps of a segment: the last ENTROPY_WINDOW calls one by one, the
 * rest as counts. Private to core.
 */
#ifndef DEVS_ENTROPY_WINDOW_H
#define DEVS_ENTROPY_WINDOW_H

#include "entropy.h"

/* One call. */
struct past {
    struct digest call, outcome;
    uint64_t raw;
    int64_t step; /* number of the step in the segment, from 1 */
    int64_t number;
    unsigned bits;
    enum entropy_gain gain;
};

/* Steps in a row that have something in common. */
struct streak {
    int64_t first, first_number; /* numbers of the first step, as in struct past */
    int count;                   /* saturates */
    bool raw_differs;            /* the raw hashes of the steps differ */
};

enum { ENTROPY_NUDGES_MAX = 8 };

/* Steps that are not calls; only agents have them. */
struct asides {
    struct past
        plan; /* the latest planning step since the last call; none if its `call` is unknown */
    struct streak replan; /* repeats of the last planning step, without a call in between */
    struct streak pause;  /* pauses without a call in between */
    struct streak talk;   /* similar messages without a call in between */
    struct streak chant;  /* messages that chant */
};

/* Identities of the loops that the agent was nudged about. */
struct nudges {
    int count;
    uint64_t identities[ENTROPY_NUDGES_MAX];
};

/* Every task that may be retried has a window, and there may be very many tasks, so rare parts
 * are allocated separately. */
struct entropy_window {
    int64_t steps;         /* number of steps of all kinds in the segment */
    struct past *past;     /* owned; ring of calls */
    int count, cap, next;  /* calls in the ring, allocated size, position of the next call */
    bool stuck;            /* the last step was stuck, so a further stuck step is not news */
    struct streak repeat;  /* repeats of the last call with its result */
    struct streak barren;  /* calls without news; count in percent */
    int64_t barren_told;   /* first step of the last barren streak that was reported */
    struct asides *asides; /* owned; NULL before the first step that is not a call */
    struct nudges *nudges; /* owned; NULL before the first nudge */
};

/* Returns the asides, or empty ones. */
const struct asides *entropy_window_asides(const struct entropy_window *window);
/* Returns the nudges, or none. */
const struct nudges *entropy_window_nudges(const struct entropy_window *window);

/* Returns the call `back` steps before the last one; 0 is the last one. */
const struct past *entropy_window_past(const struct entropy_window *window, int back);

/* The input of a rung after one step. */
struct sight {
    const struct entropy_limits *limits;
    const struct entropy_window *window;
    const struct entropy_fact *fact;
    int64_t number; /* the caller's number of this step */
    int scale;
};

#endif
