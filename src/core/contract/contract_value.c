/* contract_value.c - keywords of single values: choices, numbers, strings. */
#include <stdlib.h>

#include "contract_checking.h"
#include "contract_equal.h"
#include "contract_identity.h"
#include "near_word.h"
#include "str.h"

enum { CHOICES_SHOWN = 8 }; /* of an enum */

bool contract_is_identity(const struct contract_schema *schema, const struct contract_spot *spot)
{
    const bool is_one = schema->constant || json_count(schema->choices) == 1;
    return is_one && violation_is_mismatch(contract_identity_code(&spot->at));
}

static bool say_choice(struct contract_checking *checking, const struct contract_schema *schema,
                       const struct contract_spot *spot, const char *message, const char *expected)
{
    const bool is_identity = contract_is_identity(schema, spot);
    const enum violation_code code =
        is_identity ? contract_identity_code(&spot->at) : VIOLATION_INVALID_VALUE;
    char *actual = json_brief(spot->value, CONTRACT_SHOWN_MAX);
    const struct contract_fault fault = {
        .code = code,
        .message = is_identity ? contract_identity_words(code, 1) : message,
        .expected = expected,
        .actual = actual,
        .is_choice = true,
    };
    (void)contract_say(checking, spot, &fault);
    free(actual);
    return false;
}

static bool is_equal(struct contract_checking *checking, const struct json *a, const struct json *b)
{
    const bool equal = contract_equal(a, b, &checking->steps_left);
    return contract_spend(checking, 0) && equal;
}

static bool check_constant(struct contract_checking *checking, const struct contract_schema *schema,
                           const struct contract_spot *spot)
{
    if (is_equal(checking, schema->constant, spot->value))
        return true;
    if (!checking->findings)
        return false;
    char *expected = json_brief(schema->constant, CONTRACT_SHOWN_MAX);
    (void)say_choice(checking, schema, spot, "must be this value", expected);
    free(expected);
    return false;
}

void contract_add_choice(struct str *out, const struct json *choice, size_t i, size_t count)
{
    if (i >= CHOICES_SHOWN)
        return;
    char *text = json_brief(choice, CONTRACT_SHOWN_MAX);
    if (i > 0)
        str_add(out, i + 1 == count ? " or " : ", ");
    str_add(out, text);
    free(text);
    if (i + 1 == CHOICES_SHOWN && count > CHOICES_SHOWN)
        str_addf(out, " or one of %zu more", count - CHOICES_SHOWN);
}

void contract_add_choices(struct str *out, const struct json *choices)
{
    const size_t count = json_count(choices);
    for (size_t i = 0; i < count; i++)
        contract_add_choice(out, json_at(choices, i), i, count);
}

static bool say_choices(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *spot)
{
    struct str expected = {0};
    struct str message = {0};
    const char *word = json_text(spot->value, NULL);
    struct near_word near = near_word_new(word ? word : "");
    const size_t offered = contract_is_heard(checking) && word ? json_count(schema->choices) : 0;
    for (size_t i = 0; i < offered && i < CONTRACT_NEAR_MAX; i++) {
        const char *choice = json_text(json_at(schema->choices, i), NULL);
        if (choice)
            contract_offer(checking, &near, choice);
    }
    const bool is_none = json_count(schema->choices) == 0;
    str_add(&message, is_none ? "no value is allowed here" : "not one of the values allowed");
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    contract_add_choices(&expected, schema->choices);
    (void)say_choice(checking, schema, spot, str_text(&message),
                     is_none ? NULL : str_text(&expected));
    str_done(&expected);
    str_done(&message);
    return false;
}

static bool check_choices(struct contract_checking *checking, const struct contract_schema *schema,
                          const struct contract_spot *spot)
{
    for (size_t i = 0; i < json_count(schema->choices); i++) {
        if (is_equal(checking, json_at(schema->choices, i), spot->value))
            return true;
    }
    return checking->findings ? say_choices(checking, schema, spot) : false;
}

bool contract_check_choice(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    bool fits = !schema->constant || check_constant(checking, schema, spot);
    if (schema->choices && !contract_is_settled(checking, fits))
        fits = check_choices(checking, schema, spot) && fits;
    return fits;
}

