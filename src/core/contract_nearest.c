#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "contract_checking.h"
#include "contract_types.h"
#include "str.h"

enum { CONSTANTS_SHOWN = 8 };

/* The alternative that a value is nearest to. */
struct nearest {
    size_t index;
    struct contract_findings findings; /* what is wrong with it there */
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
    for (size_t i = 0; i < list->count && i < CONSTANTS_SHOWN; i++) {
        char *constant = json_brief(list->items[i]->constant, CONTRACT_SHOWN_MAX);
        if (i > 0)
            str_add(out, i + 1 == list->count ? " or " : ", ");
        str_add(out, constant);
        free(constant);
    }
    if (list->count > CONSTANTS_SHOWN)
        str_addf(out, " or one of %zu more", list->count - CONSTANTS_SHOWN);
}

/* The first of those from which the least is to be changed. */
static struct nearest find_nearest(struct contract_checking *checking,
                                   const struct contract_list *list, struct contract_spot *spot)
{
    struct contract_findings *said = checking->findings;
    struct nearest nearest = {.findings = {.weight = LONG_MAX}};
    size_t depth = 0;
    for (const struct json_pointer *p = &spot->at; p->up; p = p->up)
        depth++;
    for (size_t i = 0; i < list->count && checking->stop == CONTRACT_GOES_ON; i++) {
        struct contract_findings own = {.max = 1, .depth = depth};
        checking->findings = &own;
        (void)contract_fits(checking, list->items[i], spot); /* it does not */
        const bool is_nearer = own.weight < nearest.findings.weight;
        contract_findings_done(is_nearer ? &nearest.findings : &own);
        if (is_nearer)
            nearest = (struct nearest){.index = i, .findings = own};
    }
    checking->findings = said;
    return nearest;
}

static void add_reason(struct str *out, const struct contract_findings *findings, size_t depth)
{
    const struct contract_finding *first = &findings->items[0];
    if (first->depth > depth)
        str_addf(out, "%s ", first->path);
    str_add(out, first->message);
    if (findings->dropped > 0)
        str_addf(out, ", and %zu more", findings->dropped);
}

static void say_nearest(struct contract_checking *checking, const struct contract_list *list,
                        struct contract_spot *spot)
{
    struct nearest nearest = find_nearest(checking, list, spot);
    struct contract_findings *findings = &nearest.findings;
    struct str message = {0};
    if (findings->count > 0) {
        str_addf(&message,
                 "fits none of the %zu alternatives; nearest is number %zu: ", list->count,
                 nearest.index + 1);
        add_reason(&message, findings, findings->depth);
        const struct contract_fault fault = {
            .code = VIOLATION_INVALID_VALUE,
            .message = str_text(&message),
            .expected = findings->items[0].expected,
            .actual = findings->items[0].actual,
        };
        (void)contract_say(checking, spot, &fault);
    }
    contract_findings_done(findings);
    str_done(&message);
}

static void say_types(struct contract_checking *checking, struct contract_spot *spot,
                      unsigned types)
{
    const bool is_root = !spot->at.up && types == CONTRACT_OBJECT;
    struct str expected = {0};
    contract_types_add(&expected, types);
    (void)contract_say_shown(checking, spot, is_root ? VIOLATION_NOT_OBJECT : VIOLATION_WRONG_TYPE,
                             is_root ? "must be an object" : "wrong type", str_text(&expected));
    str_done(&expected);
}

bool contract_say_none_fits(struct contract_checking *checking, const struct contract_list *list,
                            struct contract_spot *spot)
{
    if (!checking->findings || checking->stop != CONTRACT_GOES_ON)
        return false;
    const unsigned types = other_types(list, spot);
    if (types != 0) {
        say_types(checking, spot, types);
    } else if (are_constants(list)) {
        struct str expected = {0};
        add_constants(&expected, list);
        (void)contract_say_value(checking, spot, "not one of the values allowed",
                                 str_text(&expected));
        str_done(&expected);
    } else {
        say_nearest(checking, list, spot);
    }
    return false;
}
