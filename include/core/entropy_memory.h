/*
 * entropy_memory.h - the memory of a task: makes the fact of a step, which tells what is new in
 * its result.
 *
 * It gets the call, then the normalised lines as they arrive, then the end. It keeps bounded
 * tables of lines, shapes of lines and calls of the current segment, and drops the oldest
 * entries. Tables grow as needed, so a task with a single attempt needs little memory. Owned by
 * one thread at a time. The tables can be saved and loaded for a run that is resumed.
 */
#ifndef DEVS_ENTROPY_MEMORY_H
#define DEVS_ENTROPY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "entropy.h"
#include "entropy_limits.h"
#include "err.h"
#include "str.h"

struct json;
struct normaliser_line;
struct normaliser_words;
struct str;

enum {
    ENTROPY_LINES_MAX = 16384,           /* lines that are remembered */
    ENTROPY_SAMPLE_MAX = 4096,           /* lines of the sample that stands for long results */
    ENTROPY_SHAPES_MAX = 2048,           /* shapes of lines, the same */
    ENTROPY_CALLS_MAX = 4096,            /* calls, the same */
    ENTROPY_BLOB_BYTES_MAX = 384 * 1024, /* a memory that is saved is no larger */
    ENTROPY_SAMPLE_LINES = 4,            /* lines of a sample */
    ENTROPY_SAMPLE_BYTES = 240,          /* bytes of such a line, NUL counted */
};

struct entropy_memory;

/* `limits` are copied. The caller ends *out with entropy_memory_close(). */
void entropy_memory_open(struct entropy_memory **out, const struct entropy_limits *limits);
/* NULL is allowed. */
void entropy_memory_close(struct entropy_memory *memory);

/* A step begins. One of these, then lines, then entropy_memory_end(). */

/* A call of a tool with its arguments (an object; NULL: none), both borrowed for the
 * call. How the call key is made is in src/core/loops/entropy_call.c. */
void entropy_memory_begin_call(struct entropy_memory *memory, const char *tool,
                               const struct json *args);
/* Words of an agent between its calls. No lines follow. */
void entropy_memory_begin_message(struct entropy_memory *memory, const char *text, size_t len);
/* An attempt of ours, whose call digest is known. */
void entropy_memory_begin_attempt(struct entropy_memory *memory, struct digest call);

/* Returns the call's own words, which do not count in the message of a failing step; for
 * normaliser_open(). Borrowed until the next step begins; may be NULL. */
const struct normaliser_words *entropy_memory_words(const struct entropy_memory *memory);

/* Adds the next line of the result. */
void entropy_memory_line(struct entropy_memory *memory, const struct normaliser_line *line);
/* Adds all lines of a text, normalised. Each text ends its last line. */
void entropy_memory_text(struct entropy_memory *memory, const char *bytes, size_t len);
struct fingerprint_line;
/* Like entropy_memory_line(), for a line that a fingerprint has hashed. */
void entropy_memory_hashed_line(struct entropy_memory *memory, const struct fingerprint_line *line);

/* How the step ended. */
struct entropy_end {
    bool failed;
    bool running;         /* not over: the result is partial */
    bool transient;       /* failed of something temporary: counts as a poll */
    struct digest result; /* of an attempt: its fingerprint, which tells JSON from text; unknown:
                             the lines are the result */
};

/* Ends the step and returns its fact. The memory may also be closed, or begin another step,
 * without this; such a step leaves no fact, but what it taught is kept. */
void entropy_memory_end(struct entropy_memory *memory, const struct entropy_end *end,
                        struct entropy_fact *out);

/* A person has answered: forgets everything but the limits. */
void entropy_memory_reset(struct entropy_memory *memory);

/* What masking did, for the report of a stop. A plain value. */
struct entropy_sample {
    unsigned masks; /* normaliser bits of all lines of the step */
    int count;      /* number of lines below: the first masked ones */
    struct {
        char raw[ENTROPY_SAMPLE_BYTES];    /* original, cut, NUL-terminated */
        char normal[ENTROPY_SAMPLE_BYTES]; /* normalised */
    } lines[ENTROPY_SAMPLE_LINES];
};

/* Returns the sample of the last step with news. Borrowed until the next step begins; NULL if
 * there is none. */
const struct entropy_sample *entropy_memory_first(const struct entropy_memory *memory);
/* The same for the last step. */
const struct entropy_sample *entropy_memory_last(const struct entropy_memory *memory);

/* Appends the tables as bytes, at most ENTROPY_BLOB_BYTES_MAX; drops the oldest entries if
 * needed. Not during a step. */
void entropy_memory_save(const struct entropy_memory *memory, struct str *out);
/* Replaces the memory by a saved one. Fails with ERR_INVALID and leaves *memory alone if
 * entropy_memory_save() did not write the bytes. */
ATTR_MUST_USE bool entropy_memory_load(struct entropy_memory *memory, const void *bytes, size_t len,
                                       struct err *err);

/*
 * One trajectory as a JSON row, and the verdict on it as another: what `devs entropy` reads and
 * writes. Pure.
 *
 *   {"id": "x", "steps": [{"tool": "shell", "args": {"command": "make"}, "exit": 2,
 *    "output": "..."}, ...]}
 *   {"id":"x","verdict":"stuck","rung":"repeat","step":5,"identity":"...","why":"..."}
 *
 * `exit` -1: still running; other than 0: failed; missing: 0. Tool "message" with args.text:
 * words of the agent. Tool "user", or a message with args.role "user": a person's word, a new
 * segment begins.
 */

enum {
    ENTROPY_ROW_STEPS_MAX = 100000,
    ENTROPY_ROW_VALUES_MAX = 650000, /* values of a row; each takes about 200 bytes while parsed */
};

/* Appends the row of the highest verdict reached, with the first step (from 1) that has it, and
 * a line feed. Fails with ERR_INVALID and appends nothing if the row is invalid. */
ATTR_MUST_USE bool entropy_row(const struct entropy_limits *limits, const struct str *row,
                               struct str *out, struct err *err);

/* Reads thresholds from a JSON object; missing ones stay as they are. `text` is NUL-terminated.
 * Fails with ERR_INVALID and leaves *limits alone otherwise. */
ATTR_MUST_USE bool entropy_limits_read(struct entropy_limits *limits, const char *text,
                                       struct err *err);

#endif
