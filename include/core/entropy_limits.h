/*
 * entropy_limits.h - the thresholds of loop detection, and their presets. Pure.
 *
 * One table has their names and the numbers of all presets, for the parser of plans and settings,
 * the documentation and the screen. docs/entropy.md says how the presets were measured.
 */
#ifndef DEVS_ENTROPY_LIMITS_H
#define DEVS_ENTROPY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

struct json;
struct str;

/* A preset: a name for a set of numbers, one for each threshold. */
enum entropy_preset {
    ENTROPY_PRESET_NONE, /* not chosen: the numbers of NORMAL */
    ENTROPY_STRICT,      /* stops earlier */
    ENTROPY_NORMAL,      /* the defaults */
    ENTROPY_OFF,         /* never stops and never warns; repeats never end a step by its policy */
    ENTROPY_PRESET_COUNT,
};

/* Returns "strict", "normal" or "off"; "" for NONE. */
const char *entropy_preset_name(enum entropy_preset preset);

/* Counts; 0 switches that rung (or its nudge) off. */
struct entropy_limits {
    enum entropy_preset preset; /* the chosen preset, even if some of its numbers are replaced */

    int repeat_nudge; /* repeats before a nudge: the same call with the same result, in a row */
    int repeat_stop;  /* repeats before the stop */
    int repeat_masked_stop; /* repeats before the stop if the call succeeds and only masked bytes
                               differ */
    int poll_nudge;         /* polls in a row, of something that does not change, before a nudge */
    int poll_stop;          /* polls in a row before the stop */
    int cycle_stop;         /* laps of a cycle of 2 to 8 steps before the stop */
    int failure_nudge; /* like failures of one call, with other calls in between, before a nudge */
    int failure_stop;  /* like failures before the stop, if the agent changed nothing in between */
    int failure_edited_stop; /* like failures before the stop, whatever changed in between */
    int barren_nudge;        /* steps in a row without news before a nudge */
    int barren_stop;         /* steps in a row without news before the stop */
    int poll_weight;         /* weight of a poll, in percent of a barren step */
    int review_weight;   /* weight of a step that shows only a different view of known content, in
                            percent of a barren step */
    int pause_nudge;     /* pauses in a row, without any other step, before a nudge */
    int pause_stop;      /* pauses in a row before the stop */
    int monologue_nudge; /* similar messages in a row, without a call in between, before a nudge */
    int monologue_stop;  /* similar messages in a row before the stop */
    int chant_stop;      /* messages that repeat themselves before the stop */
    int chant_periods;   /* minimum number of equal periods in a chant */
    int alike_percent;   /* minimum percentage of common words in similar messages */
    int rewrite_percent; /* like alike_percent, for two texts written to the same file in a row */
    int lone_counter;    /* steps for which a counter that goes up by one is news */
    int drift_turns;     /* changes of direction after which a number is no longer news */
    int flips;  /* maximum changes between success and failure of one call that count as news */
    int nudges; /* hints to the agent before a person must answer */
};

/* One threshold, for parsers and documents. */
struct entropy_limit {
    const char *name; /* name of the member in struct entropy_limits, and of the key in JSON */
    size_t offset;    /* offset of the int in struct entropy_limits */
    int strict, normal, off; /* the numbers of the presets */
    int min;                 /* the smallest allowed value except 0 */
    int max;                 /* the largest allowed value */
    const char *about;       /* what the threshold counts, for documents; no full stop */
};

/* Returns the thresholds in the order above; NULL after the last. Static. */
const struct entropy_limit *entropy_limit(size_t index);
/* Returns the threshold of that name, or NULL. */
const struct entropy_limit *entropy_limit_named(const char *name);

/* Returns the value of the threshold. */
int entropy_limit_get(const struct entropy_limits *limits, const struct entropy_limit *limit);
/* Sets the threshold. Fails with ERR_INVALID unless the value is 0 or limit->min <= value <=
 * limit->max. */
ATTR_MUST_USE bool entropy_limit_set(struct entropy_limits *limits,
                                     const struct entropy_limit *limit, int64_t value,
                                     struct err *err);

/* Returns the defaults. */
struct entropy_limits entropy_limits_new(void);
/* Returns the numbers of this preset, which is marked as the chosen one. */
struct entropy_limits entropy_limits_preset(enum entropy_preset preset);

/* Reads the name of a preset, or an object: its member "preset" replaces all numbers, and the
 * others replace one each. Ignores members whose names begin with "//". Fails with ERR_INVALID and
 * leaves *limits alone if something is unknown or out of range. */
ATTR_MUST_USE bool entropy_limits_read(struct entropy_limits *limits, const struct json *json,
                                       struct err *err);
/* Like entropy_limits_read(), from a NUL-terminated string. */
ATTR_MUST_USE bool entropy_limits_parse(struct entropy_limits *limits, const char *text,
                                        struct err *err);
/* Appends the object that entropy_limits_read() reads: the preset, if one was chosen, and all
 * numbers. */
void entropy_limits_write(const struct entropy_limits *limits, struct str *out);
/* Appends the chosen preset and the numbers that replace its own: "strict, repeat_stop 9". Appends
 * nothing if no preset was chosen. */
void entropy_limits_words(const struct entropy_limits *limits, struct str *out);

#endif
