#include "trail.h"

#include <assert.h>

enum { WINDOW = 96, SCALED_MAX = 40, PERIOD_MAX = 8 };

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

/* Counts the latest step and those before it that were the same. */
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

/* Returns the step `steps` before the latest. */
static const struct trail_step *back(const struct trail *trail, int steps)
{
    return &trail->steps[trail->count - 1 - steps];
}

static int oldest(const struct trail *trail)
{
    return trail->count > WINDOW ? trail->count - WINDOW : 0;
}

/* Returns true if a lap does something, and not always the same thing. */
static bool is_lap(const struct trail *trail, int period)
{
    bool differs = false;
    bool acts = false;
    for (int i = 0; i < period; i++) {
        differs = differs || !alike(back(trail, i), back(trail, 0));
        acts = acts || !back(trail, i)->poll;
    }
    return differs && acts;
}

static struct trail_saying count_laps(const struct trail *trail,
                                      const struct entropy_limits *limits)
{
    struct trail_saying saying = {.rung = ENTROPY_RUNG_CYCLE};
    int stop = scaled(trail, limits->cycle_stop);
    for (int period = 2; limits->cycle_stop >= 2 && period <= PERIOD_MAX; period++) {
        int again = 0;
        while (again + period < trail->count - oldest(trail) &&
               alike(back(trail, again), back(trail, again + period)))
            again++;
        int laps = again / period + 1;
        bool enough = laps >= stop || laps >= WINDOW / period;
        if (!enough || !is_lap(trail, period))
            continue;
        saying.level = ENTROPY_STUCK;
        saying.count = laps;
        saying.first = trail->count - laps * period;
        return saying;
    }
    return saying;
}

/* Counts how often this call failed in this way, back to where it did not: with the same result, or
 * without any new output. */
static struct trail_saying count_failures(const struct trail *trail, bool same_result)
{
    struct trail_saying saying = {.rung = ENTROPY_RUNG_FAILURE};
    const struct trail_step *later = back(trail, 0);
    for (int i = trail->count - 1; i >= oldest(trail); i--) {
        const struct trail_step *step = &trail->steps[i];
        if (step->step != later->step)
            continue;
        bool same = alike(step, later) || (!same_result && !later->news);
        if (!step->failed || !same)
            break;
        saying.count++;
        saying.first = i;
        later = step;
    }
    return saying;
}

static struct trail_saying see_failures(const struct trail *trail,
                                        const struct entropy_limits *limits)
{
    struct trail_saying same = count_failures(trail, true);
    struct trail_saying stale = count_failures(trail, false);
    if (!back(trail, 0)->failed || back(trail, 0)->poll)
        return (struct trail_saying){0};
    same.level = level(trail, same.count, 0, limits->failure_edited_stop);
    stale.level = level(trail, stale.count, limits->failure_nudge, limits->failure_stop);
    return same.level > stale.level ? same : stale;
}

static int weight_of(const struct trail_step *step, const struct entropy_limits *limits)
{
    return step->poll ? limits->poll_weight : 100;
}

/* Counts the latest steps without anything new. A look counts as a fraction of a step. Steps that
 * count as 0 are skipped at the start. */
static struct trail_saying count_barren(const struct trail *trail,
                                        const struct entropy_limits *limits)
{
    struct trail_saying saying = {.rung = ENTROPY_RUNG_BARREN, .first = trail->count};
    int percent = 0;
    while (saying.first > 0 && !trail->steps[saying.first - 1].news) {
        saying.first--;
        saying.count++;
        percent += weight_of(&trail->steps[saying.first], limits);
    }
    for (; saying.count > 0 && weight_of(&trail->steps[saying.first], limits) == 0; saying.first++)
        saying.count--;
    saying.level = level(trail, percent / 100, limits->barren_nudge, limits->barren_stop);
    return saying;
}

static struct trail_saying say(const struct trail *trail, const struct entropy_limits *limits)
{
    const struct trail_saying all[] = {
        count_repeats(trail, limits),
        count_laps(trail, limits),
        see_failures(trail, limits),
        count_barren(trail, limits),
    };
    struct trail_saying best = {0};
    for (int i = 0; i < 4; i++) {
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
    trail->newly_stuck = trail->saying.level == ENTROPY_STUCK && before.level != ENTROPY_STUCK;
    /* Barren steps only lead to a stop here, which is about a single call. */
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
    trail->news = trail->newly_stuck = false;
    trail->told = false;
    trail->saying = (struct trail_saying){0};
}
