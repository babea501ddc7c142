/* contract_check.c - checks a value against a schema, and reports the violations. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "contract_internal.h"
#include "str.h"
#include "text.h"

/* Returns the bits of all types of a value: 1.0 is a number and an integer. */
static unsigned types_of_value(const struct json *value)
{
    switch (json_kind(value)) {
    case JSON_KIND_OBJECT:
        return CONTRACT_OBJECT;
    case JSON_KIND_ARRAY:
        return CONTRACT_ARRAY;
    case JSON_KIND_STRING:
        return CONTRACT_STRING;
    case JSON_KIND_INTEGER:
        return CONTRACT_NUMBER | CONTRACT_INTEGER;
    case JSON_KIND_REAL:
        return decimal_is_integer(decimal_of(value)) ? CONTRACT_NUMBER | CONTRACT_INTEGER
                                                     : CONTRACT_NUMBER;
    case JSON_KIND_TRUE:
    case JSON_KIND_FALSE:
        return CONTRACT_BOOLEAN;
    case JSON_KIND_NULL:
        return CONTRACT_NULL;
    case JSON_KIND_NONE:
    case JSON_KIND_COUNT:
        break;
    }
    return 0;
}

/* Returns the schema with that name, or NULL. O(log n). */
static struct contract_schema *find_row_schema(const struct contract_table *table, const char *key)
{
    size_t from = 0;
    size_t to = table->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const char *other = table->rows[middle].key;
        int order = (unsigned char)key[0] -
                    (unsigned char)other[0]; /* most keys already differ in the first byte */
        if (order == 0)
            order = strcmp(key, other);
        if (order == 0)
            return table->rows[middle].schema;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

/* Like contract_fits(), but collects no errors. */
static bool contract_would_fit(struct contract_checking *checking,
                               const struct contract_schema *schema, struct contract_spot *spot)
{
    struct contract_findings *findings = checking->findings;
    checking->findings = NULL;
    const bool fits = contract_fits(checking, schema, spot);
    checking->findings = findings;
    return fits;
}

static bool check_any_of(struct contract_checking *checking, const struct contract_list *list,
                         struct contract_spot *spot)
{
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        if (contract_would_fit(checking, list->items[i], spot))
            return true;
    }
    return contract_say_none_fits(checking, list, spot);
}

static bool check_one_of(struct contract_checking *checking, const struct contract_list *list,
                         struct contract_spot *spot)
{
    size_t fitting = list->count; /* none yet */
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        if (!contract_would_fit(checking, list->items[i], spot))
            continue;
        if (fitting < list->count) {
            struct str message = {0};
            str_addf(&message, "matches more than one alternative: number %zu and number %zu",
                     fitting + 1, i + 1);
            (void)contract_say_value(checking, spot, str_text(&message), "exactly one");
            str_done(&message);
            return false;
        }
        fitting = i;
    }
    return fitting < list->count || contract_say_none_fits(checking, list, spot);
}

static bool say_must_not(struct contract_checking *checking, const struct contract_schema *schema,
                         const struct contract_spot *spot)
{
    if (!checking->findings)
        return false;
    const char *described = contract_described(schema->not_this, NULL);
    if (described)
        return contract_say_value(checking, spot, "not allowed", described);
    struct str expected = {0};
    const struct json *constant = schema->not_this->constant;
    const char *words = constant ? "must not be this value" : "must not match this schema";
    char *shown = json_brief(constant ? constant : schema->not_this->json, CONTRACT_SHOWN_MAX);
    str_addf(&expected, "not %s", shown);
    (void)contract_say_value(checking, spot, words, str_text(&expected));
    free(shown);
    str_done(&expected);
    return false;
}

static bool check_combined(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    bool fits = !schema->target || contract_fits(checking, schema->target, spot);
    for (size_t i = 0; i < schema->all_of.count && !contract_is_settled(checking, fits); i++)
        fits = contract_fits(checking, schema->all_of.items[i], spot) && fits;
    if (schema->any_of.count > 0 && !contract_is_settled(checking, fits))
        fits = check_any_of(checking, &schema->any_of, spot) && fits;
    if (schema->one_of.count > 0 && !contract_is_settled(checking, fits))
        fits = check_one_of(checking, &schema->one_of, spot) && fits;
    if (schema->not_this && !contract_is_settled(checking, fits) &&
        contract_would_fit(checking, schema->not_this, spot))
        fits = say_must_not(checking, schema, spot);
    if (schema->condition && !contract_is_settled(checking, fits)) {
        const bool holds = contract_would_fit(checking, schema->condition, spot);
        const struct contract_schema *then = holds ? schema->then_this : schema->else_this;
        if (then && checking->stop == CONTRACT_GOES_ON)
            fits = contract_fits(checking, then, spot) && fits;
    }
    if (!contract_is_settled(checking, fits)) {
        const struct contract_table *table = &schema->dependent_schemas;
        (void)contract_spend(checking, table->count / CONTRACT_STEP_MEMBERS);
        for (size_t i = 0; i < table->count && !contract_is_settled(checking, fits); i++) {
            if (json_get(spot->value, table->rows[i].key))
                fits = contract_fits(checking, table->rows[i].schema, spot) && fits;
        }
    }
    return fits && checking->stop == CONTRACT_GOES_ON;
}

