/*
 * Which lines of a result are new to the task.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "entropy.h"
#include "entropy_hash.h"
#include "loops_internal.h"
#include "xalloc.h"

/*
 * The bounded set of keys: a hash table with open addressing over an array of places, which is a
 * ring once it is full.
 */

enum { SLOTS_MIN = 32, PLACES_MIN = 16 };

/* Returns the slot where the search for a key begins. Keys are already hashes, but hostile logs may
 * contain anything, so spreads them again. */
static size_t home_slot(const struct entropy_table *table, uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (table->slot_count - 1);
}

static size_t next_slot(const struct entropy_table *table, size_t slot)
{
    return (slot + 1) & (table->slot_count - 1);
}

/* Returns the slot of the key, or the free slot where it would go. */
static size_t find_slot(const struct entropy_table *table, uint64_t key)
{
    size_t slot = home_slot(table, key);
    while (table->slots[slot] != 0 && table->keys[table->slots[slot] - 1] != key)
        slot = next_slot(table, slot);
    return slot;
}

long entropy_table_find(const struct entropy_table *table, uint64_t key)
{
    if (table->count == 0)
        return ENTROPY_TABLE_NONE;
    return (long)table->slots[find_slot(table, key)] - 1;
}

/* Removes the key and closes the gap: moves up later keys that a search would no longer find. */
static void take_out_key(struct entropy_table *table, uint64_t key)
{
    size_t gap = find_slot(table, key);
    assert(table->slots[gap] != 0);
    for (size_t slot = next_slot(table, gap); table->slots[slot] != 0;
         slot = next_slot(table, slot)) {
        const size_t home = home_slot(table, table->keys[table->slots[slot] - 1]);
        /* Its home is after the gap and not after its slot, wrapping around: it stays. */
        if (gap <= slot ? gap < home && home <= slot : gap < home || home <= slot)
            continue;
        table->slots[gap] = table->slots[slot];
        gap = slot;
    }
    table->slots[gap] = 0;
}

size_t entropy_table_add(struct entropy_table *table, uint64_t key, bool *added)
{
    assert(table->max > 0);
    /* Keeps half of the slots free, so that searches are short. */
    if (table->slot_count < 2 * (table->count + 1)) {
        free(table->slots);
        table->slot_count = table->slot_count == 0 ? SLOTS_MIN : table->slot_count * 2;
        table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
        for (size_t place = 0; place < table->count; place++)
            table->slots[find_slot(table, table->keys[place])] = (uint32_t)place + 1;
    }
    const size_t slot = find_slot(table, key);
    *added = table->slots[slot] == 0;
    if (!*added)
        return table->slots[slot] - 1;

    size_t place = table->oldest;
    if (table->count < table->max) {
        if (table->count == table->cap) {
            const size_t want = table->cap == 0 ? PLACES_MIN : table->cap + 1;
            table->keys = xgrow(table->keys, &table->cap, want, sizeof(*table->keys));
        }
        place = table->count++;
    } else {
        take_out_key(table, table->keys[place]);
        table->oldest = table->oldest + 1 == table->max ? 0 : table->oldest + 1;
    }
    table->keys[place] = key;
    table->slots[find_slot(table, key)] = (uint32_t)place + 1;
    return place;
}

size_t entropy_table_place(const struct entropy_table *table, size_t index)
{
    assert(index < table->count);
    return (table->oldest + index) % table->count;
}

void entropy_table_done(struct entropy_table *table)
{
    free(table->keys);
    free(table->slots);
    *table = (struct entropy_table){.max = table->max};
}

/*
 * Numbers in a line.
 */

enum { DIGITS_MAX = 15 /* digits of a number that count; a double holds them exactly */ };

size_t loops_read_digits(const char *bytes, size_t len, double *out)
{
    double value = 0;
    size_t at = 0;
    for (; at < len && ascii_is_digit(bytes[at]); at++)
        if (at < DIGITS_MAX)
            value = value * 10 + (bytes[at] - '0');
    *out = value;
    return at;
}

/*
 * News: the lines and shapes that a step adds. loops_internal.h has the rules.
 */

