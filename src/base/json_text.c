#include "json_text.h"

#include <string.h>

#include "ascii.h"
#include "parse.h"

enum { WORD_BYTES = sizeof(uint64_t) };

static const uint64_t ones = UINT64_C(0x0101010101010101);

/* The highest bit of a byte that is 0, and maybe of one behind it; of none if no byte is. */
static uint64_t marks_zeros(uint64_t word)
{
    return word - ones;
}

/* The highest bit of each of eight bytes that is not plain; now and then of some that are, behind
 * one that is not. */
static uint64_t marks_special(uint64_t word)
{
    const uint64_t special = word | (word - ones * ' ') | marks_zeros(word ^ ones * '"') |
                             marks_zeros(word ^ ones * '\\') | marks_zeros(word ^ ones * 0x7F);
    return special & ones * 0x80;
}

static bool is_plain_word(uint64_t word)
{
    return marks_special(word) == 0;
}

static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
}

/* The first byte is the lowest. */
static uint64_t word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, WORD_BYTES);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* Fewer bytes than a word has, of which some may be looked at twice. */
static bool is_plain_rest(const char *bytes, size_t len)
{
    enum { HALF = WORD_BYTES / 2 };
    char word[WORD_BYTES];
    if (len < HALF)
        return len == 0 ||
               (is_plain(bytes[0]) && is_plain(bytes[len / 2]) && is_plain(bytes[len - 1]));
    memcpy(word, bytes, HALF);
    memcpy(word + HALF, bytes + len - HALF, HALF);
    return is_plain_word(word_at(word));
}

bool json_text_is_plain(const char *bytes, size_t len)
{
    if (len < WORD_BYTES)
        return is_plain_rest(bytes, len);
    for (size_t at = 0; at + WORD_BYTES <= len; at += WORD_BYTES) {
        if (!is_plain_word(word_at(bytes + at)))
            return false;
    }
    return is_plain_word(word_at(bytes + len - WORD_BYTES)); /* some of it for the second time */
}

size_t json_text_plain(const char *bytes, size_t len)
{
    enum { BYTE_BITS = 8 };
    size_t at = 0;
    for (; len - at >= WORD_BYTES; at += WORD_BYTES) {
        const uint64_t special = marks_special(word_at(bytes + at));
        if (special != 0)
            return at + (size_t)__builtin_ctzll(special) / BYTE_BITS;
    }
    while (at < len && is_plain(bytes[at]))
        at++;
    return at;
}

void json_text_skip_blanks(struct json_text *text)
{
    while (ascii_is_blank(json_text_peek(text)))
        text->at++;
}

/* The four digits behind "\u"; -1 if there are none. */
static int take_unit(struct json_text *text)
{
    int unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = parse_hex_digit(json_text_peek(text));
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
        text->at++;
    }
    return unit;
}

enum { HIGH_FIRST = 0xD800, LOW_FIRST = 0xDC00, LOW_LAST = 0xDFFF };

/* The character that "\uXXXX", or a pair of them, stands for; -1 if none. Past the "\u". */
int32_t json_text_take_character(struct json_text *text)
{
    int high = take_unit(text);
    if (high < HIGH_FIRST || high > LOW_LAST)
        return high;
    int low = high < LOW_FIRST && json_text_take(text, '\\') && json_text_take(text, 'u')
                  ? take_unit(text)
                  : -1;
    if (low < LOW_FIRST || low > LOW_LAST)
        return -1;
    return 0x10000 + (high - HIGH_FIRST) * 0x400 + (low - LOW_FIRST);
}
