/*
 * entropy_memory.h - makes a fact of a step: what its result brings that was not
 * known before.
 *
 * Told what is called, fed with the normalised lines while they come, told how it
 * ended. Keeps bounded tables of lines, shapes of lines and calls of the present
 * segment (oldest out); grown as needed, so that one of a task with a single attempt
 * is small. Owned by one thread at a time. The tables can be saved and loaded, so that
 * a run taken up again knows what it knew.
 */
#ifndef DEVS_ENTROPY_MEMORY_H
#define DEVS_ENTROPY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "entropy.h"
#include "err.h"

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
 * call. How the call key is made is in src/core/loops/entropy_call.h. */
void entropy_memory_begin_call(struct entropy_memory *memory, const char *tool,
                               const struct json *args);
/* Words of an agent between its calls. No lines follow. */
void entropy_memory_begin_message(struct entropy_memory *memory, const char *text, size_t len);
/* An attempt of ours: the call's digest is ready-made. */
void entropy_memory_begin_attempt(struct entropy_memory *memory, struct digest call);

/* The call's own words, which count for nothing in the message of a failing step: for
 * normaliser_open(). Borrowed until the next step begins; NULL where there are none. */
const struct normaliser_words *entropy_memory_words(const struct entropy_memory *memory);

/* The next line of the result. */
void entropy_memory_line(struct entropy_memory *memory, const struct normaliser_line *line);
/* All of a text's lines, normalised. More texts may follow: each ends its last line. */
void entropy_memory_text(struct entropy_memory *memory, const char *bytes, size_t len);
struct fingerprint_line;
/* The same from a fingerprint, which has hashed it. */
void entropy_memory_hashed_line(struct entropy_memory *memory, const struct fingerprint_line *line);

/* How the step ended. */
struct entropy_end {
    bool failed;
    bool running;         /* it is not over: what came is a part */
    bool transient;       /* failed of something that passes by itself: counts as a look */
    struct digest result; /* of an attempt: its fingerprint, which knows JSON from text; unknown:
                             the lines are the result */
};

/* The step is over: its fact. A memory can be closed or begin another step without
 * it; such a step leaves no fact, what it taught stays known. */
void entropy_memory_end(struct entropy_memory *memory, const struct entropy_end *end,
                        struct entropy_fact *out);

/* A person's word: forget all but the limits. */
void entropy_memory_reset(struct entropy_memory *memory);

/* What masking did, for the record of a stop. A plain value. */
struct entropy_sample {
    unsigned masks; /* normaliser bits of all lines of the step */
    int count;      /* of the lines below: the first that were masked */
    struct {
        char raw[ENTROPY_SAMPLE_BYTES];    /* as it came, cut, NUL-terminated */
        char normal[ENTROPY_SAMPLE_BYTES]; /* normalised */
    } lines[ENTROPY_SAMPLE_LINES];
};

/* Of the last step that brought something new. Borrowed, valid until the next step begins; NULL
 * while there is none. */
const struct entropy_sample *entropy_memory_first(const struct entropy_memory *memory);
/* The same of the last step. */
const struct entropy_sample *entropy_memory_last(const struct entropy_memory *memory);

/* Append the tables as bytes, the newest entries first to be kept, at most
 * ENTROPY_BLOB_BYTES_MAX. Not while a step is under way. */
void entropy_memory_save(const struct entropy_memory *memory, struct str *out);
/* Take the place of what is known. ERR_INVALID, and *memory unchanged, for bytes that
 * entropy_memory_save() did not write. */
ATTR_MUST_USE bool entropy_memory_load(struct entropy_memory *memory, const void *bytes, size_t len,
                                       struct err *err);

#endif
