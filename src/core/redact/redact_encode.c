/* Secrets in disguise: the encodings and escapes in which a string may be written. */
#define _DEFAULT_SOURCE /* explicit_bzero */
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "redact_internal.h"
#include "utf8.h"

/*
 * Encodings of a secret, and known forms of secrets within base64.
 */

enum {
    ALIGNMENTS = 3, /* positions in a three-byte group of base64 at which the value may begin */
    WRAP_MAIL = 76, /* line length of base64(1) and mail (RFC 2045, 6.8) */
    WRAP_PEM = 64,  /* line length of openssl and RFC 7468 */
};

/* The encoded form being written. On the stack, so that it can be overwritten. */
struct code {
    char bytes[REDACT_CODE_MAX];
    size_t len;
    bool full; /* too long: the form is left out */
};

struct encoder {
    const unsigned char *value;
    size_t len;
    redact_code_fn *take;
    void *ctx;
    struct code code;
};

static void add_bytes(struct code *code, const char *bytes, size_t len)
{
    if (len > sizeof(code->bytes) - code->len) {
        code->full = true;
        return;
    }
    memcpy(code->bytes + code->len, bytes, len);
    code->len += len;
}

static void take_part(struct encoder *encoder, size_t from, size_t to)
{
    if (!encoder->code.full && to > from)
        encoder->take(encoder->ctx, encoder->code.bytes + from, to - from);
}

/* Writes the value in hex, with lower-case and with upper-case digits. */
static void encode_hex(struct encoder *encoder)
{
    static const char *const digits[] = {"0123456789abcdef", "0123456789ABCDEF"};
    struct code *code = &encoder->code;
    for (size_t i = 0; i < ARRAY_LEN(digits); i++) {
        code->len = 0;
        code->full = false;
        for (size_t at = 0; at < encoder->len; at++) {
            add_bytes(code, &digits[i][encoder->value[at] >> 4], 1);
            add_bytes(code, &digits[i][encoder->value[at] & 15u], 1);
        }
        take_part(encoder, 0, code->len);
    }
}

struct base64 {
    size_t before;     /* bytes before the value in its group */
    const char *after; /* bytes between the value and the end of the base64 */
    bool url;          /* the alphabet of RFC 4648, section 5 */
    bool padded;
};

/* Writes one letter for each six bits: RFC 4648, section 4. */
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
            add_bytes(code, &letters[form->url && six > 61 ? six + 2 : six], 1);
        }
    }
    if (count > 0) {
        const uint32_t six = bits << (6 - count) & 63u;
        add_bytes(code, &letters[form->url && six > 61 ? six + 2 : six], 1);
    }
    for (size_t i = total; form->padded && i % 3 != 0; i++)
        add_bytes(code, "=", 1);
}

/* Encodes the value alone, split into lines of `width` letters. */
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
    static const size_t first[ALIGNMENTS] = {0, 2, 3};
    for (int url = 0; url < 2; url++) {
        for (size_t before = 0; before < ALIGNMENTS; before++) {
            struct base64 form = {.before = before, .after = "", .url = url == 1};
            write_base64(encoder, &form);
            /* Within longer data: only the letters that depend on nothing but the value. */
            take_part(encoder, first[before], (before + encoder->len) * 8 / 6);
            /* At the end of the data, where the last letter is known, too. */
            take_part(encoder, first[before], encoder->code.len);
            form.padded = true;
            write_base64(encoder, &form);
            take_part(encoder, first[before], encoder->code.len);
            form.after = "\n";
            write_base64(encoder, &form);
            take_part(encoder, first[before], encoder->code.len);
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
    encode_hex(&encoder);
    explicit_bzero(&encoder, sizeof(encoder));
}

/* For each place: the first letter that belongs wholly to the token, and the number of bits of
 * its first byte before that letter. */
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
    const size_t last =
        (place + strlen(start)) * 8 / 6; /* number of letters up to the end of `start` */
    size_t count = 0;
    if (!redact_form_may_be_wrapped(form) || last - firsts[place].letter >= REDACT_BASE64_START)
        return false;
    for (size_t i = firsts[place].letter; i < last; i++) {
        const size_t bit = i * 6 - place * 8;
        const unsigned high = (unsigned char)start[bit / 8];
        const unsigned low = (unsigned char)start[bit / 8 + 1]; /* may be the NUL */
        const unsigned six = (high << 8 | low) >> (10 - bit % 8) & 63u;
        out[count++] = letters[url && six > 61 ? six + 2 : six];
    }
    out[count] = '\0';
    return true;
}

