/* Shared by the files of contracts. Private to core/contract and its tests. */
#ifndef DEVS_CONTRACT_INTERNAL_H
#define DEVS_CONTRACT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "contract.h"
#include "decimal.h"
#include "err.h"
#include "json.h"
#include "json_pointer.h"
#include "str.h"
#include "text.h"

/* Regular expressions (contract_pattern.c): ECMA-262, on PCRE2. Patterns are immutable; a matcher
 * holds the memory and the step limit of one check. */

enum {
    CONTRACT_PATTERN_MAX = 4096,        /* bytes of a pattern */
    CONTRACT_MATCH_STEPS_FREE = 128,    /* a match with at most this many steps is free */
    CONTRACT_MATCH_STEPS_MIN = 512,     /* minimum step limit of a match */
    CONTRACT_MATCH_STEPS_PER_BYTE = 16, /* additional steps per byte of the text */
    CONTRACT_MATCH_STEPS_MAX =
        4 * 1000 * 1000, /* maximum steps of one match, however long the text is */
    CONTRACT_MATCH_STEPS_ALL =
        20 * 1000 * 1000, /* maximum steps of all matches of a check, except free ones */
    CONTRACT_MATCH_STEPS_TEXT =
        4 * 1000 *
        1000, /* maximum steps of all matches of a check of untrusted text, except free ones */
};

struct contract_pattern;
struct contract_matcher;

/* Compiles a pattern. Fails with ERR_INVALID, saying why it does not compile. The caller calls
 * contract_pattern_close(). */
ATTR_MUST_USE bool contract_pattern_open(struct contract_pattern **out, const char *text,
                                         size_t len, struct err *err);
/* `pattern` may be NULL. */
void contract_pattern_close(struct contract_pattern *pattern);

/* Creates a matcher. `steps` limits all matches together, except free ones
 * (CONTRACT_MATCH_STEPS_FREE). */
struct contract_matcher *contract_matcher_new(int64_t steps);
/* `matcher` may be NULL. */
void contract_matcher_free(struct contract_matcher *matcher);

enum contract_match { CONTRACT_MATCH_NO, CONTRACT_MATCH_YES, CONTRACT_MATCH_LIMITED };

/* Searches the text, which is UTF-8, for a match. Returns LIMITED if that would take too many
 * steps; the result is then unknown. */
enum contract_match contract_pattern_match(const struct contract_pattern *pattern,
                                           struct contract_matcher *matcher, const char *text,
                                           size_t len);

/*
 * The compiled contract: one struct for each schema in it. Schemas belong to the contract, borrow
 * from its document, and point to each other.
 */

enum {
    CONTRACT_CHAIN_MAX = 400
}; /* maximum number of schemas that apply to one value, each through the previous one */

/* The types of JSON Schema, as bits. */
enum contract_type {
    CONTRACT_NULL = 1,
    CONTRACT_BOOLEAN = 2,
    CONTRACT_OBJECT = 4,
    CONTRACT_ARRAY = 8,
    CONTRACT_NUMBER = 16,
    CONTRACT_STRING = 32,
    CONTRACT_INTEGER = 64, /* a number with an integer value: 1, 1.0, 1e3 */
};

struct contract_schema;

struct contract_list {
    struct contract_schema **items; /* owned array of borrowed schemas */
    size_t count;
};

/* Schemas by name, sorted by name. */
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

/* An inclusive range of a count. */
struct contract_range {
    int64_t min;
    int64_t max; /* INT64_MAX = no limit */
};

struct contract_schema {
    const struct json *json; /* the schema as written: an object or a boolean */
    bool refuses_all;        /* the schema `false` */
    size_t resource;         /* index of the resource that contains it */

    unsigned types; /* bits of enum contract_type; 0 = any */
    const struct json *constant;
    const struct json *choices; /* values of `enum` */

    struct contract_bound minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;

    struct contract_range length;     /* in code points */
    struct contract_pattern *pattern; /* owned */

