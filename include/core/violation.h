/*
 * violation.h - all errors of a JSON document.
 */
#ifndef DEVS_VIOLATION_H
#define DEVS_VIOLATION_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "str.h"

enum violation_code {
    VIOLATION_NOT_JSON,
    VIOLATION_NOT_OBJECT,
    VIOLATION_MISSING_FIELD,
    VIOLATION_WRONG_TYPE,
    VIOLATION_INVALID_VALUE,
    VIOLATION_KERNEL_MISMATCH,
    VIOLATION_OP_MISMATCH,
    VIOLATION_CODE_COUNT,
};

enum {
    VIOLATIONS_MAX = 100,      /* more are counted, not kept */
    VIOLATION_PATH_MAX = 1024, /* bytes of a path; longer ones are cut and end in "..." */
    VIOLATION_TEXT_MAX = 1024, /* of each of the other texts; longer ones are cut, too */
    VIOLATIONS_ALIKE_MAX = 3,  /* lines of the same mistake shown to people, plus one */
};

struct violation {
    enum violation_code code;
    char *path;     /* owned; a JSON Pointer: "/tasks/2/steps/0/phase", "" for the whole */
    char *message;  /* owned */
    char *expected; /* owned; may be NULL */
    char *actual;   /* owned; may be NULL */
};

/* Zero-initialized: empty. */
struct violations {
    struct violation *items;
    size_t count;
    size_t cap;
    size_t dropped; /* number beyond VIOLATIONS_MAX */
    bool mismatch;  /* one of them, kept or dropped, is KERNEL_MISMATCH or OP_MISMATCH */
};

/* Returns "KERNEL_MISMATCH" and so on, as in the log. Static. */
const char *violation_code_name(enum violation_code code);

/* Copies its arguments; expected and actual may be NULL. */
void violations_add(struct violations *list, enum violation_code code, const char *path,
                    const char *message, const char *expected, const char *actual);

/* Returns true for the two codes that no repair fixes (requirement D3). */
bool violation_is_mismatch(enum violation_code code);

/* Appends the text as one line that cannot affect a terminal: controls as \u001b. */
void violation_add_visible(struct str *out, const char *text);

/* Returns the path for display: "(root)" for the whole. */
const char *violation_path_shown(const struct violation *violation);

/* Appends "[CODE] path: message (expected X, got Y)" and a line feed for each; the parenthesis
 * only if both are known. Then "... and 12 more" for dropped ones. */
void violations_display(const struct violations *list, struct str *out);

/* The same for people. Of a mistake in many places (same texts, and paths that differ only in
 * numbers) shows the first VIOLATIONS_ALIKE_MAX lines and "... and 97 more like this, at
 * /tasks/N/id", if that saves a line. */
void violations_display_brief(const struct violations *list, struct str *out);

/* Frees the list, which is empty afterwards. */
void violations_done(struct violations *list);

/* Moves the violations of `more` into `list`, both in document order; `more` is empty
 * afterwards. At the same place, those of `list` come first. A value comes before its contents,
 * a missing key after the existing ones. Without a document, appends `more`. */
void violations_merge(struct violations *list, struct violations *more,
                      const struct json *document);

#endif
