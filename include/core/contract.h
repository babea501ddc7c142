/*
 * contract.h - contracts, which say what an agent's output must look like (JSON Schema, draft
 * 2020-12), and violations, the errors of any JSON document.
 *
 * A contract is compiled once and immutable, so threads may share it. docs/contracts.md lists the
 * supported keywords; any other keyword is an error when the contract is loaded, so that nothing
 * is silently ignored. The rules are those of https://json-schema.org/draft/2020-12/json-schema-
 * core and ...-validation.
 *
 * Numbers are compared as decimals: 1, 1.0 and 1e0 are equal, and 0.3 is a multiple of 0.1.
 * Lengths count code points.
 */
#ifndef DEVS_CONTRACT_H
#define DEVS_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "json.h"
#include "str.h"

/*
 * Violations: all errors of a JSON document, in document order.
 */

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
    VIOLATIONS_MAX = 100,      /* maximum number kept; further ones are only counted */
    VIOLATION_PATH_MAX = 1024, /* maximum bytes of a path; longer ones are cut and end in "..." */
    VIOLATION_TEXT_MAX =
        1024, /* maximum bytes of each other string; longer strings are cut as well */
    VIOLATIONS_ALIKE_MAX =
        3, /* maximum lines of the same error shown to people, plus one for the rest */
};

struct violation {
    enum violation_code code;
    char *path;     /* owned; a JSON Pointer: "/tasks/2/steps/0/phase", "" for the whole document */
    char *message;  /* owned */
    char *expected; /* owned; may be NULL */
    char *actual;   /* owned; may be NULL */
};

/* Zero-initialized: empty. */
struct violations {
    struct violation *items;
    size_t count;
    size_t cap;
    size_t dropped; /* number of violations beyond VIOLATIONS_MAX */
    bool mismatch;  /* a violation, kept or dropped, is KERNEL_MISMATCH or OP_MISMATCH */
};

/* Returns "KERNEL_MISMATCH" and so on, as in the log. Static. */
const char *violation_code_name(enum violation_code code);

/* Copies its arguments; expected and actual may be NULL. */
void violations_add(struct violations *list, enum violation_code code, const char *path,
                    const char *message, const char *expected, const char *actual);

/* Returns true for the two codes that no repair fixes (requirement D3). */
bool violation_is_mismatch(enum violation_code code);

/* Appends the text as one line that cannot affect a terminal: escapes control characters, for
 * example as \u001b. */
void violation_add_visible(struct str *out, const char *text);

/* Appends "message (expected X, got Y)"; the part in parentheses only if both are known. */
void violation_add_text(struct str *out, const struct violation *violation);

/* Returns the path for display: "(root)" for the whole document. Borrowed. */
const char *violation_path_shown(const struct violation *violation);

/* Appends "[CODE] path: message (expected X, got Y)" and a line feed for each violation, with the
 * part in parentheses only if both are known; then "... and 12 more" if some were dropped. */
void violations_display(const struct violations *list, struct str *out);

/* Like violations_display(), but if an error occurs in many places (same strings, paths that differ
 * only in numbers), shows only the first VIOLATIONS_ALIKE_MAX lines and "... and 97 more like this,
 * at /tasks/N/id", if that saves a line. */
void violations_display_brief(const struct violations *list, struct str *out);

/* Frees the contents of the list and leaves it empty. */
void violations_done(struct violations *list);

/* Moves the violations of `more` into `list`; both must be in document order. `more` is empty
 * afterwards. At the same place, violations of `list` come first. A value comes before its
 * contents, a missing key after the existing keys. If `document` is NULL, appends `more`. */
void violations_merge(struct violations *list, struct violations *more,
                      const struct json *document);

enum {
    CONTRACT_BYTES_MAX = 1024 * 1024, /* maximum bytes of the text of a contract */
    CONTRACT_SCHEMAS_MAX = 20000,     /* maximum schemas in a contract, including itself */
    CONTRACT_NESTING_MAX = 200,       /* maximum nested schemas */
    CONTRACT_INSTANCE_MAX = 4 << 20,  /* maximum bytes of a text to check */
    CONTRACT_CHECK_DEPTH_MAX = 1500,  /* maximum nested schemas and values during a check */
    CONTRACT_STEPS_MAX =
        20 * 1000 * 1000, /* limit of contract_check(): steps, such as applied schemas */
    CONTRACT_TEXT_STEPS_MAX =
        1000 * 1000 /* limit of contract_check_text(); takes at most about 0.2 s */
};

struct contract;

/* Compiles a contract. On success the caller calls contract_free(). Otherwise adds all errors to
 * `wrong`, with JSON Pointers into the contract. */
ATTR_MUST_USE bool contract_load(const char *text, size_t len, struct contract **out,
                                 struct violations *wrong);
/* Like contract_load(), for a contract within another document. Copies the value. */
ATTR_MUST_USE bool contract_load_json(const struct json *schema, struct contract **out,
                                      struct violations *wrong);

/* Checks a JSON text for errors that no schema can express. Returns false and adds the errors. */
typedef bool contract_text_fn(const void *ctx, const char *text, size_t len,
                              struct violations *wrong);
/* Makes a contract that consists of this check alone, for contract_check_text(); contract_check()
 * accepts any value. Borrows `ctx`. The caller calls contract_free(). */
void contract_for_text(contract_text_fn *check, const void *ctx, struct contract **out);

/* If one Markdown code fence encloses the whole text and the contract was made by
 * contract_for_text(), narrows the text to the contents of the fence. contract_check_text() does
 * the same. */
void contract_unfence(const struct contract *contract, const char **text, size_t *len);

/* May be NULL. */
void contract_free(struct contract *contract);

/* Returns the number of schemas, including the contract itself. A schema takes about 1 KB of
 * memory. */
size_t contract_schema_count(const struct contract *contract);

/* Checks a value. Adds all errors to `wrong` in document order, and at the same place in the order
 * of the contract. Paths are JSON Pointers into the value; the path of a MISSING_FIELD names the
 * missing field. If a limit stops the check, the first violation says so. The limits suit large
 * documents and trusted contracts. */
ATTR_MUST_USE bool contract_check(const struct contract *contract, const struct json *value,
                                  struct violations *wrong);

/* Like contract_check(), for a value parsed from a text of `len` bytes; saves counting the
 * values. */
ATTR_MUST_USE bool contract_check_read(const struct contract *contract, const struct json *value,
                                       size_t len, struct violations *wrong);

/* Like contract_check(), for untrusted text, which must contain nothing but JSON. The limits bound
 * the time for any text and contract. If there is other text around JSON, NOT_JSON says where the
 * JSON begins. On success, stores the value in *value, which the caller frees, unless `value` is
 * NULL. */
ATTR_MUST_USE bool contract_check_text(const struct contract *contract, const char *text,
                                       size_t len, struct json **value, struct violations *wrong);

#endif