/* Returns the six bits of a letter of either alphabet, or -1. */
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
    size_t read; /* number of letters */
};

/* Decodes the letters. They may begin within the token's first byte, so the form supplies that byte
 * as `first`. */
static void decode_letters(const struct redact_place *text, size_t place, char first,
                           struct decoded *out)
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
    /* The letter in which the first byte begins, and the letter after the end of the last. */
    const size_t bit = (place + found.start) * 8 / 6;
    cut->start = bit > firsts[place].letter ? bit - firsts[place].letter : 0;
    cut->end = ((place + found.end) * 8 + 5) / 6 - firsts[place].letter;
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
    decode_letters(text, place, redact_form_start(form)[0], &decoded);
    const bool is_full = decoded.len == sizeof(decoded.bytes);
    const bool waits = decoded.read == text->len && !text->ended && !is_full;
    enum redact_found found = REDACT_MORE;
    if (!waits)
        found = look_at_decoded(form, place, &decoded, !is_full, cut);
    explicit_bzero(&decoded, sizeof(decoded));
    return found;
}

/*
 * Escapes: undoes the escapes of JSON, HTML, URLs and shells, one character at a time, up to two
 * levels deep. Lenient: accepts whatever the usual writers of a notation produce, even
 * unnecessary escapes.
 */

enum {
    ESC = 0x1b,
    FLAT_MAX = 14,  /* maximum characters of an escape; \ud83d\ude00 has 12 */
    NAME_MAX = 8,   /* maximum characters of an entity's name */
    COLOR_MAX = 24, /* maximum characters of the numbers in a color sequence */
    RUNE_MAX = 0x10ffff,
};

/* One escape being read. */
struct reading {
    const char *bytes;
    size_t len;
    bool open; /* further bytes may make this an escape, or a longer one */
};

/* HTML names of U+00A0 to U+00FF. */
static const char *const latin_names[] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml",
};

/* HTML names of ASCII characters. */
static const struct {
    const char *name;
    char byte;
} ascii_names[] = {
    {"amp", '&'},    {"lt", '<'},     {"gt", '>'},     {"quot", '"'},  {"apos", '\''},
    {"sol", '/'},    {"bsol", '\\'},  {"num", '#'},    {"plus", '+'},  {"equals", '='},
    {"dollar", '$'}, {"percnt", '%'}, {"commat", '@'}, {"colon", ':'}, {"grave", '`'},
};

static bool introduces_escape(enum redact_escaper escaper, unsigned char c)
{
    switch (escaper) {
    case REDACT_BACKSLASH:
        return c == '\\';
    case REDACT_ENTITY:
        return c == '&';
    case REDACT_PERCENT:
        return c == '%';
    case REDACT_SHELL:
        return c == '\'';
    case REDACT_DOUBLED:
        return c == '\'' || c == '"';
    case REDACT_ESCAPER_NONE:
    case REDACT_ESCAPER_COUNT:
        break;
    }
    return false;
}

bool redact_escape_begins(unsigned char c)
{
    return c == '\\' || c == '&' || c == '%' || c == '\'' || c == '"' || c == '+';
}

bool redact_escape_begins_in(struct redact_escapers escapers, unsigned char c)
{
    const bool is_plus =
        c == '+' && (escapers.outer == REDACT_PERCENT || escapers.inner == REDACT_PERCENT);
    return is_plus || introduces_escape(escapers.outer, c) || introduces_escape(escapers.inner, c);
}

static void set_byte(struct redact_unit *out, unsigned byte, size_t taken)
{
    *out = (struct redact_unit){
        .bytes = {(unsigned char)byte}, .len = 1, .taken = taken, .is_escaped = true};
}

