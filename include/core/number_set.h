/* number_set.h - a set of the numbers 0..n-1 with fast access to the smallest one.
 *
 * The lowest level has one bit per number, each higher level one bit per nonzero word below, up to
 * a single word. Each operation looks at one word of each level; a set of 50,000 has three levels.
 * Owned by its struct. */
#ifndef DEVS_NUMBER_SET_H
#define DEVS_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SET_LEVELS_MAX = 6 }; /* 64^6 is more than any int */

struct number_set {
    uint64_t *words; /* owned; all levels, beginning with the bits of the numbers */
    size_t starts[NUMBER_SET_LEVELS_MAX]; /* where each level begins in `words` */
    int levels;
    int count; /* numbers in the set */
    int size;  /* members are 0..size-1 */
    int cap;   /* capacity in numbers */
};

/* Makes an empty set for the numbers 0..size-1. The caller frees with number_set_done(). */
void number_set_init(struct number_set *set, int size);
/* Frees the members and leaves an empty set. Accepts NULL. */
void number_set_done(struct number_set *set);
/* Lets the set hold 0..size-1 from now on; it never shrinks. Amortized O(1) per number. */
void number_set_grow(struct number_set *set, int size);

/* Returns whether the set has the number. */
bool number_set_has(const struct number_set *set, int number);
/* Adds the number. Does nothing if the set already has it. */
void number_set_add(struct number_set *set, int number);
/* Removes the number. Does nothing if the set does not have it. */
void number_set_remove(struct number_set *set, int number);
/* Returns the smallest number, or -1 if the set is empty. */
int number_set_first(const struct number_set *set);
/* Returns the smallest number in the set that is larger than `number`, which may be -1; -1 if there
 * is none. O(size / 64). */
int number_set_next(const struct number_set *set, int number);
/* Returns how many numbers in the set are less than this one, which need not be in it. O(number /
 * 64). */
int number_set_before(const struct number_set *set, int number);

/* Returns the number of words, for copying and packing. */
size_t number_set_words(const struct number_set *set);

#endif
