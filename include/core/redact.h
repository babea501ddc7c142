/* redact.h - cuts secrets out of text before it is written anywhere. Pure.
 *
 * Secrets are:
 * - The values of variables, in the environment and in the plan's `env`, whose names imply a secret
 *   (redact_name_is_secret() and the setting `names`), and known tokens in the values of other
 *   variables and in strings of the plan. A value needs at least REDACT_VALUE_MIN bytes and must
 *   not
 *   obviously be something else (a path, a short number, one repeated character). Values are found
 *   raw, as base64 (both alphabets, anywhere in a longer text), as hex, and escaped once or twice
 *   in the notations of redact_internal.h. If a value has several lines, each line is found, too.
 * - Text in the form of a known token (docs/secrets.md has the table).
 * - Text that a pattern in the settings matches within a line; if the pattern has groups, the text
 *   of the first group that took part in the match.
 *
 * `[cut:NAME]` replaces a secret; NAME is the name of the variable, the form or the pattern.
 * Overlapping cuts become one, named after the one that begins first.
 *
 * A redactor does not change once it is open, so any thread may use it, with its own streams. */
#ifndef DEVS_REDACT_H
#define DEVS_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum {
    REDACT_VALUE_MIN = 8,     /* minimum bytes; shorter values cannot be told from ordinary text */
    REDACT_VALUES_MAX = 2048, /* maximum values, including lines of values */
    REDACT_BYTES_MAX = 128 * 1024, /* maximum bytes of all values together */
    REDACT_PATTERNS_MAX = 64,      /* maximum patterns in the settings */
    REDACT_LINE_MAX = 16 * 1024, /* maximum bytes of a line that patterns see at once; longer lines
                                    are searched in windows that overlap by half */
    REDACT_HOLD_MAX = 64 * 1024, /* maximum bytes that a stream holds back */
    REDACT_SINK_MAX = 64 * 1024, /* maximum bytes given to a sink at once */
    REDACT_NAME_MAX = 64,        /* maximum bytes of NAME; longer names are cut */
    REDACT_COUNTED_MAX = 64,     /* maximum names listed by redact_counts_lines() */
};

/* A pattern in the settings. */
struct redact_pattern {
    char *name;  /* owned */
    char *regex; /* owned; PCRE2 */
};

/* The settings for secrets. Zero-initialized: nothing. Lists may be NULL and are NULL-terminated. A
 * name may end in '*', which matches a prefix. */
struct secret_settings {
    char **names; /* owned; variables that are secret, whatever the value looks like */
    char **keep;  /* owned; variables, forms and patterns that are not secret */
    struct redact_pattern *patterns; /* owned */
    size_t pattern_count;
};
/* Frees the settings. */
void secret_settings_done(struct secret_settings *settings);

struct plan;
struct redactor;

/* Sources of secrets. Borrowed for the call; each member may be NULL. */
struct redact_setting {
    char *const *environment; /* "NAME=value", NULL-terminated */
    const struct plan
        *plan; /* the plan; the `env` of its steps and tokens in its strings are sources */
    const struct secret_settings *settings;
};

/* Makes a redactor. Fails with ERR_INVALID for an invalid pattern, and with ERR_LIMIT for too many
 * secrets; the message contains only names. The caller calls redactor_close(). */
ATTR_MUST_USE bool redactor_open(struct redactor **out, const struct redact_setting *setting,
                                 struct err *err);
/* Overwrites and frees the redactor, which may be NULL. All its streams must be closed. */
void redactor_close(struct redactor *redactor);

/* Returns true if the value of this variable is cut, or would be if it were long enough. For lists
 * of names. If `redactor` is NULL, the name alone decides. */
bool redactor_hides(const struct redactor *redactor, const char *name);
/* Returns true if the variable's name implies a secret value. */
bool redact_name_is_secret(const char *name);

/* Numbers of cuts by name. Zero-initialized: empty. */
struct redact_counts {
    int64_t all;
    int64_t *by_name; /* owned; indexed like redactor_name() */
    size_t size;
};
/* Frees the counts. */
void redact_counts_done(struct redact_counts *counts);
/* Adds the counts of `more`, by name. */
void redact_counts_add(struct redact_counts *counts, const struct redact_counts *more);
/* Writes lines such as "3 NAME" in the order of redactor_name(); names after the first
 * REDACT_COUNTED_MAX are summed up as "...". */
void redact_counts_lines(const struct redactor *redactor, const struct redact_counts *counts,
                         struct str *out);
/* Returns how many different names marks may have. */
size_t redactor_name_count(const struct redactor *redactor);
/* Returns name number `index`. Owned by the redactor. */
const char *redactor_name(const struct redactor *redactor, size_t index);

/* A stream of bytes, in pieces of any size; the result does not depend on where pieces end.
 * Belongs to one thread at a time. */
struct redact_stream;

/* Receives redacted bytes; len is 1..REDACT_SINK_MAX. */
typedef void redact_sink_fn(void *ctx, const char *bytes, size_t len);

/* Borrows `redactor` until the stream is closed; if it is NULL, nothing is cut. The caller calls
 * redact_stream_close(). */
void redact_stream_open(struct redact_stream **out, const struct redactor *redactor);
/* Overwrites and frees the stream, which may be NULL. */
void redact_stream_close(struct redact_stream *stream);

/* Adds bytes. Holds back bytes that may begin a secret, at most REDACT_HOLD_MAX, and, if the
 * settings have patterns, the unfinished line. */
void redact_stream_add(struct redact_stream *stream, const char *bytes, size_t len,
                       redact_sink_fn *sink, void *ctx);
/* Ends the stream and writes the bytes held back. Cuts an unfinished value as well, if at least
 * REDACT_VALUE_MIN bytes of it have arrived. Another stream may follow, which adds to the same
 * counts. */
void redact_stream_end(struct redact_stream *stream, redact_sink_fn *sink, void *ctx);
/* Returns the counts so far. Owned by the stream. */
const struct redact_counts *redact_stream_counts(const struct redact_stream *stream);

/* Redacts a whole text and appends it to *out. Adds to *counts, which may be NULL. If `redactor` is
 * NULL, copies the text. */
void redact_text(const struct redactor *redactor, const char *bytes, size_t len, struct str *out,
                 struct redact_counts *counts);
/* Returns a redacted copy of a NUL-terminated string; NULL for NULL. The caller frees. */
ATTR_MUST_USE char *redact_string(const struct redactor *redactor, const char *text,
                                  struct redact_counts *counts);

/* Replaces marks with the values of the variables that they name, if these exist in `environment`
 * ("NAME=value", NULL-terminated). Appends to *out. Returns true if no mark is left. For resuming a
 * plan from the log. */
bool redact_restore(const char *text, char *const *environment, struct str *out);
/* Copies the name of the first mark in the text. Returns false if there is none. */
bool redact_find_mark(const char *text, char name[REDACT_NAME_MAX + 1]);

#endif
