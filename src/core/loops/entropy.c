/*
 * Loop detection: remembers the recent steps of a segment and decides, after each step, whether
 * the task is looping.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "entropy_window.h"
#include "xalloc.h"

/* The window of recent steps, to which facts are applied one by one. entropy.h describes facts and
 * rungs. */

enum { BARREN_STEP = 100 /* weight of an ordinary step, in percent */ };

const struct past *entropy_window_past(const struct entropy_window *window, int back)
{
    assert(back >= 0 && back < window->count);
    const int at = window->next - 1 - back;
    return &window->past[at < 0 ? at + window->cap : at];
}

const struct asides *entropy_window_asides(const struct entropy_window *window)
{
    static const struct asides none;
    return window->asides ? window->asides : &none;
}

const struct nudges *entropy_window_nudges(const struct entropy_window *window)
{
    static const struct nudges none;
    return window->nudges ? window->nudges : &none;
}

/* Adds a call to the ring. Grows the ring only while it is smaller than its final size, so growing
 * never has to rotate it. Doubles by hand because xgrow() would allocate more: most tasks have one
 * call, and a run may have very many tasks. */
static void remember_call(struct entropy_window *window, const struct past *past)
{
    if (window->count == window->cap && window->cap < ENTROPY_WINDOW) {
        int cap = window->cap == 0 ? 1 : window->cap * 2;
        cap = cap > ENTROPY_WINDOW ? ENTROPY_WINDOW : cap;
        window->past = xcheck(realloc(window->past, (size_t)cap * sizeof(*window->past)));
        memset(window->past + window->cap, 0, (size_t)(cap - window->cap) * sizeof(*window->past));
        window->next = window->count;
        window->cap = cap;
    }
    window->past[window->next] = *past;
    window->next = window->next + 1 == window->cap ? 0 : window->next + 1;
    if (window->count < window->cap)
        window->count++;
}

static void add_to_streak(struct streak *streak, const struct past *past, int amount)
{
    if (streak->count == 0)
        *streak = (struct streak){.first = past->step, .first_number = past->number};
    streak->count = streak->count > INT_MAX - amount ? INT_MAX : streak->count + amount;
}

/* Returns true if the step did something new although its call and result look the same: deleting
 * one container after another is not a repetition, and neither is trying one input after
 * another. */
static bool step_is_new(const struct past *past)
{
    const unsigned other_input = ENTROPY_FAILED | ENTROPY_REVIEW;
    return past->gain == ENTROPY_GAIN_CHANGE || past->gain == ENTROPY_GAIN_SILENT ||
           (past->bits & other_input) == other_input;
}

/* Extends the streak, or starts a new one if the step does not repeat the previous one. */
static void count_repeat(struct streak *streak, const struct past *before, const struct past *past)
{
    const bool same = before && digest_equal(before->call, past->call) &&
                      digest_equal(before->outcome, past->outcome) && !step_is_new(past);
    if (!same)
        *streak = (struct streak){0};
    add_to_streak(streak, past, 1);
    streak->raw_differs = streak->raw_differs || (same && before->raw != past->raw);
}

static void take_call(struct entropy_window *window, const struct past *past,
                      const struct entropy_limits *limits)
{
    const struct past *before = window->count > 0 ? entropy_window_past(window, 0) : NULL;
    count_repeat(&window->repeat, before, past);
    if (past->gain != ENTROPY_GAIN_NONE) {
        if (!(past->bits & ENTROPY_BETWEEN))
            window->barren = (struct streak){0};
    } else {
        int weight = past->bits & ENTROPY_REVIEW ? limits->review_weight : BARREN_STEP;
        if (past->bits & ENTROPY_POLL)
            weight = limits->poll_weight;
        /* The previous step was the first refusal and counted as news at the time, so add it to the
         * streak now. */
        if (past->bits & ENTROPY_REFUSED && window->barren.count == 0 && before)
            add_to_streak(&window->barren, before, BARREN_STEP);
        add_to_streak(&window->barren, past, weight);
    }
    remember_call(window, past);
    if (window->asides)
        *window->asides = (struct asides){.chant = window->asides->chant};
}

