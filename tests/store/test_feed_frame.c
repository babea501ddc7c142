/* The messages between two devs: what is written is read again, and nothing else is. */
#include "feed_frame.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test_main.h"

static const struct feed_value event_values[] = {
    {.type = FEED_NUMBER, .number = 41},
    {.type = FEED_NUMBER, .number = 7},
    {.type = FEED_NUMBER, .number = INT64_C(1763640000123)},
    {.type = FEED_NUMBER, .number = 0},
    {.type = FEED_TEXT, .bytes = "attempt_started", .len = 15},
    {.type = FEED_TEXT, .bytes = "tax", .len = 3},
    {.type = FEED_NUMBER, .number = 2},
    {.type = FEED_NULL},
    {.type = FEED_NULL},
    {.type = FEED_NULL},
    {.type = FEED_NUMBER, .number = 1},
    {.type = FEED_TEXT, .bytes = "{\"x\":1}", .len = 7},
};

static struct str frame_of_event(void)
{
    struct str frame = {0};
    ck_assert(feed_add(&frame, FEED_EVENT, event_values, TABLE_LEN(event_values)));
    return frame;
}

START_TEST(test_a_message_is_read_as_it_was_written)
{
    struct str frame = frame_of_event();
    struct feed_message message;
    size_t used = 0;
    ck_assert_int_eq(feed_read(frame.data, frame.len, true, &message, &used), FEED_WHOLE);
    ck_assert_uint_eq(used, frame.len);
    ck_assert_int_eq(message.kind, FEED_EVENT);
    ck_assert_uint_eq(message.count, TABLE_LEN(event_values));
    for (size_t i = 0; i < message.count; i++) {
        ck_assert_int_eq(message.values[i].type, event_values[i].type);
        ck_assert_int_eq(message.values[i].number, event_values[i].number);
        ck_assert_uint_eq(message.values[i].len, event_values[i].len);
        if (event_values[i].len > 0)
            ck_assert_mem_eq(message.values[i].bytes, event_values[i].bytes, event_values[i].len);
    }
    ck_assert(feed_text_is(&message, 5, "tax"));
    ck_assert(!feed_text_is(&message, 5, "ta"));
    ck_assert_int_eq(feed_number_at(&message, 7, -1), -1);
    str_done(&frame);
}
END_TEST

START_TEST(test_a_message_cut_at_any_byte_is_waited_for)
{
    struct str frame = frame_of_event();
    struct feed_message message;
    size_t used = 0;
    for (size_t len = 0; len < frame.len; len++) {
        char *part =
            malloc(len + 1); /* exactly as long, so that a sanitizer notices reads beyond */
        ck_assert_ptr_nonnull(part);
        memcpy(part, frame.data, len);
        ck_assert_int_eq(feed_read(part, len, true, &message, &used), FEED_MORE);
        free(part);
    }
    str_done(&frame);
}
END_TEST

START_TEST(test_a_changed_byte_is_refused_or_changes_a_value)
{
    struct str frame = frame_of_event();
    struct feed_message message;
    size_t used = 0;
    for (size_t at = 0; at < frame.len; at++) {
        for (unsigned value = 0; value < 256; value++) {
            const char kept = frame.data[at];
            frame.data[at] = (char)value;
            const enum feed_got got = feed_read(frame.data, frame.len, true, &message, &used);
            if (got == FEED_WHOLE) {
                ck_assert_uint_le(used, frame.len);
                for (size_t i = 0; i < message.count; i++) {
                    const struct feed_value *has = &message.values[i];
                    ck_assert(has->len == 0 || (has->bytes >= frame.data &&
                                                has->bytes + has->len <= frame.data + frame.len));
                }
            }
            frame.data[at] = kept;
        }
    }
    str_done(&frame);
}
END_TEST

static enum feed_got read_bytes(const char *bytes, size_t len, bool from_feed)
{
    struct feed_message message;
    size_t used = 0;
    return feed_read(bytes, len, from_feed, &message, &used);
}

