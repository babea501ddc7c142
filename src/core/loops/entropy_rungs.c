/* entropy_rungs.c - the rungs: what a series of results or calls must be to count as a circle. */
#include <assert.h>

#include "entropy_window.h"

enum { BARREN_STEP = 100 /* percent */, CYCLE_MIN = 2, LAPS_MIN = 2 };

/* A threshold after "go on": doubled, but no "go on" makes it endless. */
static int scaled(const struct sight *sight, int limit)
{
    const int most = limit > ENTROPY_REPEAT_MAX ? limit : ENTROPY_REPEAT_MAX;
    return limit > most / sight->scale ? most : limit * sight->scale;
}

static enum entropy_level level_of(const struct sight *sight, int count, int nudge, int stop)
{
    if (stop > 0 && count >= scaled(sight, stop))
        return ENTROPY_STUCK;
    if (nudge > 0 && count >= scaled(sight, nudge))
        return ENTROPY_SUSPECT;
    return ENTROPY_OK;
}

/* splitmix64's last steps, so that a sum of a few digests is none of them. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static struct digest identity_of_rung(enum entropy_rung rung)
{
    return (struct digest){.hi = mix((uint64_t)rung), .lo = mix(~(uint64_t)rung)};
}

static bool called_later(const struct entropy_window *window, int back)
{
    const struct past *past = entropy_window_past(window, back);
    for (int i = 0; i < back; i++)
        if (digest_equal(entropy_window_past(window, i)->call, past->call))
            return true;
    return false;
}

/* Of the set of calls among the last `steps`: neither order nor number counts, so that it
 * does not matter where a lap begins. */
static struct digest identity_of_calls(const struct entropy_window *window, int steps)
{
    struct digest sum = {0};
    for (int i = 0; i < steps; i++) {
        if (called_later(window, i))
            continue;
        const struct digest call = entropy_window_past(window, i)->call;
        sum = digest_sum(sum, (struct digest){.hi = mix(call.hi), .lo = mix(call.lo)});
    }
    return sum;
}

static struct entropy_verdict verdict_of_streak(const struct sight *sight,
                                                const struct streak *streak, int steps)
{
    return (struct entropy_verdict){
        .count = streak->count,
        .first = streak->first,
        .first_number = streak->first_number,
        .last = sight->window->steps,
        .last_number = sight->number,
        .identity = identity_of_calls(sight->window, steps),
    };
}

/* Repeat: the same call, the same result. A look has patience; a success where only what
 * is masked differs may be a measurement that is taken several times. */
static enum entropy_level see_repeat(const struct sight *sight, struct entropy_verdict *out)
{
    const struct entropy_limits *limits = sight->limits;
    const bool plan = sight->fact->kind == ENTROPY_NEUTRAL;
    const struct streak *streak =
        plan ? &entropy_window_asides(sight->window)->replan : &sight->window->repeat;
    const bool poll = sight->fact->bits & ENTROPY_POLL;
    const bool measures = !(sight->fact->bits & ENTROPY_FAILED) && streak->raw_differs;
    if (!plan && sight->fact->kind != ENTROPY_CALL)
        return ENTROPY_OK;
    const int stop =
        measures && limits->repeat_stop > 0 ? limits->repeat_masked_stop : limits->repeat_stop;
    const enum entropy_level level =
        poll ? level_of(sight, streak->count, limits->poll_nudge, limits->poll_stop)
             : level_of(sight, streak->count, limits->repeat_nudge, stop);
    *out = verdict_of_streak(sight, streak, plan ? 0 : 1);
    if (plan)
        out->identity =
            (struct digest){.hi = mix(sight->fact->call.hi), .lo = mix(sight->fact->call.lo)};
    out->poll = poll;
    out->masked = streak->raw_differs;
    out->period = 1;
    return level;
}

/* Steps, back from the last one, that are what they were `period` steps before. */
static int steps_again(const struct entropy_window *window, int period)
{
    int same = 0;
    while (same + period < window->count) {
        const struct past *now = entropy_window_past(window, same);
        const struct past *then = entropy_window_past(window, same + period);
        if (!digest_equal(now->call, then->call) || !digest_equal(now->outcome, then->outcome) ||
            entropy_window_acts_anew(now))
            break;
        same++;
    }
    return same;
}

/* One lap is worth calling a cycle: it has two different steps, and one is no look. */
static bool lap_counts(const struct entropy_window *window, int period)
{
    const struct past *last = entropy_window_past(window, 0);
    bool differs = false;
    bool acts = !(last->bits & ENTROPY_POLL);
    for (int i = 1; i < period; i++) {
        const struct past *past = entropy_window_past(window, i);
        differs = differs || !digest_equal(past->call, last->call) ||
                  !digest_equal(past->outcome, last->outcome);
        acts = acts || !(past->bits & ENTROPY_POLL);
    }
    return differs && acts;
}

