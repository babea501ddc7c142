/*
 * entropy.h - loop detection: the rungs, as a pure fold over facts.
 *
 * Each step of a trajectory (an attempt, or a tool call or message of an agent) yields one
 * `struct entropy_fact`: digests, bits and numbers, no output. The facts are in the run log, and
 * the same facts give the same verdicts live, in recovery and in replay. The memory of a
 * task (below) turns steps into facts.
 *
 * The seven rungs, strictest first. The first one that says "stuck" names the loop:
 *   repeat     the same call with the same result, in a row
 *   cycle      the same 2..8 steps in the same order, several times over
 *   failure    one call fails in the same way again and again, whatever is in between
 *   barren     many steps in a row bring nothing new, though the calls may differ
 *   pause      nothing but sleeping
 *   monologue  messages say the same, without a call in between
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
#include "str.h"

struct json;

enum {
    ENTROPY_WINDOW = 96,                /* steps that the rungs look back on */
    ENTROPY_CYCLE_MAX = 8,              /* steps of the longest cycle that is detected */
    ENTROPY_SCALE_MAX = 8,              /* limit up to which "go on" doubles thresholds */
    ENTROPY_REPEAT_MAX = 40,            /* repeats; "go on" never raises the limit above this */
    ENTROPY_STATE_BYTES_MAX = 8 * 1024, /* limit of a saved state */
};

enum entropy_kind {
    ENTROPY_CALL,    /* a tool call, or an attempt */
    ENTROPY_NEUTRAL, /* planning: counts neither as news nor as a lack of news */
    ENTROPY_PAUSE,   /* sleeps and does nothing else */
    ENTROPY_MESSAGE, /* text without a call */
    ENTROPY_KIND_COUNT,
};

/* Why a step counts as news. */
enum entropy_gain {
    ENTROPY_GAIN_NONE,
    ENTROPY_GAIN_LINE,   /* a new line, or a line whose numbers make progress */
    ENTROPY_GAIN_CHANGE, /* the agent changed something in a new way */
    ENTROPY_GAIN_FLIP,   /* this call failed before and succeeds now, or the other way round */
    ENTROPY_GAIN_SILENT, /* a new call that succeeds without output */
    ENTROPY_GAIN_COUNT,
};

/* Bits of a fact. */
enum {
    ENTROPY_FAILED = 1 << 0,
    ENTROPY_RUNNING = 1 << 1, /* still running */
    ENTROPY_POLL = 1 << 2,    /* polls something that changes on its own */
    ENTROPY_CHANGED = 1 << 3, /* the agent effectively changed something */
    ENTROPY_ALIKE = 1 << 4,   /* a message similar to the previous one */
    ENTROPY_CHANTS = 1 << 5,  /* a message that repeats itself */
    ENTROPY_MASKED = 1 << 6,  /* part of the result was masked */
    ENTROPY_REVIEW = 1 << 7,  /* no news, but a different view of known content */
    ENTROPY_AGAIN = 1 << 8, /* the call failed like this before, though not last time; or failed as
                               it did last time, but a few lines further down in a source file */
    ENTROPY_REFUSED = 1 << 9,  /* refused like the previous step, although the call differs */
    ENTROPY_BETWEEN = 1 << 10, /* news that did not help: an edit failed more than once before this
                                  step and has not been fixed since */
    ENTROPY_REPORTS = 1 << 11, /* succeeded and reports failures: a pipe hides the exit code */
    ENTROPY_IDLE = 1 << 12,    /* does nothing, like echo with fixed words */
    ENTROPY_BITS_ALL = (1 << 13) - 1,
};

/* The facts that are kept about a step. A plain value; zero-initialized: an empty call. */
struct entropy_fact {
    enum entropy_kind kind;
    enum entropy_gain gain;
    unsigned bits;         /* ENTROPY_FAILED... */
    struct digest call;    /* digest of the call and its arguments */
    struct digest outcome; /* digest of how the step ended and of its normalised lines, regardless
                              of their order */
    uint64_t raw; /* hash of the original bytes, to detect results that are equal only because of
                     masking */
    int new_permille; /* share of new lines; -1 = there were no lines */
    int64_t lines;    /* normalised lines, saturating at 2^31-1 */
};

/* Returns "call", "neutral", "pause" or "message": the name in the log. */
const char *entropy_kind_name(enum entropy_kind kind);
/* Returns "none", "line", "change", "flip" or "silent": the name in the log. */
const char *entropy_gain_name(enum entropy_gain gain);

enum entropy_level { ENTROPY_OK, ENTROPY_SUSPECT, ENTROPY_STUCK, ENTROPY_LEVEL_COUNT };

/* Returns "ok", "suspect" or "stuck". */
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

/* Returns "none", "repeat", "cycle", "failure", "barren", "pause", "monologue" or "chant": the
 * stable names in the log, in JSON and in documents. */