    struct contract_range elements;
    struct contract_list prefix_items;
    struct contract_schema *items;
    struct contract_schema *contains;
    struct contract_range contained; /* how many elements must fit `contains` */
    bool unique;

    struct contract_range members;
    const struct json *required;           /* list of names */
    const struct json *dependent_required; /* object of name lists, by name */
    struct contract_table properties;
    struct contract_patterns patterns;
    struct contract_schema *additional;
    struct contract_schema *names;
    struct contract_table dependent_schemas;

    struct contract_list all_of, any_of, one_of;
    struct contract_schema *not_this;
    struct contract_schema *condition, *then_this, *else_this;
    struct contract_schema *target; /* schema that $ref refers to */

    bool combines; /* other schemas apply to the same value */

    const char *reference; /* $ref as written; used only while loading */
    char *pointer;         /* owned; position of $ref, for messages; NULL without $ref */
    int chain;             /* number of schemas that apply through this one; 0 = unknown */
};

/* A part of the document with its own URI: the whole document, or a schema with $id. */
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
    struct contract_schema **schemas; /* owned, like the schemas; in document order */
    size_t schema_count, schema_cap;
    struct contract_resource *resources; /* owned */
    size_t resource_count, resource_cap;
    struct contract_anchor *anchors; /* owned */
    size_t anchor_count, anchor_cap;
    contract_text_fn *text_check; /* additional check of the text; NULL = none */
    const void *text_ctx;         /* borrowed */
};

/* Names of all types, for messages. */
extern const char contract_type_all[];

/* Appends the names of the types: "string", "string or object", "null, string or object". */
void contract_types_add(struct str *out, unsigned mask);

/* Findings: violations in document order (violation.c).
 *
 * Schemas may apply to one place several times (allOf, $ref), so errors are found in any order and
 * more than once. Places are compared by their paths: a place comes before its contents, and a
 * missing member after all existing members. */

/* An error at a place. */
struct contract_fault {
    enum violation_code code;
    const char *message;
    const char *expected; /* may be NULL */
    const char *actual;   /* may be NULL */
    bool is_choice;       /* the value differs from a constant */
};

struct contract_finding {
    size_t *way; /* owned; path from the root to the place, as indexes of elements and members */
    size_t depth;
    const char *key;                   /* last part of the path, NULL for an element; borrowed */
    char *path;                        /* owned */
    char *message, *expected, *actual; /* owned */
    enum violation_code code;
};

/* Zero-initialized except `max`: empty. */
struct contract_findings {
    struct contract_finding *items; /* owned; in document order, then in order of arrival */
    size_t count;
    size_t cap;
    size_t max;     /* maximum count; keeps the first ones in document order */
    size_t dropped; /* number of findings beyond `max` */
    bool mismatch;  /* a finding, kept or dropped, is a mismatch of kernel or op */
    size_t depth;   /* nesting of the checked value: 0, or that of an alternative */
    long weight;    /* how far the value is from fitting; 0 = it fits */
};

/* Adds a fault. Returns the number of path parts compared, to charge for the work. */
size_t contract_findings_add(struct contract_findings *findings, const struct json_pointer *place,
                             const struct contract_fault *fault);

/* Moves a finding from another list, without its weight. Returns like contract_findings_add(). */
size_t contract_findings_take(struct contract_findings *findings, struct contract_finding *finding);

/* Moves all findings to a list of violations. */
void contract_findings_move(struct contract_findings *findings, struct violations *out);
void contract_findings_done(struct contract_findings *findings);

/*
 * Checking (contract_check.c, contract_value.c).
 *
 * Each part returns whether the value fits its keywords. If errors are collected, it checks all
 * keywords; if only the answer matters, it may stop at the first error.
 */

enum {
    CONTRACT_SHOWN_MAX = 60,     /* bytes of a value shown in a message */
    CONTRACT_NEAR_MAX = 1000,    /* maximum number of words compared to find a similar one */
    CONTRACT_STEP_BYTES = 64,    /* bytes of a string per step */
    CONTRACT_STEP_MEMBERS = 4,   /* members of an object per step */
    CONTRACT_STEPS_PATTERN = 8,  /* minimum steps of a pattern match */
    CONTRACT_STEPS_REAL = 8,     /* steps to read a real as a decimal */
    CONTRACT_STEP_PLACES = 64,   /* path parts compared per step */
    CONTRACT_STEP_LETTERS = 128, /* pairs of letters compared per step */
};

