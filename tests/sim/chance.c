#include "chance.h"

#include <assert.h>

/* Marsaglia's xorshift64*, which is not the generator of the code under test. */
uint64_t chance_next(struct chance *chance)
{
    uint64_t x = chance->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    chance->state = x;
    return (x * 0x2545f4914f6cdd1dULL) >> 11;
}

struct chance chance_new(uint64_t seed)
{
    struct chance chance = {.state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1};
    for (int i = 0; i < 8; i++)
        (void)chance_next(&chance); /* makes neighboring seeds diverge */
    return chance;
}

int chance_below(struct chance *chance, int below)
{
    assert(below > 0);
    return (int)(chance_next(chance) % (uint64_t)below);
}

int64_t chance_between(struct chance *chance, int64_t from, int64_t to)
{
    assert(from <= to);
    return from + (int64_t)(chance_next(chance) % (uint64_t)(to - from + 1));
}

bool chance_hits(struct chance *chance, int percent)
{
    return chance_below(chance, 100) < percent;
}

int chance_pick(struct chance *chance, const int *weights, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += weights[i];
    int at = chance_below(chance, sum);
    for (int i = 0; i < count; i++) {
        at -= weights[i];
        if (at < 0)
            return i;
    }
    assert(false);
    return 0;
}