const char *entropy_rung_name(enum entropy_rung rung);

/* The result after a step. A plain value; zero-initialized: "ok". */
struct entropy_verdict {
    enum entropy_level level;
    enum entropy_rung rung; /* the rung that decided; NONE while ok */
    bool news;   /* suspect for the first time with this identity, so nudge now; or stuck while the
                    previous step was not */
    bool poll;   /* the loop polls something, so backing off would help */
    bool masked; /* results are equal only because parts were masked */
    int count;   /* repeats, laps, failures, barren steps, pauses, messages */
    int period;  /* steps of a lap; 1 for a repeat; 0 if there is none */
    int64_t first, last; /* first and last step of the loop, numbered from 1 within the segment */
    int64_t first_number, last_number; /* the caller's numbers of those steps */
    struct digest identity; /* identifies the set of calls; the same wherever a lap begins */
};

/* The memory of the rungs. Zero-initialized: a valid empty state that owns nothing. */
struct entropy_state {
    struct entropy_window *window; /* owned; NULL until the first fact */
    int scale;                     /* 0 or 1: original thresholds; 2, 4, 8 after "go on" */
};

/* Adds the fact of a step. `number` is the caller's name for the step (an attempt). Worst case
 * O(ENTROPY_WINDOW). Each step is judged separately: a step that does something new is not stuck
 * because an earlier one was. */
void entropy_apply(struct entropy_state *state, const struct entropy_fact *fact, int64_t number,
                   const struct entropy_limits *limits, struct entropy_verdict *out);

/* Begins a new segment, in which no earlier step counts, after a person has answered. */
void entropy_state_reset(struct entropy_state *state);
/* Continues after a stop because a person has said "go on": keeps the memory and doubles the
 * thresholds, up to ENTROPY_REPEAT_MAX repeats, so that nothing continues forever. */
void entropy_state_go_on(struct entropy_state *state);
/* Returns the number of steps in this segment. */
int64_t entropy_state_steps(const struct entropy_state *state);
/* Frees the state, which is empty afterwards. May be NULL. */
void entropy_state_done(struct entropy_state *state);

/* Returns true if the latest step was stuck. */
bool entropy_state_is_stuck(const struct entropy_state *state);
/* Returns true if one of the last ENTROPY_WINDOW steps, from step `first` of the segment on, has
 * this call. */
bool entropy_state_has_call(const struct entropy_state *state, struct digest call, int64_t first);

/* Appends the state as bytes, at most ENTROPY_STATE_BYTES_MAX, for callers that judge one step
 * and exit. */
void entropy_state_save(const struct entropy_state *state, struct str *out);
/* Replaces the state with a saved one. *used_out is the number of bytes read; more may follow.
 * Fails with ERR_INVALID and leaves *state alone if entropy_state_save() did not write the
 * bytes. */
ATTR_MUST_USE bool entropy_state_load(struct entropy_state *state, const void *bytes, size_t len,
                                      size_t *used_out, struct err *err);

/* Requirement C1: returns true if the last `window` results are equal. Returns false if there are
 * fewer, if the window is below 2, or if one of the results is unknown. `results` are in order, the
 * latest last. */
bool entropy_is_stuck(const struct digest *results, size_t count, int window);

/* Appends the reason in a few words, without a full stop: "the same call with the same result, 5
 * times in a row". Nothing while ok. */
void entropy_why(const struct entropy_verdict *verdict, struct str *out);

/* Appends one line for the agent, without a line feed: the call, how often, what stayed equal,
 * what was masked, and what to do instead. `call` may be NULL; it is cut, and control bytes
 * become blanks. `masks` are normaliser bits. */
void entropy_nudge(const struct entropy_verdict *verdict, const char *call, unsigned masks,
                   struct str *out);

/* The memory of a task: turns a step into its fact, which says how much of the step's result is
 * new.
 *
 * It gets the call, then the normalised lines as they arrive, then the end. It keeps bounded tables
 * of lines, shapes of lines and calls of the current segment, and drops the oldest entries. Tables
 * grow as needed, so a task with a single attempt needs little memory. Owned by one thread at a
 * time. The tables can be saved and loaded for a run that is resumed. */

struct normaliser_line;
struct normaliser_words;

enum {
    ENTROPY_LINES_MAX = 16384, /* maximum remembered lines */
    ENTROPY_SAMPLE_MAX = 4096, /* maximum lines of the sample that represents a long result */
    ENTROPY_SHAPES_MAX = 2048, /* maximum remembered shapes of lines */
    ENTROPY_CALLS_MAX = 4096,  /* maximum remembered calls */
    ENTROPY_BLOB_BYTES_MAX = 384 * 1024, /* maximum bytes of a saved memory */
    ENTROPY_SAMPLE_LINES = 4,            /* maximum lines of a sample */
    ENTROPY_SAMPLE_BYTES = 240, /* maximum bytes of a line of a sample, including the NUL */
};