static void take_step(struct entropy_window *window, enum entropy_kind kind,
                      const struct past *past, const struct entropy_limits *limits)
{
    if (kind != ENTROPY_CALL && !window->asides)
        window->asides = xcalloc(1, sizeof(*window->asides));
    struct asides *asides = window->asides;
    switch (kind) {
    case ENTROPY_CALL:
        take_call(window, past, limits);
        break;
    case ENTROPY_NEUTRAL:
        count_repeat(&asides->replan, asides->plan.step > 0 ? &asides->plan : NULL, past);
        asides->plan = *past;
        asides->talk = (struct streak){0};
        break;
    case ENTROPY_PAUSE:
        add_to_streak(&asides->pause, past, 1);
        break;
    case ENTROPY_MESSAGE:
        if (!(past->bits & ENTROPY_ALIKE))
            asides->talk = (struct streak){0};
        add_to_streak(&asides->talk, past, 1);
        if (past->bits & ENTROPY_CHANTS)
            add_to_streak(&asides->chant, past, 1);
        break;
    case ENTROPY_KIND_COUNT:
        break;
    }
}

/* Returns true, and counts the loop as reported, if it has not been reported yet and the nudge
 * limit is not reached. */
static bool report_once(struct entropy_window *window, const struct entropy_verdict *verdict,
                        int nudges_max)
{
    const bool barren = verdict->rung == ENTROPY_RUNG_BARREN;
    if (barren && window->barren_told == verdict->first)
        return false; /* the same streak, grown by more calls */
    const struct nudges *told = entropy_window_nudges(window);
    for (int i = 0; i < told->count; i++)
        if (told->identities[i] == verdict->identity.lo)
            return false;
    if (told->count >= nudges_max || told->count >= ENTROPY_NUDGES_MAX)
        return false;
    if (!window->nudges)
        window->nudges = xcalloc(1, sizeof(*window->nudges));
    window->nudges->identities[window->nudges->count++] = verdict->identity.lo;
    if (barren)
        window->barren_told = verdict->first;
    return true;
}

void entropy_state_done(struct entropy_state *state)
{
    if (!state)
        return;
    if (state->window) {
        free(state->window->past);
        free(state->window->asides);
        free(state->window->nudges);
        free(state->window);
    }
    *state = (struct entropy_state){0};
}

void entropy_state_reset(struct entropy_state *state)
{
    entropy_state_done(state);
}

void entropy_state_go_on(struct entropy_state *state)
{
    const int scale = state->scale > 1 ? state->scale : 1;
    state->scale = scale * 2 > ENTROPY_SCALE_MAX ? ENTROPY_SCALE_MAX : scale * 2;
    if (!state->window)
        return;
    state->window->stuck = false;
    free(state->window->nudges);
    state->window->nudges = NULL;
    state->window->barren_told = 0;
}

int64_t entropy_state_steps(const struct entropy_state *state)
{
    return state->window ? state->window->steps : 0;
}

bool entropy_is_stuck(const struct digest *results, size_t count, int window)
{
    if (window < 2 || count < (size_t)window)
        return false;
    const struct digest *last = &results[count - 1];
    bool equal = digest_is_known(*last);
    for (size_t i = count - (size_t)window; equal && i < count; i++)
        equal = digest_equal(results[i], *last);
    return equal;
}

/*
 * The rungs: when a series of results or calls counts as a loop.
 */

enum { CYCLE_MIN = 2, LAPS_MIN = 2 };

/* Returns the threshold times the scale, which doubles after each "go on". The result has an upper
 * bound, so that the detector never gives up. */
static int scaled_limit(const struct sight *sight, int limit)
{
    const int most = limit > ENTROPY_REPEAT_MAX ? limit : ENTROPY_REPEAT_MAX;
    return limit > most / sight->scale ? most : limit * sight->scale;
}

