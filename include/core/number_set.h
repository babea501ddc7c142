/*
 * number_set.h - a set of the numbers 0..n-1, whose least one is found at once.
 *
 * One bit for each number; above them a bit for each word of bits that is not 0, and so on up to a
 * single word. So each operation looks at a word of each level, of which a set of 50,000 has three.
 * Owned by its struct.
 */
#ifndef DEVS_NUMBER_SET_H
#define DEVS_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SET_LEVELS_MAX = 6 }; /* 64^6 is more than any int */

struct number_set {
    uint64_t *words;                      /* owned: level after level, the numbers' own first */
    size_t starts[NUMBER_SET_LEVELS_MAX]; /* where in them each level begins */
    int levels;
    int count; /* numbers in it */
    int size;  /* 0..size-1 may be in it */
    int cap;   /* there is room for so many */
};

/* Empty, for the numbers 0..size-1. The caller ends it with number_set_done(). */
void number_set_init(struct number_set *set, int size);
/* Frees what it holds; an empty one afterwards. NULL is allowed. */
void number_set_done(struct number_set *set);
/* Numbers 0..size-1 may be in it from now on; it does not shrink. Amortised O(1) a number. */
void number_set_grow(struct number_set *set, int size);

/* Is the number in it? */
bool number_set_has(const struct number_set *set, int number);
/* Nothing happens if it is there already. */
void number_set_add(struct number_set *set, int number);
/* Nothing happens if it is not there. */
void number_set_remove(struct number_set *set, int number);
/* The least, -1 if empty; it stays in. */
int number_set_first(const struct number_set *set);
/* How many in it are less than this one, which may be in it or not. O(number / 64). */
int number_set_before(const struct number_set *set, int number);

/* How many words there are, for who copies or keeps them. */
size_t number_set_words(const struct number_set *set);

#endif
