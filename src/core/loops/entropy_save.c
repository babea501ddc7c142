/*
 * Saves the memory of a task and the state of its rungs as bytes, and reads them back.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "entropy_window.h"
#include "loops_internal.h"
#include "parse.h"
#include "str.h"
#include "xalloc.h"

/*
 * The memory of a task.
 */

/* Format: the magic, five counts and the number of zero bits of the sample; then lines, calls,
 * shapes, succeeded calls and the sample, each from oldest to latest; then the data that the next
 * call is compared with. Numbers are little-endian. The last messages are not saved: after a stop,
 * a person or another agent continues. */
enum {
    MAGIC_BYTES = 4,
    HEADER_BYTES = MAGIC_BYTES + 6 * 4,
    LINE_BYTES = 8,
    CALL_BYTES = 8 + 8 + 2,
    SHAPE_BYTES = 8 + SHAPE_NUMBERS * (8 + 1 + 1) + 2,
    WORDS_BYTES_MAX = 2 + ALIKE_WORDS_MAX * 4,
    FAILURE_BYTES = 5 * 8,
    RECENT_BYTES_MAX = 10 * 4 + FAILURES_MAX * FAILURE_BYTES + 10 * 8 + 7 * WORDS_BYTES_MAX +
                       CALL_SYMBOLS_MAX * 8 + 3,
    COUNT_MAX = 1 << 30, /* small enough to count one more */
};
static_assert(HEADER_BYTES + (ENTROPY_LINES_MAX + ENTROPY_SAMPLE_MAX) * LINE_BYTES +
                      ENTROPY_CALLS_MAX * (CALL_BYTES + LINE_BYTES) +
                      ENTROPY_SHAPES_MAX * SHAPE_BYTES + RECENT_BYTES_MAX <=
                  ENTROPY_BLOB_BYTES_MAX,
              "full tables fit");

/* Bits of the byte that holds the bools. */
enum {
    FLAG_PAUSED = 1 << 0,
    FLAG_SLEPT = 1 << 1,
    FLAG_PLANNED = 1 << 2,
    FLAG_REACHED = 1 << 3,
    FLAG_PLAN_OVER = 1 << 4,
    FLAG_MOVED = 1 << 5,
    FLAGS_ALL = (1 << 6) - 1,
};

static const char magic[MAGIC_BYTES + 1] = "dEm7";

static void put_keys(const struct entropy_table *table, struct str *out)
{
    for (size_t i = 0; i < table->count; i++)
        number_bytes_put(out, table->keys[entropy_table_place(table, i)], 8);
}

static void put_double(double value, struct str *out)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    number_bytes_put(out, bits, 8);
}

static void put_count(int count, struct str *out)
{
    number_bytes_put(out, (uint64_t)(count < COUNT_MAX ? count : COUNT_MAX), 4);
}

static void put_words(const struct word_set *words, struct str *out)
{
    number_bytes_put(out, (uint64_t)words->count, 2);
    for (int i = 0; i < words->count; i++)
        number_bytes_put(out, words->words[i], 4);
}

/* Writes the number of failures and the failures, oldest first. */
static void put_failures(const struct known_failures *failures, struct str *out)
{
    int count = 0;
    for (int i = 0; failures && i < FAILURES_MAX; i++)
        count += failures->last[i].call != 0;
    number_bytes_put(out, (uint64_t)count, 1);
    for (int i = FAILURES_MAX - count; i < FAILURES_MAX; i++) {
        const struct known_failure *one = &failures->last[(failures->next + i) % FAILURES_MAX];
        number_bytes_put(out, one->call, 8);
        number_bytes_put(out, one->sum, 8);
        number_bytes_put(out, one->shapes, 8);
        put_double(one->place, out);
        put_double(one->faults, out);
    }
}

