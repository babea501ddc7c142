#include "entropy_news.h"

#include <limits.h>
#include <stdlib.h>

#include "entropy.h"
#include "entropy_hash.h"
#include "entropy_memory.h"
#include "xalloc.h"

enum {
    DATA_LINES = 3,    /* new lines of one shape in one step that are data */
    SHAPE_BYTES = 512, /* of a line whose numbers are looked for; the rest counts as it is */
    DIGITS_MAX = 15,   /* of a number; a double has no more */
};

/* The numbers of a line, and what is left of it without them. */
struct reading {
    double numbers[SHAPE_NUMBERS];
    int count;
    uint64_t shape;
};

void entropy_news_init(struct entropy_news *news)
{
    *news = (struct entropy_news){
        .lines = {.max = ENTROPY_LINES_MAX},
        .shapes = {.max = ENTROPY_SHAPES_MAX},
    };
}

void entropy_news_done(struct entropy_news *news)
{
    entropy_table_done(&news->lines);
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
    for (int form = 0; form < NEWS_FORMS; form++) {
        news->new_lines[form] = 0;
        news->fresh[form] = false;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal number, with a fraction if there is one. */
static size_t read_number(const char *bytes, size_t len, double *out)
{
    double value = 0;
    double unit = 1;
    size_t at = 0;
    int digits = 0;
    for (; at < len && is_digit(bytes[at]); at++)
        if (digits++ < DIGITS_MAX)
            value = value * 10 + (bytes[at] - '0');
    if (at + 1 < len && bytes[at] == '.' && is_digit(bytes[at + 1])) {
        for (at++; at < len && is_digit(bytes[at]); at++) {
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
        if (!is_digit(bytes[at])) {
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

/* The present step's word on a shape; NULL where the list is full. */
static struct touched *touch(struct entropy_news *news, uint64_t key)
{
    bool added = false;
    const size_t place = entropy_table_add(&news->shapes, key, &added);
    struct shape *shape = shape_at(news, place, added);
    if (shape->step == news->step)
        return &news->touched[shape->touched];
    if (news->touched_count == NEWS_TOUCHED_MAX)
        return NULL;
    if (!news->touched)
        news->touched = xcalloc(NEWS_TOUCHED_MAX, sizeof(*news->touched));
    shape->step = news->step;
    shape->touched = (unsigned short)news->touched_count;
    struct touched *touched = &news->touched[news->touched_count++];
    *touched = (struct touched){.key = key, .place = place, .fresh = added};
    return touched;
}

static void note_numbers(struct touched *touched, const struct reading *reading)
{
    for (int i = 0; i < reading->count; i++)
        if (i >= touched->numbers || reading->numbers[i] > touched->now[i])
            touched->now[i] = reading->numbers[i];
    if (reading->count > touched->numbers)
        touched->numbers = reading->count;
}

static bool is_unseen(struct entropy_news *news, uint64_t hash)
{
    bool added = false;
    (void)entropy_table_add(&news->lines, hash, &added); /* lines have only their key */
    return added;
}

/* Follows the numbers of a text; in which of the forms it is new is said by bits. */
static void follow(struct entropy_news *news, const struct news_text *text, unsigned new_in)
{
    struct reading reading;
    read_line(text->bytes, text->len, &reading);
    struct touched *touched = touch(news, entropy_hash_pair(news->scope, reading.shape));
    if (touched)
        note_numbers(touched, &reading);
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
    if (++news->line_count > NEWS_LINES_MAX)
        return;
    const unsigned in_plain = 1u << NEWS_PLAIN;
    const unsigned in_strict = 1u << NEWS_STRICT;
    const bool plain_new = is_unseen(news, plain->hash);
    if (plain->hash == general->hash) {
        follow(news, plain, plain_new ? in_plain | in_strict : 0);
        return;
    }
    const bool general_new = is_unseen(news, general->hash);
    follow(news, plain, plain_new ? in_plain : 0);
    follow(news, general, plain_new && general_new ? in_strict : 0);
}

/* One number of a shape after this step. True: it goes on in its direction. */
static bool move(struct shape *shape, int i, double now, int turns_max)
{
    const double change = now - shape->last[i];
    shape->last[i] = now;
    if (!(change > 0) && !(change < 0))
        return false;
    const signed char heading = change > 0 ? 1 : -1;
    if (shape->heading[i] == -heading && shape->turns[i] < UCHAR_MAX)
        shape->turns[i]++;
    shape->heading[i] = heading;
    return turns_max == 0 || shape->turns[i] < turns_max;
}

/* Folds this step's numbers in. True: one of them goes its way, and it is not only a
 * counter of steps. */
static bool shape_goes_on(struct shape *shape, const struct touched *touched,
                          const struct entropy_limits *limits)
{
    bool goes_on = false;
    int moved = 0;
    bool by_one = false;
    for (int i = 0; i < touched->numbers; i++) {
        const double change = touched->now[i] - shape->last[i];
        goes_on = move(shape, i, touched->now[i], limits->drift_turns) || goes_on;
        moved += change > 0 || change < 0;
        by_one = by_one || (change > 0.999 && change < 1.001);
    }
    const bool lone = moved == 1 && by_one;
    if (moved > 0)
        shape->lone = !lone ? 0 : shape->lone < USHRT_MAX ? shape->lone + 1 : USHRT_MAX;
    const bool counts_steps = limits->lone_counter > 0 && shape->lone > limits->lone_counter;
    return goes_on && !counts_steps;
}

static void start_shape(struct shape *shape, const struct touched *touched)
{
    for (int i = 0; i < touched->numbers; i++)
        shape->last[i] = touched->now[i];
}

void entropy_news_end(struct entropy_news *news, const struct entropy_limits *limits,
                      bool is_news[NEWS_FORMS])
{
    for (int form = 0; form < NEWS_FORMS; form++)
        is_news[form] = news->fresh[form];
    for (int i = 0; i < news->touched_count; i++) {
        const struct touched *touched = &news->touched[i];
        if (news->shapes.keys[touched->place] != touched->key)
            continue; /* another shape has its place by now */
        struct shape *shape = &news->places[touched->place];
        if (touched->fresh) {
            start_shape(shape, touched);
            continue;
        }
        const bool goes_on = shape_goes_on(shape, touched, limits);
        for (int form = 0; form < NEWS_FORMS; form++) {
            const int new_lines = touched->new_lines[form];
            is_news[form] = is_news[form] || new_lines >= DATA_LINES || (new_lines > 0 && goes_on);
        }
    }
}

bool entropy_news_know(struct entropy_news *news, uint64_t key, const struct shape *shape)
{
    bool added = false;
    const size_t place = entropy_table_add(&news->shapes, key, &added);
    if (added)
        *shape_at(news, place, true) = *shape;
    return added;
}