enum {
    DATA_LINES = 3,    /* minimum new lines of one shape in one step that count as data */
    SHAPE_BYTES = 512, /* bytes of a line that are searched for numbers; the rest counts as text */
    SAMPLE_LEAST = 16, /* smallest sample, in lines, that may represent a result */
};

/* The numbers of a line, and the line without them. */
struct reading {
    double numbers[SHAPE_NUMBERS];
    int count;
    uint64_t shape;
};

void entropy_news_init(struct entropy_news *news)
{
    *news = (struct entropy_news){
        .lines = {.max = ENTROPY_LINES_MAX},
        .sample = {.max = ENTROPY_SAMPLE_MAX},
        .shapes = {.max = ENTROPY_SHAPES_MAX},
    };
}

void entropy_news_done(struct entropy_news *news)
{
    entropy_table_done(&news->lines);
    entropy_table_done(&news->sample);
    entropy_table_done(&news->shapes);
    free(news->places);
    free(news->touched);
    *news = (struct entropy_news){0};
}

void entropy_news_begin(struct entropy_news *news, uint64_t scope)
{
    news->scope = scope;
    news->step++;
    news->line_count = 0;
    news->touched_count = 0;
    memset(news->sampled, 0, sizeof(news->sampled));
    memset(news->sampled_new, 0, sizeof(news->sampled_new));
    for (int form = 0; form < NEWS_FORMS; form++) {
        news->new_lines[form] = 0;
        news->fresh[form] = false;
    }
}

/* Reads a decimal number with an optional fraction. Returns its length in bytes. */
static size_t read_number(const char *bytes, size_t len, double *out)
{
    double value;
    double unit = 1;
    size_t at = loops_read_digits(bytes, len, &value);
    size_t digits = at;
    if (at + 1 < len && bytes[at] == '.' && ascii_is_digit(bytes[at + 1])) {
        for (at++; at < len && ascii_is_digit(bytes[at]); at++) {
            unit /= 10;
            if (digits++ < DIGITS_MAX)
                value += unit * (bytes[at] - '0');
        }
    }
    *out = value;
    return at;
}

static void read_line(const char *bytes, size_t len, struct reading *out)
{
    char shape[SHAPE_BYTES];
    size_t shape_len = 0;
    shape[0] = '\0';
    const size_t end = len < SHAPE_BYTES ? len : SHAPE_BYTES;
    *out = (struct reading){0};
    for (size_t at = 0; at < end;) {
        if (!ascii_is_digit(bytes[at])) {
            shape[shape_len++] = bytes[at++];
            continue;
        }
        double number;
        at += read_number(bytes + at, end - at, &number);
        shape[shape_len++] = '#';
        if (out->count < SHAPE_NUMBERS)
            out->numbers[out->count++] = number;
    }
    out->shape = entropy_hash(shape, shape_len);
    if (end < len)
        out->shape = entropy_hash_pair(out->shape, entropy_hash(bytes + end, len - end));
}

static struct shape *shape_at(struct entropy_news *news, size_t place, bool added)
{
    if (place >= news->places_cap)
        news->places = xgrow(news->places, &news->places_cap, place + 1, sizeof(*news->places));
    if (added)
        news->places[place] = (struct shape){0};
    return &news->places[place];
}

/* Returns the entry of a shape for the current step, or NULL if the list is full. */
static struct touched *touch_shape(struct entropy_news *news, uint64_t key)
{
    bool added = false;
    const size_t place = entropy_table_add(&news->shapes, key, &added);
    struct shape *shape = shape_at(news, place, added);
    if (shape->step == news->step)
        return &news->touched[shape->touched];
    if (news->touched_count == NEWS_TOUCHED_MAX)
        return NULL;
    news->touched = xgrow(news->touched, &news->touched_cap, (size_t)news->touched_count + 1,
                          sizeof(*news->touched));
    shape->step = news->step;
    shape->touched = (unsigned short)news->touched_count;
    struct touched *touched = &news->touched[news->touched_count++];
    *touched = (struct touched){.key = key, .place = place, .fresh = added};
    return touched;
}

