/*
 * entropy.h - does it loop? The rungs, as a pure fold over facts.
 *
 * Each step of a trajectory (an attempt of ours, a tool call or a message of an
 * agent) leaves one `struct entropy_fact`: digests, bits and numbers, no output.
 * The facts are in the run log; the same facts give the same verdicts, live, in
 * recovery and in replay. What makes a fact of a step is entropy_memory.h.
 *
 * The seven rungs, tightest first; the first that says "stuck" names it:
 *   repeat     the same call, the same result, in a row
 *   cycle      the same 2..8 steps in the same order, lap after lap
 *   failure    one call fails alike again and again, whatever is between
 *   barren     step after step brings nothing new, though calls may differ
 *   pause      nothing but sleeping
 *   monologue  message after message says the same, no call between
 *   chant      one message says the same over and over
 *
 * Any thread, one at a time.
 */
#ifndef DEVS_ENTROPY_H
#define DEVS_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "digest.h"
#include "entropy_limits.h"
#include "err.h"

struct json;
struct str;

enum {
    ENTROPY_WINDOW = 96,                /* steps that the rungs look back over */
    ENTROPY_CYCLE_MAX = 8,              /* steps of the longest cycle that rung knows */
    ENTROPY_SCALE_MAX = 8,              /* "go on" doubles thresholds up to this */
    ENTROPY_REPEAT_MAX = 40,            /* repeats that no "go on" lifts the limit above */
    ENTROPY_STATE_BYTES_MAX = 8 * 1024, /* a state that is saved is no larger */
};

enum entropy_kind {
    ENTROPY_CALL,    /* a call of a tool, or an attempt */
    ENTROPY_NEUTRAL, /* planning: neither news nor the lack of it */
    ENTROPY_PAUSE,   /* sleeps and does nothing else */
    ENTROPY_MESSAGE, /* words without a call */
    ENTROPY_KIND_COUNT,
};

/* Why a step counts as news. */
enum entropy_gain {
    ENTROPY_GAIN_NONE,
    ENTROPY_GAIN_LINE,   /* a line not seen before, its numbers on the move */
    ENTROPY_GAIN_CHANGE, /* the agent changed something, in a way not tried before */
    ENTROPY_GAIN_FLIP,   /* this call failed and succeeds now, or the other way */
    ENTROPY_GAIN_SILENT, /* a new call that succeeds and has nothing to say */
    ENTROPY_GAIN_COUNT,
};

/* Bits of a fact. */
enum {
    ENTROPY_FAILED = 1 << 0,
    ENTROPY_RUNNING = 1 << 1, /* not over yet */
    ENTROPY_POLL = 1 << 2,    /* looks at something that changes by itself */
    ENTROPY_CHANGED = 1 << 3, /* the agent changed something, effectively */
    ENTROPY_ALIKE = 1 << 4,   /* a message like the one before */
    ENTROPY_CHANTS = 1 << 5,  /* a message that chants */
    ENTROPY_MASKED = 1 << 6,  /* something in the result was masked */
    ENTROPY_REVIEW = 1 << 7,  /* nothing new, but another view of what is known */
    ENTROPY_AGAIN = 1 << 8,   /* a failure this call had before, but for the last time; or its last
                                 one, a few lines further on in a source */
    ENTROPY_REFUSED = 1 << 9, /* refused like the step before, in the words of another call */
    ENTROPY_BITS_ALL = (1 << 10) - 1,
};

/* What is kept of one step. A plain value; all zero is a call of nothing. */
struct entropy_fact {
    enum entropy_kind kind;
    enum entropy_gain gain;
    unsigned bits;         /* ENTROPY_FAILED... */
    struct digest call;    /* what was called, with which arguments */
    struct digest outcome; /* how it ended and its normalised lines, in any order */
    uint64_t raw;          /* of the bytes as they came, to tell what only masking made equal */
    int new_permille;      /* share of lines not seen before, -1: there were no lines */
    int64_t lines;         /* normalised lines, saturating at 2^31-1 */
};

/* Append the fact as a JSON object with short members; defaults are left out. */
void entropy_fact_to_json(const struct entropy_fact *fact, struct str *out);
/* The way back. False, and *out untouched, for what is no fact: no object, a digest
 * that is none, a number out of its range. Members that are missing are defaults. */
ATTR_MUST_USE bool entropy_fact_from_json(const struct json *json, struct entropy_fact *out);

enum entropy_level { ENTROPY_OK, ENTROPY_SUSPECT, ENTROPY_STUCK, ENTROPY_LEVEL_COUNT };

