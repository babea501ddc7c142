/* contract_check.c - a value against a schema, and what is said where it does not fit. */
#include <inttypes.h>
#include <stdlib.h>

#include "contract_checking.h"
#include "contract_types.h"
#include "str.h"

enum { STEPS_PER_VALUE = 64 }; /* at least, of a check */

static const char *const stop_words[] = {
    [CONTRACT_GOES_ON] = "",
    [CONTRACT_STOP_STEPS] = "not checked to the end: with this contract that takes too many steps",
    [CONTRACT_STOP_DEPTH] = "not checked to the end: nested too deeply",
    [CONTRACT_STOP_PATTERN] = "not checked to the end: a pattern takes too many steps",
};

bool contract_spend_real(struct contract_checking *checking, const struct json *number)
{
    return contract_spend(checking, json_kind(number) == JSON_KIND_REAL ? CONTRACT_STEPS_REAL : 0);
}

bool contract_is_heard(const struct contract_checking *checking)
{
    return checking->findings && checking->findings->count < checking->findings->max;
}

bool contract_say(struct contract_checking *checking, const struct contract_spot *spot,
                  const struct contract_fault *fault)
{
    if (checking->findings) {
        const size_t places = contract_findings_add(checking->findings, &spot->at, fault);
        (void)contract_spend(checking, 1 + places / CONTRACT_STEP_PLACES);
    }
    return false;
}

void contract_offer(struct contract_checking *checking, struct near_word *near, const char *word)
{
    const size_t pairs = near_word_pairs(near, word);
    if (contract_spend(checking, 1 + pairs / CONTRACT_STEP_LETTERS))
        near_word_offer(near, word);
}

/* A value without its parts, which may be many. */
static char *shown(const struct json *value)
{
    const enum json_kind kind = json_kind(value);
    const bool has_parts = kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY;
    return has_parts ? NULL : json_brief(value, CONTRACT_SHOWN_MAX);
}

bool contract_say_shown(struct contract_checking *checking, const struct contract_spot *spot,
                        enum violation_code code, const char *message, const char *expected)
{
    if (!checking->findings)
        return false;
    char *text = shown(spot->value);
    const struct contract_fault fault = {
        .code = code,
        .message = message,
        .expected = expected,
        .actual = text ? text : json_kind_name(spot->value),
    };
    (void)contract_say(checking, spot, &fault);
    free(text);
    return false;
}

bool contract_say_value(struct contract_checking *checking, const struct contract_spot *spot,
                        const char *message, const char *expected)
{
    return contract_say_shown(checking, spot, VIOLATION_INVALID_VALUE, message, expected);
}

static void add_range(struct str *out, const struct contract_amount *amount)
{
    const int64_t min = amount->range.min;
    const int64_t max = amount->range.max;
    const bool has_both = min > 0 && max < INT64_MAX && min <= max;
    if (has_both && min == max)
        str_addf(out, "%" PRId64, max);
    else if (has_both)
        str_addf(out, "%" PRId64 " to %" PRId64, min, max);
    else
        str_addf(out, "at %s %" PRId64, min > 0 ? "least" : "most", min > 0 ? min : max);
    const bool is_one = (max == INT64_MAX ? min : max) == 1;
    str_addf(out, " %s%s", amount->what, is_one ? "" : "s");
}

bool contract_check_amount(struct contract_checking *checking, const struct contract_spot *spot,
                           const struct contract_amount *amount, int64_t count)
{
    const bool is_less = count < amount->range.min;
    if (!is_less && count <= amount->range.max)
        return true;
    if (!checking->findings)
        return false;
    struct str expected = {0};
    struct str actual = {0};
    add_range(&expected, amount);
    str_addf(&actual, "%" PRId64, count);
    const struct contract_fault fault = {
        .code = VIOLATION_INVALID_VALUE,
        .message = is_less ? amount->less : amount->more,
        .expected = str_text(&expected),
        .actual = str_text(&actual),
    };
    (void)contract_say(checking, spot, &fault);
    str_done(&expected);
    str_done(&actual);
    return false;
}

enum contract_match contract_matches(struct contract_checking *checking,
                                     const struct contract_spot *spot,
                                     const struct contract_pattern *pattern, const char *text,
                                     size_t len)
{
    if (!contract_spend(checking, CONTRACT_STEPS_PATTERN + len / CONTRACT_STEP_BYTES))
        return CONTRACT_MATCH_LIMITED;
    const enum contract_match match = contract_pattern_match(pattern, checking->matcher, text, len);
    if (match == CONTRACT_MATCH_LIMITED && !checking->findings)
        checking->stop = CONTRACT_STOP_PATTERN;
    if (match == CONTRACT_MATCH_LIMITED)
        (void)contract_say_value(checking, spot, "matching a pattern takes too many steps", NULL);
    return match;
}

const char *contract_described(const struct contract_schema *schema, const char *otherwise)
{
    const char *text = json_text(json_get(schema->json, "description"), NULL);
    return text ? text : otherwise;
}

