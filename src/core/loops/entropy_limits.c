#include "entropy_limits.h"

#include <assert.h>
#include <string.h>

#define FIELD(field) #field, offsetof(struct entropy_limits, field)

enum { PERCENT = 100 };

static const struct entropy_limit table[] = {
    {FIELD(repeat_nudge), 3, 1, 1000, "the same call with the same result, in a row: suspect"},
    {FIELD(repeat_stop), 5, 1, 1000, "the same: stuck"},
    {FIELD(repeat_masked_stop), 8, 1, 1000,
     "the same where it succeeds and only masked bytes differ"},
    {FIELD(poll_nudge), 10, 1, 1000, "looks in a row at something that does not change: suspect"},
    {FIELD(poll_stop), 20, 1, 1000, "the same: stuck"},
    {FIELD(cycle_stop), 3, 2, 12, "laps of a cycle of 2 to 8 steps: stuck"},
    {FIELD(failure_nudge), 4, 1, 96, "one call fails alike, other steps between: suspect"},
    {FIELD(failure_stop), 5, 1, 96, "the same, nothing changed since: stuck"},
    {FIELD(failure_edited_stop), 8, 1, 96, "the same, whatever was changed between: stuck"},
    {FIELD(barren_nudge), 4, 1, 1000, "steps in a row that bring nothing new: suspect"},
    {FIELD(barren_stop), 8, 1, 1000, "the same: stuck"},
    {FIELD(poll_weight), 40, 1, PERCENT, "percent of such a step that a look counts"},
    {FIELD(review_weight), 50, 1, PERCENT, "the same of another view of what is known"},
    {FIELD(pause_nudge), 10, 1, 1000, "pauses in a row and nothing else: suspect"},
    {FIELD(pause_stop), 20, 1, 1000, "the same: stuck"},
    {FIELD(monologue_nudge), 3, 1, 1000, "messages alike in a row, no call between: suspect"},
    {FIELD(monologue_stop), 5, 1, 1000, "the same: stuck"},
    {FIELD(chant_stop), 1, 1, 1000, "messages that chant: stuck"},
    {FIELD(chant_periods), 10, 2, 100, "equal periods in a row that make a chant"},
    {FIELD(alike_percent), 60, 1, PERCENT, "share of common words that makes two messages alike"},
    {FIELD(rewrite_percent), 80, 1, PERCENT, "the same for two texts written to one file in a row"},
    {FIELD(lone_counter), 12, 1, 1000, "steps for which a counter that goes up by one is news"},
    {FIELD(drift_turns), 2, 1, 100, "changes of direction after which a number is not news"},
    {FIELD(flips), 4, 1, 1000, "changes between success and failure of a call that are news"},
    {FIELD(nudges), 2, 1, 8, "hints to the agent before a person says a word"},
};

static_assert(ARRAY_LEN(table) * sizeof(int) == sizeof(struct entropy_limits),
              "every threshold has its row");

const struct entropy_limit *entropy_limit(size_t index)
{
    return index < ARRAY_LEN(table) ? &table[index] : NULL;
}

const struct entropy_limit *entropy_limit_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

int entropy_limit_get(const struct entropy_limits *limits, const struct entropy_limit *limit)
{
    int value;
    memcpy(&value, (const char *)limits + limit->offset, sizeof(value));
    return value;
}

static void put(struct entropy_limits *limits, const struct entropy_limit *limit, int value)
{
    memcpy((char *)limits + limit->offset, &value, sizeof(value));
}

bool entropy_limit_set(struct entropy_limits *limits, const struct entropy_limit *limit,
                       int64_t value, struct err *err)
{
    if (value < 0 || value > limit->max || (value > 0 && value < limit->min))
        return limit->min > 1
                   ? err_set(err, ERR_INVALID, "'%s' must be 0, or %d to %d", limit->name,
                             limit->min, limit->max)
                   : err_set(err, ERR_INVALID, "'%s' must be 0 to %d", limit->name, limit->max);
    put(limits, limit, (int)value);
    return true;
}

struct entropy_limits entropy_limits_new(void)
{
    struct entropy_limits limits = {0};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        put(&limits, &table[i], table[i].initial);
    return limits;
}
