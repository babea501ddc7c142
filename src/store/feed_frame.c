/* feed_frame.c - writes and reads the frames between two devs.
 *
 * Whoever reads a frame must be able to rely on its values, because they come from another machine.
 * So the shapes of all kinds are in one table, and both directions check them. */
#include "feed_frame.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "event.h"
#include "parse.h"
#include "plan.h"

enum { NUMBER_BYTES = 8, LENGTH_BYTES = 4, SMALL_MAX = 4096, CAPTURE_MAX = 1024 * 1024 };

/* The largest number: sums of a few do not overflow, and the log's readers accept no larger one. */
#define NUMBER_MAX (INT64_C(1) << 53)

/* One letter for each value: n a number from 0, i any number, t a text, b bytes; in capitals, it
 * may also be null. */
struct shape {
    const char *values;
    size_t bytes_max;
    bool from_feed;
};

static const struct shape shapes[FEED_KIND_COUNT] = {
    [FEED_WATCH] = {"nn", SMALL_MAX, false},
    [FEED_HAVE] = {"ntnnnnnn", SMALL_MAX, false},
    [FEED_PENDING] = {"nn", SMALL_MAX, false},
    [FEED_GO] = {"", SMALL_MAX, false},
    [FEED_WANT] = {"n", SMALL_MAX, false},
    [FEED_AGAIN] = {"n", SMALL_MAX, false},
    [FEED_ASK] = {"nntnNNNTtn", 2 * SMALL_MAX, false},
    [FEED_BEAT] = {"", SMALL_MAX, false},
    [FEED_LOG] = {"nntt", 4 * SMALL_MAX, true},
    [FEED_RUN] = {"ntttttTttinnnNNnnnnnnn", FEED_TEXTS_MAX, true},
    [FEED_LISTED] = {"", SMALL_MAX, true},
    [FEED_RULES] = {"tt", FEED_TEXTS_MAX, true},
    [FEED_PLAN] = {"nt", PLAN_BYTES_MAX + SMALL_MAX, true},
    [FEED_EVENT] = {"nnnntTNNNNNt", EVENT_DATA_MAX + SMALL_MAX, true},
    [FEED_OUTPUT] = {"nnnnnnnnnnb", FEED_OUTPUT_MAX + SMALL_MAX, true},
    [FEED_CAPTURE] = {"nnnnnnt", CAPTURE_MAX, true},
    [FEED_CONTROL] = {"nnnNNNTtNnNTN", 4 * SMALL_MAX, true},
    [FEED_BOOKMARK] = {"nnnnntt", SMALL_MAX, true},
    [FEED_OUTPUTS] = {"nnn", SMALL_MAX, true},
    [FEED_SYNCED] = {"nn", SMALL_MAX, true},
    [FEED_ALIVE] = {"nn", SMALL_MAX, true},
    [FEED_STATE] = {"nnt", SMALL_MAX, true},
    [FEED_ASKED] = {"nnt", SMALL_MAX, true},
    [FEED_RESET] = {"n", SMALL_MAX, true},
    [FEED_BYE] = {"", SMALL_MAX, true},
    [FEED_FAULT] = {"ntt", SMALL_MAX, true},
};

struct feed_value feed_null(void)
{
    return (struct feed_value){.type = FEED_NULL};
}

struct feed_value feed_number(int64_t number)
{
    return (struct feed_value){.type = FEED_NUMBER, .number = number};
}

struct feed_value feed_text(const char *text)
{
    return (struct feed_value){.type = FEED_TEXT, .bytes = text, .len = strlen(text)};
}

static bool value_fits(char letter, const struct feed_value *value)
{
    const bool may_lack = letter >= 'A' && letter <= 'Z';
    if (value->type == FEED_NULL)
        return may_lack;
    switch (may_lack ? letter - 'A' + 'a' : letter) {
    case 'n':
        return value->type == FEED_NUMBER && value->number >= 0 && value->number <= NUMBER_MAX;
    case 'i':
        return value->type == FEED_NUMBER;
    case 't':
        return value->type == FEED_TEXT &&
               (value->len == 0 || !memchr(value->bytes, 0, value->len));
    default:
        return value->type == FEED_BLOB || value->type == FEED_TEXT;
    }
}

static bool values_fit(const struct shape *shape, const struct feed_value *values, size_t count)
{
    if (count != strlen(shape->values))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!value_fits(shape->values[i], &values[i]))
            return false;
    }
    return true;
}

static void add_number(struct str *out, uint64_t number, size_t bytes)
{
    char text[NUMBER_BYTES];
    for (size_t i = 0; i < bytes; i++)
        text[i] = (char)(unsigned char)(number >> (8 * i));
    str_add_n(out, text, bytes);
}

static uint64_t number_of(const char *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++)
        number |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return number;
}

