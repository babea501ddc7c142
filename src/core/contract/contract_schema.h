/*
 * contract_schema.h - a contract as it is compiled: one struct for each schema in it.
 *
 * Schemas belong to the contract and borrow from its document; they point to each other.
 */
#ifndef DEVS_CONTRACT_SCHEMA_H
#define DEVS_CONTRACT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract.h"
#include "contract_pattern.h"
#include "decimal.h"
#include "json.h"
#include "str.h"

enum { CONTRACT_CHAIN_MAX = 400 }; /* schemas that apply to one value, one through the other */

/* The types of JSON Schema, as bits. */
enum contract_type {
    CONTRACT_NULL = 1,
    CONTRACT_BOOLEAN = 2,
    CONTRACT_OBJECT = 4,
    CONTRACT_ARRAY = 8,
    CONTRACT_NUMBER = 16,
    CONTRACT_STRING = 32,
    CONTRACT_INTEGER = 64, /* a number that is whole: 1, 1.0, 1e3 */
};

struct contract_schema;

struct contract_list {
    struct contract_schema **items; /* owned array */
    size_t count;
};

/* Schemas by name, sorted by it. */
struct contract_table {
    struct contract_row {
        const char *key;
        struct contract_schema *schema;
    } * rows; /* owned */
    size_t count;
};

/* Schemas by pattern, in document order. */
struct contract_patterns {
    struct contract_patterned {
        struct contract_pattern *pattern; /* owned */
        struct contract_schema *schema;
    } * rows; /* owned */
    size_t count;
};

struct contract_bound {
    bool is_set;
    struct decimal value;
};

/* How many there may be, both inclusive. */
struct contract_range {
    int64_t min;
    int64_t max; /* INT64_MAX: any number */
};

struct contract_schema {
    const struct json *json; /* what was written, an object or a boolean */
    bool refuses_all;        /* the schema `false` */
    size_t resource;         /* index of the one that it is in */

    unsigned types; /* bits; 0: any */
    const struct json *constant;
    const struct json *choices; /* of enum */

    struct contract_bound minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;

    struct contract_range length;     /* in code points */
    struct contract_pattern *pattern; /* owned */

    struct contract_range elements;
    struct contract_list prefix_items;
    struct contract_schema *items;
    struct contract_schema *contains;
    struct contract_range contained; /* elements that fit `contains` */
    bool unique;

    struct contract_range members;
    const struct json *required;           /* names */
    const struct json *dependent_required; /* names by name */
    struct contract_table properties;
    struct contract_patterns patterns;
    struct contract_schema *additional;
    struct contract_schema *names;
    struct contract_table dependent_schemas;

    struct contract_list all_of, any_of, one_of;
    struct contract_schema *not_this;
    struct contract_schema *condition, *then_this, *else_this;
    struct contract_schema *target; /* of $ref */

    bool combines; /* other schemas apply to the same value */

    const char *reference; /* $ref as written, until the contract is loaded */
    char *pointer;         /* owned; where that is, for messages; NULL without $ref */
    int chain;             /* schemas that apply through this one; 0: not known yet */
};

/* A part of the document with a URI of its own: the whole, and each schema with $id. */
struct contract_resource {
    char *uri; /* owned; without a fragment */
    struct contract_schema *root;
};

struct contract_anchor {
    size_t resource;
    const char *name;
    struct contract_schema *schema;
};

struct contract {
    struct json *document; /* owned */
    struct contract_schema *root;
    struct contract_schema **schemas; /* owned, and what they point to; in document order */
    size_t schema_count, schema_cap;
    struct contract_resource *resources; /* owned */
    size_t resource_count, resource_cap;
    struct contract_anchor *anchors; /* owned */
    size_t anchor_count, anchor_cap;
    contract_text_fn *text_check; /* what it asks for beside the schemas; NULL = nothing */
    const void *text_ctx;         /* borrowed */
};

/* A new schema of the contract, without any keyword. */
struct contract_schema *contract_schema_new(struct contract *contract, const struct json *json);

/* The schema under a name; NULL if there is none. O(log n). */
struct contract_schema *contract_table_find(const struct contract_table *table, const char *key);

/* All names, for messages. */
extern const char contract_type_all[];

/* The bits of all types that a value is of: 1.0 is a number and an integer. */
unsigned contract_types_of(const struct json *value);

/* "string", "string or object", "null, string or object". */
void contract_types_add(struct str *out, unsigned mask);

#endif