static bool raw_differs(const struct entropy_window *window, int period)
{
    for (int i = 0; i < period; i++)
        if (entropy_window_past(window, i)->raw != entropy_window_past(window, i + period)->raw)
            return true;
    return false;
}

static void fill_range(const struct sight *sight, int steps, struct entropy_verdict *out)
{
    const struct past *first = entropy_window_past(sight->window, steps - 1);
    out->first = first->step;
    out->first_number = first->number;
    out->last = sight->window->steps;
    out->last_number = sight->number;
}

static enum entropy_level see_cycle(const struct sight *sight, struct entropy_verdict *out)
{
    const struct entropy_window *window = sight->window;
    if (sight->limits->cycle_stop < LAPS_MIN || sight->fact->kind != ENTROPY_CALL)
        return ENTROPY_OK;
    for (int period = CYCLE_MIN; period <= ENTROPY_CYCLE_MAX; period++) {
        const int again = steps_again(window, period);
        const int laps = again / period + 1;
        const int room = ENTROPY_WINDOW / period;
        const int limit = scaled(sight, sight->limits->cycle_stop);
        if (laps < (limit < room ? limit : room) || !lap_counts(window, period))
            continue;
        fill_range(sight, laps * period, out);
        out->count = laps;
        out->period = period;
        out->masked = raw_differs(window, period);
        out->identity = identity_of_calls(window, period);
        return ENTROPY_STUCK;
    }
    return ENTROPY_OK;
}

/* In how many ways failures of one call can be the same. */
enum sameness {
    SAME_RESULT, /* whatever was changed between */
    NOTHING_NEW, /* and nothing was changed: a line that comes and goes is no progress */
    KNOWN_ONES,  /* whatever was changed: two or three that take turns, or one that moves down */
    SAMENESS_COUNT,
};

/* How often this call failed so, back to where it did otherwise. */
struct failures {
    int count[SAMENESS_COUNT];
    int steps[SAMENESS_COUNT]; /* from the first one on */
    bool raw_differs;
};

/* Is a failure the same as the one after it? */
static bool is_same(enum sameness sameness, const struct past *past, const struct past *later)
{
    const bool equal = digest_equal(past->outcome, later->outcome);
    switch (sameness) {
    case SAME_RESULT:
        return equal;
    case NOTHING_NEW:
        return equal || later->gain == ENTROPY_GAIN_NONE;
    case KNOWN_ONES:
    case SAMENESS_COUNT:
        break;
    }
    return false;
}

static void count_same(const struct entropy_window *window, enum sameness sameness,
                       struct failures *out)
{
    const struct past *later = entropy_window_past(window, 0);
    for (int i = 0; i < window->count; i++) {
        const struct past *past = entropy_window_past(window, i);
        if (sameness == NOTHING_NEW && i > 0 && past->bits & ENTROPY_CHANGED)
            break;
        if (!digest_equal(past->call, later->call))
            continue;
        if (!(past->bits & ENTROPY_FAILED) || !is_same(sameness, past, later))
            break;
        out->count[sameness]++;
        out->steps[sameness] = i + 1;
        out->raw_differs = out->raw_differs || past->raw != later->raw;
        later = past;
    }
}

/* The same for failures of which most came back after another one, or moved down in a source. The
 * first two may be new. */
static void count_known(const struct entropy_window *window, int least, struct failures *out)
{
    enum { FIRST_ONES = 2 };
    const struct digest call = entropy_window_past(window, 0)->call;
    const struct past *later = NULL;
    int again = 0;
    int first_ones = 0;
    int count = 0, steps = 0;
    for (int i = 0; i < window->count; i++) {
        const struct past *past = entropy_window_past(window, i);
        if (!digest_equal(past->call, call))
            continue;
        if (!(past->bits & ENTROPY_FAILED) || past->bits & ENTROPY_POLL)
            break;
        const bool returns = past->bits & ENTROPY_AGAIN;
        const bool equal = later && digest_equal(past->outcome, later->outcome);
        first_ones += !returns && !equal && count > 0;
        if (first_ones > FIRST_ONES || (count == 0 && !returns))
            break;
        again += returns;
        count++;
        steps = i + 1;
        later = past;
    }
    if (again < least)
        return;
    out->count[KNOWN_ONES] = count;
    out->steps[KNOWN_ONES] = steps;
}

