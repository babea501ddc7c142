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

/* Appends "message (expected X, got Y)"; the parenthesis only if both are known. */
void violation_add_text(struct str *out, const struct violation *violation);

/* Returns the path for display: "(root)" for the whole. */
const char *violation_path_shown(const struct violation *violation);

/* Appends "[CODE] path: message (expected X, got Y)" and a line feed for each; the parenthesis
 * only if both are known. Then "... and 12 more" for dropped ones. */
void violations_display(const struct violations *list, struct str *out);

/* Like violations_display(), for people. Of a mistake in many places (same texts, and paths that
 * differ only in numbers) shows the first VIOLATIONS_ALIKE_MAX lines and "... and 97 more like
 * this, at /tasks/N/id", if that saves a line. */
void violations_display_brief(const struct violations *list, struct str *out);

/* Frees the list, which is empty afterwards. */
void violations_done(struct violations *list);

/* Moves the violations of `more` into `list`, both in document order; `more` is empty
 * afterwards. At the same place, those of `list` come first. A value comes before its contents,
 * a missing key after the existing ones. Without a document, appends `more`. */
void violations_merge(struct violations *list, struct violations *more,
                      const struct json *document);

enum {
    CONTRACT_BYTES_MAX = 1024 * 1024,      /* of a contract's text */
    CONTRACT_SCHEMAS_MAX = 20000,          /* schemas in a contract, including itself */
    CONTRACT_NESTING_MAX = 200,            /* nested schemas */
    CONTRACT_INSTANCE_MAX = 4 << 20,       /* bytes of a checked text */
    CONTRACT_CHECK_DEPTH_MAX = 1500,       /* nested schemas and values during a check */
    CONTRACT_STEPS_MAX = 20 * 1000 * 1000, /* of contract_check(): applied schemas and the like */
    CONTRACT_TEXT_STEPS_MAX = 1000 * 1000  /* of contract_check_text(); at most about 0.2 s */
};

struct contract;

/* Compiles a contract. On success the caller calls contract_free(). Otherwise adds all errors to
 * `wrong`, with JSON Pointers into the contract. */
ATTR_MUST_USE bool contract_load(const char *text, size_t len, struct contract **out,
                                 struct violations *wrong);
/* Like contract_load(), for a contract within another document. Copies the value. */
ATTR_MUST_USE bool contract_load_json(const struct json *schema, struct contract **out,
                                      struct violations *wrong);

/* Checks a JSON text for what no schema can express. Returns false and adds the errors. */
typedef bool contract_text_fn(const void *ctx, const char *text, size_t len,
                              struct violations *wrong);
/* Makes a contract of such a check alone, for contract_check_text(); contract_check() accepts
 * any value. Borrows `ctx`. The caller calls contract_free(). */
void contract_for_text(contract_text_fn *check, const void *ctx, struct contract **out);

/* Narrows the text to what is inside if one Markdown code fence encloses all of it and the contract
 * is one of contract_for_text(). contract_check_text() does so, too. */
void contract_unfence(const struct contract *contract, const char **text, size_t *len);

/* May be NULL. */
void contract_free(struct contract *contract);

/* Returns the number of schemas, including the contract itself. A schema takes about 1 KB of
 * memory. */
size_t contract_schema_count(const struct contract *contract);

/* Checks a value. Adds all errors to `wrong` in document order, and at one place in the order of
 * the contract. Paths are JSON Pointers into the value; that of MISSING_FIELD names the field.
 * If a limit stops the check, that is the first violation. The limits are those for large
 * documents and trusted contracts. */
ATTR_MUST_USE bool contract_check(const struct contract *contract, const struct json *value,
                                  struct violations *wrong);

/* Like contract_check(), for a value read from a text of so many bytes, which saves counting. */
ATTR_MUST_USE bool contract_check_read(const struct contract *contract, const struct json *value,
                                       size_t len, struct violations *wrong);

/* Like contract_check(), for untrusted text, which must be only JSON, with limits that bound the
 * time whatever text and contract are. NOT_JSON tells where JSON begins if there is other text
 * around it. `value` may be NULL; else it gets the value on success, which the caller frees. */
ATTR_MUST_USE bool contract_check_text(const struct contract *contract, const char *text,
                                       size_t len, struct json **value, struct violations *wrong);

#endif
