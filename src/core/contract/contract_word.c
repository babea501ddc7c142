#include "contract_word.h"

#include <stdint.h>
#include <string.h>

#include "ascii.h"

enum { TIMES_MAX = 65535 }; /* that PCRE2 allows in braces */

struct reading {
    const char *text;
    size_t len, at;
    struct contract_word word;
};

static char peek(const struct reading *reading)
{
    return reading->at < reading->len ? reading->text[reading->at] : '\0';
}

static bool take(struct reading *reading, char c)
{
    if (peek(reading) != c || c == '\0')
        return false;
    reading->at++;
    return true;
}

/* What stands for itself in a class; '-' does so at its end. */
static bool is_plain(char c)
{
    return c > ' ' && c < 0x7f && !strchr("\\[]^-", c);
}

static bool take_range(struct reading *reading, unsigned char bit)
{
    const char first = peek(reading);
    if (!is_plain(first))
        return false;
    reading->at++;
    char last = first;
    if (reading->len - reading->at > 1 && peek(reading) == '-' &&
        reading->text[reading->at + 1] != ']') {
        last = reading->text[reading->at + 1];
        reading->at += 2;
    }
    if (!is_plain(last) || last < first)
        return false;
    for (unsigned char c = (unsigned char)first; c <= (unsigned char)last; c++)
        reading->word.parts[c] |= bit;
    return true;
}

static bool take_class(struct reading *reading)
{
    if (!take(reading, '[') || reading->word.count == CONTRACT_WORD_PARTS)
        return false;
    const unsigned char bit = (unsigned char)(1U << reading->word.count++);
    do {
        if (!take_range(reading, bit))
            return false;
        if (take(reading, '-')) {
            reading->word.parts['-'] |= bit;
            return take(reading, ']');
        }
    } while (!take(reading, ']'));
    return true;
}

static bool take_number(struct reading *reading, size_t *out)
{
    const size_t from = reading->at;
    size_t number = 0;
    while (ascii_is_digit(peek(reading)) && number <= TIMES_MAX)
        number = number * 10 + (size_t)(reading->text[reading->at++] - '0');
    *out = number;
    return reading->at > from && number <= TIMES_MAX;
}

/* How often the last class is there: once where nothing is said. */
static bool take_times(struct reading *reading, size_t *min, size_t *max)
{
    *min = *max = 1;
    if (take(reading, '*') || take(reading, '+')) {
        *min = reading->text[reading->at - 1] == '+';
        *max = SIZE_MAX - CONTRACT_WORD_PARTS;
        return true;
    }
    if (!take(reading, '{'))
        return true;
    if (!take_number(reading, min))
        return false;
    *max = *min;
    if (take(reading, ',') && !take_number(reading, max))
        return false;
    return *min <= *max && take(reading, '}');
}

bool contract_word_read(struct contract_word *out, const char *pattern, size_t len)
{
    struct reading reading = {.text = pattern, .len = len};
    size_t min = 0;
    size_t max = 0;
    if (!take(&reading, '^'))
        return false;
    do {
        if (!take_class(&reading))
            return false;
    } while (peek(&reading) == '[');
    if (!take_times(&reading, &min, &max) || !take(&reading, '$') || reading.at != len)
        return false;
    reading.word.min = reading.word.count - 1 + min;
    reading.word.max = reading.word.count - 1 + max;
    *out = reading.word;
    return true;
}

bool contract_word_fits(const struct contract_word *word, const char *text, size_t len)
{
    if (len < word->min || len > word->max)
        return false;
    const size_t last = word->count - 1;
    for (size_t i = 0; i < len; i++) {
        const size_t part = i < last ? i : last;
        if ((word->parts[(unsigned char)text[i]] >> part & 1) == 0)
            return false;
    }
    return true;
}