static struct contract_spot element_spot(const struct contract_spot *spot, size_t index)
{
    return (struct contract_spot){
        .at = {.up = &spot->at, .index = index},
        .value = json_at(spot->value, index),
    };
}

static bool check_contained(struct contract_checking *checking,
                            const struct contract_schema *schema, const struct contract_spot *spot)
{
    const struct contract_amount amount = {
        .range = schema->contained,
        .what = "matching element",
        .less = contract_described(schema->contains, "too few matching elements"),
        .more = "too many matching elements",
    };
    const size_t count = json_count(spot->value);
    int64_t contained = 0;
    for (size_t i = 0; i < count && checking->stop == CONTRACT_GOES_ON; i++) {
        struct contract_spot item = element_spot(spot, i);
        contained += contract_would_fit(checking, schema->contains, &item) ? 1 : 0;
    }
    return checking->stop == CONTRACT_GOES_ON &&
           contract_check_amount(checking, spot, &amount, contained);
}

/* An array whose elements are being compared. */
struct comparison {
    struct contract_checking *checking;
    const struct contract_spot *spot;
};

static bool say_equal(void *ctx, size_t first, size_t second)
{
    const struct comparison *comparison = ctx;
    struct contract_checking *checking = comparison->checking;
    if (!checking->findings)
        return false;
    struct str message = {0};
    str_addf(&message, "elements must be unique, but element %zu is equal to element %zu", second,
             first);
    struct contract_spot item = element_spot(comparison->spot, second);
    (void)contract_say_value(checking, &item, str_text(&message), NULL);
    str_done(&message);
    return checking->stop == CONTRACT_GOES_ON;
}

static bool check_elements(struct contract_checking *checking, const struct contract_schema *schema,
                           struct contract_spot *spot)
{
    const struct contract_amount amount = {.range = schema->elements,
                                           .what = "element",
                                           .less = "too few elements",
                                           .more = "too many elements"};
    const struct contract_list *prefix = &schema->prefix_items;
    const size_t count = json_count(spot->value);
    bool fits = contract_check_amount(checking, spot, &amount, (int64_t)count);
    if (schema->contains && !contract_is_settled(checking, fits))
        fits = check_contained(checking, schema, spot) && fits;
    if (schema->unique && !contract_is_settled(checking, fits)) {
        struct comparison comparison = {.checking = checking, .spot = spot};
        const bool differ =
            contract_all_differ(spot->value, say_equal, &comparison, &checking->steps_left);
        fits = contract_spend(checking, 0) && differ && fits;
    }
    for (size_t i = 0; i < count && !contract_is_settled(checking, fits); i++) {
        const struct contract_schema *own = i < prefix->count ? prefix->items[i] : schema->items;
        struct contract_spot item = element_spot(spot, i);
        if (!own)
            break;
        fits = contract_fits(checking, own, &item) && fits;
    }
    return fits;
}

/* Returns true if the name is allowed. */
static bool check_name(struct contract_checking *checking, const struct contract_schema *schema,
                       const struct contract_spot *member)
{
    struct json *name = json_new_text(member->at.key);
    struct contract_spot spot = {.at = member->at, .value = name};
    struct contract_findings *said = checking->findings;
    struct contract_findings own = {.max = 1};
    checking->findings = said ? &own : NULL;
    const bool fits = contract_fits(checking, schema, &spot);
    checking->findings = said;
    if (!fits && own.count > 0) {
        struct str message = {0};
        const char *described = contract_described(schema, NULL);
        str_add(&message, "the name is not allowed");
        if (!described)
            str_addf(&message, ": %s", own.items[0].message);
        (void)contract_say_value(checking, &spot, str_text(&message),
                                 described ? described : own.items[0].expected);
        str_done(&message);
    }
    contract_findings_done(&own);
    json_free(name);
    return fits;
}

