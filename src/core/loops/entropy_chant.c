#include "entropy_chant.h"

#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "xalloc.h"

enum {
    LETTERS_MIN = 3,  /* different letters that a piece has at least: else it is ornament */
    RULE_LEAD = 0xe2, /* first byte of U+2000..U+2FFF: dashes, boxes, blocks, arrows */
    RULE_BYTES = 3,
};

/* One line of the message, without blanks around it. */
struct line {
    const char *bytes;
    size_t len;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct line trim(const char *bytes, size_t len)
{
    while (len > 0 && is_blank(bytes[0])) {
        bytes++;
        len--;
    }
    while (len > 0 && is_blank(bytes[len - 1]))
        len--;
    return (struct line){.bytes = bytes, .len = len};
}

static bool is_fence(struct line line)
{
    return line.len >= 3 &&
           (memcmp(line.bytes, "```", 3) == 0 || memcmp(line.bytes, "~~~", 3) == 0);
}

/* "- x", "* x", "+ x", "12. x", "3) x", "| x", "> x". */
static bool is_by_design(struct line line)
{
    if (line.len == 0)
        return true;
    if (strchr("|>", line.bytes[0]))
        return true;
    if (line.len > 1 && strchr("-*+", line.bytes[0]) && line.bytes[1] == ' ')
        return true;
    size_t digits = 0;
    while (digits < line.len && ascii_is_digit(line.bytes[digits]))
        digits++;
    return digits > 0 && digits < line.len && strchr(".)", line.bytes[digits]);
}

/* The words of a line, with one blank after it; drawn rules leave nothing. */
static size_t copy_words(struct line line, char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < line.len; i++) {
        if ((unsigned char)line.bytes[i] == RULE_LEAD) {
            i += RULE_BYTES - 1;
            continue;
        }
        if (is_blank(line.bytes[i]) && (len == 0 || out[len - 1] == ' '))
            continue;
        out[len++] = is_blank(line.bytes[i]) ? ' ' : line.bytes[i];
    }
    if (len > 0 && out[len - 1] != ' ')
        out[len++] = ' ';
    return len;
}

/* What is left of the message; `out` has room for one byte more than it. */
static size_t copy_prose(const char *text, size_t len, char *out)
{
    size_t out_len = 0;
    bool fenced = false;
    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        const size_t line_len = end ? (size_t)(end - text) : len;
        const struct line line = trim(text, line_len);
        const bool fence = is_fence(line);
        fenced = fenced != fence;
        if (!fenced && !fence && !is_by_design(line))
            out_len += copy_words(line, out + out_len);
        text += end ? line_len + 1 : len;
        len -= end ? line_len + 1 : len;
    }
    return out_len;
}

/* Words, not ornament such as "=====" or "ha ha". */
static bool has_letters(const char *piece, size_t len)
{
    unsigned seen = 0;
    int letters = 0;
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)piece[i];
        if (byte >= 0x80)
            return true;
        const unsigned letter = (byte | 0x20u) - 'a';
        if (letter > 'z' - 'a' || seen & 1u << letter)
            continue;
        seen |= 1u << letter;
        letters++;
    }
    return letters >= LETTERS_MIN;
}

/* Bytes around [at, at + period) that are what they were a period before. */
static size_t run_around(const char *text, size_t len, size_t at, size_t period)
{
    size_t start = at;
    size_t end = at;
    while (end + period < len && text[end] == text[end + period])
        end++;
    while (start > 0 && text[start - 1] == text[start - 1 + period])
        start--;
    return end - start + period;
}

/* Equal pieces in a row have neighboring blocks of their length that are equal, wherever
 * the blocks begin: looking at those alone costs a few bytes a period. */
static bool chants_with_period(const char *text, size_t len, size_t period, size_t periods)
{
    const size_t wanted = period * periods;
    if (wanted > len)
        return false;
    /* A run that is long enough has the start of such a block every `step` bytes. */
    const size_t step = periods > 2 ? period * (periods - 2) : 1;
    for (size_t at = 0; at + 2 * period <= len; at += step)
        if (memcmp(text + at, text + at + period, period) == 0 &&
            run_around(text, len, at, period) >= wanted && has_letters(text + at, period))
            return true;
    return false;
}

bool entropy_chants(const char *text, size_t len, int periods)
{
    if (periods < 2 || len < (size_t)periods * CHANT_PERIOD_MIN)
        return false;
    if (len > CHANT_BYTES_MAX) {
        text += len - CHANT_BYTES_MAX;
        len = CHANT_BYTES_MAX;
    }
    char *prose = xcalloc(len + 1, 1);
    const size_t prose_len = copy_prose(text, len, prose);
    bool chants = false;
    for (size_t period = CHANT_PERIOD_MIN; period <= CHANT_PERIOD_MAX && !chants; period++)
        chants = chants_with_period(prose, prose_len, period, (size_t)periods);
    free(prose);
    return chants;
}
