/* contract_combined.c - keywords that combine schemas: allOf, anyOf, oneOf, not, if. */
#include <stdlib.h>

#include "contract_checking.h"
#include "str.h"

static bool check_all(struct contract_checking *checking, const struct contract_list *list,
                      struct contract_spot *spot)
{
    bool fits = true;
    for (size_t i = 0; i < list->count && !contract_is_settled(checking, fits); i++)
        fits = contract_fits(checking, list->items[i], spot) && fits;
    return fits;
}

static bool check_any(struct contract_checking *checking, const struct contract_list *list,
                      struct contract_spot *spot)
{
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        if (contract_would_fit(checking, list->items[i], spot))
            return true;
    }
    return contract_say_none_fits(checking, list, spot);
}

static bool say_two_fit(struct contract_checking *checking, const struct contract_spot *spot,
                        size_t first, size_t second)
{
    struct str message = {0};
    str_addf(&message, "fits more than one alternative: number %zu and number %zu", first + 1,
             second + 1);
    (void)contract_say_value(checking, spot, str_text(&message), "exactly one");
    str_done(&message);
    return false;
}

static bool check_one(struct contract_checking *checking, const struct contract_list *list,
                      struct contract_spot *spot)
{
    size_t fitting = list->count; /* none yet */
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        if (!contract_would_fit(checking, list->items[i], spot))
            continue;
        if (fitting < list->count)
            return say_two_fit(checking, spot, fitting, i);
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
    const char *words = constant ? "must not be this value" : "must not be of this kind";
    char *shown = json_brief(constant ? constant : schema->not_this->json, CONTRACT_SHOWN_MAX);
    str_addf(&expected, "not %s", shown);
    (void)contract_say_value(checking, spot, words, str_text(&expected));
    free(shown);
    str_done(&expected);
    return false;
}

static bool check_condition(struct contract_checking *checking,
                            const struct contract_schema *schema, struct contract_spot *spot)
{
    const bool holds = contract_would_fit(checking, schema->condition, spot);
    const struct contract_schema *then = holds ? schema->then_this : schema->else_this;
    if (checking->stop != CONTRACT_GOES_ON)
        return false;
    return !then || contract_fits(checking, then, spot);
}

static bool check_dependents(struct contract_checking *checking, const struct contract_table *table,
                             struct contract_spot *spot)
{
    bool fits = contract_spend(checking, table->count / CONTRACT_STEP_MEMBERS);
    for (size_t i = 0; i < table->count && !contract_is_settled(checking, fits); i++) {
        if (json_get(spot->value, table->rows[i].key))
            fits = contract_fits(checking, table->rows[i].schema, spot) && fits;
    }
    return fits;
}

bool contract_check_combined(struct contract_checking *checking,
                             const struct contract_schema *schema, struct contract_spot *spot)
{
    bool fits = !schema->target || contract_fits(checking, schema->target, spot);
    if (!contract_is_settled(checking, fits))
        fits = check_all(checking, &schema->all_of, spot) && fits;
    if (schema->any_of.count > 0 && !contract_is_settled(checking, fits))
        fits = check_any(checking, &schema->any_of, spot) && fits;
    if (schema->one_of.count > 0 && !contract_is_settled(checking, fits))
        fits = check_one(checking, &schema->one_of, spot) && fits;
    if (schema->not_this && !contract_is_settled(checking, fits) &&
        contract_would_fit(checking, schema->not_this, spot))
        fits = say_must_not(checking, schema, spot);
    if (schema->condition && !contract_is_settled(checking, fits))
        fits = check_condition(checking, schema, spot) && fits;
    if (!contract_is_settled(checking, fits))
        fits = check_dependents(checking, &schema->dependent_schemas, spot) && fits;
    return fits && checking->stop == CONTRACT_GOES_ON;
}
