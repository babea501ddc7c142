#include "words.h"

#include <string.h>

#include "ascii.h"

char words_small(char c)
{
    return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static bool starts_with(const char *text, const char *needle, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (words_small(text[i]) != words_small(needle[i]))
            return false;
    }
    return true;
}

bool words_begin(const char *text, const char *beginning)
{
    const size_t len = strlen(beginning);
    return strlen(text) >= len && starts_with(text, beginning, len);
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
