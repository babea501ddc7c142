/* entropy_state_save.c - the rungs' state as bytes, and back. */
#include <assert.h>
#include <string.h>

#include "entropy_window.h"
#include "parse.h"
#include "str.h"
#include "xalloc.h"

/* Saved rungs: the magic, then what struct entropy_window holds in one order, the ring
 * the oldest first. Numbers have their lowest byte first. */
enum {
    MAGIC_BYTES = 4,
    DIGEST_PART = 8,
    NUMBER = 8,
    PAST_BYTES = 4 * DIGEST_PART + 3 * NUMBER + 4 + 1,
    STREAK_BYTES = 2 * NUMBER + 4 + 1,
    STREAKS = 6,
    FIXED_BYTES = MAGIC_BYTES + 4 + NUMBER + 4 + PAST_BYTES + STREAKS * STREAK_BYTES + NUMBER + 4 +
                  ENTROPY_NUDGES_MAX * NUMBER + 1,
};
static_assert(FIXED_BYTES + ENTROPY_WINDOW * PAST_BYTES <= ENTROPY_STATE_BYTES_MAX,
              "a full window fits");

/* No session comes so far; one more than that can still be counted. */
#define SAVED_STEPS_MAX (INT64_C(1) << 53)
#define SAVED_COUNT_MAX (UINT64_C(1) << 30)

static const char magic[MAGIC_BYTES + 1] = "dEs1";

static void put_past(const struct past *past, struct str *out)
{
    number_bytes_put(out, past->call.hi, DIGEST_PART);
    number_bytes_put(out, past->call.lo, DIGEST_PART);
    number_bytes_put(out, past->outcome.hi, DIGEST_PART);
    number_bytes_put(out, past->outcome.lo, DIGEST_PART);
    number_bytes_put(out, past->raw, NUMBER);
    number_bytes_put(out, (uint64_t)past->step, NUMBER);
    number_bytes_put(out, (uint64_t)past->number, NUMBER);
    number_bytes_put(out, past->bits, 4);
    number_bytes_put(out, (uint64_t)past->gain, 1);
}

static void put_streak(const struct streak *streak, struct str *out)
{
    number_bytes_put(out, (uint64_t)streak->first, NUMBER);
    number_bytes_put(out, (uint64_t)streak->first_number, NUMBER);
    number_bytes_put(out, (uint64_t)streak->count, 4);
    number_bytes_put(out, streak->raw_differs, 1);
}

void entropy_state_save(const struct entropy_state *state, struct str *out)
{
    static const struct entropy_window none;
    const struct entropy_window *window = state->window ? state->window : &none;
    const struct asides *asides = entropy_window_asides(window);
    const struct nudges *nudges = entropy_window_nudges(window);
    str_add_n(out, magic, MAGIC_BYTES);
    number_bytes_put(out, (uint64_t)state->scale, 4);
    number_bytes_put(out, (uint64_t)window->steps, NUMBER);
    number_bytes_put(out, (uint64_t)window->count, 4);
    for (int i = window->count; i-- > 0;)
        put_past(entropy_window_past(window, i), out);
    put_past(&asides->plan, out);
    put_streak(&window->repeat, out);
    put_streak(&asides->replan, out);
    put_streak(&window->barren, out);
    put_streak(&asides->pause, out);
    put_streak(&asides->talk, out);
    put_streak(&asides->chant, out);
    number_bytes_put(out, (uint64_t)window->barren_told, NUMBER);
    number_bytes_put(out, (uint64_t)nudges->count, 4);
    for (int i = 0; i < ENTROPY_NUDGES_MAX; i++)
        number_bytes_put(out, nudges->identities[i], NUMBER);
    number_bytes_put(out, window->stuck, 1);
}

static int64_t take_i64(struct number_bytes *from)
{
    const uint64_t value = number_bytes_take(from, NUMBER);
    from->bad = from->bad || value > (uint64_t)SAVED_STEPS_MAX;
    return from->bad ? 0 : (int64_t)value;
}

