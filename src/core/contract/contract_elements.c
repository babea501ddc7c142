/* contract_elements.c - keywords of arrays. */
#include "contract_checking.h"
#include "contract_equal.h"
#include "str.h"

static struct contract_spot element(const struct contract_spot *spot, size_t index)
{
    return (struct contract_spot){
        .at = {.up = &spot->at, .index = index},
        .value = json_at(spot->value, index),
    };
}

static bool check_items(struct contract_checking *checking, const struct contract_schema *schema,
                        const struct contract_spot *spot)
{
    const struct contract_list *prefix = &schema->prefix_items;
    const size_t count = json_count(spot->value);
    bool fits = true;
    for (size_t i = 0; i < count && !contract_is_settled(checking, fits); i++) {
        struct contract_spot item = element(spot, i);
        const struct contract_schema *own = i < prefix->count ? prefix->items[i] : schema->items;
        if (!own)
            break;
        fits = contract_fits(checking, own, &item) && fits;
    }
    return fits;
}

static bool check_contained(struct contract_checking *checking,
                            const struct contract_schema *schema, const struct contract_spot *spot)
{
    const struct contract_amount amount = {
        .range = schema->contained,
        .what = "fitting element",
        .less = contract_described(schema->contains, "too few elements of the kind wanted"),
        .more = "too many elements of one kind",
    };
    const size_t count = json_count(spot->value);
    int64_t contained = 0;
    for (size_t i = 0; i < count && checking->stop == CONTRACT_GOES_ON; i++) {
        struct contract_spot item = element(spot, i);
        contained += contract_would_fit(checking, schema->contains, &item) ? 1 : 0;
    }
    return checking->stop == CONTRACT_GOES_ON &&
           contract_check_amount(checking, spot, &amount, contained);
}

/* An array whose elements are compared. */
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
    str_addf(&message, "no element may be there twice, and %zu is equal to %zu", second, first);
    struct contract_spot item = element(comparison->spot, second);
    (void)contract_say_value(checking, &item, str_text(&message), NULL);
    str_done(&message);
    return checking->stop == CONTRACT_GOES_ON;
}

static bool check_unique(struct contract_checking *checking, const struct contract_spot *spot)
{
    struct comparison comparison = {.checking = checking, .spot = spot};
    const bool differ =
        contract_all_differ(spot->value, say_equal, &comparison, &checking->steps_left);
    return contract_spend(checking, 0) && differ;
}

bool contract_check_elements(struct contract_checking *checking,
                             const struct contract_schema *schema, struct contract_spot *spot)
{
    const struct contract_amount amount = {.range = schema->elements,
                                           .what = "element",
                                           .less = "too few elements",
                                           .more = "too many elements"};
    bool fits = contract_check_amount(checking, spot, &amount, (int64_t)json_count(spot->value));
    if (schema->contains && !contract_is_settled(checking, fits))
        fits = check_contained(checking, schema, spot) && fits;
    if (schema->unique && !contract_is_settled(checking, fits))
        fits = check_unique(checking, spot) && fits;
    if (!contract_is_settled(checking, fits))
        fits = check_items(checking, schema, spot) && fits;
    return fits;
}
