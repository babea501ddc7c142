#define _DEFAULT_SOURCE /* explicit_bzero */

#include "redact_encode.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "attr.h"

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