START_TEST(test_what_has_no_valid_continuation_is_refused_at_once)
{
    /* no kind, an unknown one, one of the other side, a payload that is too large */
    ck_assert_int_eq(read_bytes("\0\0\0\0\0", 5, true), FEED_BAD);
    ck_assert_int_eq(read_bytes("\0\0\0\0\xff", 5, true), FEED_BAD);
    ck_assert_int_eq(read_bytes("\0\0\0\0\x08", 5, true), FEED_BAD);
    ck_assert_int_eq(read_bytes("\xff\xff\xff\xff\x0e", 5, true), FEED_BAD);
    ck_assert_int_eq(read_bytes("\0\0\0\0\x08", 5, false), FEED_WHOLE); /* a beat */
    /* values of another shape, and a length that is longer than the payload */
    ck_assert_int_eq(read_bytes("\x01\0\0\0\x08\0", 6, false), FEED_BAD);
    ck_assert_int_eq(read_bytes("\x06\0\0\0\x18\x02\xff\xff\xff\xff\0", 11, true), FEED_BAD);
}
END_TEST

START_TEST(test_values_of_another_shape_are_not_written)
{
    struct str out = {0};
    struct feed_value values[TABLE_LEN(event_values)];
    static const struct feed_value wrong[] = {
        {.type = FEED_NULL},
        {.type = FEED_NUMBER, .number = -1},
        {.type = FEED_NUMBER, .number = INT64_MAX},
        {.type = FEED_TEXT, .bytes = "1", .len = 1},
    };
    for (int i = 0; i < TABLE_LEN(wrong); i++) {
        memcpy(values, event_values, sizeof(values));
        values[1] = wrong[i];
        ck_assert(!feed_add(&out, FEED_EVENT, values, TABLE_LEN(values)));
    }
    memcpy(values, event_values, sizeof(values));
    values[5] = (struct feed_value){.type = FEED_TEXT, .bytes = "t\0x", .len = 3};
    ck_assert(!feed_add(&out, FEED_EVENT, values, TABLE_LEN(values)));
    ck_assert(!feed_add(&out, FEED_EVENT, event_values, TABLE_LEN(event_values) - 1));
    ck_assert_uint_eq(out.len, 0);
}
END_TEST

START_TEST(test_random_bytes_never_read_beyond_the_end)
{
    uint64_t state = 88172645463325252U;
    for (int round = 0; round < 20000; round++) {
        char bytes[64];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes[i] = (char)state;
        }
        bytes[1] = bytes[2] = bytes[3] = 0;
        bytes[0] &= 63;
        bytes[4] = (char)((unsigned char)bytes[4] % FEED_KIND_COUNT);
        const size_t len = (size_t)(round % (int)sizeof(bytes));
        char *exact = malloc(len + 1);
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, bytes, len);
        (void)read_bytes(exact, len, round % 2 == 0);
        free(exact);
    }
}
END_TEST

START_TEST(test_the_hello_is_found_after_what_a_login_shell_prints)
{
    struct str text = {0};
    char version[FEED_VERSION_MAX];
    int64_t protocol = 0;
    size_t used = 0;
    str_add(&text, "Welcome to gpu1\nlast login: never\n");
    feed_hello_add("0.1.0 (abc)", &text);
    str_add(&text, "rest");
    for (size_t len = 0; len < text.len - strlen("rest"); len++)
        ck_assert_int_eq(feed_hello_read(text.data, len, &protocol, version, &used), FEED_MORE);
    ck_assert_int_eq(feed_hello_read(text.data, text.len, &protocol, version, &used), FEED_WHOLE);
    ck_assert_int_eq(protocol, FEED_PROTOCOL);
    ck_assert_str_eq(version, "0.1.0 (abc)");
    ck_assert_str_eq(text.data + used, "rest");
    str_clear(&text);
    for (int i = 0; i < FEED_NOISE_MAX; i++)
        str_add(&text, "n\n");
    ck_assert_int_eq(feed_hello_read(text.data, text.len, &protocol, version, &used), FEED_BAD);
    str_clear(&text);
    str_add(&text, "devs-feed/x 1\n");
    ck_assert_int_eq(feed_hello_read(text.data, text.len, &protocol, version, &used), FEED_BAD);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_frame");
    TCase *tcase = test_case(suite, "feed_frame");
    tcase_add_test(tcase, test_a_message_is_read_as_it_was_written);
    tcase_add_test(tcase, test_a_message_cut_at_any_byte_is_waited_for);
    tcase_add_test(tcase, test_a_changed_byte_is_refused_or_changes_a_value);
    tcase_add_test(tcase, test_what_has_no_valid_continuation_is_refused_at_once);
    tcase_add_test(tcase, test_values_of_another_shape_are_not_written);
    tcase_add_test(tcase, test_random_bytes_never_read_beyond_the_end);
    tcase_add_test(tcase, test_the_hello_is_found_after_what_a_login_shell_prints);
    return suite;
}