/* Stores the rune as UTF-8. Fails for NUL and for invalid runes. */
static bool set_rune(struct redact_unit *out, uint32_t rune, size_t taken)
{
    const bool is_surrogate = rune >= 0xd800 && rune <= 0xdfff;
    if (rune == 0 || rune > RUNE_MAX || is_surrogate)
        return false;
    set_byte(out, rune, taken);
    if (rune < 0x80)
        return true;
    const size_t len = rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = len - 1; i > 0; i--) {
        out->bytes[i] = (unsigned char)(0x80 | (rune & 0x3f));
        rune >>= 6;
    }
    out->bytes[0] = (unsigned char)(leads[len] | rune);
    out->len = len;
    return true;
}

/* Reads at most `max` digits at `at`. Returns how many there are. */
static size_t read_number(struct reading *in, size_t at, unsigned base, size_t max, uint32_t *value)
{
    size_t count = 0;
    *value = 0;
    for (; count < max && at + count < in->len; count++) {
        const char c = in->bytes[at + count];
        unsigned digit = base;
        if (ascii_is_digit(c))
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (unsigned)(c - 'A') + 10;
        if (digit >= base)
            return count;
        *value = *value * base + digit;
    }
    in->open = in->open || count < max;
    return count;
}

/* Returns true if `text` is at `at`. Sets `open` if the input ends within a match. */
static bool reads_text(struct reading *in, size_t at, const char *text)
{
    const size_t len = strlen(text), there = in->len > at ? in->len - at : 0;
    const size_t seen = there < len ? there : len;
    if (memcmp(in->bytes + at, text, seen) != 0)
        return false;
    in->open = in->open || seen < len;
    return seen == len;
}

/* Reads \u00e4, \ud83d\ude00, and the same with a percent sign instead of the backslash. */
static bool read_units(struct reading *in, const char *begin, struct redact_unit *out)
{
    uint32_t unit = 0, low = 0;
    if (read_number(in, 2, 16, 4, &unit) < 4)
        return false;
    if (unit < 0xd800 || unit > 0xdbff)
        return set_rune(out, unit, 6);
    if (!reads_text(in, 6, begin) || read_number(in, 8, 16, 4, &low) < 4 || low < 0xdc00 ||
        low > 0xdfff)
        return false;
    return set_rune(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), 12);
}

/* Reads \047, and \0047 as in echo: three digits after \0 are more likely to be that notation than
 * a control byte and a digit. */
static bool read_octal(struct reading *in, struct redact_unit *out)
{
    uint32_t byte = 0;
    if (in->bytes[1] == '0' && read_number(in, 2, 8, 3, &byte) == 3 && byte >= ' ' &&
        byte <= 0xff) {
        set_byte(out, byte, 5);
        return true;
    }
    if (in->open || read_number(in, 1, 8, 3, &byte) < 3 || byte == 0 || byte > 0xff)
        return false;
    set_byte(out, byte, 4);
    return true;
}

static bool is_mark(char c)
{
    return (unsigned char)c > ' ' && (unsigned char)c < 0x7f && !ascii_is_letter(c) &&
           !ascii_is_digit(c);
}

static bool read_backslash(struct reading *in, struct redact_unit *out)
{
    static const char letters[] = "bfnrtvae";
    static const char controls[] = "\b\f\n\r\t\v\a\033";
    uint32_t value = 0;
    in->open = in->len < 2;
    if (in->open)
        return false;
    const char c = in->bytes[1];
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    if ((c == 'u' || c == 'x') && reads_text(in, 2, "{")) { /* \u{1f600}, \x{1f600} */
        const size_t digits = read_number(in, 3, 16, 6, &value);
        return digits > 0 && reads_text(in, 3 + digits, "}") && set_rune(out, value, 4 + digits);
    }
    if (c == 'u')
        return read_units(in, "\\u", out);
    if (c >= '0' && c <= '3')
        return read_octal(in, out);
    if (c == 'U')
        return read_number(in, 2, 16, 8, &value) == 8 && set_rune(out, value, 10);
    if (c == 'x' && read_number(in, 2, 16, 2, &value) == 2 && value > 0)
        set_byte(out, value, 4);
    else if (letter)
        set_byte(out, (unsigned char)controls[letter - letters], 2);
    else if (is_mark(c) || c == ' ')
        set_byte(out, (unsigned char)c, 2);
    else
        return false;
    return true;
}