bool contract_say_types(struct contract_checking *checking, const struct contract_spot *spot,
                        unsigned types)
{
    if (!checking->findings)
        return false;
    const bool is_root = !spot->at.up && types == CONTRACT_OBJECT;
    const enum violation_code code = is_root ? VIOLATION_NOT_OBJECT : VIOLATION_WRONG_TYPE;
    struct str expected = {0};
    contract_types_add(&expected, types);
    (void)contract_say_shown(checking, spot, code, is_root ? "must be an object" : "wrong type",
                             str_text(&expected));
    str_done(&expected);
    return false;
}

/* A value of the wrong type is wrong in nothing else, but for the constant that says what an
 * output is of: that one counts more. */
static bool check_wrong_type(struct contract_checking *checking,
                             const struct contract_schema *schema, struct contract_spot *spot)
{
    const bool is_said =
        contract_is_identity(schema, spot) && !contract_check_choice(checking, schema, spot);
    return is_said ? false : contract_say_types(checking, spot, schema->types);
}

static contract_part_fn *part_for(unsigned types)
{
    if ((types & CONTRACT_OBJECT) != 0)
        return contract_check_members;
    if ((types & CONTRACT_ARRAY) != 0)
        return contract_check_elements;
    if ((types & CONTRACT_STRING) != 0)
        return contract_check_string;
    return (types & CONTRACT_NUMBER) != 0 ? contract_check_number : NULL;
}

static bool check_keywords(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    contract_part_fn *part = part_for(spot->types);
    const bool has_choice = schema->constant || schema->choices;
    bool fits = !has_choice || contract_check_choice(checking, schema, spot);
    if (part && !contract_is_settled(checking, fits))
        fits = part(checking, schema, spot) && fits;
    if (schema->combines && !contract_is_settled(checking, fits))
        fits = contract_check_combined(checking, schema, spot) && fits;
    return fits && checking->stop == CONTRACT_GOES_ON;
}

bool contract_fits(struct contract_checking *checking, const struct contract_schema *schema,
                   struct contract_spot *spot)
{
    if (contract_spend(checking, 1) && checking->depth == CONTRACT_CHECK_DEPTH_MAX)
        checking->stop = CONTRACT_STOP_DEPTH;
    if (checking->stop != CONTRACT_GOES_ON)
        return false;
    if (schema->refuses_all)
        return contract_say_value(checking, spot, "not allowed here", NULL);
    if (spot->types == 0) {
        spot->types = contract_types_of(spot->value);
        if ((spot->types & CONTRACT_NUMBER) != 0)
            (void)contract_spend_real(checking, spot->value);
    }
    if (schema->types != 0 && (schema->types & spot->types) == 0)
        return check_wrong_type(checking, schema, spot);
    checking->depth++;
    const bool fits = check_keywords(checking, schema, spot);
    checking->depth--;
    return fits;
}

bool contract_would_fit(struct contract_checking *checking, const struct contract_schema *schema,
                        struct contract_spot *spot)
{
    struct contract_findings *findings = checking->findings;
    checking->findings = NULL;
    const bool fits = contract_fits(checking, schema, spot);
    checking->findings = findings;
    return fits;
}

/* As deep a recursion as the value is nested, which the JSON parser limits. */
static int64_t count_values(const struct json *value)
{
    int64_t count = 1;
    if (json_kind(value) == JSON_KIND_OBJECT) {
        void *iter = NULL;
        const char *key = NULL;
        const struct json *member = NULL;
        while (json_next(value, &iter, &key, &member))
            count += count_values(member);
        return count;
    }
    for (size_t i = 0; i < json_count(value); i++)
        count += count_values(json_at(value, i));
    return count;
}

bool contract_check_within(const struct contract *contract, const struct json *value,
                           const struct contract_budget *budget, struct violations *wrong)
{
    struct contract_findings findings = {.max = VIOLATIONS_MAX};
    struct contract_checking checking = {
        .findings = &findings,
        .matcher = contract_matcher_new(budget->match_steps),
        .steps_left = budget->steps,
    };
    struct contract_spot root = {.value = value};
    const bool fits = contract_fits(&checking, contract->root, &root);
    contract_matcher_free(checking.matcher);
    if (checking.stop != CONTRACT_GOES_ON)
        violations_add(wrong, VIOLATION_INVALID_VALUE, "", stop_words[checking.stop], NULL, NULL);
    contract_findings_move(&findings, wrong);
    return fits && checking.stop == CONTRACT_GOES_ON;
}

static bool check_values(const struct contract *contract, const struct json *value, int64_t values,
                         struct violations *wrong)
{
    const int64_t steps = values * STEPS_PER_VALUE;
    const struct contract_budget budget = {
        .steps = steps > CONTRACT_STEPS_MAX ? steps : CONTRACT_STEPS_MAX,
        .match_steps = CONTRACT_MATCH_STEPS_ALL,
    };
    return contract_check_within(contract, value, &budget, wrong);
}

bool contract_check(const struct contract *contract, const struct json *value,
                    struct violations *wrong)
{
    return check_values(contract, value, count_values(value), wrong);
}

/* A value is a byte at least, and another one keeps it from the next. */
bool contract_check_read(const struct contract *contract, const struct json *value, size_t len,
                         struct violations *wrong)
{
    return check_values(contract, value, (int64_t)(len / 2) + 1, wrong);
}
