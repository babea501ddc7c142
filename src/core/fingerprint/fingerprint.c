/*
 * The fingerprint of an output: canonical JSON, its hash, and the hash of normalised lines.
 */
#include "fingerprint.h"

#include <assert.h>
#include <math.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "ascii.h"
#include "digest.h"
#include "fingerprint_internal.h"
#include "json.h"
#include "sha256.h"
#include "str.h"
#include "xalloc.h"

/*
 * SHA-256. The only user of nettle. Fails only when memory runs out, which ends the process.
 */

static_assert((int)SHA256_BYTES == SHA256_DIGEST_SIZE, "as long as the library's");

struct sha256 {
    struct sha256_ctx state;
};

void sha256_open(struct sha256 **out)
{
    *out = xcalloc(1, sizeof(**out));
    sha256_init(&(*out)->state);
}

void sha256_add(struct sha256 *sha256, const void *bytes, size_t len)
{
    if (len > 0) /* memcpy() must not get NULL */
        sha256_update(&sha256->state, len, bytes);
}

void sha256_finish(struct sha256 *sha256, unsigned char out[SHA256_BYTES])
{
    sha256_digest(&sha256->state, SHA256_BYTES, out);
    free(sha256);
}

void sha256_of(const void *bytes, size_t len, unsigned char out[SHA256_BYTES])
{
    struct sha256 sha256;
    sha256_init(&sha256.state);
    sha256_add(&sha256, bytes, len);
    sha256_digest(&sha256.state, SHA256_BYTES, out);
}

void sha256_hex(const unsigned char hash[SHA256_BYTES], char out[SHA256_HEX_MAX])
{
    for (size_t i = 0; i < SHA256_BYTES; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

/* Canonical JSON: equal values have the same text.
 *
 * Keys are sorted by their bytes, without blanks. Numbers are written by value: 1, 1.0 and 1e0 are
 * "1", -0 is "0", and other reals are the first of 15, 16 and 17 significant digits that reads back
 * as the same double. Strings are written by str_add_json(). (RFC 8785 sorts keys by UTF-16 units
 * and writes some numbers differently; no other program has to produce this text.) json_parse()
 * bounds size and depth. */

static_assert((int)CANONICAL_HASH_BYTES == (int)SHA256_BYTES, "it is one");

enum { DIGITS_LEAST = 15, DIGITS_MOST = 17, NUMBER_MAX = 64 };

/* The output, and the text before each element and member. */
struct writer {
    struct str *out;
    const char *gap;
};

struct member {
    const char *key;          /* borrowed */
    const struct json *value; /* borrowed */
};

static int compare_keys(const void *left, const void *right)
{
    const struct member *a = left;
    const struct member *b = right;
    return strcmp(a->key, b->key);
}

static void write_real(double value, struct str *out)
{
    /* Every double below 2^63 without a fraction fits into a 64-bit integer. */
    static const double limit = 9223372036854775808.0;
    if (value > -limit && value < limit && trunc(value) == value) {
        str_add_i64(out, (int64_t)value);
        return;
    }
    char text[NUMBER_MAX];
    int digits = DIGITS_LEAST;
    do {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
    } while (strtod(text, NULL) != value && digits++ < DIGITS_MOST);
    for (const char *p = text; *p; p++) /* the decimal point depends on the locale */
        str_add_char(out, strchr("0123456789+-e", *p) ? *p : '.');
}

static void write_value(const struct writer *writer, const struct json *json);

static void write_members(const struct writer *writer, const struct json *object)
{
    const size_t count = json_count(object);
    struct member *members = xcalloc(count + 1, sizeof(*members));
    void *iter = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!json_next(object, &iter, &members[i].key, &members[i].value))
            break;
    }
    qsort(members, count, sizeof(*members), compare_keys);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            str_add_char(writer->out, ',');
        str_add(writer->out, writer->gap);
        str_add_json(writer->out, members[i].key, strlen(members[i].key));
        str_add_char(writer->out, ':');
        write_value(writer, members[i].value);
    }
    free(members);
}

