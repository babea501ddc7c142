/*
 * What the files of contracts share. Private to core/contract and its tests.
 */
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
#include "near_word.h"
#include "str.h"
#include "violation.h"

/*
 * The regular expressions of a contract: ECMA-262, on PCRE2.
 *
 * Patterns do not change once compiled; a matcher is the memory of one check.
 */

enum {
    CONTRACT_PATTERN_MAX = 4096,                 /* bytes of a pattern */
    CONTRACT_MATCH_STEPS_FREE = 128,             /* of one match, which cost nothing extra */
    CONTRACT_MATCH_STEPS_MIN = 512,              /* of one match, that it may take */
    CONTRACT_MATCH_STEPS_PER_BYTE = 16,          /* more, for each byte of the text */
    CONTRACT_MATCH_STEPS_MAX = 4 * 1000 * 1000,  /* of one match, however long the text is */
    CONTRACT_MATCH_STEPS_ALL = 20 * 1000 * 1000, /* of all matches of a check, but for the cheap */
    CONTRACT_MATCH_STEPS_TEXT = 4 * 1000 * 1000, /* the same for a text that others wrote */
};

struct contract_pattern;
struct contract_matcher;

/* ERR_INVALID says why it cannot be compiled. */
ATTR_MUST_USE bool contract_pattern_open(struct contract_pattern **out, const char *text,
                                         size_t len, struct err *err);
/* NULL is allowed. */
void contract_pattern_close(struct contract_pattern *pattern);

/* `steps` that all its matches may take, but for the cheap ones. */
struct contract_matcher *contract_matcher_new(int64_t steps);
/* NULL is allowed. */
void contract_matcher_free(struct contract_matcher *matcher);

enum contract_match { CONTRACT_MATCH_NO, CONTRACT_MATCH_YES, CONTRACT_MATCH_LIMITED };

/* Does the pattern match anywhere in the text, which is UTF-8? LIMITED: that would take more
 * steps than the limits allow, so nothing is known. */
enum contract_match contract_pattern_match(const struct contract_pattern *pattern,
                                           struct contract_matcher *matcher, const char *text,
                                           size_t len);

/*
 * A contract as it is compiled: one struct for each schema in it.
 *
 * Schemas belong to the contract and borrow from its document; they point to each other.
 */

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

/*
 * Violations in the order of the document, however they are found.
 *
 * Schemas apply to one place many times (allOf, $ref), so what is wrong is not found in order,
 * and some of it twice. Places compare by the way down to them: a place comes before what is
 * within it, a missing member after all members that are there.
 */

/* What is wrong at a place. */
struct contract_fault {
    enum violation_code code;
    const char *message;
    const char *expected; /* NULL where not known */
    const char *actual;   /* likewise */
    bool is_choice;       /* a constant that differs */
};

struct contract_finding {
    size_t *way; /* owned; from the whole to the place: indexes of elements and members */
    size_t depth;
    const char *key;                   /* the last of the place, NULL for an element; borrowed */
    char *path;                        /* owned */
    char *message, *expected, *actual; /* owned */
    enum violation_code code;
};

/* With `max` set, all else zero is empty. */
struct contract_findings {
    struct contract_finding *items; /* owned; in document order, of one place as they came */
    size_t count;
    size_t cap;
    size_t max;     /* those kept, the first of the document */
    size_t dropped; /* the others */
    bool mismatch;  /* any one is a mismatch of kernel or op */
    size_t depth;   /* of the value that is checked: 0, or that of an alternative */
    long weight;    /* how far the value is from fitting */
};

/* Returns how many places on the way were looked at for that, and for finding where it goes. */
size_t contract_findings_add(struct contract_findings *findings, const struct json_pointer *place,
                             const struct contract_fault *fault);

/* Take over a finding of others, whose texts and way are moved; their weight is not. Returns as
 * contract_findings_add() does. */
size_t contract_findings_take(struct contract_findings *findings, struct contract_finding *finding);

/* Add them to the list of violations. */
void contract_findings_move(struct contract_findings *findings, struct violations *out);
void contract_findings_done(struct contract_findings *findings);

/*
 * What the parts of a check share.
 *
 * Each part answers whether the value fits its keywords. Where what is wrong is collected it
 * looks at all of them; where only yes or no is asked it may stop at the first no.
 */

