#include "budget.h"

#include <assert.h>
#include <stddef.h>

#include "attr.h"
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
    enum { MICRO = 1000000, CENT = 10000, TEN_THOUSANDTH = 100 };
    if (micro > 0 && micro < TEN_THOUSANDTH)
        str_add(out, "<$0.0001");
    else if (micro > 0 && micro < CENT)
        str_addf(out, "$0.%04lld", (long long)(micro / TEN_THOUSANDTH));
    else
        str_addf(out, "$%lld.%02lld", (long long)(micro / MICRO),
                 (long long)(micro % MICRO / CENT));
}

void budget_use_words(const struct budget_use *use, struct str *out)
{
    enum { MS_PER_S = 1000 };
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
        str_addf(out, "%lld of %lld s", (long long)(use->used / MS_PER_S),
                 (long long)(use->limit / MS_PER_S));
        break;
    case BUDGET_NONE:
    case BUDGET_KIND_COUNT:
        break;
    }
}