static enum entropy_level level_of(const struct sight *sight, int count, int nudge, int stop)
{
    if (stop > 0 && count >= scaled_limit(sight, stop))
        return ENTROPY_STUCK;
    if (nudge > 0 && count >= scaled_limit(sight, nudge))
        return ENTROPY_SUSPECT;
    return ENTROPY_OK;
}

/* The finalizer of splitmix64. Digests are mixed before they are added, so that their sum is not
 * itself the digest of a call. */
static uint64_t mix_bits(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static struct digest identity_of_rung(enum entropy_rung rung)
{
    return (struct digest){.hi = mix_bits((uint64_t)rung), .lo = mix_bits(~(uint64_t)rung)};
}

/* Identifies the set of calls among the last `steps`. Their order and how often each occurs do not
 * matter, so neither does where a lap begins. */
static struct digest identity_of_calls(const struct entropy_window *window, int steps)
{
    struct digest sum = {0};
    for (int i = 0; i < steps; i++) {
        const struct digest call = entropy_window_past(window, i)->call;
        bool called_later = false;
        for (int later = 0; later < i && !called_later; later++)
            called_later = digest_equal(entropy_window_past(window, later)->call, call);
        if (!called_later)
            sum =
                digest_sum(sum, (struct digest){.hi = mix_bits(call.hi), .lo = mix_bits(call.lo)});
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

/* Judges repeats: the same call with the same result. Polls have higher thresholds. So do successes
 * that differ only in masked bytes: they may be repeated measurements. */
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
        out->identity = (struct digest){.hi = mix_bits(sight->fact->call.hi),
                                        .lo = mix_bits(sight->fact->call.lo)};
    out->poll = poll;
    out->masked = streak->raw_differs;
    out->period = 1;
    return level;
}

/* Returns how many of the last steps, without a gap, equal the step `period` steps before them. */
static int steps_again(const struct entropy_window *window, int period)
{
    int same = 0;
    while (same + period < window->count) {
        const struct past *now = entropy_window_past(window, same);
        const struct past *then = entropy_window_past(window, same + period);
        if (!digest_equal(now->call, then->call) || !digest_equal(now->outcome, then->outcome) ||
            step_is_new(now))
            break;
        same++;
    }
    return same;
}

/* Returns true for a step that neither polls nor idles. */
static bool acts(const struct past *past)
{
    return !(past->bits & (ENTROPY_POLL | ENTROPY_IDLE));
}

/* Returns true if the lap counts as a cycle: it has two different steps, and at least one of them
 * acts. */
static bool lap_counts(const struct entropy_window *window, int period)
{
    const struct past *last = entropy_window_past(window, 0);
    bool differs = false;
    bool any_acts = acts(last);
    for (int i = 1; i < period; i++) {
        const struct past *past = entropy_window_past(window, i);
        differs = differs || !digest_equal(past->call, last->call) ||
                  !digest_equal(past->outcome, last->outcome);
        any_acts = any_acts || acts(past);
    }
    return differs && any_acts;
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
        const int limit = scaled_limit(sight, sight->limits->cycle_stop);
        if (laps < (limit < room ? limit : room) || !lap_counts(window, period))
            continue;
        fill_range(sight, laps * period, out);
        out->count = laps;
        out->period = period;
        for (int i = 0; i < period && !out->masked; i++)
            out->masked =
                entropy_window_past(window, i)->raw != entropy_window_past(window, i + period)->raw;
        out->identity = identity_of_calls(window, period);
        return ENTROPY_STUCK;
    }
    return ENTROPY_OK;
}

/* Ways in which failures of one call can be alike. */
enum sameness {
    SAME_RESULT, /* the same result, whatever changed in between */
    NOTHING_NEW, /* no news, and nothing changed in between: a line that comes and goes is no
                    progress */
    KNOWN_ONES,  /* known failures, whatever changed in between: a few take turns, or one moves down
                    in its file */
    SAMENESS_COUNT,
};

/* How often the last call failed in the same way, counting back until it did something else. */
struct failures {
    int count[SAMENESS_COUNT];
    int steps[SAMENESS_COUNT]; /* steps since the first of these failures */
    bool raw_differs;
};

/* Counts failures of the last call, back from the last step, as long as the results are equal or,
 * for NOTHING_NEW, the later failure brought nothing new. */
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
        const bool same = digest_equal(past->outcome, later->outcome) ||
                          (sameness == NOTHING_NEW && later->gain == ENTROPY_GAIN_NONE);
        const unsigned failed =
            sameness == SAME_RESULT ? ENTROPY_FAILED | ENTROPY_REPORTS : ENTROPY_FAILED;
        if (!(past->bits & failed) || !same)
            break;
        out->count[sameness]++;
        out->steps[sameness] = i + 1;
        out->raw_differs = out->raw_differs || past->raw != later->raw;
        later = past;
    }
}

