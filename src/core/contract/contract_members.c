/* contract_members.c - keywords of objects. */
#include <stdlib.h>
#include <string.h>

#include "contract_checking.h"
#include "contract_types.h"
#include "near_word.h"
#include "str.h"

/* Is the name one that may be there? */
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
    const struct contract_schema *own = contract_table_find(&schema->properties, key);
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

static bool has_member_schemas(const struct contract_schema *schema)
{
    return schema->properties.count > 0 || schema->patterns.count > 0 || schema->additional ||
           schema->names;
}

static bool check_each(struct contract_checking *checking, const struct contract_schema *schema,
                       const struct contract_spot *spot)
{
    void *iter = NULL;
    struct contract_spot member = {.at = {.up = &spot->at}};
    bool fits = contract_spend(checking, json_count(spot->value) / CONTRACT_STEP_MEMBERS);
    while (!contract_is_settled(checking, fits) &&
           json_next(spot->value, &iter, &member.at.key, &member.value)) {
        member.types = 0;
        if (schema->names)
            fits = check_name(checking, schema->names, &member) && fits;
        if (!contract_is_settled(checking, fits))
            fits = check_member(checking, schema, &member) && fits;
        member.at.index++;
    }
    return fits;
}

/* What a member should be, as far as its schema says it at once. */
static void add_wanted(struct str *out, const struct contract_schema *schema, const char *key)
{
    const struct contract_schema *own = contract_table_find(&schema->properties, key);
    while (own && !own->constant && !own->choices && own->types == 0)
        own = own->target; /* no circle: such are refused */
    if (!own)
        return;
    char *constant = own->constant ? json_brief(own->constant, CONTRACT_SHOWN_MAX) : NULL;
    if (constant)
        str_add(out, constant);
    else if (own->choices)
        contract_add_choices(out, own->choices);
    else
        contract_types_add(out, own->types);
    free(constant);
}

static bool say_missing(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *member, const char *message)
{
    struct str expected = {0};
    add_wanted(&expected, schema, member->at.key);
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

/* The names that must be there, behind all that is there. */
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
        str_addf(&message, "required where \"%s\" is", key);
        fits = check_names(checking, schema, spot, names, str_text(&message)) && fits;
    }
    str_done(&message);
    return fits;
}

static bool check_count(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *spot)
{
    const struct contract_amount amount = {.range = schema->members,
                                           .what = "member",
                                           .less = "too few members",
                                           .more = "too many members"};
    return contract_check_amount(checking, spot, &amount, (int64_t)json_count(spot->value));
}

bool contract_check_members(struct contract_checking *checking,
                            const struct contract_schema *schema, struct contract_spot *spot)
{
    bool fits = !contract_range_is_set(&schema->members) || check_count(checking, schema, spot);
    if (has_member_schemas(schema) && !contract_is_settled(checking, fits))
        fits = check_each(checking, schema, spot) && fits;
    if (schema->required && !contract_is_settled(checking, fits))
        fits = check_names(checking, schema, spot, schema->required, "required") && fits;
    if (schema->dependent_required && !contract_is_settled(checking, fits))
        fits = check_dependent(checking, schema, spot) && fits;
    return fits;
}
