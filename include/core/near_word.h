/*
 * near_word.h - which word somebody probably meant: the nearest of those offered.
 *
 * Nearness is the Levenshtein distance (changes, insertions and deletions of one byte). Words
 * are alike if one letter in three differs, or one of a shorter word, and if nothing but capital
 * letters does.
 */
#ifndef DEVS_NEAR_WORD_H
#define DEVS_NEAR_WORD_H

#include <stddef.h>

enum {
    NEAR_WORD_FAR = 3,        /* words that differ in this many letters are not alike */
    NEAR_WORD_BYTES_MAX = 64, /* longer words are like no other */
};

/* A search: what was written, and the best of what was offered so far. */
struct near_word {
    const char *word;    /* borrowed */
    const char *nearest; /* borrowed from who offered it; NULL = none is alike */
    int distance;        /* of the nearest; 0 = only capitals differ */
};

/* Nothing is near yet. The word is borrowed as long as the value is used. */
struct near_word near_word_new(const char *word);

/* Offer a word that there is. Of equally near ones the first is kept; a word of which
 * nothing would be left is not alike. */
void near_word_offer(struct near_word *near, const char *candidate);

/* How many pairs of letters an offer compares, which is what it costs. */
size_t near_word_pairs(const struct near_word *near, const char *candidate);

/* How many single-letter changes lie between two words; NEAR_WORD_FAR for that many or
 * more. O(length x length). */
int near_word_distance(const char *a, const char *b);

#endif
