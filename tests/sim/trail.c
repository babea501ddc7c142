#include "trail.h"

#include <assert.h>

enum { SCALED_MAX = 40 };

static int scaled(const struct trail *trail, int limit)
{
    int most = limit > SCALED_MAX ? limit : SCALED_MAX;
    return limit * trail->scale < most ? limit * trail->scale : most;
}

static enum entropy_level level(const struct trail *trail, int count, int nudge, int stop)
{
    if (stop != 0 && count >= scaled(trail, stop))
        return ENTROPY_STUCK;
    return nudge != 0 && count >= scaled(trail, nudge) ? ENTROPY_SUSPECT : ENTROPY_OK;
}

static bool alike(const struct trail_step *a, const struct trail_step *b)
{
    return a->step == b->step && a->result.hi == b->result.hi && a->result.lo == b->result.lo;
}

/* The latest one and those before it that were the same. */
static struct trail_saying count_repeats(const struct trail *trail,
                                         const struct entropy_limits *limits)
{
    const struct trail_step *last = &trail->steps[trail->count - 1];
    bool differs = false;
    int first = trail->count - 1;
    while (first > 0 && alike(&trail->steps[first - 1], last)) {
        differs = differs || trail->steps[first - 1].raw != trail->steps[first].raw;
        first--;
    }
    int nudge = last->poll ? limits->poll_nudge : limits->repeat_nudge;
    int stop = last->poll ? limits->poll_stop : limits->repeat_stop;
    if (!last->poll && !last->failed && differs && stop != 0)
        stop = limits->repeat_masked_stop;
    int count = trail->count - first;
    return (struct trail_saying){.level = level(trail, count, nudge, stop),
                                 .rung = ENTROPY_RUNG_REPEAT,
                                 .count = count,
                                 .first = first};
}

/* What brought nothing new, back from the latest; a look counts as a part of one. */
static struct trail_saying count_barren(const struct trail *trail,
                                        const struct entropy_limits *limits)
{
    struct trail_saying saying = {.rung = ENTROPY_RUNG_BARREN, .first = trail->count};
    int percent = 0;
    while (saying.first > 0 && !trail->steps[saying.first - 1].news) {
        saying.first--;
        saying.count++;
        percent += trail->steps[saying.first].poll ? limits->poll_weight : 100;
    }
    saying.level = level(trail, percent / 100, limits->barren_nudge, limits->barren_stop);
    return saying;
}

static struct trail_saying say(const struct trail *trail, const struct entropy_limits *limits)
{
    const struct trail_saying all[] = {
        count_repeats(trail, limits),
        count_barren(trail, limits),
    };
    struct trail_saying best = {0};
    for (int i = 0; i < 2; i++) {
        if (all[i].level > best.level)
            best = all[i];
    }
    return best;
}

void trail_add(struct trail *trail, const struct trail_step *step,
               const struct entropy_limits *limits, const struct moment *at)
{
    assert(trail->count < TRAIL_MAX);
    const struct trail_saying before = trail->saying;
    bool same_call = trail->count > 0 && trail->steps[trail->count - 1].step == step->step;
    trail->steps[trail->count++] = *step;
    trail->told = false;
    trail->news = false;
    trail->saying = say(trail, limits);
    trail->said_at = trail->count;
    /* Of barren steps only a stop is ever said here, so it is about one call. */
    if (before.level == ENTROPY_OK || !same_call)
        trail->since = *at;
    unsigned bit = 1U << step->step;
    bool is_told = (trail->told_steps & bit) != 0;
    if (trail->saying.level != ENTROPY_SUSPECT || is_told || trail->nudged >= limits->nudges)
        return;
    trail->nudged++;
    trail->told_steps |= bit;
    trail->news = true;
}

void trail_go_on(struct trail *trail, int scale)
{
    trail->scale = scale;
    trail->nudged = 0;
    trail->told_steps = 0;
    trail->news = false;
    trail->told = false;
    trail->saying = (struct trail_saying){0};
}
