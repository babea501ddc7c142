#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "entropy_window.h"
#include "xalloc.h"

enum { BARREN_STEP = 100 /* percent */ };

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

static void free_window(struct entropy_window *window)
{
    if (!window)
        return;
    free(window->past);
    free(window->asides);
    free(window->nudges);
    free(window);
}

/* The ring is only ever full when it has its final size, so growing never has to turn
 * it. Most tasks have one call in it, and of some runs there are very many: xgrow() would make
 * room for more than that. */
static void remember(struct entropy_window *window, const struct past *past)
{
    if (window->count == window->cap && window->cap < ENTROPY_WINDOW) {
        int cap = window->cap == 0 ? 1 : window->cap * 2;
        cap = cap > ENTROPY_WINDOW ? ENTROPY_WINDOW : cap;
        window->past = xcheck(realloc(window->past, (size_t)cap * sizeof(*window->past)));
        window->next = window->count;
        window->cap = cap;
    }
    window->past[window->next] = *past;
    window->next = window->next + 1 == window->cap ? 0 : window->next + 1;
    if (window->count < window->cap)
        window->count++;
}

static void add_to(struct streak *streak, const struct past *past, int amount)
{
    if (streak->count == 0)
        *streak = (struct streak){.first = past->step, .first_number = past->number};
    streak->count = streak->count > INT_MAX - amount ? INT_MAX : streak->count + amount;
}

static void end(struct streak *streak)
{
    *streak = (struct streak){0};
}

bool entropy_window_acts_anew(const struct past *past)
{
    const unsigned other_input = ENTROPY_FAILED | ENTROPY_REVIEW;
    return past->gain == ENTROPY_GAIN_CHANGE || past->gain == ENTROPY_GAIN_SILENT ||
           (past->bits & other_input) == other_input;
}

static bool same_step(const struct past *a, const struct past *b)
{
    return digest_equal(a->call, b->call) && digest_equal(a->outcome, b->outcome);
}

/* One more of the same, or the first of another. */
static void repeat(struct streak *streak, const struct past *before, const struct past *past)
{
    const bool same = before && same_step(before, past) && !entropy_window_acts_anew(past);
    if (!same)
        end(streak);
    add_to(streak, past, 1);
    streak->raw_differs = streak->raw_differs || (same && before->raw != past->raw);
}

/* In percent of a barren step. */
static int weight_of(const struct past *past, const struct entropy_limits *limits)
{
    if (past->bits & ENTROPY_POLL)
        return limits->poll_weight;
    return past->bits & ENTROPY_REVIEW ? limits->review_weight : BARREN_STEP;
}

/* The first of several refusals was news when it came. */
static void add_barren(struct entropy_window *window, const struct past *past,
                       const struct entropy_limits *limits)
{
    if (past->bits & ENTROPY_REFUSED && window->barren.count == 0 && window->count > 0)
        add_to(&window->barren, entropy_window_past(window, 0), BARREN_STEP);
    add_to(&window->barren, past, weight_of(past, limits));
}

static void take_call(struct entropy_window *window, const struct past *past,
                      const struct entropy_limits *limits)
{
    repeat(&window->repeat, window->count > 0 ? entropy_window_past(window, 0) : NULL, past);
    if (past->gain != ENTROPY_GAIN_NONE)
        end(&window->barren);
    else
        add_barren(window, past, limits);
    remember(window, past);
    if (window->asides)
        *window->asides = (struct asides){.chant = window->asides->chant};
}

static struct asides *asides_of(struct entropy_window *window)
{
    if (!window->asides)
        window->asides = xcalloc(1, sizeof(*window->asides));
    return window->asides;
}

static void take_plan(struct asides *asides, const struct past *past)
{
    repeat(&asides->replan, asides->plan.step > 0 ? &asides->plan : NULL, past);
    asides->plan = *past;
    end(&asides->talk);
}

static void take_message(struct asides *asides, const struct past *past)
{
    if (!(past->bits & ENTROPY_ALIKE))
        end(&asides->talk);
    add_to(&asides->talk, past, 1);
    if (past->bits & ENTROPY_CHANTS)
        add_to(&asides->chant, past, 1);
}

static void take(struct entropy_window *window, const struct entropy_fact *fact,
                 const struct past *past, const struct entropy_limits *limits)
{
    switch (fact->kind) {
    case ENTROPY_CALL:
        take_call(window, past, limits);
        break;
    case ENTROPY_NEUTRAL:
        take_plan(asides_of(window), past);
        break;
    case ENTROPY_PAUSE:
        add_to(&asides_of(window)->pause, past, 1);
        break;
    case ENTROPY_MESSAGE:
        take_message(asides_of(window), past);
        break;
    case ENTROPY_KIND_COUNT:
        break;
    }
}

static void add_nudge(struct entropy_window *window, uint64_t identity)
{
    if (!window->nudges)
        window->nudges = xcalloc(1, sizeof(*window->nudges));
    window->nudges->identities[window->nudges->count++] = identity;
}

/* Is this identity one that nobody was told of yet, and may somebody still be told? */
static bool is_news(struct entropy_window *window, const struct entropy_verdict *verdict,
                    int nudges_max)
{
    const bool barren = verdict->rung == ENTROPY_RUNG_BARREN;
    if (barren && window->barren_told == verdict->first)
        return false; /* more calls have come to it, but it is the same streak */
    const struct nudges *told = entropy_window_nudges(window);
    for (int i = 0; i < told->count; i++)
        if (told->identities[i] == verdict->identity.lo)
            return false;
    if (told->count >= nudges_max || told->count >= ENTROPY_NUDGES_MAX)
        return false;
    add_nudge(window, verdict->identity.lo);
    if (barren)
        window->barren_told = verdict->first;
    return true;
}

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
    take(window, fact, &past, limits);
    const struct sight sight = {.limits = limits,
                                .window = window,
                                .fact = fact,
                                .number = number,
                                .scale = state->scale > 1 ? state->scale : 1};
    struct entropy_verdict verdict = {0};
    entropy_rungs(&sight, &verdict);
    if (verdict.level == ENTROPY_SUSPECT)
        verdict.news = is_news(window, &verdict, limits->nudges);
    if (verdict.level == ENTROPY_STUCK)
        verdict.news = !window->stuck;
    window->stuck = verdict.level == ENTROPY_STUCK;
    *out = verdict;
}

void entropy_state_done(struct entropy_state *state)
{
    if (!state)
        return;
    free_window(state->window);
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
