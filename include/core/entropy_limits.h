/*
 * entropy_limits.h - from how many repeats on something loops: every
 * threshold of the detector, as data. Pure.
 *
 * One table names the fields, for the parser of plans and configuration, for the
 * documents and for the screen. The defaults are those measured over some two
 * hundred labelled trajectories of twenty agents; docs/entropy.md lists them.
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
    int repeat_masked_stop;  /* the same, where it succeeds and only masked bytes differ */
    int poll_nudge;          /* looks in a row at something that does not change */
    int poll_stop;           /* the same */
    int cycle_stop;          /* laps of a cycle of 2 to 8 steps */
    int failure_nudge;       /* one call fails alike, other calls between */
    int failure_stop;        /* the same, nothing changed by the agent since */
    int failure_edited_stop; /* the same, whatever was changed between */
    int barren_nudge;        /* steps in a row that bring nothing new */
    int barren_stop;         /* the same */
    int poll_weight;         /* percent of a barren step that a look counts */
    int review_weight;       /* the same of another view of what is known */
    int pause_nudge;         /* nothing but pauses, in a row */
    int pause_stop;          /* the same */
    int monologue_nudge;     /* messages alike in a row, no call between */
    int monologue_stop;      /* the same */
    int chant_stop;          /* messages that chant */
    int chant_periods;       /* equal periods that make a chant */
    int alike_percent;       /* two messages with this share of common words are alike */
    int rewrite_percent;     /* so are two texts written to one file in a row */
    int lone_counter;        /* steps for which a counter that goes up by one is news */
    int drift_turns;         /* changes of direction after which a number is not news */
    int flips;               /* changes between success and failure of one call that are news */
    int nudges;              /* hints to the agent before a person says a word */
};

/* One field of the above, for parsers and documents. */
struct entropy_limit {
    const char *name;  /* as in the struct, and in JSON */
    size_t offset;     /* of the int in struct entropy_limits */
    int initial;       /* the default */
    int min;           /* the smallest that may be asked for, beside 0 */
    int max;           /* the largest that may be asked for */
    const char *about; /* what it counts: words for documents, no full stop */
};

/* The fields in the order above; NULL past the last. Static. */
const struct entropy_limit *entropy_limit(size_t index);
/* The field of that name, NULL for none. */
const struct entropy_limit *entropy_limit_named(const char *name);

/* What the field is set to. */
int entropy_limit_get(const struct entropy_limits *limits, const struct entropy_limit *limit);
/* ERR_INVALID unless value is 0, or limit->min <= value <= limit->max. */
ATTR_MUST_USE bool entropy_limit_set(struct entropy_limits *limits,
                                     const struct entropy_limit *limit, int64_t value,
                                     struct err *err);

/* All at their defaults. */
struct entropy_limits entropy_limits_new(void);

#endif