/* Writes the data that the next call is compared with. */
static void put_recent(const struct entropy_memory *memory, struct str *out)
{
    static const struct refusals none;
    static const struct failing_edit no_edit;
    static const struct delegated no_prompt;
    const struct delegated *delegated = memory->delegated ? memory->delegated : &no_prompt;
    const struct failing_edit *failing = memory->failing ? memory->failing : &no_edit;
    const struct refusals *refusals = memory->refusals ? memory->refusals : &none;
    put_failures(memory->failures, out);
    number_bytes_put(out, refusals->causes, 4);
    number_bytes_put(out, refusals->reason, 8);
    put_count(refusals->count, out);
    put_count(refusals->strays, out);
    put_words(&refusals->names, out);
    number_bytes_put(out, memory->error, 8);
    put_count(memory->errors, out);
    number_bytes_put(out, memory->failed_tool, 8);
    put_words(&memory->failed_said, out);
    number_bytes_put(out, memory->rewritten_path, 8);
    put_count(memory->rewrites, out);
    put_words(&memory->rewritten, out);
    number_bytes_put(out, memory->before.hash, 8);
    number_bytes_put(out, memory->before.len, 8);
    number_bytes_put(out, memory->plan, 8);
    put_count(memory->plan_progress, out);
    put_words(&delegated->prompt, out);
    put_words(&delegated->answered, out);
    number_bytes_put(out, (uint64_t)memory->missing_count, 1);
    for (int i = 0; i < memory->missing_count; i++)
        number_bytes_put(out, memory->missing[i], 8);
    number_bytes_put(out, failing->tool, 8);
    number_bytes_put(out, failing->path, 8);
    put_count(failing->count, out);
    put_count(failing->reads, out);
    put_words(&failing->said, out);
    put_words(&failing->error, out);
    put_count(memory->sweep, out);
    number_bytes_put(
        out,
        (memory->paused ? FLAG_PAUSED : 0) | (memory->slept ? FLAG_SLEPT : 0) |
            (memory->planned ? FLAG_PLANNED : 0) | (memory->reached ? FLAG_REACHED : 0) |
            (memory->plan_over ? FLAG_PLAN_OVER : 0) | (memory->moved ? FLAG_MOVED : 0),
        1);
    put_count(memory->announced, out);
    number_bytes_put(out, memory->announced_call, 8);
}

void entropy_memory_save(const struct entropy_memory *memory, struct str *out)
{
    const struct entropy_table *lines = &memory->news.lines;
    const struct entropy_table *shapes = &memory->news.shapes;
    str_add_n(out, magic, MAGIC_BYTES);
    number_bytes_put(out, lines->count, 4);
    number_bytes_put(out, memory->calls.count, 4);
    number_bytes_put(out, shapes->count, 4);
    number_bytes_put(out, memory->succeeded.count, 4);
    number_bytes_put(out, memory->news.sample.count, 4);
    number_bytes_put(out, (uint64_t)memory->news.sample_bits, 4);
    put_keys(lines, out);
    for (size_t i = 0; i < memory->calls.count; i++) {
        const size_t place = entropy_table_place(&memory->calls, i);
        number_bytes_put(out, memory->calls.keys[place], 8);
        number_bytes_put(out, memory->known[place].outcome, 8);
        number_bytes_put(out, memory->known[place].end, 1);
        number_bytes_put(out, memory->known[place].flips, 1);
    }
    for (size_t i = 0; i < shapes->count; i++) {
        const size_t place = entropy_table_place(shapes, i);
        const struct shape *shape = &memory->news.places[place];
        number_bytes_put(out, shapes->keys[place], 8);
        for (int number = 0; number < SHAPE_NUMBERS; number++) {
            put_double(shape->last[number], out);
            number_bytes_put(out, (uint64_t)(shape->heading[number] + 1), 1);
            number_bytes_put(out, shape->turns[number], 1);
        }
        number_bytes_put(out, shape->lone, 2);
    }
    put_keys(&memory->succeeded, out);
    put_keys(&memory->news.sample, out);
    put_recent(memory, out);
}