static void write_value(const struct writer *writer, const struct json *json)
{
    struct str *out = writer->out;
    switch (json_kind(json)) {
    case JSON_KIND_OBJECT:
        str_add_char(out, '{');
        write_members(writer, json);
        str_add_char(out, '}');
        break;
    case JSON_KIND_ARRAY: {
        const size_t count = json_count(json);
        str_add_char(out, '[');
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                str_add_char(out, ',');
            str_add(out, writer->gap);
            write_value(writer, json_at(json, i));
        }
        str_add_char(out, ']');
        break;
    }
    case JSON_KIND_STRING: {
        const char *text = json_text(json, "");
        str_add_json(out, text, strlen(text));
        break;
    }
    case JSON_KIND_INTEGER:
        str_add_i64(out, json_i64(json, 0));
        break;
    case JSON_KIND_REAL:
        write_real(json_number(json, 0), out);
        break;
    case JSON_KIND_TRUE:
        str_add(out, "true");
        break;
    case JSON_KIND_FALSE:
        str_add(out, "false");
        break;
    case JSON_KIND_NONE:
    case JSON_KIND_NULL:
    case JSON_KIND_COUNT:
        str_add(out, "null");
        break;
    }
}

void canonical_write(const struct json *json, struct str *out)
{
    write_value(&(const struct writer){.out = out, .gap = ""}, json);
}

void canonical_write_lines(const struct json *json, struct str *out)
{
    write_value(&(const struct writer){.out = out, .gap = "\n"}, json);
}

void canonical_hash(const struct json *json, unsigned char out[CANONICAL_HASH_BYTES])
{
    struct str text = {0};
    canonical_write(json, &text);
    sha256_of(str_text(&text), text.len, out);
    str_done(&text);
}

/* The fingerprint. fingerprint.h describes its parts. */

enum { HALF_BYTES = DIGEST_BYTES / 2 };

struct digest digest_sum(struct digest a, struct digest b)
{
    const uint64_t lo = a.lo + b.lo;
    return (struct digest){.hi = a.hi + b.hi + (lo < a.lo), .lo = lo};
}

static uint64_t eight_bytes(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < HALF_BYTES; i++)
        value = value << 8 | bytes[i];
    return value;
}

struct digest digest_from_bytes(const unsigned char bytes[DIGEST_BYTES])
{
    return (struct digest){.hi = eight_bytes(bytes), .lo = eight_bytes(bytes + HALF_BYTES)};
}

void digest_to_hex(struct digest digest, char out[DIGEST_HEX_MAX])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < DIGEST_BYTES; i++) {
        out[i] = digits[digest.hi >> (60 - 4 * i) & 0xF];
        out[DIGEST_BYTES + i] = digits[digest.lo >> (60 - 4 * i) & 0xF];
    }
    out[DIGEST_HEX_MAX - 1] = '\0';
}

/* Reads 16 lower-case hex digits. */
static bool half_from_hex(const char *hex, uint64_t *out)
{
    uint64_t half = 0;
    bool ok = true;
    for (int i = 0; i < DIGEST_BYTES; i++) {
        const char c = hex[i];
        int value = 0;
        if (ascii_is_digit(c))
            value = c - '0';
        else if (c >= 'a' && c <= 'f')
            value = c - 'a' + 10;
        else
            ok = false;
        half = half << 4 | (uint64_t)value;
    }
    *out = half;
    return ok;
}

bool digest_from_hex(const char *hex, struct digest *out)
{
    struct digest digest;
    if (strlen(hex) != DIGEST_HEX_MAX - 1 || !half_from_hex(hex, &digest.hi) ||
        !half_from_hex(hex + DIGEST_BYTES, &digest.lo))
        return false;
    *out = digest;
    return true;
}

struct hashing {
    struct sha256 *hash;                  /* owned */
    const struct normaliser_words *words; /* borrowed; NULL = none */
    struct str masked, general;
};

/* Hashes a member or an element, or a part of a long one, with its tokens masked. JSON text
 * contains no control characters. */
static void hash_part(struct hashing *hashing, const char *bytes, size_t len)
{
    struct mask_line line = {.bytes = bytes, .len = len, .text = &hashing->masked};
    mask_tokens(&line);
    str_clear(&hashing->general);
    if (hashing->words &&
        normaliser_words_mask(hashing->words, line.bytes, line.len, &hashing->general)) {
        line.bytes = str_text(&hashing->general);
        line.len = hashing->general.len;
    }
    sha256_add(hashing->hash, line.bytes, line.len);
}

void fingerprint_json_hash(const struct json *json, const struct normaliser_words *words,
                           unsigned char out[CANONICAL_HASH_BYTES])
{
    struct hashing hashing = {.words = words};
    struct str lines = {0};
    sha256_open(&hashing.hash);
    canonical_write_lines(json, &lines);
    const char *text = str_text(&lines);
    const char *end = text + lines.len;
    while (text < end) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        const char *part_end = feed ? feed : end;
        while (text < part_end) {
            const size_t left = (size_t)(part_end - text);
            const size_t part = left < NORMALISER_LINE_MAX ? left : NORMALISER_LINE_MAX;
            hash_part(&hashing, text, part);
            text += part;
        }
        text += feed != NULL;
    }
    sha256_finish(hashing.hash, out);
    str_done(&lines);
    str_done(&hashing.masked);
    str_done(&hashing.general);
}