static bool read_entity(struct reading *in, struct redact_unit *out)
{
    uint32_t rune = 0;
    if (reads_text(in, 1, "#x") || reads_text(in, 1, "#X")) {
        const size_t digits = read_number(in, 3, 16, 6, &rune);
        return digits > 0 && reads_text(in, 3 + digits, ";") && set_rune(out, rune, 4 + digits);
    }
    if (reads_text(in, 1, "#")) {
        const size_t digits = read_number(in, 2, 10, 7, &rune);
        return digits > 0 && reads_text(in, 2 + digits, ";") && set_rune(out, rune, 3 + digits);
    }
    const char *name = in->bytes + 1;
    const size_t len = redact_run(REDACT_ALNUM, name, in->len - 1, NAME_MAX);
    if (!reads_text(in, 1 + len, ";"))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(ascii_names); i++) {
        if (strlen(ascii_names[i].name) == len && memcmp(ascii_names[i].name, name, len) == 0)
            return set_rune(out, (unsigned char)ascii_names[i].byte, len + 2);
    }
    for (size_t i = 0; i < ARRAY_LEN(latin_names); i++) {
        if (strlen(latin_names[i]) == len && memcmp(latin_names[i], name, len) == 0)
            return set_rune(out, (uint32_t)(0xa0 + i), len + 2);
    }
    return false;
}

static bool read_quote(struct reading *in, const char *const quotes[2], struct redact_unit *out)
{
    for (int i = 0; i < 2; i++) {
        if (!reads_text(in, 0, quotes[i]))
            continue;
        set_byte(out, (unsigned char)quotes[i][0], strlen(quotes[i]));
        return true;
    }
    return false;
}

static bool read_escape(enum redact_escaper escaper, struct reading *in, struct redact_unit *out)
{
    static const char *const of_shell[] = {"'\\''", "'\"'\"'"};
    static const char *const doubled[] = {"''", "\"\""};
    uint32_t value = 0;
    if (!introduces_escape(escaper, (unsigned char)in->bytes[0]))
        return false;
    switch (escaper) {
    case REDACT_BACKSLASH:
        return read_backslash(in, out);
    case REDACT_ENTITY:
        return read_entity(in, out);
    case REDACT_PERCENT:
        if (reads_text(in, 1, "u"))
            return read_units(in, "%u", out);
        if (read_number(in, 1, 16, 2, &value) < 2 || value == 0)
            return false;
        set_byte(out, value, 3);
        return true;
    case REDACT_SHELL:
        return read_quote(in, of_shell, out);
    case REDACT_DOUBLED:
        return read_quote(in, doubled, out);
    case REDACT_ESCAPER_NONE:
    case REDACT_ESCAPER_COUNT:
        break;
    }
    return false;
}

static bool read_outer(enum redact_escaper outer, const char *bytes, size_t len, bool ended,
                       struct redact_unit *out)
{
    struct reading in = {.bytes = bytes, .len = len};
    *out = (struct redact_unit){.bytes = {(unsigned char)bytes[0]}, .len = 1, .taken = 1};
    return read_escape(outer, &in, out) || !in.open || ended;
}

/* Reads an escape of the inner level at bytes[0], if there is one. Its characters may be escaped
 * themselves. */
static bool read_inner(struct redact_escapers escapers, const char *bytes, size_t len, bool ended,
                       struct redact_unit *out)
{
    char flat[FLAT_MAX];
    size_t ends[FLAT_MAX];
    size_t count = 0, at = 0;
    struct redact_unit unit;
    bool is_cut_off = false;
    while (count < FLAT_MAX && at < len && !is_cut_off) {
        is_cut_off = !read_outer(escapers.outer, bytes + at, len - at, ended, &unit);
        if (is_cut_off || unit.len != 1)
            break;
        at += unit.taken;
        flat[count] = (char)unit.bytes[0];
        ends[count++] = at;
    }
    is_cut_off = is_cut_off || at == len;
    if (count == 0)
        return !is_cut_off || ended;
    struct reading in = {.bytes = flat, .len = count};
    if (read_escape(escapers.inner, &in, &unit)) {
        assert(unit.taken >= 1 && unit.taken <= count);
        unit.taken = ends[unit.taken - 1];
        *out = unit;
        return true;
    }
    return !in.open || !is_cut_off || ended;
}