/* A bound that a number is on the wrong side of. */
struct side {
    const struct contract_bound *bound;
    const char *keyword;
    const char *message;
    const char *words; /* before the bound, with a blank */
    int order;         /* of the number and the bound where it is wrong: -1 or 1 */
    bool or_equal;     /* where they are equal it is wrong too */
};

static void add_brief(struct str *out, const char *before, const struct json *value)
{
    char *text = json_brief(value, CONTRACT_SHOWN_MAX);
    str_add(out, before);
    str_add(out, text);
    free(text);
}

/* "1 to 256" where both are known. */
static void add_bound(struct str *out, const struct contract_schema *schema,
                      const struct side *side)
{
    const struct json *min = json_get(schema->json, "minimum");
    const struct json *max = json_get(schema->json, "maximum");
    const bool has_both = side->order != 0 && !side->or_equal && min && max;
    const bool is_range = has_both && decimal_compare(decimal_of(min), decimal_of(max)) <= 0;
    if (is_range) {
        add_brief(out, "", min);
        add_brief(out, " to ", max);
    } else {
        add_brief(out, side->words, json_get(schema->json, side->keyword));
    }
}

static bool say_bound(struct contract_checking *checking, const struct contract_schema *schema,
                      const struct contract_spot *spot, const struct side *side)
{
    if (!checking->findings)
        return false;
    struct str expected = {0};
    add_bound(&expected, schema, side);
    (void)contract_say_value(checking, spot, side->message, str_text(&expected));
    str_done(&expected);
    return false;
}

bool contract_check_number(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    const struct side sides[] = {
        {&schema->minimum, "minimum", "too small", "at least ", -1, false},
        {&schema->exclusive_minimum, "exclusiveMinimum", "too small", "more than ", -1, true},
        {&schema->maximum, "maximum", "too large", "at most ", 1, false},
        {&schema->exclusive_maximum, "exclusiveMaximum", "too large", "less than ", 1, true},
    };
    const struct side multiple = {
        &schema->multiple_of, "multipleOf", "not a multiple", "a multiple of ", 0, false};
    if (!contract_spend_real(checking, spot->value))
        return false;
    const struct decimal number = decimal_of(spot->value);
    bool fits = true;
    for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
        const struct side *side = &sides[i];
        if (!side->bound->is_set)
            continue;
        const int order = decimal_compare(number, side->bound->value);
        if (order * side->order > 0 || (order == 0 && side->or_equal))
            fits = say_bound(checking, schema, spot, side);
    }
    if (schema->multiple_of.is_set && !decimal_is_multiple(number, schema->multiple_of.value))
        fits = say_bound(checking, schema, spot, &multiple);
    return fits;
}

/* Whatever its characters are: each is one byte to four. */
static bool is_surely_within(const struct contract_range *range, size_t bytes)
{
    enum { CHARACTER_BYTES_MAX = 4 };
    const int64_t least = (int64_t)((bytes + CHARACTER_BYTES_MAX - 1) / CHARACTER_BYTES_MAX);
    return least >= range->min && (int64_t)bytes <= range->max;
}

static int64_t count_characters(const char *text, size_t len)
{
    int64_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80 ? 1 : 0;
    return count;
}

static bool check_pattern(struct contract_checking *checking, const struct contract_schema *schema,
                          const struct contract_spot *spot)
{
    size_t len = 0;
    const char *text = json_bytes(spot->value, &len);
    const enum contract_match match = contract_matches(checking, spot, schema->pattern, text, len);
    if (match != CONTRACT_MATCH_NO)
        return match == CONTRACT_MATCH_YES;
    const char *pattern = json_text(json_get(schema->json, "pattern"), "");
    return contract_say_value(checking, spot, "does not match the pattern",
                              contract_described(schema, pattern));
}

bool contract_check_string(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    size_t len = 0;
    const char *text = json_bytes(spot->value, &len);
    const struct contract_amount amount = {
        .range = schema->length, .what = "character", .less = "too short", .more = "too long"};
    bool fits = contract_spend(checking, len / CONTRACT_STEP_BYTES);
    if (!fits)
        return false;
    if (!is_surely_within(&schema->length, len))
        fits = contract_check_amount(checking, spot, &amount, count_characters(text, len));
    if (schema->pattern && !contract_is_settled(checking, fits))
        fits = check_pattern(checking, schema, spot) && fits;
    return fits;
}
