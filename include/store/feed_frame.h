/*
 * feed_frame.h - the messages between `devs feed`, which reads a log, and a devs on another machine
 * that shows or collects it (docs/other-machines.md).
 *
 * The feed begins with a hello, a line of text. After it, both directions consist of frames: the
 * length of the payload (4 bytes, little endian), the kind (1 byte), the payload. A payload is a
 * list of values: a byte with the type, then nothing, a number (8 bytes, little endian) or the
 * length (4 bytes) and the bytes of a text or a blob. A table gives each kind its values and its
 * largest payload, so a frame that this module accepts has the right values. Pure; any thread.
 */
#ifndef DEVS_FEED_FRAME_H
#define DEVS_FEED_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "str.h"

enum {
    FEED_PROTOCOL = 1,
    FEED_HEADER_BYTES = 5,
    FEED_VALUES_MAX = 24,
    FEED_NOISE_MAX = 64 * 1024,        /* bytes before the hello that a login shell may print */
    FEED_VERSION_MAX = 80,             /* maximum bytes of a version, with its NUL */
    FEED_OUTPUT_MAX = 4 * 1024 * 1024, /* maximum bytes of a row of output */
    FEED_TEXTS_MAX = 24 * 1024 * 1024, /* maximum bytes of the row of a run, of a rule set */
};

/* The values of FEED_CONTROL. */
#define FEED_CONTROL_COLUMNS                                                                       \
    "run, id, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms, answer," \
    " done"

/* Never renumber: a new protocol has new numbers. */
enum feed_kind {
    FEED_NOTHING,

    /* to the feed */
    FEED_WATCH,   /* mode (enum feed_mode), run (0 = the current one) */
    FEED_HAVE,    /* run, uid, the last event: seq, at_ms, mono_ms (0 = none), the last output and
                     the last capture: their row ids there, wanted: with output */
    FEED_PENDING, /* run, control: report its answer */
    FEED_GO,      /* the end of these frames: the feed begins */
    FEED_WANT,    /* run: its output is wanted, too */
    FEED_AGAIN,   /* run: send its output again, from the beginning */
    FEED_ASK,     /* ticket, run, uid, verb, task, step, attempt, args, by, key_at_ms */
    FEED_BEAT,    /* nothing: the other side is there */

    /* from the feed */
    FEED_LOG,      /* current run, writable, why not, path of the log */
    FEED_RUN,      /* the columns of the row, see FEED_RUN_... */
    FEED_LISTED,   /* nothing: all runs were sent; only to collect */
    FEED_RULES,    /* hash, text */
    FEED_PLAN,     /* run, text */
    FEED_EVENT,    /* run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt,
                      data */
    FEED_OUTPUT,   /* run, id, task, step, attempt, stream, part, idx, offset, at_ms, bytes */
    FEED_CAPTURE,  /* run, id, task, step, attempt, at_ms, json */
    FEED_CONTROL,  /* FEED_CONTROL_COLUMNS */
    FEED_BOOKMARK, /* run, id, seq, at_ms, made_at_ms, name, by */
    FEED_OUTPUTS,  /* run, number of rows of output, sum of their bytes */
    FEED_SYNCED,   /* run, seq: all its events so far were sent; to collect, everything was */
    FEED_ALIVE,    /* run, whether a process owns it */
    FEED_STATE,    /* at_ms, mono_ms: the clocks there; what is wrong with the log, or "" */
    FEED_ASKED,    /* ticket, control (0 = refused), why */
    FEED_RESET,    /* run: the feed has a different run of that number, or other events */
    FEED_BYE,      /* nothing: everything that was wanted was sent */
    FEED_FAULT,    /* error code (err.h), message, hint: the feed ends */
    FEED_KIND_COUNT
};

enum feed_mode { FEED_FOLLOW, FEED_COLLECT, FEED_MODE_COUNT };

/* The values of FEED_RUN. */
enum feed_run_value {
    FEED_RUN_NUMBER,
    FEED_RUN_UID,
    FEED_RUN_ENDED = 13,
    FEED_RUN_LAST_SEQ = 15,
    FEED_RUN_VALUES = 22,
};

enum feed_type { FEED_NULL, FEED_NUMBER, FEED_TEXT, FEED_BLOB, FEED_TYPE_COUNT };

/* The bytes are borrowed. A text has no NUL inside; it is not terminated, and may be invalid
 * UTF-8. */
struct feed_value {
    enum feed_type type;
    int64_t number;
    const char *bytes;
    size_t len;
};

struct feed_message {
    enum feed_kind kind;
    size_t count;
    struct feed_value values[FEED_VALUES_MAX];
};

/* Returns the value null. */
struct feed_value feed_null(void);
/* Returns a number. */
struct feed_value feed_number(int64_t number);
/* Returns a text, which is borrowed. */
struct feed_value feed_text(const char *text);

/* Appends a frame. Returns false, and appends nothing, if the values do not have the shape of the
 * kind, or are too large: another program has written to the log. */
ATTR_MUST_USE bool feed_add(struct str *out, enum feed_kind kind, const struct feed_value *values,
                            size_t count);

enum feed_got { FEED_WHOLE, FEED_MORE, FEED_BAD };

/* Reads the frame at the beginning of the bytes. FEED_WHOLE: *out borrows the bytes, and *used is
 * the length of the frame. FEED_MORE: it is not whole yet. FEED_BAD: no valid continuation
 * exists. `from_feed` says which side has sent it. */
enum feed_got feed_read(const char *bytes, size_t len, bool from_feed, struct feed_message *out,
                        size_t *used);

/* Returns the number at this position, which must have one; `nothing` for null. */
int64_t feed_number_at(const struct feed_message *message, size_t at, int64_t nothing);
/* Appends the text at this position; nothing for null. */
void feed_text_at(const struct feed_message *message, size_t at, struct str *out);
/* Returns whether the text at this position equals this one. */
bool feed_text_is(const struct feed_message *message, size_t at, const char *text);

/* Appends the hello of this build. */
void feed_hello_add(const char *version, struct str *out);
/* Finds the hello after at most FEED_NOISE_MAX bytes of other lines. FEED_WHOLE: *used is the
 * number of bytes up to its end, *protocol and `version` are set. */
enum feed_got feed_hello_read(const char *bytes, size_t len, int64_t *protocol,
                              char version[FEED_VERSION_MAX], size_t *used);

#endif