/* Returns false if a key occurs twice. */
static bool take_keys(struct number_bytes *input, size_t count, struct entropy_table *table)
{
    bool added = true;
    for (size_t i = 0; i < count && added; i++)
        (void)entropy_table_add(table, number_bytes_take(input, 8), &added);
    return added;
}

static bool take_calls(struct number_bytes *input, size_t count, struct entropy_memory *memory)
{
    for (size_t i = 0; i < count; i++) {
        const struct digest call = {.lo = number_bytes_take(input, 8)};
        if (entropy_tables_known(memory, call))
            return false;
        struct known_call *known = entropy_tables_know(memory, call);
        known->outcome = number_bytes_take(input, 8);
        known->end = (unsigned char)number_bytes_take(input, 1);
        known->flips = (unsigned char)number_bytes_take(input, 1);
        if (known->end >= CALL_END_COUNT)
            return false;
    }
    return true;
}

static bool take_shapes(struct number_bytes *input, size_t count, struct entropy_memory *memory)
{
    for (size_t i = 0; i < count; i++) {
        struct shape shape = {0};
        const uint64_t key = number_bytes_take(input, 8);
        for (int number = 0; number < SHAPE_NUMBERS; number++) {
            const uint64_t bits = number_bytes_take(input, 8);
            memcpy(&shape.last[number], &bits, sizeof(bits));
            const uint64_t heading = number_bytes_take(input, 1);
            shape.turns[number] = (unsigned char)number_bytes_take(input, 1);
            if (!isfinite(shape.last[number]) || heading > 2)
                return false;
            shape.heading[number] = (signed char)((int)heading - 1);
        }
        shape.lone = (unsigned short)number_bytes_take(input, 2);
        if (!entropy_news_know(&memory->news, key, &shape))
            return false;
    }
    return true;
}

static double take_double(struct number_bytes *input)
{
    const uint64_t bits = number_bytes_take(input, 8);
    double value;
    memcpy(&value, &bits, sizeof(value));
    input->bad = input->bad || !isfinite(value) || signbit(value);
    return input->bad ? 0 : value;
}

static int take_count(struct number_bytes *input)
{
    const uint64_t count = number_bytes_take(input, 4);
    input->bad = input->bad || count > COUNT_MAX;
    return input->bad ? 0 : (int)count;
}

static void take_words(struct number_bytes *input, struct word_set *out)
{
    const uint64_t count = number_bytes_take(input, 2);
    input->bad = input->bad || count > ALIKE_WORDS_MAX;
    for (uint64_t i = 0; i < count && !input->bad; i++) {
        const uint32_t word = (uint32_t)number_bytes_take(input, 4);
        input->bad = input->bad || (i > 0 && word <= out->words[i - 1]);
        out->words[i] = word;
        out->count++;
    }
}

static void take_failures(struct number_bytes *input, struct entropy_memory *memory)
{
    const uint64_t count = number_bytes_take(input, 1);
    input->bad = input->bad || count > FAILURES_MAX;
    if (input->bad || count == 0)
        return;
    memory->failures = xcalloc(1, sizeof(*memory->failures));
    for (uint64_t i = 0; i < count; i++) {
        struct known_failure *one = &memory->failures->last[i];
        one->call = number_bytes_take(input, 8);
        one->sum = number_bytes_take(input, 8);
        one->shapes = number_bytes_take(input, 8);
        one->place = take_double(input);
        one->faults = take_double(input);
        input->bad = input->bad || one->call == 0;
    }
    memory->failures->next = (int)(count % FAILURES_MAX);
}

/* Returns the part, or frees it and returns NULL if all its bytes are 0. */
static void *free_if_empty(void *part, size_t size)
{
    const unsigned char *bytes = part;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return part;
    free(part);
    return NULL;
}

