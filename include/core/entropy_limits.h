/*
 * entropy_limits.h - the thresholds of loop detection. Pure.
 *
 * One table names them for the parser of plans and settings, the documentation and the screen.
 * The defaults were measured on about two hundred labeled trajectories of twenty agents; see
 * docs/entropy.md.
 */
#ifndef DEVS_ENTROPY_LIMITS_H
#define DEVS_ENTROPY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

/* Counts; 0 switches that rung (or its nudge) off. */
struct entropy_limits {
    int repeat_nudge;        /* the same call with the same result, in a row */
    int repeat_stop;         /* the same */
    int repeat_masked_stop;  /* the same, if it succeeds and only masked bytes differ */
    int poll_nudge;          /* polls in a row of something that does not change */
    int poll_stop;           /* the same */
    int cycle_stop;          /* laps of a cycle of 2 to 8 steps */
    int failure_nudge;       /* one call fails alike, with other calls in between */
    int failure_stop;        /* as failure_nudge, if the agent changed nothing in between */
    int failure_edited_stop; /* the same, whatever changed in between */
    int barren_nudge;        /* steps in a row that bring nothing new */
    int barren_stop;         /* the same */
    int poll_weight;         /* weight of a poll, in percent of a barren step */
    int review_weight;       /* the same for another view of what is known */
    int pause_nudge;         /* nothing but pauses in a row */
    int pause_stop;          /* the same */
    int monologue_nudge;     /* similar messages in a row without a call in between */
    int monologue_stop;      /* the same */
    int chant_stop;          /* messages that repeat themselves */
    int chant_periods;       /* equal periods that make a chant */
    int alike_percent;       /* percentage of common words that makes two messages alike */
    int rewrite_percent;     /* the same for two texts written to one file in a row */
    int lone_counter;        /* steps for which a counter that goes up by one is news */
    int drift_turns;         /* changes of direction after which a number is no longer news */
    int flips;               /* changes between success and failure of one call that are news */
    int nudges;              /* hints to the agent before a person must answer */
};

/* One threshold, for parsers and documents. */
struct entropy_limit {
    const char *name;  /* as in the struct, and in JSON */
    size_t offset;     /* of the int in struct entropy_limits */
    int initial;       /* the default */
    int min;           /* the smallest allowed value except 0 */
    int max;           /* the largest allowed value */
    const char *about; /* what it counts, for documents; no full stop */
};

/* Returns the thresholds in the order above; NULL after the last. Static. */
const struct entropy_limit *entropy_limit(size_t index);
/* Returns the threshold of that name, or NULL. */
const struct entropy_limit *entropy_limit_named(const char *name);

/* Returns the value of the threshold. */
int entropy_limit_get(const struct entropy_limits *limits, const struct entropy_limit *limit);
/* Fails with ERR_INVALID unless the value is 0 or limit->min <= value <= limit->max. */
ATTR_MUST_USE bool entropy_limit_set(struct entropy_limits *limits,
                                     const struct entropy_limit *limit, int64_t value,
                                     struct err *err);

/* Returns the defaults. */
struct entropy_limits entropy_limits_new(void);

#endif
