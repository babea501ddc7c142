#include "words.h"

#include <string.h>

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_with(const char *text, const char *needle, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (small(text[i]) != small(needle[i]))
            return false;
    }
    return true;
}

const char *words_find(const char *text, size_t len, const char *needle)
{
    size_t want = strlen(needle);
    if (want == 0)
        return NULL;
    for (size_t i = 0; i + want <= len; i++) {
        if (starts_with(text + i, needle, want))
            return text + i;
    }
    return NULL;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int words_distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    int costs[WORDS_DISTANCE_MAX + 1]; /* from the first letters of a to each front of b */
    if (rows >= WORDS_DISTANCE_MAX || columns >= WORDS_DISTANCE_MAX)
        return WORDS_DISTANCE_MAX;
    for (size_t i = 0; i <= columns; i++)
        costs[i] = (int)i;
    for (size_t row = 1; row <= rows; row++) {
        int above_left = costs[0];
        costs[0] = (int)row;
        for (size_t i = 1; i <= columns; i++) {
            int above = costs[i];
            int changed = above_left + (small(a[row - 1]) != small(b[i - 1]));
            costs[i] = least(changed, least(above, costs[i - 1]) + 1);
            above_left = above;
        }
    }
    return costs[columns];
}