#define XXH_INLINE_ALL

enum { NUMBER_BYTES = 8 };

/* Sums over one stream. */
struct sum {
    struct digest plain; /* sum of the hashes of the lines */
    struct digest
        general; /* sum of the hashes of the lines, each with the call's own words masked */
    int64_t lines;
    unsigned masked;
};

struct stream {
    struct fingerprint *owner;     /* borrowed */
    struct normaliser *normaliser; /* owned */
    XXH3_state_t *raw;             /* owned */
    struct sum sum;
    int64_t taken;   /* bytes that were normalised, at most FINGERPRINT_BYTES_MAX */
    int64_t skipped; /* bytes after the normalised ones, which were only counted */
};

/* All of stdout, while it may be one JSON value. */
struct whole {
    struct str text;
    bool over; /* stdout is not JSON, or too long */
};

struct fingerprint {
    struct fingerprint_setting setting;
    struct stream streams[FINGERPRINT_STREAMS];
    struct whole whole;
    bool partial;
};

static struct digest hash_line(const char *bytes, size_t len)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, len);
    return (struct digest){.hi = hash.high64, .lo = hash.low64};
}

static void on_line(void *ctx, const struct normaliser_line *line)
{
    struct stream *stream = ctx;
    const struct fingerprint_setting *setting = &stream->owner->setting;
    struct fingerprint_line told = {
        .stream = (int)(stream - stream->owner->streams),
        .line = line,
        .hash = hash_line(line->bytes, line->len),
    };
    bool echoes = (line->masked & 1U << NORMALISER_ARGUMENTS) != 0;
    told.general_hash = echoes ? hash_line(line->general, line->general_len) : told.hash;
    struct sum *sum = &stream->sum;
    sum->plain = digest_sum(sum->plain, told.hash);
    sum->general = digest_sum(sum->general, told.general_hash);
    sum->lines++;
    sum->masked |= line->masked;
    if (setting->line)
        setting->line(setting->ctx, &told);
}

void fingerprint_open(struct fingerprint **out, const struct fingerprint_setting *setting)
{
    struct fingerprint *fingerprint = xcalloc(1, sizeof(*fingerprint));
    if (setting)
        fingerprint->setting = *setting;
    for (int i = 0; i < FINGERPRINT_STREAMS; i++) {
        struct stream *stream = &fingerprint->streams[i];
        stream->owner = fingerprint;
        normaliser_open(&stream->normaliser, fingerprint->setting.words, on_line, stream);
        if (fingerprint->setting.line_max > 0)
            normaliser_set_line_max(stream->normaliser, fingerprint->setting.line_max);
        stream->raw = XXH3_createState();
        if (!stream->raw || XXH3_64bits_reset(stream->raw) != XXH_OK)
            abort(); /* not covered: out of memory */
    }
    *out = fingerprint;
}

void fingerprint_close(struct fingerprint *fingerprint)
{
    if (!fingerprint)
        return;
    for (int i = 0; i < FINGERPRINT_STREAMS; i++) {
        normaliser_close(fingerprint->streams[i].normaliser);
        (void)XXH3_freeState(fingerprint->streams[i].raw);
    }
    str_done(&fingerprint->whole.text);
    free(fingerprint);
}

/* Keeps stdout for the end, without leading blanks, while it may be one JSON object or array. */
static void keep_whole(struct whole *whole, const char *bytes, size_t len)
{
    if (whole->over)
        return;
    while (whole->text.len == 0 && len > 0 && ascii_is_blank(*bytes)) {
        bytes++;
        len--;
    }
    if (len == 0)
        return;
    bool begins = whole->text.len > 0 || *bytes == '{' || *bytes == '[';
    whole->over = !begins || len > FINGERPRINT_JSON_MAX - whole->text.len;
    if (whole->over)
        str_done(&whole->text);
    else
        str_add_n(&whole->text, bytes, len);
}

void fingerprint_add(struct fingerprint *fingerprint, int stream, const char *bytes, size_t len)
{
    assert(stream >= 0 && stream < FINGERPRINT_STREAMS);
    struct stream *to = &fingerprint->streams[stream];
    (void)XXH3_64bits_update(to->raw, bytes, len); /* fails only for NULL */
    if (stream == 0)
        keep_whole(&fingerprint->whole, bytes, len);

    const int64_t room = FINGERPRINT_BYTES_MAX - to->taken;
    const size_t taken = (uint64_t)room < len ? (size_t)room : len;
    normaliser_add(to->normaliser, bytes, taken);
    to->taken += (int64_t)taken;
    if (taken == len)
        return;
    normaliser_drop(
        to->normaliser); /* drops the line that the limit cuts, because its length may vary */
    to->skipped += (int64_t)(len - taken);
    fingerprint->partial = true;
}