enum {
    CONTRACT_SHOWN_MAX = 60,     /* bytes of a value that are shown */
    CONTRACT_NEAR_MAX = 1000,    /* words that are looked at for one that was meant */
    CONTRACT_STEP_BYTES = 64,    /* of a text that are looked at in one step */
    CONTRACT_STEP_MEMBERS = 4,   /* members of an object, likewise */
    CONTRACT_STEPS_PATTERN = 8,  /* that a match of a pattern takes at least */
    CONTRACT_STEPS_REAL = 8,     /* that reading a real as a decimal takes */
    CONTRACT_STEP_PLACES = 64,   /* of the way to a violation that are compared in one step */
    CONTRACT_STEP_LETTERS = 128, /* pairs of letters that are compared in one step */
};

/* Why a check came to no end; then its answer is no. */
enum contract_stop {
    CONTRACT_GOES_ON,
    CONTRACT_STOP_STEPS,
    CONTRACT_STOP_DEPTH,
    CONTRACT_STOP_PATTERN, /* a pattern took too many steps where only yes or no was asked */
};

/* What a check may cost. */
struct contract_budget {
    int64_t steps;       /* schemas applied, values compared, violations noted */
    int64_t match_steps; /* of patterns */
};

/* contract_check() with limits that are given. */
bool contract_check_within(const struct contract *contract, const struct json *value,
                           const struct contract_budget *budget, struct violations *wrong);

/* One check. */
struct contract_checking {
    struct contract_findings *findings; /* borrowed; NULL: only yes or no is asked */
    struct contract_matcher *matcher;   /* borrowed */
    int64_t steps_left;
    int depth; /* schemas within each other, now */
    enum contract_stop stop;
};

/* A value and where it is; lives on the stack of who walks down to it. */
struct contract_spot {
    struct json_pointer at;
    const struct json *value; /* borrowed */
    unsigned types;           /* its bits */
};

/* Take as many steps as the work is worth that is to be done. False: there are no more. */
static inline bool contract_spend(struct contract_checking *checking, size_t steps)
{
    checking->steps_left -= (int64_t)steps;
    if (checking->steps_left < 0)
        checking->stop = CONTRACT_STOP_STEPS;
    return checking->stop == CONTRACT_GOES_ON;
}

/* The same for reading the number as a decimal, which costs something only if it is real. */
bool contract_spend_real(struct contract_checking *checking, const struct json *number);

/* Will one more violation be shown? If not, suggestions need not be looked for. */
bool contract_is_heard(const struct contract_checking *checking);

/* May a part stop here, its answer being no? */
static inline bool contract_is_settled(const struct contract_checking *checking, bool fits)
{
    return checking->stop != CONTRACT_GOES_ON || (!fits && !checking->findings);
}

/* Offer one more word that may have been meant; what comparing the two costs is taken. */
void contract_offer(struct contract_checking *checking, struct near_word *near, const char *word);

/* Note what is wrong, if somebody collects it. Returns false. */
bool contract_say(struct contract_checking *checking, const struct contract_spot *spot,
                  const struct contract_fault *fault);
/* The same for a value, which is shown; `expected` may be NULL. */
bool contract_say_shown(struct contract_checking *checking, const struct contract_spot *spot,
                        enum violation_code code, const char *message, const char *expected);
/* The same for INVALID_VALUE. */
bool contract_say_value(struct contract_checking *checking, const struct contract_spot *spot,
                        const char *message, const char *expected);

/* Does the value fit the schema? */
bool contract_fits(struct contract_checking *checking, const struct contract_schema *schema,
                   struct contract_spot *spot);

/* Does the pattern match? LIMITED was said, at the spot. */
enum contract_match contract_matches(struct contract_checking *checking,
                                     const struct contract_spot *spot,
                                     const struct contract_pattern *pattern, const char *text,
                                     size_t len);

/* Numbers of things that there may be, and how that is said. */
struct contract_amount {
    struct contract_range range;
    const char *what; /* "character", one of them */
    const char *less; /* "too short" */
    const char *more; /* "too long" */
};
/* Is any number out of it? */
static inline bool contract_range_is_set(const struct contract_range *range)
{
    return range->min > 0 || range->max < INT64_MAX;
}
/* Is the count within the range? */
bool contract_check_amount(struct contract_checking *checking, const struct contract_spot *spot,
                           const struct contract_amount *amount, int64_t count);

