/*
 * contract_checking.h - what the parts of a check share.
 *
 * Each part answers whether the value fits its keywords. Where what is wrong is collected it
 * looks at all of them; where only yes or no is asked it may stop at the first no.
 */
#ifndef DEVS_CONTRACT_CHECKING_H
#define DEVS_CONTRACT_CHECKING_H

#include <stdbool.h>
#include <stdint.h>

#include "contract_findings.h"
#include "contract_schema.h"
#include "near_word.h"

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

#endif