void fingerprint_add_tail(struct fingerprint *fingerprint, int stream, const char *bytes,
                          size_t len)
{
    assert(stream >= 0 && stream < FINGERPRINT_STREAMS);
    struct stream *to = &fingerprint->streams[stream];
    if (to->skipped == 0)
        return;
    const size_t fresh = (uint64_t)to->skipped < len ? (size_t)to->skipped : len;
    const char *from = bytes + (len - fresh);
    const char *feed = memchr(from, '\n', fresh);
    if (!feed)
        return;
    const size_t kept = (size_t)(bytes + len - (feed + 1));
    normaliser_add(to->normaliser, feed + 1, kept);
    to->skipped -= (int64_t)kept;
}

static void add_number(struct sha256 *hash, uint64_t value)
{
    unsigned char bytes[NUMBER_BYTES];
    for (int i = 0; i < NUMBER_BYTES; i++, value >>= 8)
        bytes[i] = (unsigned char)value;
    sha256_add(hash, bytes, sizeof(bytes));
}

/* How an attempt ended. */
struct end {
    enum outcome_kind kind;
    int code;
    bool failed;
};

/* Hashes the whole result. `json` is the hash that replaces the lines of stdout; NULL = stdout is
 * text. */
static struct digest hash_result(const struct fingerprint *fingerprint, const struct end *end,
                                 const unsigned char *json)
{
    const struct sum nothing = {0};
    const struct sum *out = json ? &nothing : &fingerprint->streams[0].sum;
    const struct sum *err = &fingerprint->streams[1].sum;
    const struct digest lines =
        end->failed ? digest_sum(out->general, err->general) : digest_sum(out->plain, err->plain);
    struct sha256 *hash;
    sha256_open(&hash);
    add_number(hash, (uint64_t)end->kind);
    add_number(hash, (uint64_t)(int64_t)end->code);
    add_number(hash, (uint64_t)(json ? FINGERPRINT_JSON : FINGERPRINT_TEXT));
    add_number(hash, fingerprint->partial);
    add_number(hash, lines.hi);
    add_number(hash, lines.lo);
    add_number(hash, (uint64_t)(out->lines + err->lines));
    if (json)
        sha256_add(hash, json, SHA256_BYTES);

    unsigned char bytes[SHA256_BYTES];
    sha256_finish(hash, bytes);
    struct digest digest = digest_from_bytes(bytes);
    if (!digest_is_known(digest)) /* not covered: the chance is one in 2^128 */
        digest.lo = 1;
    return digest;
}

struct fingerprint_result fingerprint_finish(struct fingerprint *fingerprint,
                                             enum outcome_kind kind, int code)
{
    const struct end end = {
        .kind = kind, .code = code, .failed = kind != OUTCOME_EXIT || code != 0};
    struct fingerprint_result result = {.partial = fingerprint->partial};
    uint64_t raw[FINGERPRINT_STREAMS];
    for (int i = 0; i < FINGERPRINT_STREAMS; i++) {
        struct stream *stream = &fingerprint->streams[i];
        raw[i] = XXH3_64bits_digest(stream->raw);
        normaliser_end(stream->normaliser);
        result.lines += stream->sum.lines;
        result.masked |= stream->sum.masked;
        result.skipped_bytes += stream->skipped;
    }
    result.raw = XXH3_64bits(raw, sizeof(raw));

    const struct whole *whole = &fingerprint->whole;
    struct json *json = NULL;
    if (whole->over || whole->text.len == 0 ||
        !json_parse(str_text(&whole->text), whole->text.len, &json, NULL, NULL)) {
        result.kind = FINGERPRINT_TEXT;
        result.digest = result.masked_digest = hash_result(fingerprint, &end, NULL);
        return result;
    }
    unsigned char exact[CANONICAL_HASH_BYTES];
    unsigned char masked[CANONICAL_HASH_BYTES];
    canonical_hash(json, exact);
    fingerprint_json_hash(json, end.failed ? fingerprint->setting.words : NULL, masked);
    json_free(json);
    result.kind = FINGERPRINT_JSON;
    result.digest = hash_result(fingerprint, &end, exact);
    result.masked_digest = hash_result(fingerprint, &end, masked);
    return result;
}