/* "ok", "suspect", "stuck". */
const char *entropy_level_name(enum entropy_level level);

enum entropy_rung {
    ENTROPY_RUNG_NONE,
    ENTROPY_RUNG_REPEAT,
    ENTROPY_RUNG_CYCLE,
    ENTROPY_RUNG_FAILURE,
    ENTROPY_RUNG_BARREN,
    ENTROPY_RUNG_PAUSE,
    ENTROPY_RUNG_MONOLOGUE,
    ENTROPY_RUNG_CHANT,
    ENTROPY_RUNG_COUNT,
};

/* "none", "repeat", "cycle", "failure", "barren", "pause", "monologue", "chant": the
 * stable words of the log, of JSON and of documents. */
const char *entropy_rung_name(enum entropy_rung rung);
/* The way back; ENTROPY_RUNG_NONE for a word that is none. */
enum entropy_rung entropy_rung_named(const char *name);

/* What the rungs say after a step. A plain value; all zero is "ok". */
struct entropy_verdict {
    enum entropy_level level;
    enum entropy_rung rung; /* that said so; NONE while ok */
    bool news;              /* suspect for the first time with this identity: nudge now; or
                               stuck, and the step before was not */
    bool poll;              /* it looks at something over and over: backing off would help */
    bool masked;            /* results are equal only because something was masked */
    int count;              /* repeats, laps, failures, barren steps, pauses, messages */
    int period;             /* steps of a lap, 1 for a repeat, 0 where there is none */
    int64_t first, last;    /* steps of the segment, from 1 */
    int64_t first_number, last_number; /* the caller's own numbers of those steps */
    struct digest identity; /* of the set of calls in it: the same wherever a lap begins */
};

/* What the rungs remember. All zero is a valid empty state and owns nothing. */
struct entropy_state {
    struct entropy_window *window; /* owned; NULL until there is a fact */
    int scale;                     /* 0 or 1: thresholds as they are; 2, 4, 8 after "go on" */
};

/* Fold in one step's fact. `number` is the caller's own name for the step (an
 * attempt). O(ENTROPY_WINDOW) at worst. Each step is judged anew: one that does something
 * new is not stuck because an earlier one was. */
void entropy_apply(struct entropy_state *state, const struct entropy_fact *fact, int64_t number,
                   const struct entropy_limits *limits, struct entropy_verdict *out);

/* A person's word: a new segment begins, nothing before it counts. */
void entropy_state_reset(struct entropy_state *state);
/* A person says "go on" after a stop: what was seen stays, thresholds double (never
 * above ENTROPY_REPEAT_MAX repeats, so that nothing goes on for ever). */
void entropy_state_go_on(struct entropy_state *state);
/* Steps of this segment so far. */
int64_t entropy_state_steps(const struct entropy_state *state);
/* Free. NULL is allowed; the state is empty afterwards. */
void entropy_state_done(struct entropy_state *state);

/* Was the latest step stuck? */
bool entropy_state_is_stuck(const struct entropy_state *state);
/* Is this call among the last ENTROPY_WINDOW ones, from step `first` of the segment on? */
bool entropy_state_has_call(const struct entropy_state *state, struct digest call, int64_t first);

/* For who judges one step and is gone: append the state as bytes, at most
 * ENTROPY_STATE_BYTES_MAX. */
void entropy_state_save(const struct entropy_state *state, struct str *out);
/* Take the place of the state; *used_out says how many of the bytes were read, what is behind
 * them does not matter. ERR_INVALID, and *state unchanged, for bytes that entropy_state_save()
 * did not write. */
ATTR_MUST_USE bool entropy_state_load(struct entropy_state *state, const void *bytes, size_t len,
                                      size_t *used_out, struct err *err);

/* Requirement C1: are the last `window` results equal? False where there are fewer
 * than `window`, for a window below 2, and where one of them is not known. `results`
 * in order, the last one is the latest. */
bool entropy_is_stuck(const struct digest *results, size_t count, int window);

/* Append why, in a few words, no full stop: "the same call with the same result, 5
 * times in a row". Nothing while ok. */
void entropy_why(const struct entropy_verdict *verdict, struct str *out);

/* Append one line for the agent that names the call, how often, what stayed equal and
 * what was masked, and what to do instead; no line feed. `call` (cut at a named limit,
 * control bytes left out) may be NULL; `masks` are normaliser bits. */
void entropy_nudge(const struct entropy_verdict *verdict, const char *call, unsigned masks,
                   struct str *out);

#endif
