/*
 * Whatever comes from `devs feed` on another machine, or to it: the hello and the frames are read
 * within their bytes, and what is accepted can be written again as the same bytes.
 *
 * The first byte says what follows: a hello (0), raw bytes (1), or pieces that are made into frames
 * (2), because chance seldom finds the length of one: kind, number of values, and for each value
 * its type and, for a text or a blob, a byte with its length.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "feed_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_hello(const char *bytes, size_t len)
{
    char version[FEED_VERSION_MAX];
    int64_t protocol = 0;
    size_t used = 0;
    if (feed_hello_read(bytes, len, &protocol, version, &used) == FEED_WHOLE)
        must(used <= len && strlen(version) < sizeof(version));
}

static void check_frames(const char *bytes, size_t len, bool from_feed)
{
    struct feed_message message;
    struct feed_message cut;
    size_t used = 0;
    size_t rest = 0;
    for (size_t at = 0; feed_read(bytes + at, len - at, from_feed, &message, &used) == FEED_WHOLE;
         at += used) {
        struct str again = {0};
        must(used >= FEED_HEADER_BYTES && used <= len - at);
        must(feed_read(bytes + at, used - 1, from_feed, &cut, &rest) == FEED_MORE);
        for (size_t i = 0; i < message.count; i++) {
            const struct feed_value *value = &message.values[i];
            must(value->type == FEED_NULL || value->type == FEED_NUMBER ||
                 (value->bytes >= bytes + at && value->bytes + value->len <= bytes + at + used));
        }
        must(feed_add(&again, message.kind, message.values, message.count));
        must(again.len == used && memcmp(again.data, bytes + at, used) == 0);
        str_done(&again);
    }
}

/* Makes frames of pieces, without those that do not have the shape of their kind. */
static void make_frames(const uint8_t *data, size_t size, struct str *out)
{
    while (size >= 2) {
        struct feed_value values[FEED_VALUES_MAX] = {0};
        const enum feed_kind kind = (enum feed_kind)(1 + data[0] % (FEED_KIND_COUNT - 1));
        const size_t count = data[1] % FEED_VALUES_MAX;
        data += 2, size -= 2;
        for (size_t i = 0; i < count && size >= 2; i++) {
            struct feed_value *value = &values[i];
            value->type = (enum feed_type)(data[0] % FEED_TYPE_COUNT);
            value->number = (int8_t)data[1];
            const bool has_bytes = value->type == FEED_TEXT || value->type == FEED_BLOB;
            value->len = has_bytes && data[1] < size - 2 ? data[1] : 0;
            value->bytes = (const char *)data + 2;
            data += 2 + value->len, size -= 2 + value->len;
        }
        const size_t before = out->len;
        must(feed_add(out, kind, values, count) || out->len == before);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str frames = {0};
    if (size == 0)
        return 0;
    const char *bytes = (const char *)data + 1;
    switch (data[0] % 3) {
    case 0:
        check_hello(bytes, size - 1);
        break;
    case 1:
        check_frames(bytes, size - 1, true);
        check_frames(bytes, size - 1, false);
        break;
    default:
        make_frames(data + 1, size - 1, &frames);
        check_frames(str_text(&frames), frames.len, true);
        check_frames(str_text(&frames), frames.len, false);
        str_done(&frames);
        break;
    }
    return 0;
}
