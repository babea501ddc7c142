#include "budget.h"

#include <assert.h>
#include <string.h>

#include "attr.h"
#include "rounded.h"
#include "str.h"

static const char *const names[] = {
    [BUDGET_NONE] = "none",   [BUDGET_COST] = "cost_usd", [BUDGET_TURNS] = "turns",
    [BUDGET_CALLS] = "calls", [BUDGET_WALL] = "wall_s",
};
static_assert(ARRAY_LEN(names) == BUDGET_KIND_COUNT, "every kind of budget has a name");

const char *budget_kind_name(enum budget_kind kind)
{
    assert(kind < BUDGET_KIND_COUNT);
    return names[kind];
}

enum budget_kind budget_kind_named(const char *name)
{
    int kind = BUDGET_KIND_COUNT - 1;
    while (kind > BUDGET_NONE && strcmp(names[kind], name) != 0)
        kind--;
    return (enum budget_kind)kind;
}

bool budget_is_set(const struct budget *budget)
{
    bool is_set = false;
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++)
        is_set = is_set || budget->limits[kind] > 0;
    return is_set;
}

bool budget_use_is_spent(const struct budget_use *use)
{
    return use->limit > 0 && use->used >= use->limit;
}

int64_t budget_use_mark(const struct budget_use *use)
{
    const int64_t given = use->limit - use->base;
    const int64_t most =
        given / 100 * BUDGET_TOLD_PERCENT + given % 100 * BUDGET_TOLD_PERCENT / 100;
    return use->base + (most > 0 ? most : 1);
}

bool budget_use_is_near(const struct budget_use *use)
{
    return use->limit > 0 && use->used >= budget_use_mark(use);
}

void budget_cost_words(int64_t micro, struct str *out)
{
    enum { CENT = 10000, TEN_THOUSANDTH = 100, CENTS = 100 };
    const int64_t small = rounded(micro, TEN_THOUSANDTH);
    const int64_t cents = rounded(micro, CENT);
    if (micro > 0 && micro < TEN_THOUSANDTH)
        str_add(out, "<$0.0001");
    else if (micro > 0 && small < CENT / TEN_THOUSANDTH)
        str_addf(out, "$0.%04lld", (long long)small);
    else
        str_addf(out, "$%lld.%02lld", (long long)(cents / CENTS), (long long)(cents % CENTS));
}

/* As many digits of a second as the limit is given with, and one at least where it is short. */
static void add_seconds(const struct budget_use *use, struct str *out)
{
    enum { MS_PER_S = 1000, SHORT_MS = 10000, DIGITS_MAX = 3 };
    int digits = use->limit < SHORT_MS ? 1 : 0;
    int64_t unit = digits > 0 ? MS_PER_S / 10 : MS_PER_S;
    for (; digits < DIGITS_MAX && use->limit % unit != 0; digits++)
        unit /= 10;
    str_addf(out, "%.*f of %.*f s", digits, (double)(rounded(use->used, unit) * unit) / MS_PER_S,
             digits, (double)use->limit / MS_PER_S);
}

void budget_use_words(const struct budget_use *use, struct str *out)
{
    switch (use->kind) {
    case BUDGET_COST:
        budget_cost_words(use->used, out);
        str_add(out, " of ");
        budget_cost_words(use->limit, out);
        break;
    case BUDGET_TURNS:
    case BUDGET_CALLS:
        str_addf(out, "%lld of %lld %s", (long long)use->used, (long long)use->limit,
                 names[use->kind]);
        break;
    case BUDGET_WALL:
        add_seconds(use, out);
        break;
    case BUDGET_NONE:
    case BUDGET_KIND_COUNT:
        break;
    }
}
