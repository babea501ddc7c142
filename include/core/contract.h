/*
 * contract.h - what an agent's output must look like: a JSON Schema, draft 2020-12.
 *
 * A contract is compiled once and does not change; threads may share it. The keywords
 * that it understands are listed in docs/contracts.md; any other one is an error when
 * the contract is loaded, so that nothing in it is silently ignored. Rules are those of
 * https://json-schema.org/draft/2020-12/json-schema-core and ...-validation.
 *
 * Numbers are compared as decimals: 1, 1.0 and 1e0 are one number, and 0.3 is a
 * multiple of 0.1. Lengths count code points.
 */
#ifndef DEVS_CONTRACT_H
#define DEVS_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "json.h"
#include "violation.h"

enum {
    CONTRACT_BYTES_MAX = 1024 * 1024,      /* of a contract's text */
    CONTRACT_SCHEMAS_MAX = 20000,          /* schemas within a contract, itself included */
    CONTRACT_NESTING_MAX = 200,            /* schemas within each other */
    CONTRACT_INSTANCE_MAX = 4 << 20,       /* bytes of a text that is checked */
    CONTRACT_CHECK_DEPTH_MAX = 1500,       /* schemas and values within each other at a check */
    CONTRACT_STEPS_MAX = 20 * 1000 * 1000, /* of contract_check(): schemas applied, and the like */
    CONTRACT_TEXT_STEPS_MAX = 1000 * 1000  /* of contract_check_text(), about 0.2 s at most */
};

struct contract;

/* Compile a contract. On success the caller ends *out with contract_free(). False: what is
 * wrong was added to `wrong`, all of it; its paths are JSON Pointers into the contract. */
ATTR_MUST_USE bool contract_load(const char *text, size_t len, struct contract **out,
                                 struct violations *wrong);
/* The same for a contract that is part of another document. The value is copied. */
ATTR_MUST_USE bool contract_load_json(const struct json *schema, struct contract **out,
                                      struct violations *wrong);

/* What no schema can say of a text that is JSON: false, and what is wrong is added. */
typedef bool contract_text_fn(const void *ctx, const char *text, size_t len,
                              struct violations *wrong);
/* A contract of such a check alone, for contract_check_text(); to contract_check() any value
 * fits. `ctx` is borrowed. The caller ends *out with contract_free(). */
void contract_for_text(contract_text_fn *check, const void *ctx, struct contract **out);

/* Narrows the text to what is inside if one Markdown code fence encloses all of it and the contract
 * is one of contract_for_text(). contract_check_text() does so, too. */
void contract_unfence(const struct contract *contract, const char **text, size_t *len);

/* NULL is allowed. */
void contract_free(struct contract *contract);

/* How many schemas it is made of, itself included. A schema takes about 1 KB of memory. */
size_t contract_schema_count(const struct contract *contract);

/* Does the value fit? If not, all that is wrong is added to `wrong` in the order of the document;
 * of one place in the order of the contract. Paths are JSON Pointers into the value; that of
 * MISSING_FIELD names the field. What a limit keeps from being checked is a violation too, the
 * first one then. The limits are those for large documents and contracts of our own. */
ATTR_MUST_USE bool contract_check(const struct contract *contract, const struct json *value,
                                  struct violations *wrong);

/* The same for a value that was read from a text of so many bytes, which need not be counted. */
ATTR_MUST_USE bool contract_check_read(const struct contract *contract, const struct json *value,
                                       size_t len, struct violations *wrong);

/* The same for a text that others wrote, which must be JSON and nothing else, with limits that
 * give the answer soon, whatever text and contract are. NOT_JSON says where JSON begins in a text
 * that has something around it. `value` may be NULL; if not, it gets the value on success, which
 * the caller frees. */
ATTR_MUST_USE bool contract_check_text(const struct contract *contract, const char *text,
                                       size_t len, struct json **value, struct violations *wrong);

#endif