static bool read_one(struct redact_escapers escapers, const char *bytes, size_t len, bool ended,
                     struct redact_unit *out)
{
    if (!read_outer(escapers.outer, bytes, len, ended, out))
        return false;
    if (out->len != 1 || !introduces_escape(escapers.inner, out->bytes[0]))
        return true;
    return read_inner(escapers, bytes, len, ended, out);
}

/* Reads a color sequence, such as "\u001b[01;31m", as one unit. It is invisible: the text around it
 * looks like one piece on a screen. */
static bool read_color(struct redact_escapers escapers, const char *bytes, size_t len, bool ended,
                       struct redact_unit *out)
{
    size_t at = out->taken;
    for (int i = 0; i < COLOR_MAX; i++) {
        struct redact_unit unit;
        if (at == len || !read_one(escapers, bytes + at, len - at, ended, &unit))
            return ended;
        const char c = (char)unit.bytes[0];
        const bool is_number = ascii_is_digit(c) || c == ';' || c == ':' || c == '?';
        at += unit.taken;
        if (unit.len != 1 || (i == 0 && c != '['))
            return true;
        if (i > 0 && !is_number && c >= '@' && c <= '~') {
            *out = (struct redact_unit){.taken = at, .is_escaped = true};
            return true;
        }
        if (i > 0 && !is_number)
            return true;
    }
    return true;
}

bool redact_unit_read(struct redact_escapers escapers, const char *bytes, size_t len, bool ended,
                      struct redact_unit *out)
{
    if (!read_one(escapers, bytes, len, ended, out))
        return false;
    return out->len != 1 || out->bytes[0] != ESC || read_color(escapers, bytes, len, ended, out);
}

/* --- how an escaped value may begin --- */

enum { START_MAX = 6, START_MIN = 3, SPELT_MAX = 48 };

struct starts {
    const unsigned char *value;
    size_t len, index; /* length of the value; position of the escape in it */
    size_t size;       /* bytes of the character at that position */
    redact_start_fn *take;
    void *ctx;
};

/* Reports the bytes before the escape and the escape; if these are too short, with each byte that
 * may follow. */
static void take_start(const struct starts *starts, const char *spelt)
{
    unsigned char bytes[START_MAX + 1];
    size_t len = starts->index;
    memcpy(bytes, starts->value, len);
    for (; *spelt && len < START_MAX; spelt++)
        bytes[len++] = (unsigned char)*spelt;
    const size_t next = starts->index + starts->size;
    if (len >= START_MIN) {
        starts->take(starts->ctx, bytes, len);
    } else if (next < starts->len) {
        static const char begins[] = "\\&%'\"";
        bytes[len] = starts->value[next];
        starts->take(starts->ctx, bytes, len + 1);
        for (size_t i = 0; i < sizeof(begins) - 1; i++) {
            bytes[len] = (unsigned char)begins[i];
            starts->take(starts->ctx, bytes, len + 1);
        }
    }
}

/* How much of an escape is escaped again: what the outer notation must escape, what it usually
 * escapes, too, or everything. */
enum again { AGAIN_LEAST, AGAIN_MARKS, AGAIN_ALL, AGAIN_COUNT };

static bool is_escaped_again(enum redact_escaper outer, enum again how_much, char c)
{
    static const struct {
        const char *least, *marks;
        bool can_be_all;
    } rows[REDACT_ESCAPER_COUNT] = {
        [REDACT_ESCAPER_NONE] = {"", "", false},   [REDACT_BACKSLASH] = {"\\", "\\\"'/&<>", true},
        [REDACT_ENTITY] = {"&", "&<>\"'\\", true}, [REDACT_PERCENT] = {"%", "\\\"'&%#;/ ", true},
        [REDACT_SHELL] = {"'", "'", false},        [REDACT_DOUBLED] = {"\"", "'\"", false},
    };
    if (how_much == AGAIN_ALL)
        return rows[outer].can_be_all;
    return strchr(how_much == AGAIN_LEAST ? rows[outer].least : rows[outer].marks, c) != NULL;
}