static bool say_unknown(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *member)
{
    if (!checking->findings)
        return false;
    struct str message = {0};
    struct near_word near = near_word_new(member->at.key);
    const size_t offered = contract_is_heard(checking) ? schema->properties.count : 0;
    for (size_t i = 0; i < offered && i < CONTRACT_NEAR_MAX; i++)
        contract_offer(checking, &near, schema->properties.rows[i].key);
    str_add(&message, "unknown key");
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    const struct contract_fault fault = {.code = VIOLATION_INVALID_VALUE,
                                         .message = str_text(&message)};
    (void)contract_say(checking, member, &fault);
    str_done(&message);
    return false;
}

static bool check_member(struct contract_checking *checking, const struct contract_schema *schema,
                         struct contract_spot *member)
{
    const char *key = member->at.key;
    const struct contract_schema *own = find_row_schema(&schema->properties, key);
    bool is_known = own != NULL;
    bool fits = !own || contract_fits(checking, own, member);
    for (size_t i = 0; i < schema->patterns.count && !contract_is_settled(checking, fits); i++) {
        const struct contract_patterned *row = &schema->patterns.rows[i];
        const enum contract_match match =
            contract_matches(checking, member, row->pattern, key, strlen(key));
        if (match == CONTRACT_MATCH_NO)
            continue;
        is_known = true;
        fits = match == CONTRACT_MATCH_YES && contract_fits(checking, row->schema, member) && fits;
    }
    if (is_known || !schema->additional || contract_is_settled(checking, fits))
        return fits;
    if (schema->additional->refuses_all)
        return say_unknown(checking, schema, member);
    return contract_fits(checking, schema->additional, member) && fits;
}

/* Reports the missing member, and the value that its own schema expects. */
static bool say_missing(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *member, const char *message)
{
    const struct contract_schema *own = find_row_schema(&schema->properties, member->at.key);
    struct str expected = {0};
    while (own && !own->constant && !own->choices && own->types == 0)
        own = own->target; /* never a loop: loading rejects loops */
    if (own && own->constant) {
        char *constant = json_brief(own->constant, CONTRACT_SHOWN_MAX);
        str_add(&expected, constant);
        free(constant);
    } else if (own && own->choices) {
        contract_add_choices(&expected, own->choices);
    } else if (own) {
        contract_types_add(&expected, own->types);
    }
    const struct contract_fault fault = {
        .code = VIOLATION_MISSING_FIELD,
        .message = message,
        .expected = expected.len > 0 ? str_text(&expected) : NULL,
        .actual = "nothing",
    };
    (void)contract_say(checking, member, &fault);
    str_done(&expected);
    return false;
}

/* Checks that each of the required names exists. Missing ones come after the existing members. */
static bool check_names(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *spot, const struct json *names,
                        const char *message)
{
    bool fits = contract_spend(checking, json_count(names) / CONTRACT_STEP_MEMBERS);
    for (size_t i = 0; i < json_count(names) && !contract_is_settled(checking, fits); i++) {
        const char *name = json_text(json_at(names, i), "");
        const struct contract_spot member = {
            .at = {.up = &spot->at, .key = name, .index = json_count(spot->value)}};
        if (json_get(spot->value, name))
            continue;
        fits = checking->findings ? say_missing(checking, schema, &member, message) : false;
    }
    return fits;
}

static bool check_dependent(struct contract_checking *checking,
                            const struct contract_schema *schema, const struct contract_spot *spot)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *names = NULL;
    struct str message = {0};
    bool fits =
        contract_spend(checking, json_count(schema->dependent_required) / CONTRACT_STEP_MEMBERS);
    while (!contract_is_settled(checking, fits) &&
           json_next(schema->dependent_required, &iter, &key, &names)) {
        if (!json_get(spot->value, key))
            continue;
        str_clear(&message);
        str_addf(&message, "required if \"%s\" is present", key);
        fits = check_names(checking, schema, spot, names, str_text(&message)) && fits;
    }
    str_done(&message);
    return fits;
}

