#define _DEFAULT_SOURCE /* explicit_bzero */

#include "redact_base64.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "ascii.h"
#include "redact_alphabet.h"

/* Of each place: the first letter that is wholly of the token, and how many bits of its first
 * byte stand in front of that letter. */
static const struct {
    size_t letter, bits;
} firsts[REDACT_PLACES] = {{0, 0}, {2, 4}, {3, 2}};

static_assert(REDACT_DECODED_MAX / 3 * 4 + REDACT_BASE64_START < REDACT_FORM_BYTES_MAX,
              "decided by then");

bool redact_base64_start(size_t form, size_t place, bool url, char out[REDACT_BASE64_START])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "+/-_";
    const char *start = redact_form_start(form);
    const size_t last = (place + strlen(start)) * 8 / 6; /* letters up to there */
    size_t count = 0;
    if (!redact_form_may_be_wrapped(form) || last - firsts[place].letter >= REDACT_BASE64_START)
        return false;
    for (size_t i = firsts[place].letter; i < last; i++) {
        const size_t bit = i * 6 - place * 8;
        const unsigned high = (unsigned char)start[bit / 8];
        const unsigned low = (unsigned char)start[bit / 8 + 1]; /* its NUL at the most */
        const unsigned six = (high << 8 | low) >> (10 - bit % 8) & 63u;
        out[count++] = letters[url && six > 61 ? six + 2 : six];
    }
    out[count] = '\0';
    return true;
}

/* The six bits of a letter of either alphabet, -1 for what is none. */
static int six_of(char c)
{
    if (ascii_is_upper(c))
        return c - 'A';
    if (ascii_is_lower(c))
        return c - 'a' + 26;
    if (ascii_is_digit(c))
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

struct decoded {
    char bytes[REDACT_DECODED_MAX];
    size_t len;
    size_t read; /* letters */
};

/* The token's first byte is known by its form: the letters begin somewhere in it. */
static void decode(const struct redact_place *text, size_t place, char first, struct decoded *out)
{
    uint32_t bits = (uint32_t)(unsigned char)first >> (8 - firsts[place].bits);
    size_t count = firsts[place].bits;
    int six = 0;
    out->len = out->read = 0;
    while (out->read < text->len && out->len < sizeof(out->bytes) &&
           (six = six_of(text->bytes[out->read])) >= 0) {
        bits = bits << 6 | (uint32_t)six;
        count += 6;
        out->read++;
        if (count < 8)
            continue;
        count -= 8;
        out->bytes[out->len++] = (char)(unsigned char)(bits >> count & 255u);
    }
}

/* The letter in which a byte of what was decoded begins, and the one behind its end. */
static size_t letter_of(size_t place, size_t byte)
{
    const size_t bit = (place + byte) * 8 / 6;
    return bit > firsts[place].letter ? bit - firsts[place].letter : 0;
}

static size_t letter_behind(size_t place, size_t byte)
{
    return ((place + byte) * 8 + 5) / 6 - firsts[place].letter;
}

static enum redact_found look_at_decoded(size_t form, size_t place, struct decoded *decoded,
                                         bool is_all, struct redact_cut *cut)
{
    const struct redact_place inner = {
        .bytes = decoded->bytes, .len = decoded->len, .before = -1, .ended = is_all};
    struct redact_cut found;
    const enum redact_found result = redact_form_look(form, &inner, &found);
    if (result != REDACT_CUT)
        return REDACT_NOT;
    found.end +=
        redact_tail_take(&found.tail, decoded->bytes + found.end, decoded->len - found.end, is_all);
    if (found.start == found.end)
        return REDACT_NOT;
    cut->start = letter_of(place, found.start);
    cut->end = letter_behind(place, found.end);
    cut->tail = (struct redact_tail){0};
    if (cut->end > decoded->read)
        cut->end = decoded->read;
    if (found.tail.rest != REDACT_REST_NONE) {
        cut->end = decoded->read;
        cut->tail = (struct redact_tail){REDACT_REST_RUN, REDACT_BEARER, false};
    }
    return REDACT_CUT;
}

enum redact_found redact_base64_look(size_t form, size_t place, const struct redact_place *text,
                                     struct redact_cut *cut)
{
    struct decoded decoded;
    decode(text, place, redact_form_start(form)[0], &decoded);
    const bool is_full = decoded.len == sizeof(decoded.bytes);
    const bool waits = decoded.read == text->len && !text->ended && !is_full;
    enum redact_found found = REDACT_MORE;
    if (!waits)
        found = look_at_decoded(form, place, &decoded, !is_full, cut);
    explicit_bzero(&decoded, sizeof(decoded));
    return found;
}
