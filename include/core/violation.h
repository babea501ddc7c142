/*
 * violation.h - what is wrong with a JSON document, all of it at once.
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
    VIOLATION_TEXT_MAX = 1024, /* of each of the other texts, likewise */
    VIOLATIONS_ALIKE_MAX = 3,  /* lines of one and the same mistake for people, and one more */
};

struct violation {
    enum violation_code code;
    char *path;     /* owned; a JSON Pointer: "/tasks/2/steps/0/phase", "" for the whole */
    char *message;  /* owned */
    char *expected; /* owned; NULL where not known */
    char *actual;   /* owned; NULL where not known */
};

/* All zero is empty. */
struct violations {
    struct violation *items;
    size_t count;
    size_t cap;
    size_t dropped; /* past VIOLATIONS_MAX */
    bool mismatch;  /* one of them, kept or dropped, is KERNEL_MISMATCH or OP_MISMATCH */
};

/* "KERNEL_MISMATCH": as the log and programs have it. Static. */
const char *violation_code_name(enum violation_code code);

/* Copies what it is given; expected and actual may be NULL. */
void violations_add(struct violations *list, enum violation_code code, const char *path,
                    const char *message, const char *expected, const char *actual);

/* Is it one of the two that no repair mends (requirement D3)? */
bool violation_is_mismatch(enum violation_code code);

/* Append the text so that it stays one line and cannot steer a terminal: controls as \u001b. */
void violation_add_visible(struct str *out, const char *text);

/* How the path is shown: itself, "(root)" for the whole. */
const char *violation_path_shown(const struct violation *violation);

/* "[CODE] path: message (expected X, got Y)" and a line feed for each; the
 * parenthesis only when both are known; "... and 12 more" for those dropped. */
void violations_display(const struct violations *list, struct str *out);

/* The same for people: of a mistake that is made in many places (the path is the same but for
 * numbers, and all other texts are) the first VIOLATIONS_ALIKE_MAX lines and "... and 97 more like
 * this, at /tasks/N/id", where that saves a line. */
void violations_display_brief(const struct violations *list, struct str *out);

/* Frees what the list holds; an empty one afterwards. */
void violations_done(struct violations *list);

/* Moves the violations of `more` into `list`; `more` is empty afterwards. Both are in document
 * order, and so is the result; of two at the same place the one from `list` comes first. A value
 * comes before its contents, a missing key after the existing ones. Without a document `more` is
 * appended.
 */
void violations_merge(struct violations *list, struct violations *more,
                      const struct json *document);

#endif
