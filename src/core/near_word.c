#include "near_word.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

struct near_word near_word_new(const char *word)
{
    return (struct near_word){.word = word, .distance = NEAR_WORD_FAR};
}

void near_word_offer(struct near_word *near, const char *candidate)
{
    int distance = near_word_distance(candidate, near->word);
    bool is_alike = distance < near->distance && (size_t)distance < strlen(near->word);
    if (is_alike) {
        near->distance = distance;
        near->nearest = candidate;
    }
}

int near_word_distance(const char *a, const char *b)
{
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    size_t apart = a_len > b_len ? a_len - b_len : b_len - a_len;
    if (apart >= NEAR_WORD_FAR || a_len > NEAR_WORD_BYTES_MAX || b_len > NEAR_WORD_BYTES_MAX)
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