static bool check_members(struct contract_checking *checking, const struct contract_schema *schema,
                          struct contract_spot *spot)
{
    const struct contract_amount amount = {.range = schema->members,
                                           .what = "member",
                                           .less = "too few members",
                                           .more = "too many members"};
    const size_t count = json_count(spot->value);
    const bool has_schemas = schema->properties.count > 0 || schema->patterns.count > 0 ||
                             schema->additional || schema->names;
    bool fits = !contract_range_is_set(&schema->members) ||
                contract_check_amount(checking, spot, &amount, (int64_t)count);
    if (has_schemas && !contract_is_settled(checking, fits)) {
        void *iter = NULL;
        struct contract_spot member = {.at = {.up = &spot->at}};
        (void)contract_spend(checking, count / CONTRACT_STEP_MEMBERS);
        while (!contract_is_settled(checking, fits) &&
               json_next(spot->value, &iter, &member.at.key, &member.value)) {
            member.types = 0;
            if (schema->names)
                fits = check_name(checking, schema->names, &member) && fits;
            if (!contract_is_settled(checking, fits))
                fits = check_member(checking, schema, &member) && fits;
            member.at.index++;
        }
    }
    if (schema->required && !contract_is_settled(checking, fits))
        fits = check_names(checking, schema, spot, schema->required, "required") && fits;
    if (schema->dependent_required && !contract_is_settled(checking, fits))
        fits = check_dependent(checking, schema, spot) && fits;
    return fits;
}

enum { STEPS_PER_VALUE = 64 }; /* minimum steps of a check, per value */

static const char *const stop_words[] = {
    [CONTRACT_GOES_ON] = "",
    [CONTRACT_STOP_STEPS] = "not fully checked: this contract takes too many steps",
    [CONTRACT_STOP_DEPTH] = "not fully checked: nested too deeply",
    [CONTRACT_STOP_PATTERN] = "not fully checked: a pattern takes too many steps",
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

bool contract_say_shown(struct contract_checking *checking, const struct contract_spot *spot,
                        enum violation_code code, const char *message, const char *expected)
{
    if (!checking->findings)
        return false;
    /* Shows only the type of an object or array, which may have many parts. */
    const enum json_kind kind = json_kind(spot->value);
    const bool has_parts = kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY;
    char *text = has_parts ? NULL : json_brief(spot->value, CONTRACT_SHOWN_MAX);
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

bool contract_check_amount(struct contract_checking *checking, const struct contract_spot *spot,
                           const struct contract_amount *amount, int64_t count)
{
    const int64_t min = amount->range.min;
    const int64_t max = amount->range.max;
    const bool is_less = count < min;
    if (!is_less && count <= max)
        return true;
    if (!checking->findings)
        return false;
    struct str expected = {0};
    struct str actual = {0};
    const bool has_both = min > 0 && max < INT64_MAX && min <= max;
    const bool is_one = (max == INT64_MAX ? min : max) == 1;
    if (has_both && min == max)
        str_addf(&expected, "%" PRId64, max);
    else if (has_both)
        str_addf(&expected, "%" PRId64 " to %" PRId64, min, max);
    else
        str_addf(&expected, "at %s %" PRId64, min > 0 ? "least" : "most", min > 0 ? min : max);
    str_addf(&expected, " %s%s", amount->what, is_one ? "" : "s");
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
        spot->types = types_of_value(spot->value);
        if ((spot->types & CONTRACT_NUMBER) != 0)
            (void)contract_spend_real(checking, spot->value);
    }
    if (schema->types != 0 && (schema->types & spot->types) == 0) {
        /* If the type is wrong, reports only that, unless the value also differs from the constant
         * that identifies the output: then reports the constant, which matters more. */
        const bool is_said =
            contract_is_identity(schema, spot) && !contract_check_choice(checking, schema, spot);
        return is_said ? false : contract_say_types(checking, spot, schema->types);
    }

    const bool has_choice = schema->constant || schema->choices;
    checking->depth++;
    bool fits = !has_choice || contract_check_choice(checking, schema, spot);
    if (!contract_is_settled(checking, fits)) {
        if ((spot->types & CONTRACT_OBJECT) != 0)
            fits = check_members(checking, schema, spot) && fits;
        else if ((spot->types & CONTRACT_ARRAY) != 0)
            fits = check_elements(checking, schema, spot) && fits;
        else if ((spot->types & CONTRACT_STRING) != 0)
            fits = contract_check_string(checking, schema, spot) && fits;
        else if ((spot->types & CONTRACT_NUMBER) != 0)
            fits = contract_check_number(checking, schema, spot) && fits;
    }
    if (schema->combines && !contract_is_settled(checking, fits))
        fits = check_combined(checking, schema, spot) && fits;
    checking->depth--;
    return fits && checking->stop == CONTRACT_GOES_ON;
}

/* Counts the values. Recurses as deep as the value is nested, which the JSON parser limits. */
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

/* Estimates the number of values from the length: each takes at least one byte and a separator. */
bool contract_check_read(const struct contract *contract, const struct json *value, size_t len,
                         struct violations *wrong)
{
    return check_values(contract, value, (int64_t)(len / 2) + 1, wrong);
}