static void take_refusals(struct number_bytes *input, struct entropy_memory *memory)
{
    struct refusals *refusals = xcalloc(1, sizeof(*refusals));
    refusals->causes = (unsigned)number_bytes_take(input, 4);
    refusals->reason = number_bytes_take(input, 8);
    refusals->count = take_count(input);
    refusals->strays = take_count(input);
    take_words(input, &refusals->names);
    input->bad = input->bad || refusals->causes & ~(unsigned)CAUSES;
    memory->refusals = free_if_empty(refusals, sizeof(*refusals));
}

static void take_failing(struct number_bytes *input, struct entropy_memory *memory)
{
    struct failing_edit *failing = xcalloc(1, sizeof(*failing));
    failing->tool = number_bytes_take(input, 8);
    failing->path = number_bytes_take(input, 8);
    failing->count = take_count(input);
    failing->reads = take_count(input);
    take_words(input, &failing->said);
    take_words(input, &failing->error);
    memory->failing = free_if_empty(failing, sizeof(*failing));
}

static void take_delegated(struct number_bytes *input, struct entropy_memory *memory)
{
    struct delegated *delegated = xcalloc(1, sizeof(*delegated));
    take_words(input, &delegated->prompt);
    take_words(input, &delegated->answered);
    memory->delegated = free_if_empty(delegated, sizeof(*delegated));
}

static void take_missing(struct number_bytes *input, struct entropy_memory *memory)
{
    const uint64_t count = number_bytes_take(input, 1);
    input->bad = input->bad || count > CALL_SYMBOLS_MAX;
    for (uint64_t i = 0; i < count && !input->bad; i++)
        memory->missing[memory->missing_count++] = number_bytes_take(input, 8);
}

static bool take_recent(struct number_bytes *input, struct entropy_memory *memory)
{
    take_failures(input, memory);
    take_refusals(input, memory);
    memory->error = number_bytes_take(input, 8);
    memory->errors = take_count(input);
    memory->failed_tool = number_bytes_take(input, 8);
    take_words(input, &memory->failed_said);
    memory->rewritten_path = number_bytes_take(input, 8);
    memory->rewrites = take_count(input);
    take_words(input, &memory->rewritten);
    memory->before.hash = number_bytes_take(input, 8);
    memory->before.len = (size_t)number_bytes_take(input, 8);
    memory->plan = number_bytes_take(input, 8);
    memory->plan_progress = take_count(input);
    take_delegated(input, memory);
    take_missing(input, memory);
    take_failing(input, memory);
    memory->sweep = take_count(input);
    const uint64_t flags = number_bytes_take(input, 1);
    memory->paused = flags & FLAG_PAUSED;
    memory->slept = flags & FLAG_SLEPT;
    memory->planned = flags & FLAG_PLANNED;
    memory->reached = flags & FLAG_REACHED;
    memory->plan_over = flags & FLAG_PLAN_OVER;
    memory->moved = flags & FLAG_MOVED;
    memory->announced = take_count(input);
    memory->announced_call = number_bytes_take(input, 8);
    return !input->bad && flags <= FLAGS_ALL && memory->announced <= ANNOUNCED_MAX &&
           input->len == 0;
}