/* Does the schema have one constant for the member `kernel` or `op` of the whole? It says what
 * the output is of. */
bool contract_is_identity(const struct contract_schema *schema, const struct contract_spot *spot);

/* The text of a schema's "description", or `otherwise`. */
const char *contract_described(const struct contract_schema *schema, const char *otherwise);

/* The parts; each takes a schema that is no boolean, and a value of a type that it wants. */
typedef bool contract_part_fn(struct contract_checking *checking,
                              const struct contract_schema *schema, struct contract_spot *spot);
contract_part_fn contract_check_choice, contract_check_number, contract_check_string,
    contract_check_elements, contract_check_members, contract_check_combined;

/* Say that the value is of none of the types: NOT_OBJECT where the whole must be an object.
 * Returns false. */
bool contract_say_types(struct contract_checking *checking, const struct contract_spot *spot,
                        unsigned types);

/* The same for all elements of the array. */
void contract_add_choices(struct str *out, const struct json *choices);

/* Say that none of the alternatives fits, and what is wrong with the nearest. Returns false. */
bool contract_say_none_fits(struct contract_checking *checking, const struct contract_list *list,
                            struct contract_spot *spot);

/*
 * What the parts of the contract's compiler share.
 *
 * What is wrong is added to the list, and the next keyword is read, so that all of it is found in
 * one go.
 */

struct contract_loader {
    struct contract *contract;
    struct violations *wrong; /* borrowed */
    bool failed;              /* something was wrong */
    bool full;                /* no more schemas are taken, and that was said */
};

/* The value of one keyword, or a part of it. */
struct contract_site {
    struct contract_loader *loader;
    struct contract_schema *schema;     /* that has the keyword */
    const struct json *value;           /* borrowed from the document */
    const struct json_pointer *pointer; /* of the value */
    int depth;                          /* schemas around it */
};

/* Add to the list that the value is not right: INVALID_VALUE, and its own text as `actual`
 * where something is `expected`, which may be NULL. */
void contract_complain(const struct contract_site *site, const char *expected, const char *message);
/* The same for a value of a type that is not `expected`: WRONG_TYPE, or NOT_OBJECT of the whole. */
void contract_complain_type(const struct contract_site *site, const char *expected,
                            const char *message);

/* The text of a string; NULL of anything else and of one that holds U+0000. */
const char *contract_plain_text(const struct json *value);

/* The schema that the value of the site is. What is wrong in it is said; never NULL. */
struct contract_schema *contract_load_schema(const struct contract_site *site);

/* Read a keyword's value into the schema of the site; says so if it is none that we know. */
void contract_load_keyword(const struct contract_site *site, const char *keyword);

/*
 * Are two JSON values one value, as JSON Schema has it (core, 4.2.2)? Numbers are compared as
 * decimals, the members of objects in no order. Pure.
 */

/* Both take a step from *steps_left for each value that they look at. Once it is below 0 they
 * stop, and their answer means nothing. As deep a recursion as the values are nested. */
bool contract_equal(const struct json *a, const struct json *b, int64_t *steps_left);

/* Told that an element is equal to one before it; false: no more need be told. */
typedef bool contract_equal_fn(void *ctx, size_t first, size_t second);

/* Are all elements of the array different? Each that is equal to one before it is told, with the
 * first of these, in no order; *steps_left may be changed by who is told. */
bool contract_all_differ(const struct json *array, contract_equal_fn *tell, void *ctx,
                         int64_t *steps_left);

/*
 * The URIs of $id and $ref (RFC 3986). Pure.
 */

enum { CONTRACT_URI_MAX = 4096 }; /* bytes of a URI, as written and as resolved */

/* The reference as seen from `base` (RFC 3986, 5.2), without its fragment, appended to *out;
 * the fragment, with its percent codes read, to *fragment. False if one of them is too long. */
ATTR_MUST_USE bool contract_uri_resolve(const char *base, const char *reference, struct str *out,
                                        struct str *fragment);

#endif
