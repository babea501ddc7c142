/*
 * near_word.h - suggestions: the nearest known word to a misspelled one.
 *
 * The distance is Levenshtein's over bytes. Words are alike if at most one letter in three
 * differs (or one of a shorter word), or if only the case differs.
 */
#ifndef DEVS_NEAR_WORD_H
#define DEVS_NEAR_WORD_H

#include <stddef.h>

enum {
    NEAR_WORD_FAR = 3,        /* words that differ in this many letters are not alike */
    NEAR_WORD_BYTES_MAX = 64, /* longer words are never alike */
};

/* A search: the given word, and the best candidate so far. */
struct near_word {
    const char *word;    /* borrowed */
    const char *nearest; /* borrowed from the caller who offered it; NULL = none */
    int distance;        /* of the nearest; 0 = only the case differs */
};

/* Begins a search. Borrows the word as long as the value is used. */
struct near_word near_word_new(const char *word);

/* Offers a candidate. Of equally near ones, the first is kept. A candidate that shares nothing
 * with the word is not alike. */
void near_word_offer(struct near_word *near, const char *candidate);

/* Returns how many pairs of letters an offer compares: its cost. */
size_t near_word_pairs(const struct near_word *near, const char *candidate);

/* Returns the number of single-letter changes between two words, at most NEAR_WORD_FAR. O(length
 * x length). */
int near_word_distance(const char *a, const char *b);

#endif
