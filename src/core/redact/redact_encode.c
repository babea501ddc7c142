#define _DEFAULT_SOURCE /* explicit_bzero */

#include "redact_encode.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "attr.h"
#include "redact_alphabet.h"

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

static void add_text(struct code *code, const char *text)
{
    add(code, text, strlen(text));
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

/* What stays as it is in a URL: nothing; RFC 3986, 2.3; what languages' libraries let stand
 * beside it; forms, where a blank is a plus. */
static const struct url_form {
    const char *kept; /* beside letters and digits; NULL: not even those */
    bool plus;
} url_forms[] = {
    {NULL, false},
    {"-._~", false},
    {"-._~", true},
    {"-._~/", false},
    {"-._*", true},
    {"-._~!'()*", false},
    {"-._~!$&'()*+,;=:@/?", false},
};

static size_t write_url(struct code *code, const unsigned char *at, size_t len, int kind)
{
    const struct url_form *form = &url_forms[kind & ~CAPITALS];
    (void)len;
    if (form->kept && (redact_is_in(REDACT_ALNUM, *at) || redact_is_one_of(*at, form->kept))) {
        add_byte(code, *at);
    } else if (*at == ' ' && form->plus) {
        add_byte(code, '+');
    } else {
        add_byte(code, '%');
        add_hex(code, *at, 2, kind);
    }
    return 1;
}

enum json_way {
    JSON_SLASH = 1,  /* \/ */
    JSON_MARKUP = 2, /* \u003c for < > & */
    JSON_ASCII = 4,  /* \u for what is no ASCII */
    JSON_WAYS = 8,
};

static void add_unit(struct code *code, uint32_t unit, int kind)
{
    add_text(code, "\\u");
    add_hex(code, unit, 4, kind);
}

/* A character of UTF-8 that is no ASCII, as \u says it (RFC 8259, 7); 0 if it is none. */
static size_t add_wide(struct code *code, const unsigned char *at, size_t len, int kind)
{
    const size_t size = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
    if (*at < 0xc0 || *at > 0xf7 || size > len)
        return 0;
    uint32_t value = *at & (0x7fu >> size);
    for (size_t i = 1; i < size; i++)
        value = value << 6 | (at[i] & 63u);
    if (value < 0x10000) {
        add_unit(code, value, kind);
    } else {
        add_unit(code, 0xd800 + ((value - 0x10000) >> 10), kind);
        add_unit(code, 0xdc00 + ((value - 0x10000) & 1023u), kind);
    }
    return size;
}

static size_t write_json(struct code *code, const unsigned char *at, size_t len, int kind)
{
    static const char plain[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *escaped = *at != '\0' ? strchr(plain, *at) : NULL;
    if (*at >= 0x80 && kind & JSON_ASCII) {
        const size_t took = add_wide(code, at, len, kind);
        if (took > 0)
            return took;
    }
    if (escaped) {
        add_byte(code, '\\');
        add(code, &letters[escaped - plain], 1);
    } else if (*at < 0x20 || (kind & JSON_MARKUP && redact_is_one_of(*at, "<>&"))) {
        add_unit(code, *at, kind);
    } else {
        if (*at == '/' && kind & JSON_SLASH)
            add_byte(code, '\\');
        add_byte(code, *at);
    }
    return 1;
}

enum shell_way { SHELL_SINGLE, SHELL_SINGLE_DOUBLE, SHELL_DOUBLE, SHELL_BACKSLASH, SHELL_WAYS };

/* How shells and what prints for them quote: 'it'\''s', 'it'"'"'s', "a\$b", a\ b. */
static size_t write_shell(struct code *code, const unsigned char *at, size_t len, int kind)
{
    (void)len;
    const bool in_double = kind == SHELL_DOUBLE && redact_is_one_of(*at, "$`\"\\");
    const bool alone = kind == SHELL_BACKSLASH && *at < 0x80 && !redact_is_in(REDACT_ALNUM, *at) &&
                       !redact_is_one_of(*at, "-._/:=@%+,");
    if (*at == '\'' && kind == SHELL_SINGLE)
        add_text(code, "'\\''");
    else if (*at == '\'' && kind == SHELL_SINGLE_DOUBLE)
        add_text(code, "'\"'\"'");
    else if (in_double || alone)
        add_byte(code, '\\');
    if (*at != '\'' || kind >= SHELL_DOUBLE)
        add_byte(code, *at);
    return 1;
}

/* XML 1.0, 4.6; the numbers are what HTML writers use for quotes. */
static size_t write_xml(struct code *code, const unsigned char *at, size_t len, int kind)
{
    static const struct {
        char byte;
        const char *by_name, *by_number;
    } rows[] = {{'&', "&amp;", "&amp;"},
                {'<', "&lt;", "&lt;"},
                {'>', "&gt;", "&gt;"},
                {'"', "&quot;", "&#34;"},
                {'\'', "&apos;", "&#39;"}};
    (void)len;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].byte == (char)*at) {
            add_text(code, kind == 0 ? rows[i].by_name : rows[i].by_number);
            return 1;
        }
    }
    add_byte(code, *at);
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

static void encode_once(struct encoder *encoder, write_fn *write, int kind)
{
    write_all(&encoder->code, encoder->value, encoder->len, write, kind);
    take_part(encoder, 0, encoder->code.len);
}

/* A JSON string in a JSON string, as agents write what their tools wrote. */
static void encode_json_twice(struct encoder *encoder)
{
    unsigned char once[REDACT_CODE_MAX];
    write_all(&encoder->code, encoder->value, encoder->len, write_json, 0);
    const size_t len = encoder->code.len;
    memcpy(once, encoder->code.bytes, len);
    if (!encoder->code.full) {
        write_all(&encoder->code, once, len, write_json, 0);
        take_part(encoder, 0, encoder->code.len);
    }
    explicit_bzero(once, sizeof(once));
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
    for (size_t i = 0; i < ARRAY_LEN(url_forms); i++)
        encode_both(&encoder, write_url, (int)i);
    for (int way = 0; way < JSON_WAYS; way++)
        encode_both(&encoder, write_json, way);
    encode_json_twice(&encoder);
    for (int way = 0; way < SHELL_WAYS; way++)
        encode_once(&encoder, write_shell, way);
    for (int way = 0; way < 2; way++)
        encode_once(&encoder, write_xml, way);
    explicit_bzero(&encoder, sizeof(encoder));
}
