/*
 * redact.h - secrets are cut out of text before anything is written. Pure.
 *
 * What counts as one:
 * - The value of a variable whose name says so (redact_name_is_secret(), the setting's
 *   `names`), of the environment and of the plan's `env`; and what has the form of a known
 *   token in the value of any other variable or in a text of the plan. At least REDACT_VALUE_MIN
 * bytes, and not something that is plainly none (a path, a short number, one character again and
 * again). Each value is found raw, as base64 (both alphabets, at any place of a longer text), as
 * hex, and escaped once or twice in the notations of redact_escape.h; one of several lines also
 * line by line.
 * - What has the form of a known token (the table is in docs/secrets.md).
 * - What a pattern of the settings matches within a line; if it has groups, the first one
 *   that took part.
 *
 * `[cut:NAME]` stands where it was: the variable's name, the form's, or the pattern's. Cuts
 * that overlap become one, named by the one that begins first.
 *
 * A redactor does not change once it is open: any thread may use it, with streams of its own.
 */
#ifndef DEVS_REDACT_H
#define DEVS_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum {
    REDACT_VALUE_MIN = 8,          /* bytes; a shorter value is no secret that can be told apart */
    REDACT_VALUES_MAX = 2048,      /* values, lines of values counted too */
    REDACT_BYTES_MAX = 128 * 1024, /* of all values together */
    REDACT_PATTERNS_MAX = 64,      /* patterns of the settings */
    REDACT_LINE_MAX = 16 * 1024,   /* bytes of a line that patterns see at once; a longer one is
                                      looked at in windows that overlap by half of it */
    REDACT_HOLD_MAX = 64 * 1024,   /* bytes that a stream holds back, whatever comes */
    REDACT_SINK_MAX = 64 * 1024,   /* bytes that a sink is given at once */
    REDACT_NAME_MAX = 64,          /* bytes of NAME; a longer one is cut */
    REDACT_COUNTED_MAX = 64,       /* names that redact_counts_json() tells apart */
};

/* A pattern of the settings. */
struct redact_pattern {
    char *name;  /* owned */
    char *regex; /* owned; PCRE2 */
};

/* What the settings say about secrets. All zero: nothing. Lists may be NULL, end with NULL. A
 * name may end in '*': all that begin so. */
struct secret_settings {
    char **names; /* owned; variables whose values are secrets, whatever they look like */
    char **keep;  /* owned; variables, forms and patterns that are none */
    struct redact_pattern *patterns; /* owned */
    size_t pattern_count;
};
/* Frees what the settings hold. */
void secret_settings_done(struct secret_settings *settings);

struct plan;
struct redactor;

/* All is borrowed for the call; each may be NULL. */
struct redact_setting {
    char *const *environment; /* "NAME=value", ends with NULL */
    const struct plan *plan;  /* its steps' `env`, and the tokens in its texts */
    const struct secret_settings *settings;
};

/* ERR_INVALID for a pattern that is none, ERR_LIMIT for more secrets than there may be; the
 * message holds names only. The caller ends *out with redactor_close(). */
ATTR_MUST_USE bool redactor_open(struct redactor **out, const struct redact_setting *setting,
                                 struct err *err);
/* Overwrites what it knew of the secrets. NULL is allowed. No stream of it may be left. */
void redactor_close(struct redactor *redactor);

/* Is the value of this variable cut, or would be if it were long enough? For lists of names.
 * NULL redactor: by the name alone. */
bool redactor_hides(const struct redactor *redactor, const char *name);
/* Does a variable's name say that its value is a secret? */
bool redact_name_is_secret(const char *name);

/* How often something was cut, by name. All zero is empty. */
struct redact_counts {
    int64_t all;
    int64_t *by_name; /* owned; the index is redactor_name()'s */
    size_t size;
};
/* The caller ends it with this. */
void redact_counts_done(struct redact_counts *counts);
/* Add what was counted elsewhere, by name. */
void redact_counts_add(struct redact_counts *counts, const struct redact_counts *more);
/* {"NAME":3,...} in the order of the table; what is past REDACT_COUNTED_MAX names is "...". */
void redact_counts_json(const struct redactor *redactor, const struct redact_counts *counts,
                        struct str *out);
/* The names that can be in a mark: 0 .. count - 1. */
size_t redactor_name_count(const struct redactor *redactor);
/* One of them; valid as long as the redactor. */
const char *redactor_name(const struct redactor *redactor, size_t index);

/* One stream of bytes, which may come in pieces of any size: where they end does not matter,
 * the same bytes come out. Belongs to one thread at a time. */
struct redact_stream;

/* Takes what may be written; len is 1..REDACT_SINK_MAX. */
typedef void redact_sink_fn(void *ctx, const char *bytes, size_t len);

/* `redactor` is borrowed until the end; NULL lets everything through. The caller ends *out with
 * redact_stream_close(). */
void redact_stream_open(struct redact_stream **out, const struct redactor *redactor);
/* Overwrites what it holds. NULL is allowed. */
void redact_stream_close(struct redact_stream *stream);

/* The next bytes. Held back is what may be the beginning of a secret, at most REDACT_HOLD_MAX
 * bytes; where the settings have patterns, the line that has not ended, too. */
void redact_stream_add(struct redact_stream *stream, const char *bytes, size_t len,
                       redact_sink_fn *sink, void *ctx);
/* The end: what was held back comes. The beginning of a value is cut like the value if it has
 * REDACT_VALUE_MIN bytes or more. Another stream may be added afterwards; counts go on. */
void redact_stream_end(struct redact_stream *stream, redact_sink_fn *sink, void *ctx);
/* Of all that came so far. Owned by the stream. */
const struct redact_counts *redact_stream_counts(const struct redact_stream *stream);

/* A whole text, at once: appends what may be written to *out. counts may be NULL, else they are
 * added to. NULL redactor: the text as it is. */
void redact_text(const struct redactor *redactor, const char *bytes, size_t len, struct str *out,
                 struct redact_counts *counts);
/* The same of a NUL-terminated text, as a new one; NULL of NULL. The caller frees. */
ATTR_MUST_USE char *redact_string(const struct redactor *redactor, const char *text,
                                  struct redact_counts *counts);

/* Marks in the text become the values that variables of these names have in `environment`
 * ("NAME=value", ends with NULL), where it has them. Appends to *out; true if no mark is left.
 * For going on with a plan out of the log. */
bool redact_restore(const char *text, char *const *environment, struct str *out);
/* The name in the first mark of the text, to name[REDACT_NAME_MAX + 1]; false if it has none. */
bool redact_find_mark(const char *text, char name[REDACT_NAME_MAX + 1]);

#endif