static enum entropy_level see_failure(const struct sight *sight, struct entropy_verdict *out)
{
    const struct entropy_limits *limits = sight->limits;
    const unsigned bits = sight->fact->bits;
    if (sight->fact->kind != ENTROPY_CALL || !(bits & ENTROPY_FAILED) ||
        bits & (ENTROPY_POLL | ENTROPY_REVIEW))
        return ENTROPY_OK;
    struct failures failures = {0};
    count_same(sight->window, SAME_RESULT, &failures);
    count_same(sight->window, NOTHING_NEW, &failures);
    count_known(sight->window, limits->failure_edited_stop / 2, &failures);
    const enum entropy_level levels[] = {
        [SAME_RESULT] =
            level_of(sight, failures.count[SAME_RESULT], 0, limits->failure_edited_stop),
        [NOTHING_NEW] = level_of(sight, failures.count[NOTHING_NEW], limits->failure_nudge,
                                 limits->failure_stop),
        [KNOWN_ONES] = level_of(sight, failures.count[KNOWN_ONES], 0, limits->failure_edited_stop),
    };
    enum sameness worst = levels[SAME_RESULT] > levels[NOTHING_NEW] ? SAME_RESULT : NOTHING_NEW;
    worst = levels[KNOWN_ONES] > levels[worst] ? KNOWN_ONES : worst;
    fill_range(sight, failures.steps[worst], out);
    out->count = failures.count[worst];
    out->masked = failures.raw_differs;
    out->identity = identity_of_calls(sight->window, 1);
    return levels[worst];
}

/* Of the last `steps` calls, and where they are a piece of a longer round, of all of it. */
static struct digest identity_of_round(const struct entropy_window *window, int steps)
{
    for (int period = steps; period < window->count; period++)
        if (steps_again(window, period) >= steps)
            return identity_of_calls(window, period);
    return identity_of_calls(window, steps);
}

static int steps_since(const struct entropy_window *window, int64_t first)
{
    int steps = 0;
    while (steps < window->count && entropy_window_past(window, steps)->step >= first)
        steps++;
    return steps;
}

static enum entropy_level see_barren(const struct sight *sight, struct entropy_verdict *out)
{
    const struct streak *streak = &sight->window->barren;
    const int count = streak->count / BARREN_STEP;
    const enum entropy_level level =
        sight->fact->kind == ENTROPY_CALL
            ? level_of(sight, count, sight->limits->barren_nudge, sight->limits->barren_stop)
            : ENTROPY_OK;
    if (level == ENTROPY_OK)
        return level;
    *out = verdict_of_streak(sight, streak, 0);
    const int steps = steps_since(sight->window, streak->first);
    out->count = steps;
    out->identity = identity_of_round(sight->window, steps);
    out->poll = sight->fact->bits & ENTROPY_POLL;
    return level;
}

static enum entropy_level see_pause(const struct sight *sight, struct entropy_verdict *out)
{
    const struct streak *streak = &entropy_window_asides(sight->window)->pause;
    *out = verdict_of_streak(sight, streak, 0);
    out->identity = identity_of_rung(ENTROPY_RUNG_PAUSE);
    out->poll = true;
    return sight->fact->kind == ENTROPY_PAUSE
               ? level_of(sight, streak->count, sight->limits->pause_nudge,
                          sight->limits->pause_stop)
               : ENTROPY_OK;
}

static enum entropy_level see_monologue(const struct sight *sight, struct entropy_verdict *out)
{
    const struct streak *streak = &entropy_window_asides(sight->window)->talk;
    *out = verdict_of_streak(sight, streak, 0);
    out->identity = identity_of_rung(ENTROPY_RUNG_MONOLOGUE);
    return sight->fact->kind == ENTROPY_MESSAGE
               ? level_of(sight, streak->count, sight->limits->monologue_nudge,
                          sight->limits->monologue_stop)
               : ENTROPY_OK;
}

static enum entropy_level see_chant(const struct sight *sight, struct entropy_verdict *out)
{
    const struct streak *streak = &entropy_window_asides(sight->window)->chant;
    *out = verdict_of_streak(sight, streak, 0);
    out->identity = identity_of_rung(ENTROPY_RUNG_CHANT);
    return sight->fact->kind == ENTROPY_MESSAGE && (sight->fact->bits & ENTROPY_CHANTS)
               ? level_of(sight, streak->count, 0, sight->limits->chant_stop)
               : ENTROPY_OK;
}

/* The tightest description first: it is the one that is reported. */
static const struct {
    enum entropy_rung rung;
    enum entropy_level (*see)(const struct sight *sight, struct entropy_verdict *out);
} rungs[] = {
    {ENTROPY_RUNG_REPEAT, see_repeat},   {ENTROPY_RUNG_CYCLE, see_cycle},
    {ENTROPY_RUNG_FAILURE, see_failure}, {ENTROPY_RUNG_BARREN, see_barren},
    {ENTROPY_RUNG_PAUSE, see_pause},     {ENTROPY_RUNG_MONOLOGUE, see_monologue},
    {ENTROPY_RUNG_CHANT, see_chant},
};
static_assert(ARRAY_LEN(rungs) == ENTROPY_RUNG_COUNT - 1, "every rung is asked");

void entropy_rungs(const struct sight *sight, struct entropy_verdict *out)
{
    *out = (struct entropy_verdict){0};
    for (size_t i = 0; i < ARRAY_LEN(rungs); i++) {
        struct entropy_verdict verdict = {0};
        const enum entropy_level level = rungs[i].see(sight, &verdict);
        if (level <= out->level)
            continue;
        verdict.level = level;
        verdict.rung = rungs[i].rung;
        *out = verdict;
    }
}