/* Why a check gave up; its answer is then no. */
enum contract_stop {
    CONTRACT_GOES_ON,
    CONTRACT_STOP_STEPS,
    CONTRACT_STOP_DEPTH,
    CONTRACT_STOP_PATTERN, /* a pattern took too many steps while only the answer mattered */
};

/* The limits of a check. */
struct contract_budget {
    int64_t steps; /* maximum number of applied schemas, compared values and noted violations */
    int64_t match_steps; /* maximum steps of pattern matches */
};

/* Like contract_check(), with given limits. */
bool contract_check_within(const struct contract *contract, const struct json *value,
                           const struct contract_budget *budget, struct violations *wrong);

/* State of one check. */
struct contract_checking {
    struct contract_findings *findings; /* borrowed; NULL: only the answer matters */
    struct contract_matcher *matcher;   /* borrowed */
    int64_t steps_left;
    int depth; /* current nesting of schemas */
    enum contract_stop stop;
};

/* A value and its position; on the stack of the walk. */
struct contract_spot {
    struct json_pointer at;
    const struct json *value; /* borrowed */
    unsigned types;           /* bits of its types; 0 = not determined yet */
};

/* Spends steps before doing the work. Returns false if there are not enough. */
static inline bool contract_spend(struct contract_checking *checking, size_t steps)
{
    checking->steps_left -= (int64_t)steps;
    if (checking->steps_left < 0)
        checking->stop = CONTRACT_STOP_STEPS;
    return checking->stop == CONTRACT_GOES_ON;
}

/* Spends the steps for reading a number as a decimal; only reals cost something. */
bool contract_spend_real(struct contract_checking *checking, const struct json *number);

/* Returns true if another violation would be shown, so that suggestions are useful. */
bool contract_is_heard(const struct contract_checking *checking);

/* Returns true if the rest of a check can be skipped: a limit was reached, or the value does not
 * fit and no errors are collected. */
static inline bool contract_is_settled(const struct contract_checking *checking, bool fits)
{
    return checking->stop != CONTRACT_GOES_ON || (!fits && !checking->findings);
}

/* Offers a word that may have been meant. Spends the steps of comparing the two. */
void contract_offer(struct contract_checking *checking, struct near_word *near, const char *word);

/* Reports an error if errors are collected. Returns false. */
bool contract_say(struct contract_checking *checking, const struct contract_spot *spot,
                  const struct contract_fault *fault);
/* Like contract_say(), showing the value; `expected` may be NULL. */
bool contract_say_shown(struct contract_checking *checking, const struct contract_spot *spot,
                        enum violation_code code, const char *message, const char *expected);
/* Like contract_say_shown(), for INVALID_VALUE. */
bool contract_say_value(struct contract_checking *checking, const struct contract_spot *spot,
                        const char *message, const char *expected);

/* Returns true if the value fits the schema. */
bool contract_fits(struct contract_checking *checking, const struct contract_schema *schema,
                   struct contract_spot *spot);

/* Matches the pattern. Reports an error at the spot if the result is LIMITED. */
enum contract_match contract_matches(struct contract_checking *checking,
                                     const struct contract_spot *spot,
                                     const struct contract_pattern *pattern, const char *text,
                                     size_t len);

/* A range for a count, and its wording in messages. */
struct contract_amount {
    struct contract_range range;
    const char *what; /* "character", singular */
    const char *less; /* "too short" */
    const char *more; /* "too long" */
};
/* Returns true if the range excludes some count. */
static inline bool contract_range_is_set(const struct contract_range *range)
{
    return range->min > 0 || range->max < INT64_MAX;
}
/* Checks that the count is in the range, and reports an error if not. */
bool contract_check_amount(struct contract_checking *checking, const struct contract_spot *spot,
                           const struct contract_amount *amount, int64_t count);