static int level_of(uint64_t hash)
{
    int level = 0;
    for (; level < NEWS_LEVELS - 1 && !(hash & 1); hash >>= 1)
        level++;
    return level;
}

/* Halves a full sample, and the share of later lines that it gets. */
static void thin_out(struct entropy_news *news)
{
    struct entropy_table kept = {.max = ENTROPY_SAMPLE_MAX};
    bool added = false;
    news->sample_bits++;
    for (size_t i = 0; i < news->sample.count; i++) {
        const uint64_t key = news->sample.keys[i];
        if (level_of(key) >= news->sample_bits)
            (void)entropy_table_add(&kept, key, &added);
    }
    entropy_table_done(&news->sample);
    news->sample = kept;
}

/* Whether a hash belongs in the sample and, if so, whether it is new there. */
enum sampled { SAMPLED_NOT, SAMPLED_KNOWN, SAMPLED_NEW };

static enum sampled put_in_sample(struct entropy_news *news, uint64_t hash)
{
    bool added = false;
    if (level_of(hash) < news->sample_bits)
        return SAMPLED_NOT;
    if (entropy_table_find(&news->sample, hash) >= 0)
        return SAMPLED_KNOWN;
    while (news->sample.count == news->sample.max && news->sample_bits < NEWS_LEVELS - 1)
        thin_out(news);
    if (level_of(hash) >= news->sample_bits)
        (void)entropy_table_add(&news->sample, hash, &added);
    return SAMPLED_NEW;
}

/* Stores the hash of a line. Returns true if the line is certainly new in this segment: nothing is
 * known about a line that is neither stored exactly nor sampled. */
static bool is_unseen(struct entropy_news *news, uint64_t hash, enum sampled sampled)
{
    bool added = false;
    if (news->line_count <= NEWS_EXACT_LINES)
        (void)entropy_table_add(&news->lines, hash, &added); /* a stored line is only its key */
    return sampled == SAMPLED_NOT ? added : sampled == SAMPLED_NEW;
}

/* Follows the numbers of a line, and counts the line as new in the forms whose bits are set in
 * new_in. */
static void follow_number(struct entropy_news *news, const struct news_text *text, unsigned new_in)
{
    struct reading reading;
    read_line(text->bytes, text->len, &reading);
    struct touched *touched = touch_shape(news, entropy_hash_pair(news->scope, reading.shape));
    if (touched) {
        for (int i = 0; i < reading.count; i++)
            if (i >= touched->numbers || reading.numbers[i] > touched->now[i])
                touched->now[i] = reading.numbers[i];
        if (reading.count > touched->numbers)
            touched->numbers = reading.count;
    }
    for (int form = 0; form < NEWS_FORMS; form++) {
        if (!(new_in & 1u << form))
            continue;
        news->new_lines[form]++;
        if (touched)
            touched->new_lines[form]++;
        news->fresh[form] = news->fresh[form] || !touched || touched->fresh;
    }
}

void entropy_news_line(struct entropy_news *news, const struct news_text *plain,
                       const struct news_text *general)
{
    const unsigned in_plain = 1u << NEWS_PLAIN;
    const unsigned in_strict = 1u << NEWS_STRICT;
    news->line_count++;
    const enum sampled sampled = put_in_sample(news, plain->hash);
    if (sampled == SAMPLED_NOT && news->line_count > NEWS_EXACT_LINES)
        return;
    unsigned new_in = is_unseen(news, plain->hash, sampled) ? in_plain : 0;
    if (plain->hash == general->hash) {
        new_in |= new_in ? in_strict : 0;
        follow_number(news, plain, new_in);
    } else if (general->len == 0) {
        follow_number(news, plain, new_in);
    } else {
        const enum sampled general_sampled = put_in_sample(news, general->hash);
        const bool general_new = is_unseen(news, general->hash, general_sampled);
        const unsigned strict = new_in && general_new ? in_strict : 0;
        follow_number(news, plain, new_in);
        follow_number(news, general, strict);
        new_in |= strict;
    }
    if (sampled == SAMPLED_NOT)
        return;
    const int level = level_of(plain->hash);
    news->sampled[level]++;
    for (int form = 0; form < NEWS_FORMS; form++)
        news->sampled_new[form][level] += (new_in >> form) & 1;
}