struct entropy_memory;

/* Makes an empty memory. Copies `limits`. The caller calls entropy_memory_close(). */
void entropy_memory_open(struct entropy_memory **out, const struct entropy_limits *limits);
/* May be NULL. */
void entropy_memory_close(struct entropy_memory *memory);

/* Begin a step with one of these functions, then add its lines, then call entropy_memory_end(). */

/* Begins the step of a tool call with its arguments (an object; NULL = none), both borrowed for the
 * call. src/core/loops/entropy_call.c describes how the call key is made. */
void entropy_memory_begin_call(struct entropy_memory *memory, const char *tool,
                               const struct json *args);
/* Begins the step of a message that the agent writes between its calls. No lines follow. */
void entropy_memory_begin_message(struct entropy_memory *memory, const char *text, size_t len);
/* Begins the step of an attempt by devs, whose call digest is known. */
void entropy_memory_begin_attempt(struct entropy_memory *memory, struct digest call);

/* Returns the call's own words, which do not count in the message of a failing step; for
 * normaliser_open(). Borrowed until the next step begins; may be NULL. */
const struct normaliser_words *entropy_memory_words(const struct entropy_memory *memory);

/* Adds the next line of the result. */
void entropy_memory_line(struct entropy_memory *memory, const struct normaliser_line *line);
/* Normalises the text and adds its lines. The end of the text also ends its last line. */
void entropy_memory_text(struct entropy_memory *memory, const char *bytes, size_t len);
struct fingerprint_line;
/* Like entropy_memory_line(), for a line that a fingerprint has hashed. */
void entropy_memory_hashed_line(struct entropy_memory *memory, const struct fingerprint_line *line);

/* How the step ended. */
struct entropy_end {
    bool failed;
    bool running;         /* the step is still running, so the result is partial */
    bool transient;       /* failed for a temporary reason: counts as a poll */
    struct digest result; /* for an attempt: its fingerprint, which distinguishes JSON from text; if
                             unknown, the lines are the result */
};

/* Ends the step and returns its fact. If the memory is closed or begins another step without this
 * call, the step leaves no fact, but the memory keeps its lines. */
void entropy_memory_end(struct entropy_memory *memory, const struct entropy_end *end,
                        struct entropy_fact *out);

/* Forgets everything but the limits, after a person has answered. */
void entropy_memory_reset(struct entropy_memory *memory);

/* Lines before and after masking, for the report of a stop. A plain value. */
struct entropy_sample {
    unsigned masks; /* normaliser bits of all lines of the step */
    int count;      /* number of `lines`: the first lines that were masked */
    struct {
        char raw[ENTROPY_SAMPLE_BYTES];    /* original, cut, NUL-terminated */
        char normal[ENTROPY_SAMPLE_BYTES]; /* normalised */
    } lines[ENTROPY_SAMPLE_LINES];
};

/* Returns the sample of the last step with news. Borrowed until the next step begins; NULL if
 * there is none. */
const struct entropy_sample *entropy_memory_first(const struct entropy_memory *memory);
/* Like entropy_memory_first(), for the last step. */
const struct entropy_sample *entropy_memory_last(const struct entropy_memory *memory);

/* Appends the tables as bytes, at most ENTROPY_BLOB_BYTES_MAX; drops the oldest entries if
 * needed. Not during a step. */
void entropy_memory_save(const struct entropy_memory *memory, struct str *out);
/* Replaces the memory with a saved one. Fails with ERR_INVALID and leaves *memory alone if
 * entropy_memory_save() did not write the bytes. */
ATTR_MUST_USE bool entropy_memory_load(struct entropy_memory *memory, const void *bytes, size_t len,
                                       struct err *err);

/* One trajectory as a JSON row, and the verdict on it as another: the rows of `devs entropy`. Pure.
 *
 *   {"id": "x", "steps": [{"tool": "shell", "args": {"command": "make"}, "exit": 2,
 *    "output": "..."}, ...]}
 *   {"id":"x","verdict":"stuck","rung":"repeat","step":5,"identity":"...","why":"..."}
 *
 * `exit` -1: still running; other than 0: failed; missing: 0. Tool "message" with args.text: a
 * message of the agent. Tool "user", or a message with args.role "user": a person's message, which
 * begins a new segment. */

enum {
    ENTROPY_ROW_STEPS_MAX = 100000,
    ENTROPY_ROW_VALUES_MAX =
        650000, /* maximum values of a row; each takes about 200 bytes while parsed */
};

/* Appends the row of the highest verdict reached, with the first step (from 1) that has it, and a
 * line feed. Fails with ERR_INVALID if the row is invalid, or with ERR_LIMIT if it has more than
 * ENTROPY_ROW_VALUES_MAX values; then appends nothing. */
ATTR_MUST_USE bool entropy_row(const struct entropy_limits *limits, const struct str *row,
                               struct str *out, struct err *err);

#endif
