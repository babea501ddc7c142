/* number_set.c - a set of numbers as bits, in levels of 64-bit words.
 *
 * A bit of a higher level says whether a word below it has any bit set. So the smallest number is
 * found from the top with one instruction per level. All levels are in one array. */
#include "number_set.h"

#include <assert.h>
#include <stdlib.h>

#include "xalloc.h"

enum { WORD_BITS = 64 };

static uint64_t bit_of(size_t at)
{
    return UINT64_C(1) << at % WORD_BITS;
}

/* Makes an empty set with space for the numbers 0..cap-1. */
static void lay_out(struct number_set *set, int cap)
{
    size_t bits = cap > 0 ? (size_t)cap : 1;
    size_t words = 0;
    *set = (struct number_set){.size = set->size, .cap = cap};
    do {
        set->starts[set->levels++] = words;
        bits = (bits + WORD_BITS - 1) / WORD_BITS;
        words += bits;
    } while (bits > 1);
    set->words = xcalloc(words, sizeof(*set->words));
}

void number_set_init(struct number_set *set, int size)
{
    assert(size >= 0);
    set->size = size;
    lay_out(set, size);
}

void number_set_done(struct number_set *set)
{
    if (!set)
        return;
    free(set->words);
    *set = (struct number_set){0};
}

void number_set_grow(struct number_set *set, int size)
{
    struct number_set grown = {.size = size};
    if (size > set->cap) {
        lay_out(&grown, size <= INT32_MAX / 2 ? 2 * size : size);
        for (int i = 0; i < set->size; i++) {
            if (number_set_has(set, i))
                number_set_add(&grown, i);
        }
        free(set->words);
        *set = grown;
    }
    if (size > set->size)
        set->size = size;
}

bool number_set_has(const struct number_set *set, int number)
{
    assert(number >= 0);
    assert(number < set->size);
    const size_t at = (size_t)number;
    return (set->words[at / WORD_BITS] & bit_of(at)) != 0;
}

void number_set_add(struct number_set *set, int number)
{
    if (number_set_has(set, number))
        return;
    size_t at = (size_t)number;
    bool was_empty = true;
    set->count++;
    for (int level = 0; was_empty && level < set->levels; level++, at /= WORD_BITS) {
        uint64_t *word = &set->words[set->starts[level] + at / WORD_BITS];
        was_empty = *word == 0;
        *word |= bit_of(at);
    }
}

void number_set_remove(struct number_set *set, int number)
{
    if (!number_set_has(set, number))
        return;
    size_t at = (size_t)number;
    bool is_empty = true;
    set->count--;
    for (int level = 0; is_empty && level < set->levels; level++, at /= WORD_BITS) {
        uint64_t *word = &set->words[set->starts[level] + at / WORD_BITS];
        *word &= ~bit_of(at);
        is_empty = *word == 0;
    }
}

int number_set_first(const struct number_set *set)
{
    size_t at = 0;
    if (set->count == 0)
        return -1;
    for (int level = set->levels - 1; level >= 0; level--)
        at = at * WORD_BITS + (size_t)__builtin_ctzll(set->words[set->starts[level] + at]);
    return (int)at;
}

int number_set_next(const struct number_set *set, int number)
{
    assert(number >= -1);
    for (size_t at = (size_t)number + 1; at < (size_t)set->size;) {
        const uint64_t rest = set->words[at / WORD_BITS] >> at % WORD_BITS;
        if (rest != 0)
            return (int)at + __builtin_ctzll(rest);
        at = (at / WORD_BITS + 1) * WORD_BITS;
    }
    return -1;
}

int number_set_before(const struct number_set *set, int number)
{
    assert(number >= 0);
    assert(number < set->size);
    const size_t at = (size_t)number;
    int count = 0;
    for (size_t i = 0; i < at / WORD_BITS; i++)
        count += __builtin_popcountll(set->words[i]);
    return count + __builtin_popcountll(set->words[at / WORD_BITS] & (bit_of(at) - 1));
}

size_t number_set_words(const struct number_set *set)
{
    return set->levels > 0 ? set->starts[set->levels - 1] + 1 : 0;
}