bool feed_add(struct str *out, enum feed_kind kind, const struct feed_value *values, size_t count)
{
    const struct shape *shape = &shapes[kind];
    assert(kind > FEED_NOTHING && kind < FEED_KIND_COUNT && count <= FEED_VALUES_MAX);
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += 1 + (values[i].type == FEED_NULL     ? 0
                    : values[i].type == FEED_NUMBER ? (size_t)NUMBER_BYTES
                                                    : LENGTH_BYTES + values[i].len);
    if (len > shape->bytes_max || !values_fit(shape, values, count))
        return false;
    add_number(out, len, LENGTH_BYTES);
    str_add_char(out, (char)kind);
    for (size_t i = 0; i < count; i++) {
        const struct feed_value *value = &values[i];
        str_add_char(out, (char)value->type);
        if (value->type == FEED_NUMBER)
            add_number(out, (uint64_t)value->number, NUMBER_BYTES);
        if (value->type == FEED_TEXT || value->type == FEED_BLOB) {
            add_number(out, value->len, LENGTH_BYTES);
            if (value->len > 0)
                str_add_n(out, value->bytes, value->len);
        }
    }
    return true;
}

/* Reads one value, and returns its length; 0 if there is none. */
static size_t read_value(const char *bytes, size_t len, struct feed_value *out)
{
    const size_t type = len > 0 ? (unsigned char)bytes[0] : FEED_TYPE_COUNT;
    *out = (struct feed_value){.type = (enum feed_type)type};
    if (type == FEED_NULL)
        return 1;
    if (type == FEED_NUMBER && len > NUMBER_BYTES) {
        out->number = (int64_t)number_of(bytes + 1, NUMBER_BYTES);
        return 1 + NUMBER_BYTES;
    }
    if ((type != FEED_TEXT && type != FEED_BLOB) || len <= LENGTH_BYTES)
        return 0;
    out->len = number_of(bytes + 1, LENGTH_BYTES);
    out->bytes = bytes + 1 + LENGTH_BYTES;
    return out->len <= len - 1 - LENGTH_BYTES ? 1 + LENGTH_BYTES + out->len : 0;
}

enum feed_got feed_read(const char *bytes, size_t len, bool from_feed, struct feed_message *out,
                        size_t *used)
{
    if (len < FEED_HEADER_BYTES)
        return FEED_MORE;
    const size_t payload = number_of(bytes, LENGTH_BYTES);
    const size_t kind = (unsigned char)bytes[LENGTH_BYTES];
    if (kind == FEED_NOTHING || kind >= FEED_KIND_COUNT || shapes[kind].from_feed != from_feed ||
        payload > shapes[kind].bytes_max)
        return FEED_BAD;
    if (len - FEED_HEADER_BYTES < payload)
        return FEED_MORE;
    out->kind = (enum feed_kind)kind;
    out->count = 0;
    const char *at = bytes + FEED_HEADER_BYTES;
    size_t left = payload;
    while (left > 0) {
        const size_t took =
            out->count < FEED_VALUES_MAX ? read_value(at, left, &out->values[out->count]) : 0;
        if (took == 0)
            return FEED_BAD;
        out->count++;
        at += took;
        left -= took;
    }
    *used = FEED_HEADER_BYTES + payload;
    return values_fit(&shapes[kind], out->values, out->count) ? FEED_WHOLE : FEED_BAD;
}

int64_t feed_number_at(const struct feed_message *message, size_t at, int64_t nothing)
{
    assert(at < message->count);
    return message->values[at].type == FEED_NUMBER ? message->values[at].number : nothing;
}

void feed_text_at(const struct feed_message *message, size_t at, struct str *out)
{
    assert(at < message->count);
    const struct feed_value *value = &message->values[at];
    if (value->type == FEED_TEXT && value->len > 0)
        str_add_n(out, value->bytes, value->len);
}

bool feed_text_is(const struct feed_message *message, size_t at, const char *text)
{
    assert(at < message->count);
    const struct feed_value *value = &message->values[at];
    return value->type == FEED_TEXT && value->len == strlen(text) &&
           (value->len == 0 || memcmp(value->bytes, text, value->len) == 0);
}

/* The hello: "devs-feed/1 0.1.0 (abc1234)\n", at the beginning of a line. */

static const char hello_begins[] = "devs-feed/";

void feed_hello_add(const char *version, struct str *out)
{
    str_addf(out, "%s%d %.*s\n", hello_begins, (int)FEED_PROTOCOL, FEED_VERSION_MAX - 1, version);
}

enum feed_got feed_hello_read(const char *bytes, size_t len, int64_t *protocol,
                              char version[FEED_VERSION_MAX], size_t *used)
{
    enum { DIGITS_MAX = 9 };
    const size_t begins = strlen(hello_begins);
    size_t at = 0;
    for (const char *end; at < len && (end = memchr(bytes + at, '\n', len - at)); /* next line */) {
        const size_t line = (size_t)(end - (bytes + at));
        if (line > begins && memcmp(bytes + at, hello_begins, begins) == 0) {
            const char *number = bytes + at + begins;
            const char *blank = memchr(number, ' ', line - begins);
            char digits[DIGITS_MAX + 1] = "";
            if (!blank || blank - number > DIGITS_MAX)
                return FEED_BAD;
            memcpy(digits, number, (size_t)(blank - number));
            if (!parse_i64(digits, 0, INT32_MAX, protocol, NULL))
                return FEED_BAD;
            (void)snprintf(version, FEED_VERSION_MAX, "%.*s", (int)(end - blank - 1), blank + 1);
            *used = at + line + 1;
            return FEED_WHOLE;
        }
        at += line + 1;
        if (at > FEED_NOISE_MAX)
            return FEED_BAD;
    }
    return len > FEED_NOISE_MAX ? FEED_BAD : FEED_MORE;
}