static bool take_all(struct number_bytes *input, struct entropy_memory *memory)
{
    if (input->len < HEADER_BYTES || memcmp(input->at, magic, MAGIC_BYTES) != 0)
        return false;
    input->at += MAGIC_BYTES;
    input->len -= MAGIC_BYTES;
    const size_t lines = (size_t)number_bytes_take(input, 4);
    const size_t calls = (size_t)number_bytes_take(input, 4);
    const size_t shapes = (size_t)number_bytes_take(input, 4);
    const size_t succeeded = (size_t)number_bytes_take(input, 4);
    const size_t sample = (size_t)number_bytes_take(input, 4);
    const size_t sample_bits = (size_t)number_bytes_take(input, 4);
    if (lines > ENTROPY_LINES_MAX || calls > ENTROPY_CALLS_MAX || shapes > ENTROPY_SHAPES_MAX ||
        succeeded > ENTROPY_CALLS_MAX || sample > ENTROPY_SAMPLE_MAX || sample_bits >= NEWS_LEVELS)
        return false;
    const size_t tables =
        (lines + succeeded + sample) * LINE_BYTES + calls * CALL_BYTES + shapes * SHAPE_BYTES;
    if (input->len < tables)
        return false;
    memory->news.sample_bits = (int)sample_bits;
    return take_keys(input, lines, &memory->news.lines) && take_calls(input, calls, memory) &&
           take_shapes(input, shapes, memory) && take_keys(input, succeeded, &memory->succeeded) &&
           take_keys(input, sample, &memory->news.sample) && take_recent(input, memory);
}

bool entropy_memory_load(struct entropy_memory *memory, const void *bytes, size_t len,
                         struct err *err)
{
    struct entropy_memory *read = NULL;
    struct number_bytes input = {.at = bytes, .len = len};
    entropy_memory_open(&read, &memory->limits);
    const bool ok = take_all(&input, read);
    if (ok) {
        entropy_memory_reset(memory);
        const struct entropy_memory empty = *memory;
        *memory = *read;
        *read = empty;
    }
    entropy_memory_close(read);
    return ok || err_set(err, ERR_INVALID, "the record of its output is damaged");
}

/*
 * The state of the rungs.
 */

/* Format: the magic, then the members of struct entropy_window in a fixed order, the ring from
 * oldest to latest. Numbers are little-endian. */
enum {
    STATE_MAGIC_BYTES = 4,
    DIGEST_PART = 8,
    NUMBER = 8,
    PAST_BYTES = 4 * DIGEST_PART + 3 * NUMBER + 4 + 1,
    STREAK_BYTES = 2 * NUMBER + 4 + 1,
    STREAKS = 6,
    FIXED_BYTES = STATE_MAGIC_BYTES + 4 + NUMBER + 4 + PAST_BYTES + STREAKS * STREAK_BYTES +
                  NUMBER + 4 + ENTROPY_NUDGES_MAX * NUMBER + 1,
};
static_assert(FIXED_BYTES + ENTROPY_WINDOW * PAST_BYTES <= ENTROPY_STATE_BYTES_MAX,
              "a full window fits");

/* More than any session has, and small enough to count one more. */
#define SAVED_STEPS_MAX (INT64_C(1) << 53)
#define SAVED_COUNT_MAX (UINT64_C(1) << 30)

static const char state_magic[STATE_MAGIC_BYTES + 1] = "dEs1";

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
    str_add_n(out, state_magic, STATE_MAGIC_BYTES);
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

static void take_window(struct number_bytes *from, struct entropy_window *window)
{
    window->steps = take_i64(from);
    window->count = take_below(from, 4, ENTROPY_WINDOW + 1);
    /* Fills a ring of its final size, so where it begins does not matter. */
    if (!from->bad && window->count > 0) {
        window->cap = ENTROPY_WINDOW;
        window->past = xcalloc(ENTROPY_WINDOW, sizeof(*window->past));
        for (int i = 0; i < window->count; i++)
            window->past[i] = take_past(from);
        window->next = window->count == window->cap ? 0 : window->count;
    }
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
    from.bad = len < STATE_MAGIC_BYTES || memcmp(bytes, state_magic, STATE_MAGIC_BYTES) != 0;
    if (!from.bad) {
        from.at += STATE_MAGIC_BYTES;
        from.len -= STATE_MAGIC_BYTES;
        read.scale = take_below(&from, 4, ENTROPY_SCALE_MAX + 1);
        take_window(&from, read.window);
    }
    if (from.bad) {
        entropy_state_done(&read);
        return err_set(err, ERR_INVALID, "the record of its steps is damaged");
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
