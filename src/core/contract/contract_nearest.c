/* contract_nearest.c - which of several alternatives a value nearly fits, and what is wrong with
 * it. */
#include <limits.h>

#include "contract_checking.h"
#include "contract_identity.h"
#include "str.h"

enum { NEAREST_SHOWN = 20 }; /* violations of the nearest alternative */

/* The alternative that a value is nearest to. */
struct nearest {
    size_t index;
    struct contract_findings findings;     /* what is wrong with it there */
    struct contract_identities identities; /* of all alternatives */
};

static const struct contract_schema *referred(const struct contract_schema *schema)
{
    const bool is_bare = schema->types == 0 && schema->target;
    return is_bare ? schema->target : schema;
}

/* The types of all alternatives if the value is of none of them, else 0. */
static unsigned other_types(const struct contract_list *list, const struct contract_spot *spot)
{
    unsigned types = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct contract_schema *own = referred(list->items[i]);
        if (own->types == 0 || (own->types & spot->types) != 0)
            return 0;
        types |= own->types;
    }
    return types;
}

static bool are_constants(const struct contract_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->items[i]->constant)
            return false;
    }
    return true;
}

static void add_constants(struct str *out, const struct contract_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        contract_add_choice(out, list->items[i]->constant, i, list->count);
}

static size_t depth_of(const struct contract_spot *spot)
{
    size_t depth = 0;
    for (const struct json_pointer *p = &spot->at; p->up; p = p->up)
        depth++;
    return depth;
}

/* The first of those from which the least is to be changed. */
static struct nearest find_nearest(struct contract_checking *checking,
                                   const struct contract_list *list, struct contract_spot *spot)
{
    struct contract_findings *said = checking->findings;
    struct nearest nearest = {.findings = {.weight = LONG_MAX}};
    const size_t depth = depth_of(spot);
    (void)contract_spend(checking, depth / CONTRACT_STEP_PLACES);
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        struct contract_findings own = {.max = VIOLATIONS_MAX, .depth = depth};
        checking->findings = &own;
        (void)contract_fits(checking, list->items[i], spot); /* it does not */
        contract_identities_add(&nearest.identities, &own);
        const bool is_nearer = own.weight < nearest.findings.weight;
        contract_findings_done(is_nearer ? &nearest.findings : &own);
        if (is_nearer) {
            nearest.index = i;
            nearest.findings = own;
        }
    }
    checking->findings = said;
    return nearest;
}

/* What is wrong with the nearest, each on its own: only what the output is of, where that differs
 * from all alternatives, for then the rest does not matter. */
static void tell(struct contract_checking *checking, struct nearest *nearest)
{
    struct contract_findings *said = checking->findings;
    const bool differ = contract_identities_differ(&nearest->identities);
    size_t places = 0;
    size_t told = 0;
    for (size_t i = 0; i < nearest->findings.count; i++) {
        struct contract_finding *finding = &nearest->findings.items[i];
        if (told == NEAREST_SHOWN || (differ && !violation_is_mismatch(finding->code)))
            continue;
        contract_identities_reword(&nearest->identities, finding);
        places += contract_findings_take(said, finding);
        told++;
    }
    if (!differ)
        said->dropped += nearest->findings.count - told + nearest->findings.dropped;
    (void)contract_spend(checking, told + places / CONTRACT_STEP_PLACES);
}

static void say_nearest(struct contract_checking *checking, const struct contract_list *list,
                        struct contract_spot *spot)
{
    struct nearest nearest = find_nearest(checking, list, spot);
    struct str message = {0};
    const bool is_known = checking->stop == CONTRACT_GOES_ON && nearest.findings.count > 0;
    if (list->count == 1)
        str_add(&message, "does not fit the only alternative");
    else
        str_addf(&message, "fits none of the %zu alternatives", list->count);
    if (is_known && list->count > 1)
        str_addf(&message, "; nearest is number %zu", nearest.index + 1);
    if (!is_known || !contract_identities_differ(&nearest.identities))
        (void)contract_say_value(checking, spot, str_text(&message), NULL);
    if (is_known)
        tell(checking, &nearest);
    contract_findings_done(&nearest.findings);
    contract_identities_done(&nearest.identities);
    str_done(&message);
}

/* None of the constants that the alternatives are. */
static void say_constants(struct contract_checking *checking, const struct contract_list *list,
                          struct contract_spot *spot)
{
    const enum violation_code code = contract_identity_code(&spot->at);
    const char *words = violation_is_mismatch(code) ? contract_identity_words(code, list->count)
                                                    : "not one of the values allowed";
    struct str expected = {0};
    add_constants(&expected, list);
    (void)contract_say_shown(checking, spot, code, words, str_text(&expected));
    str_done(&expected);
}

bool contract_say_none_fits(struct contract_checking *checking, const struct contract_list *list,
                            struct contract_spot *spot)
{
    if (!checking->findings || checking->stop != CONTRACT_GOES_ON)
        return false;
    const unsigned types = other_types(list, spot);
    if (types != 0) {
        (void)contract_say_types(checking, spot, types);
    } else if (are_constants(list)) {
        say_constants(checking, list, spot);
    } else {
        say_nearest(checking, list, spot);
    }
    return false;
}