bool entropy_news_time(struct entropy_news *news, uint64_t key, double seconds)
{
    struct touched *touched = touch_shape(news, key);
    if (!touched)
        return false;
    touched->numbers = 1;
    if (seconds > touched->now[0])
        touched->now[0] = seconds;
    return !touched->fresh && seconds >= news->places[touched->place].last[0];
}

/* Updates the shape with this step's numbers. Returns true if a number continues in its direction
 * and is not just a step counter. */
static bool shape_goes_on(struct shape *shape, const struct touched *touched,
                          const struct entropy_limits *limits)
{
    const int turns_max = limits->drift_turns;
    bool goes_on = false;
    int moved = 0;
    bool by_one = false;
    for (int i = 0; i < touched->numbers; i++) {
        const double change = touched->now[i] - shape->last[i];
        shape->last[i] = touched->now[i];
        if (!(change > 0) && !(change < 0))
            continue;
        const signed char heading = change > 0 ? 1 : -1;
        if (shape->heading[i] == -heading && shape->turns[i] < UCHAR_MAX)
            shape->turns[i]++;
        shape->heading[i] = heading;
        goes_on = goes_on || turns_max == 0 || shape->turns[i] < turns_max;
        moved++;
        by_one = by_one || (change > 0.999 && change < 1.001);
    }
    const bool lone = moved == 1 && by_one;
    if (moved > 0)
        shape->lone = !lone ? 0 : shape->lone < USHRT_MAX ? shape->lone + 1 : USHRT_MAX;
    const bool counts_steps = limits->lone_counter > 0 && shape->lone > limits->lone_counter;
    return goes_on && !counts_steps;
}

/* For a long result, estimates the number of new lines from the sample, and clears is_news if no
 * sampled line is new. Does nothing if the sample is too small. */
static void end_by_sample(struct entropy_news *news, bool is_news[NEWS_FORMS])
{
    int64_t all = 0;
    int64_t new_lines[NEWS_FORMS] = {0};
    for (int level = news->sample_bits; level < NEWS_LEVELS; level++) {
        all += news->sampled[level];
        for (int form = 0; form < NEWS_FORMS; form++)
            new_lines[form] += news->sampled_new[form][level];
    }
    if (news->line_count <= NEWS_EXACT_LINES || all < SAMPLE_LEAST)
        return;
    for (int form = 0; form < NEWS_FORMS; form++) {
        const double share = (double)new_lines[form] / (double)all;
        news->new_lines[form] = (int64_t)(share * (double)news->line_count);
        is_news[form] = is_news[form] && new_lines[form] > 0;
    }
}

void entropy_news_end(struct entropy_news *news, const struct entropy_limits *limits,
                      bool is_news[NEWS_FORMS])
{
    for (int form = 0; form < NEWS_FORMS; form++)
        is_news[form] = news->fresh[form];
    for (int i = 0; i < news->touched_count; i++) {
        const struct touched *touched = &news->touched[i];
        if (news->shapes.keys[touched->place] != touched->key)
            continue; /* another shape has taken its place */
        struct shape *shape = &news->places[touched->place];
        if (touched->fresh) {
            for (int number = 0; number < touched->numbers; number++)
                shape->last[number] = touched->now[number];
            continue;
        }
        const bool goes_on = shape_goes_on(shape, touched, limits);
        for (int form = 0; form < NEWS_FORMS; form++) {
            const int new_lines = touched->new_lines[form];
            is_news[form] = is_news[form] || new_lines >= DATA_LINES || (new_lines > 0 && goes_on);
        }
    }
    end_by_sample(news, is_news);
    /* Steps of a task may be hours apart, so free the list in between. */
    free(news->touched);
    news->touched = NULL;
    news->touched_count = 0;
    news->touched_cap = 0;
    news->step++; /* invalidates the list indices of shapes */
}

bool entropy_news_know(struct entropy_news *news, uint64_t key, const struct shape *shape)
{
    bool added = false;
    const size_t place = entropy_table_add(&news->shapes, key, &added);
    if (added)
        *shape_at(news, place, true) = *shape;
    return added;
}
