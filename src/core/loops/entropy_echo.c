#include "entropy_echo.h"

#include <stdbool.h>
#include <string.h>

#include "ascii.h"

enum { WORD_BYTES = 3 /* letters of a word that means something */ };

static const char mark[] = "<arg>";
enum { MARK_BYTES = sizeof(mark) - 1 };

static bool is_mark(const char *line, size_t len, size_t at)
{
    return len - at >= MARK_BYTES && memcmp(line + at, mark, MARK_BYTES) == 0;
}

static bool is_letter(char c)
{
    return ascii_is_letter(c) || (unsigned char)c >= 0x80;
}

/* Where the quotation that goes on at `at` ends: at a digit, another mark's `<`, a word, or
 * the line's end. */
static size_t skip_between(const char *line, size_t len, size_t at)
{
    size_t word = 0;
    for (size_t i = at; i < len; i++) {
        if (is_mark(line, len, i))
            return i;
        if (line[i] == '<' || ascii_is_digit(line[i]))
            return i - word;
        word = is_letter(line[i]) ? word + 1 : 0;
        if (word == WORD_BYTES)
            return i + 1 - word;
    }
    return len;
}

size_t entropy_echo_join(const char *line, size_t len, char out[ECHO_BYTES_MAX])
{
    size_t out_len = 0;
    bool joined = false;
    if (len > ECHO_BYTES_MAX)
        return 0;
    for (size_t at = 0; at < len;) {
        if (!is_mark(line, len, at)) {
            out[out_len++] = line[at++];
            continue;
        }
        memcpy(out + out_len, mark, MARK_BYTES);
        out_len += MARK_BYTES;
        while (at < len && is_mark(line, len, at)) {
            const size_t next = skip_between(line, len, at + MARK_BYTES);
            joined = joined || next > at + MARK_BYTES;
            at = next;
        }
    }
    return joined ? out_len : 0;
}