/* Number of forms that each notation has. */
static const int again_forms[REDACT_ESCAPER_COUNT] = {[REDACT_BACKSLASH] = 11,
                                                      [REDACT_ENTITY] = 4,
                                                      [REDACT_PERCENT] = 2,
                                                      [REDACT_SHELL] = 2,
                                                      [REDACT_DOUBLED] = 1};

/* Writes one form of a backslash escape. Writes only the beginning of the longer forms, because a
 * start is short. */
static int write_backslash(int form, unsigned byte, char out[SPELT_MAX])
{
    switch (form) {
    case 0:
        return snprintf(out, SPELT_MAX, "\\%c", (int)byte);
    case 1:
        return snprintf(out, SPELT_MAX, "\\u%04x", byte);
    case 2:
        return snprintf(out, SPELT_MAX, "\\u%04X", byte);
    case 3:
        return snprintf(out, SPELT_MAX, "\\x%02x", byte);
    case 4:
        return snprintf(out, SPELT_MAX, "\\x%02X", byte);
    case 5:
        return snprintf(out, SPELT_MAX, "\\%03o", byte);
    case 6:
        return snprintf(out, SPELT_MAX, "\\0%03o", byte);
    case 7:
        return snprintf(out, SPELT_MAX, "\\u{%x}", byte);
    case 8:
        return snprintf(out, SPELT_MAX, "\\x{%x}", byte);
    case 9:
        return snprintf(out, SPELT_MAX, "\\u{00");
    default:
        return snprintf(out, SPELT_MAX, "\\U0000");
    }
}

/* Writes one character of an escape, escaped in one of the forms of the outer notation. */
static int write_again(enum redact_escaper outer, int form, char c, char out[SPELT_MAX])
{
    const unsigned byte = (unsigned char)c;
    if (outer == REDACT_BACKSLASH)
        return write_backslash(form, byte, out);
    if (outer == REDACT_ENTITY && form > 0)
        return snprintf(out, SPELT_MAX,
                        form == 1   ? "&#%u;"
                        : form == 2 ? "&#x%x;"
                                    : "&#x%X;",
                        byte);
    if (outer == REDACT_ENTITY)
        return snprintf(out, SPELT_MAX, c == '&' ? "&amp;" : "%c", c);
    if (outer == REDACT_PERCENT)
        return snprintf(out, SPELT_MAX, form == 0 ? "%%%02X" : "%%%02x", byte);
    if (outer == REDACT_SHELL)
        return snprintf(out, SPELT_MAX, form == 0 ? "'\\%c'" : "'\"%c\"'", c);
    return snprintf(out, SPELT_MAX, "%c%c", c, c);
}

/* Reports the start with the escape escaped again in one form of the outer notation. */
static void take_again(const struct starts *starts, enum redact_escaper outer, int form,
                       enum again how_much, const char *spelt)
{
    char twice[START_MAX + SPELT_MAX] = "", again[SPELT_MAX];
    size_t len = 0;
    bool is_other = false;
    for (const char *c = spelt; *c && len < START_MAX; c++) {
        const bool can = outer != REDACT_BACKSLASH || form > 0 || is_mark(*c);
        int more = 1;
        again[0] = *c;
        if (can && is_escaped_again(outer, how_much, *c)) {
            more = write_again(outer, form, *c, again);
            is_other = true;
        }
        memcpy(twice + len, again, (size_t)more);
        len += (size_t)more;
    }
    twice[len] = '\0';
    if (is_other)
        take_start(starts, twice);
}

/* Reports the escape as it is, and as it may be escaped again. */
static void take_spelt(const struct starts *starts, const char *spelt)
{
    take_start(starts, spelt);
    for (int outer = REDACT_BACKSLASH; outer < REDACT_ESCAPER_COUNT; outer++) {
        for (int form = 0; form < again_forms[outer]; form++) {
            for (int how_much = 0; how_much < AGAIN_COUNT; how_much++)
                take_again(starts, (enum redact_escaper)outer, form, (enum again)how_much, spelt);
        }
    }
}