/* Returns true if the schema has a constant for the top-level member `kernel` or `op`, which
 * identifies the output. */
bool contract_is_identity(const struct contract_schema *schema, const struct contract_spot *spot);

/* Returns the schema's "description", or `otherwise`. */
const char *contract_described(const struct contract_schema *schema, const char *otherwise);

/* Checks of single keywords and types. Each takes a schema that is not a boolean, and a value of a
 * type that it handles. */
typedef bool contract_part_fn(struct contract_checking *checking,
                              const struct contract_schema *schema, struct contract_spot *spot);
contract_part_fn contract_check_choice, contract_check_number, contract_check_string;

/* Reports that the value has none of the types; as NOT_OBJECT if the whole document must be an
 * object. Returns false. */
bool contract_say_types(struct contract_checking *checking, const struct contract_spot *spot,
                        unsigned types);

/* Appends all elements of the array like contract_add_choice(). */
void contract_add_choices(struct str *out, const struct json *choices);

/* Reports that no alternative fits, and the errors of the nearest one. Returns false. */
bool contract_say_none_fits(struct contract_checking *checking, const struct contract_list *list,
                            struct contract_spot *spot);

/* Loading (contract_load.c, contract_keywords.c). Errors are added to a list and loading continues,
 * so that all errors are found at once. */

struct contract_loader {
    struct contract *contract;
    struct violations *wrong; /* borrowed */
    bool failed;              /* there was an error */
    bool full;                /* the limit of schemas was reached and reported */
};

/* The value of a keyword, or a part of it. */
struct contract_site {
    struct contract_loader *loader;
    struct contract_schema *schema;     /* the schema that has the keyword */
    const struct json *value;           /* borrowed from the document */
    const struct json_pointer *pointer; /* position of the value */
    int depth;                          /* number of enclosing schemas */
};

/* Reports INVALID_VALUE. If `expected` is not NULL, shows it and the value itself. */
void contract_complain(const struct contract_site *site, const char *expected, const char *message);
/* Reports that the type is not `expected`: WRONG_TYPE, or NOT_OBJECT for the whole contract. */
void contract_complain_type(const struct contract_site *site, const char *expected,
                            const char *message);

/* Returns the bytes of a string; NULL for any other value, and for a string with U+0000. */
const char *contract_plain_text(const struct json *value);

/* Loads the value of the site as a schema and reports its errors. Never returns NULL. */
struct contract_schema *contract_load_schema(const struct contract_site *site);

/* Loads a keyword into the schema of the site. Reports unknown keywords. */
void contract_load_keyword(const struct contract_site *site, const char *keyword);

/*
 * Equality of values (contract_equal.c), as in JSON Schema (core, 4.2.2): numbers are compared as
 * decimals, members of objects in any order.
 */

/* Compares two values. Decrements *steps_left for each value. Stops once it is below 0; the result
 * is then meaningless. Recurses as deep as the values are nested. */
bool contract_equal(const struct json *a, const struct json *b, int64_t *steps_left);

/* Called for an element that equals an earlier one. Return false to stop. */
typedef bool contract_equal_fn(void *ctx, size_t first, size_t second);

/* Returns true if all elements differ. Otherwise reports each repeated element with the first
 * equal one, in any order; the callback may change *steps_left. */
bool contract_all_differ(const struct json *array, contract_equal_fn *tell, void *ctx,
                         int64_t *steps_left);

/*
 * URIs of $id and $ref (RFC 3986).
 */

enum { CONTRACT_URI_MAX = 4096 }; /* bytes of a URI, as written and as resolved */

/* Resolves the reference against `base` (RFC 3986, 5.2). Appends the result without its fragment to
 * *out, and the percent-decoded fragment to *fragment. Fails if either is too long. */
ATTR_MUST_USE bool contract_uri_resolve(const char *base, const char *reference, struct str *out,
                                        struct str *fragment);

#endif
