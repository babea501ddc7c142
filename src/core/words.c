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
