/* plan_budget.c - budgets in plans. */
#include <assert.h>
#include <math.h>

#include "plan_agent.h"
#include "str.h"

enum { MICRO = 1000000, MILLI = 1000, COST_USD_MAX = 1000000, COUNT_MAX = 1000000000 };

/* What a plan counts in, and what the limits are: a unit of the plan is so many of budget.h. */
static const struct {
    int64_t scale;
    int64_t most; /* in units of the plan */
} kinds[] = {
    [BUDGET_NONE] = {1, 0},
    [BUDGET_COST] = {MICRO, COST_USD_MAX},
    [BUDGET_TURNS] = {1, COUNT_MAX},
    [BUDGET_CALLS] = {1, COUNT_MAX},
    [BUDGET_WALL] = {MILLI, PLAN_TIMEOUT_S_MAX},
};
static_assert(ARRAY_LEN(kinds) == BUDGET_KIND_COUNT, "every kind of budget has its unit");

void plan_budget_take(const struct json *value, struct budget *out)
{
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        const double limit =
            json_number(json_get(value, budget_kind_name((enum budget_kind)kind)), 0);
        if (limit <= 0 || limit > (double)kinds[kind].most)
            continue;
        const int64_t exact = llround(limit * (double)kinds[kind].scale);
        out->limits[kind] = exact > 0 ? exact : 1;
    }
}

void plan_budget_write(const struct budget *budget, struct str *out)
{
    str_add_char(out, '{');
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        const int64_t limit = budget->limits[kind];
        if (limit == 0)
            continue;
        str_json_key(out, budget_kind_name((enum budget_kind)kind));
        str_add_number(out, (double)limit / (double)kinds[kind].scale);
    }
    str_add_char(out, '}');
}