/* Counts failures of the last call if at least `least` of them are known: they came back after a
 * different failure, or moved down in a source file. Up to two others may be new. */
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
    if (sight->fact->kind != ENTROPY_CALL || !(bits & (ENTROPY_FAILED | ENTROPY_REPORTS)) ||
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
    if (levels[worst] == ENTROPY_OK)
        return ENTROPY_OK;
    fill_range(sight, failures.steps[worst], out);
    out->count = failures.count[worst];
    out->masked = failures.raw_differs;
    out->identity = identity_of_calls(sight->window, 1);
    return levels[worst];
}

static enum entropy_level see_barren(const struct sight *sight, struct entropy_verdict *out)
{
    const struct entropy_window *window = sight->window;
    const struct streak *streak = &window->barren;
    const int count = streak->count / BARREN_STEP;
    const enum entropy_level level =
        sight->fact->kind == ENTROPY_CALL
            ? level_of(sight, count, sight->limits->barren_nudge, sight->limits->barren_stop)
            : ENTROPY_OK;
    if (level == ENTROPY_OK)
        return level;
    int steps = 0;
    int between = 0;
    for (; steps < window->count; steps++) {
        const struct past *past = entropy_window_past(window, steps);
        if (past->step < streak->first)
            break;
        between += (past->bits & ENTROPY_BETWEEN) != 0;
    }
    /* If the steps are part of a longer round, the whole round identifies the loop. */
    int period = steps;
    while (period < window->count && steps_again(window, period) < steps)
        period++;
    *out = verdict_of_streak(sight, streak, 0);
    out->count = steps - between;
    out->identity = identity_of_calls(window, period < window->count ? period : steps);
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

/* Most specific rung first: of several rungs with the same level, the first one is reported. */
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

void entropy_apply(struct entropy_state *state, const struct entropy_fact *fact, int64_t number,
                   const struct entropy_limits *limits, struct entropy_verdict *out)
{
    assert(fact->kind < ENTROPY_KIND_COUNT);
    if (!state->window)
        state->window = xcalloc(1, sizeof(*state->window));
    struct entropy_window *window = state->window;
    const struct past past = {.call = fact->call,
                              .outcome = fact->outcome,
                              .raw = fact->raw,
                              .step = ++window->steps,
                              .number = number,
                              .bits = fact->bits,
                              .gain = fact->gain};
    take_step(window, fact->kind, &past, limits);
    const struct sight sight = {.limits = limits,
                                .window = window,
                                .fact = fact,
                                .number = number,
                                .scale = state->scale > 1 ? state->scale : 1};
    /* The first "stuck", else the first "suspect", else "ok". */
    struct entropy_verdict worst = {0};
    for (size_t i = 0; i < ARRAY_LEN(rungs); i++) {
        struct entropy_verdict verdict = {0};
        const enum entropy_level level = rungs[i].see(&sight, &verdict);
        if (level <= worst.level)
            continue;
        verdict.level = level;
        verdict.rung = rungs[i].rung;
        worst = verdict;
    }
    if (worst.level == ENTROPY_SUSPECT)
        worst.news = report_once(window, &worst, limits->nudges);
    if (worst.level == ENTROPY_STUCK)
        worst.news = !window->stuck;
    window->stuck = worst.level == ENTROPY_STUCK;
    *out = worst;
}
