#include "near_word.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "words.h"

enum { LETTERS_PER_CHANGE = 3 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Does nothing but capitals differ? */
static bool same_letters(const char *a, const char *b)
{
    while (*a && words_small(*a) == words_small(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static bool is_quick(size_t a_len, size_t b_len)
{
    size_t apart = a_len > b_len ? a_len - b_len : b_len - a_len;
    return apart >= NEAR_WORD_FAR || a_len > NEAR_WORD_BYTES_MAX || b_len > NEAR_WORD_BYTES_MAX;
}

size_t near_word_pairs(const struct near_word *near, const char *candidate)
{
    size_t len = strlen(near->word);
    size_t candidate_len = strlen(candidate);
    return is_quick(len, candidate_len) ? 0 : len * candidate_len;
}

struct near_word near_word_new(const char *word)
{
    return (struct near_word){.word = word, .distance = NEAR_WORD_FAR};
}

void near_word_offer(struct near_word *near, const char *candidate)
{
    size_t len = strlen(near->word);
    bool is_same = len > 0 && same_letters(candidate, near->word);
    int distance = is_same ? 0 : near_word_distance(candidate, near->word);
    int most = len < 2 * LETTERS_PER_CHANGE ? 1 : (int)(len / LETTERS_PER_CHANGE);
    bool is_alike = distance <= most && (is_same || (size_t)distance < len);
    if (is_alike && distance < near->distance) {
        near->distance = distance;
        near->nearest = candidate;
    }
}

int near_word_distance(const char *a, const char *b)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    if (is_quick(a_len, b_len))
        return NEAR_WORD_FAR;

    int row[NEAR_WORD_BYTES_MAX + 1];
    for (size_t j = 0; j <= b_len; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_len; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_len; j++) {
            int change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = least(change, least(row[j], row[j - 1]) + 1);
        }
    }
    return least(row[b_len], NEAR_WORD_FAR);
}