ATTR_PRINTF(2, 3)
static void take_format(const struct starts *starts, const char *format, ...)
{
    char spelt[SPELT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(spelt, sizeof(spelt), format, args);
    va_end(args);
    take_spelt(starts, spelt);
}

/* Reports the escapes of a character by its number, in every notation, and by its HTML name. */
static void take_numbers(const struct starts *starts, uint32_t rune)
{
    const uint32_t unit = rune < 0x10000 ? rune : 0xd800 + ((rune - 0x10000) >> 10);
    take_format(starts, "\\u%04x", unit);
    take_format(starts, "\\u%04X", unit);
    take_format(starts, "\\u{%x}", rune);
    take_format(starts, "\\u{%X}", rune);
    take_format(starts, "\\x{%x}", rune);
    take_format(starts, "\\x{%X}", rune);
    take_spelt(starts, "\\u{0");
    take_spelt(starts, "\\x{0");
    take_format(starts, "\\U%08x", rune);
    take_format(starts, "&#%u;", rune);
    take_format(starts, "&#0%u;", rune);
    take_format(starts, "&#x%x;", rune);
    take_format(starts, "&#x%X;", rune);
    take_format(starts, "&#X%X;", rune);
    take_format(starts, "%%u%04x", unit);
    take_format(starts, "%%u%04X", unit);
    for (size_t i = 0; i < ARRAY_LEN(ascii_names); i++) {
        if ((unsigned char)ascii_names[i].byte == rune)
            take_format(starts, "&%s;", ascii_names[i].name);
    }
    if (rune >= 0xa0 && rune - 0xa0 < ARRAY_LEN(latin_names))
        take_format(starts, "&%s;", latin_names[rune - 0xa0]);
}

static void take_bytes(const struct starts *starts, unsigned char byte)
{
    take_format(starts, "%%%02X", byte);
    take_format(starts, "%%%02x", byte);
    take_format(starts, "\\x%02x", byte);
    take_format(starts, "\\x%02X", byte);
    take_format(starts, "\\%03o", byte);
    take_format(starts, "\\0%03o", byte);
}

/* Reports the escapes of a letter or digit, which is escaped only to hide it, or by writers that
 * escape everything. */
static void take_plain(const struct starts *starts, unsigned char byte)
{
    take_bytes(starts, byte);
    take_format(starts, "\\u%04x", byte);
    take_format(starts, "\\u%04X", byte);
    take_format(starts, "\\u{%x}", byte);
    take_format(starts, "\\u{%X}", byte);
    take_format(starts, "\\x{%x}", byte);
    take_format(starts, "\\x{%X}", byte);
    take_spelt(starts, "\\u{0");
    take_spelt(starts, "\\x{0");
    take_format(starts, "\\U%08x", byte);
    take_format(starts, "&#%u;", byte);
    take_format(starts, "&#x%x;", byte);
    take_format(starts, "&#x%X;", byte);
}

static void take_quotes(const struct starts *starts, char c)
{
    static const char letters[] = "bfnrtvae";
    static const char controls[] = "\b\f\n\r\t\v\a\033";
    const char *control = strchr(controls, c);
    if (control)
        take_format(starts, "\\%c", letters[control - controls]);
    else if ((unsigned char)c >= 0x80 || c == ' ' || is_mark(c))
        take_format(starts, "\\%c", c);
    if (c == '\'') {
        take_spelt(starts, "'\\''");
        take_spelt(starts, "'\"'\"'");
        take_spelt(starts, "''");
    }
    if (c == '"')
        take_spelt(starts, "\"\"");
    if (c == ' ')
        take_spelt(starts, "+");
}

void redact_escaped_starts(const char *value, size_t len, redact_start_fn *start, void *ctx)
{
    struct starts starts = {
        .value = (const unsigned char *)value, .len = len, .take = start, .ctx = ctx};
    for (; starts.index < REDACT_STARTS_INDEXES && starts.index < len; starts.index++) {
        const char c = value[starts.index];
        uint32_t rune = (unsigned char)c;
        const size_t character = utf8_rune(value + starts.index, len - starts.index, &rune);
        starts.size = 1;
        if (ascii_is_letter(c) || ascii_is_digit(c)) {
            take_plain(&starts, (unsigned char)c);
            continue;
        }
        take_bytes(&starts, (unsigned char)c);
        take_quotes(&starts, c);
        starts.size = character > 0 ? character : 1;
        if (character > 0)
            take_numbers(&starts, rune);
    }
}
