/*
 * entropy_alike.h - how many words two texts have in common. Private to core.
 *
 * A word is a run of ASCII letters, in any case, or one character outside ASCII; all
 * numbers are one word. Of a long text the first ALIKE_WORDS_MAX different words count.
 */
#ifndef DEVS_ENTROPY_ALIKE_H
#define DEVS_ENTROPY_ALIKE_H

#include <stddef.h>
#include <stdint.h>

enum { ALIKE_WORDS_MAX = 256, ALIKE_BYTES_MAX = 64 * 1024 };

/* All zero is the empty set. */
struct word_set {
    uint32_t words[ALIKE_WORDS_MAX]; /* hashes, sorted */
    int count;
};

/* Take in the words of a text; what is past ALIKE_BYTES_MAX of it is not read. */
void word_set_add(struct word_set *set, const char *text, size_t len);

/* Only words that may name something: four letters or more, and not what a shell has for
 * saying it. Two ways of asking the same have the same names. */
void word_set_add_names(struct word_set *set, const char *text, size_t len);

/* Jaccard: the common words in percent of all words of the two; 0 where both are empty. */
int word_set_alike(const struct word_set *a, const struct word_set *b);

/* Words of `a` that are in `b` too, in percent; 0 where there are none. */
int word_set_within(const struct word_set *a, const struct word_set *b);

/* Takes in the words of the other set. */
void word_set_unite(struct word_set *set, const struct word_set *other);

/* Leaves only the words that are in the other set too. */
void word_set_intersect(struct word_set *set, const struct word_set *other);

/* Of the set as a whole. */
uint64_t word_set_hash(const struct word_set *set);

#endif
