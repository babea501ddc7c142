#define _DEFAULT_SOURCE /* explicit_bzero */

#include "redact_encode.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "redact_words.h"

enum {
    ALIGNMENTS = 3,  /* of base64: where in a group of three bytes the value begins */
    WRAP_MAIL = 76,  /* letters of a line of base64(1) and mail (RFC 2045, 6.8) */
    WRAP_PEM = 64,   /* of openssl and RFC 7468 */
    CAPITALS = 1024, /* beside the kind of a form: hex digits are capitals */
};

/* One form on its way; on the stack, so that it can be overwritten. */
struct code {
    char bytes[REDACT_CODE_MAX];
    size_t len;
    bool full; /* longer than that: left out */
};

struct encoder {
    const unsigned char *value;
    size_t len;
    redact_code_fn *take;
    void *ctx;
    struct code code;
};

/* Writes the byte at[0] as a form has it; returns how many of the bytes it took. */
typedef size_t write_fn(struct code *code, const unsigned char *at, size_t len, int kind);

static void add(struct code *code, const char *bytes, size_t len)
{
    if (len > sizeof(code->bytes) - code->len) {
        code->full = true;
        return;
    }
    memcpy(code->bytes + code->len, bytes, len);
    code->len += len;
}

static void add_byte(struct code *code, unsigned char byte)
{
    const char c = (char)byte;
    add(code, &c, 1);
}

static void add_hex(struct code *code, uint32_t value, int digits, int kind)
{
    const char *letters = kind & CAPITALS ? "0123456789ABCDEF" : "0123456789abcdef";
    for (int i = digits - 1; i >= 0; i--)
        add(code, &letters[value >> (4 * i) & 15u], 1);
}

static size_t write_hex(struct code *code, const unsigned char *at, size_t len, int kind)
{
    (void)len;
    add_hex(code, *at, 2, kind);
    return 1;
}

static void write_all(struct code *code, const unsigned char *value, size_t len, write_fn *write,
                      int kind)
{
    size_t at = 0;
    code->len = 0;
    code->full = false;
    while (at < len)
        at += write(code, value + at, len - at, kind);
}

static void take_part(struct encoder *encoder, size_t from, size_t to)
{
    if (!encoder->code.full && to > from)
        encoder->take(encoder->ctx, encoder->code.bytes + from, to - from);
}

/* With small hex digits and with capitals. */
static void encode_both(struct encoder *encoder, write_fn *write, int kind)
{
    for (int capitals = 0; capitals <= CAPITALS; capitals += CAPITALS) {
        write_all(&encoder->code, encoder->value, encoder->len, write, kind | capitals);
        take_part(encoder, 0, encoder->code.len);
    }
}

struct base64 {
    size_t before;     /* bytes in front of the value in its group */
    const char *after; /* what comes behind it; its end is the end of the base64 */
    bool url;          /* the alphabet of RFC 4648, 5 */
    bool padded;
};

/* A letter for each six bits: RFC 4648, 4. */
static void write_base64(struct encoder *encoder, const struct base64 *form)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                                  "-_";
    const size_t after = strlen(form->after);
    const size_t total = form->before + encoder->len + after;
    struct code *code = &encoder->code;
    uint32_t bits = 0;
    int count = 0;
    code->len = 0;
    code->full = false;
    for (size_t i = 0; i < total; i++) {
        unsigned char byte = 0;
        if (i >= form->before + encoder->len)
            byte = (unsigned char)form->after[i - form->before - encoder->len];
        else if (i >= form->before)
            byte = encoder->value[i - form->before];
        bits = bits << 8 | byte;
        for (count += 8; count >= 6; count -= 6) {
            const uint32_t six = bits >> (count - 6) & 63u;
            add(code, &letters[form->url && six > 61 ? six + 2 : six], 1);
        }
    }
    if (count > 0) {
        const uint32_t six = bits << (6 - count) & 63u;
        add(code, &letters[form->url && six > 61 ? six + 2 : six], 1);
    }
    for (size_t i = total; form->padded && i % 3 != 0; i++)
        add_byte(code, '=');
}

/* Somewhere in a longer text: the letters that hang on nothing but the value. */
static void encode_base64_inside(struct encoder *encoder, const struct base64 *form)
{
    static const size_t first[ALIGNMENTS] = {0, 2, 3};
    write_base64(encoder, form);
    take_part(encoder, first[form->before], (form->before + encoder->len) * 8 / 6);
}

/* At the end of one, where the last letter is known too. */
static void encode_base64_ending(struct encoder *encoder, const struct base64 *form)
{
    static const size_t first[ALIGNMENTS] = {0, 2, 3};
    write_base64(encoder, form);
    take_part(encoder, first[form->before], encoder->code.len);
}

/* Alone, in lines. */
static void encode_base64_lines(struct encoder *encoder, const char *after, size_t width)
{
    const struct base64 form = {.after = after, .padded = true};
    write_base64(encoder, &form);
    const size_t len = encoder->code.len;
    for (size_t at = 0; len > width && at < len; at += width)
        take_part(encoder, at, len - at < width ? len : at + width);
}

static void encode_base64(struct encoder *encoder)
{
    for (int url = 0; url < 2; url++) {
        for (size_t before = 0; before < ALIGNMENTS; before++) {
            struct base64 form = {.before = before, .after = "", .url = url == 1};
            encode_base64_inside(encoder, &form);
            encode_base64_ending(encoder, &form);
            form.padded = true;
            encode_base64_ending(encoder, &form);
            form.after = "\n";
            encode_base64_ending(encoder, &form);
        }
    }
    static const char *const ends[] = {"", "\n"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        encode_base64_lines(encoder, ends[i], WRAP_MAIL);
        encode_base64_lines(encoder, ends[i], WRAP_PEM);
    }
}

void redact_encode(const char *value, size_t len, redact_code_fn *code, void *ctx)
{
    struct encoder encoder = {
        .value = (const unsigned char *)value, .len = len, .take = code, .ctx = ctx};
    assert(len > 0 && len <= REDACT_PIECE_MAX);
    encode_base64(&encoder);
    encode_both(&encoder, write_hex, 0);
    explicit_bzero(&encoder, sizeof(encoder));
}

/* For each place: the first letter that belongs wholly to the token, and how many bits of its first
 * byte are before that letter. */
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

/* The six bits of a letter of either alphabet, -1 for other characters. */
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

/* The letter in which a decoded byte begins, and the letter after its end. */
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