static int take_below(struct number_bytes *from, int bytes, uint64_t limit)
{
    uint64_t value = number_bytes_take(from, bytes);
    from->bad = from->bad || value >= limit;
    return from->bad ? 0 : (int)value;
}

static struct past take_past(struct number_bytes *from)
{
    struct past past = {0};
    past.call.hi = number_bytes_take(from, DIGEST_PART);
    past.call.lo = number_bytes_take(from, DIGEST_PART);
    past.outcome.hi = number_bytes_take(from, DIGEST_PART);
    past.outcome.lo = number_bytes_take(from, DIGEST_PART);
    past.raw = number_bytes_take(from, NUMBER);
    past.step = take_i64(from);
    past.number = take_i64(from);
    past.bits = (unsigned)take_below(from, 4, ENTROPY_BITS_ALL + 1);
    past.gain = (enum entropy_gain)take_below(from, 1, ENTROPY_GAIN_COUNT);
    return past;
}

static struct streak take_streak(struct number_bytes *from)
{
    struct streak streak = {0};
    streak.first = take_i64(from);
    streak.first_number = take_i64(from);
    streak.count = take_below(from, 4, SAVED_COUNT_MAX + 1);
    streak.raw_differs = take_below(from, 1, 2) != 0;
    return streak;
}

/* Into a ring of its final size: where it begins does not matter. */
static void take_ring(struct number_bytes *from, struct entropy_window *window)
{
    window->count = take_below(from, 4, ENTROPY_WINDOW + 1);
    if (from->bad || window->count == 0)
        return;
    window->cap = ENTROPY_WINDOW;
    window->past = xcalloc(ENTROPY_WINDOW, sizeof(*window->past));
    for (int i = 0; i < window->count; i++)
        window->past[i] = take_past(from);
    window->next = window->count == window->cap ? 0 : window->count;
}

static void take_window(struct number_bytes *from, struct entropy_window *window)
{
    window->steps = take_i64(from);
    take_ring(from, window);
    window->asides = xcalloc(1, sizeof(*window->asides));
    window->nudges = xcalloc(1, sizeof(*window->nudges));
    struct asides *asides = window->asides;
    struct nudges *nudges = window->nudges;
    asides->plan = take_past(from);
    window->repeat = take_streak(from);
    asides->replan = take_streak(from);
    window->barren = take_streak(from);
    asides->pause = take_streak(from);
    asides->talk = take_streak(from);
    asides->chant = take_streak(from);
    window->barren_told = take_i64(from);
    nudges->count = take_below(from, 4, ENTROPY_NUDGES_MAX + 1);
    for (int i = 0; i < ENTROPY_NUDGES_MAX; i++)
        nudges->identities[i] = number_bytes_take(from, NUMBER);
    window->stuck = take_below(from, 1, 2) != 0;
}

bool entropy_state_load(struct entropy_state *state, const void *bytes, size_t len,
                        size_t *used_out, struct err *err)
{
    struct number_bytes from = {.at = bytes, .len = len};
    struct entropy_state read = {.window = xcalloc(1, sizeof(*read.window))};
    from.bad = len < MAGIC_BYTES || memcmp(bytes, magic, MAGIC_BYTES) != 0;
    if (!from.bad) {
        from.at += MAGIC_BYTES;
        from.len -= MAGIC_BYTES;
        read.scale = take_below(&from, 4, ENTROPY_SCALE_MAX + 1);
        take_window(&from, read.window);
    }
    if (from.bad) {
        entropy_state_done(&read);
        return err_set(err, ERR_INVALID, "what is known of its steps is damaged");
    }
    entropy_state_done(state);
    *state = read;
    *used_out = len - from.len;
    return true;
}

bool entropy_state_has_call(const struct entropy_state *state, struct digest call, int64_t first)
{
    const struct entropy_window *window = state->window;
    for (int i = 0; window && i < window->count; i++) {
        const struct past *past = entropy_window_past(window, i);
        if (past->step >= first && digest_equal(past->call, call))
            return true;
    }
    return false;
}

bool entropy_state_is_stuck(const struct entropy_state *state)
{
    return state->window && state->window->stuck;
}
