#include "hand_protocol.h"

#include <stdlib.h>
#include <string.h>

#include "test_main.h"

static uint8_t small[HAND_SMALL_FRAME_MAX];

/* The frame in `small`. */
static struct hand_frame read_small(size_t size)
{
    struct hand_frame frame = {0};
    ck_assert_int_eq(hand_frame_read(small, size, &frame), HAND_WHOLE);
    ck_assert_uint_eq(frame.size, size);
    return frame;
}

START_TEST(test_bytes_of_a_frame_never_change)
{
    static const uint8_t wanted[] = {'h',  0,    0,    0,    8,    0,    0,    0,    0x41, 0x67,
                                     0xe8, 0xfe, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
    const size_t size = hand_stamp_write(small, HAND_HEARTBEAT, UINT64_C(0x0102030405060708));
    ck_assert_uint_eq(size, sizeof(wanted));
    ck_assert_mem_eq(small, wanted, sizeof(wanted));
}
END_TEST

START_TEST(test_each_beginning_of_a_frame_needs_more)
{
    const struct hand_hello hello = {.protocol = HAND_PROTOCOL, .build = "0.1.0 (abc)"};
    const size_t size = hand_hello_write(small, &hello);
    struct hand_frame frame;
    for (size_t len = 0; len < size; len++)
        ck_assert_int_eq(hand_frame_read(small, len, &frame), HAND_MORE);
    ck_assert_int_eq(hand_frame_read(small, size + 1, &frame), HAND_WHOLE);
    ck_assert_uint_eq(frame.size, size);
}
END_TEST

START_TEST(test_a_wrong_bit_is_found)
{
    const size_t size = hand_stamp_write(small, HAND_TICK, 77);
    struct hand_frame frame;
    for (size_t bit = 0; bit < size * 8; bit++) {
        small[bit / 8] ^= (uint8_t)(1U << (bit % 8));
        ck_assert_int_ne(hand_frame_read(small, size, &frame), HAND_WHOLE);
        small[bit / 8] ^= (uint8_t)(1U << (bit % 8));
    }
    ck_assert_int_eq(hand_frame_read(small, size, &frame), HAND_WHOLE);
}
END_TEST

START_TEST(test_payload_has_a_limit)
{
    uint8_t *bytes = calloc(1, HAND_FRAME_MAX + 1);
    struct hand_frame frame;
    ck_assert_uint_eq(hand_frame_seal(bytes, HAND_STDIN, 0, HAND_PAYLOAD_MAX), HAND_FRAME_MAX);
    ck_assert_int_eq(hand_frame_read(bytes, HAND_FRAME_MAX, &frame), HAND_WHOLE);
    (void)hand_frame_seal(bytes, HAND_STDIN, 0, HAND_PAYLOAD_MAX + 1);
    ck_assert_int_eq(hand_frame_read(bytes, HAND_HEAD_BYTES, &frame), HAND_BAD);
    free(bytes);
}
END_TEST

START_TEST(test_only_output_has_a_stream)
{
    struct hand_frame frame;
    size_t size = hand_frame_seal(small, HAND_OUTPUT, HAND_STDERR, 1);
    ck_assert_int_eq(hand_frame_read(small, size, &frame), HAND_WHOLE);
    ck_assert_uint_eq(frame.stream, HAND_STDERR);
    size = hand_frame_seal(small, HAND_OUTPUT, 0, 1);
    ck_assert_int_eq(hand_frame_read(small, size, &frame), HAND_BAD);
    size = hand_frame_seal(small, HAND_OUTPUT, 3, 1);
    ck_assert_int_eq(hand_frame_read(small, size, &frame), HAND_BAD);
    size = hand_frame_seal(small, HAND_TERM, HAND_STDOUT, 0);
    ck_assert_int_eq(hand_frame_read(small, size, &frame), HAND_BAD);
}
END_TEST

START_TEST(test_hello)
{
    struct hand_hello in = {.protocol = HAND_PROTOCOL, .stamp_ms = UINT64_MAX};
    struct hand_hello out;
    memset(in.build, 'b', HAND_BUILD_MAX);
    struct hand_frame frame = read_small(hand_hello_write(small, &in));
    ck_assert(hand_hello_read(&frame, &out));
    ck_assert_str_eq(out.build, in.build);
    ck_assert_uint_eq(out.stamp_ms, in.stamp_ms);

    /* A build id that this version does not understand is an error only of this version. */
    in.build[3] = '\n';
    frame = read_small(hand_hello_write(small, &in));
    ck_assert(!hand_hello_read(&frame, &out));
    in.protocol = HAND_PROTOCOL + 1;
    frame = read_small(hand_hello_write(small, &in));
    ck_assert(hand_hello_read(&frame, &out));
    ck_assert_uint_eq(out.protocol, HAND_PROTOCOL + 1);
    ck_assert_str_eq(out.build, "");
}
END_TEST

START_TEST(test_hello_is_found_after_noise)
{
    static const char noise[] = "Welcome to HAL. H";
    enum { NOISE = sizeof(noise) - 1 };
    const struct hand_hello hello = {.protocol = HAND_PROTOCOL, .build = "x"};
    const size_t size = hand_hello_write(small, &hello);
    uint8_t bytes[NOISE + HAND_SMALL_FRAME_MAX];
    struct hand_frame frame;
    size_t skipped;
    memcpy(bytes, noise, NOISE);
    memcpy(bytes + NOISE, small, size);
    for (size_t len = 0; len < NOISE + size; len++) {
        ck_assert_int_eq(hand_hello_find(bytes, len, &frame, &skipped), HAND_MORE);
        ck_assert_uint_le(skipped, len);
        ck_assert_uint_le(skipped, NOISE);
    }
    ck_assert_int_eq(hand_hello_find(bytes, NOISE + size, &frame, &skipped), HAND_WHOLE);
    ck_assert_uint_eq(skipped, NOISE);

    uint8_t *much = malloc(HAND_NOISE_MAX + 5);
    memset(much, 'H', HAND_NOISE_MAX + 5);
    ck_assert_int_eq(hand_hello_find(much, HAND_NOISE_MAX, &frame, &skipped), HAND_MORE);
    ck_assert_int_eq(hand_hello_find(much, HAND_NOISE_MAX + 5, &frame, &skipped), HAND_BAD);
    free(much);
}
END_TEST

START_TEST(test_refusal)
{
    const struct hand_refused in = {.code = HAND_EXIT_DIR, .number = 28, .text = "no space"};
    struct hand_refused out;
    struct hand_frame frame = read_small(hand_refused_write(small, &in));
    ck_assert(hand_refused_read(&frame, &out));
    ck_assert_int_eq(out.code, HAND_EXIT_DIR);
    ck_assert_int_eq(out.number, 28);
    ck_assert_str_eq(out.text, "no space");
    const struct hand_refused wrong = {.code = HAND_EXIT_OK};
    frame = read_small(hand_refused_write(small, &wrong));
    ck_assert(!hand_refused_read(&frame, &out));
}
END_TEST

START_TEST(test_stamps)
{
    static const enum hand_type types[] = {HAND_TICK, HAND_HEARTBEAT, HAND_GO,
                                           HAND_TERM, HAND_KILL,      HAND_FOREIGN};
    for (int i = 0; i < TABLE_LEN(types); i++) {
        uint64_t stamp_ms;
        const struct hand_frame frame = read_small(hand_stamp_write(small, types[i], 5));
        ck_assert(hand_stamp_read(&frame, &stamp_ms));
        ck_assert_uint_eq(stamp_ms, i < 3 ? 5 : 0);
    }
}
END_TEST

START_TEST(test_pieces_of_a_spool)
{
    const size_t head = HAND_HEAD_BYTES + HAND_PIECE_HEAD_BYTES;
    struct hand_piece out;
    memcpy(small + head, "abc", 3);
    struct hand_frame frame = read_small(hand_piece_seal(small, UINT64_C(1) << 40, 3));
    ck_assert(hand_piece_read(&frame, &out));
    ck_assert_uint_eq(out.offset, UINT64_C(1) << 40);
    ck_assert_uint_eq(out.len, 3);
    ck_assert_mem_eq(out.bytes, "abc", 3);
    frame = read_small(hand_piece_seal(small, 7, 0));
    ck_assert(!hand_piece_read(&frame, &out));
    frame = read_small(hand_stamp_write(small, HAND_TICK, 7));
    ck_assert(!hand_piece_read(&frame, &out));
}
END_TEST

static const struct hand_request a_request = {
    .lease_ms = 1000, .grace_ms = 0, .arguments = 2, .entries = 1, .stdin_bytes = 3};

static bool take(struct hand_request_check *check, enum hand_type type, const char *payload)
{
    const size_t len = strlen(payload);
    memcpy(small + HAND_HEAD_BYTES, payload, len);
    const struct hand_frame frame = read_small(hand_frame_seal(small, type, 0, len));
    return hand_request_take(check, &frame);
}

static bool take_request(struct hand_request_check *check, const struct hand_request *request)
{
    const struct hand_frame frame = read_small(hand_request_write(small, request));
    return hand_request_take(check, &frame);
}

START_TEST(test_request_in_order)
{
    struct hand_request_check check = {0};
    ck_assert(take_request(&check, &a_request));
    ck_assert(take(&check, HAND_ARGUMENT, "sh"));
    ck_assert(take(&check, HAND_ARGUMENT, ""));
    ck_assert(take(&check, HAND_ENTRY, "A="));
    ck_assert(take(&check, HAND_DIRECTORY, "/"));
    ck_assert(take(&check, HAND_STDIN, "ab"));
    ck_assert(take(&check, HAND_STDIN, "c"));
    ck_assert(!check.has_go);
    struct hand_frame go = read_small(hand_stamp_write(small, HAND_GO, 42));
    ck_assert(hand_request_take(&check, &go));
    ck_assert(check.has_go);
    ck_assert_uint_eq(check.stamp_ms, 42);
    ck_assert(!hand_request_take(&check, &go));
}
END_TEST

START_TEST(test_request_out_of_order)
{
    static const struct {
        enum hand_type type;
        const char *payload;
    } steps[] = {{HAND_ARGUMENT, "sh"}, {HAND_ARGUMENT, "x"}, {HAND_ENTRY, "A=1"},
                 {HAND_DIRECTORY, "/"}, {HAND_STDIN, "abc"},  {HAND_GO, "12345678"}};
    for (int wrong = 0; wrong < TABLE_LEN(steps); wrong++) {
        for (int instead = 0; instead < TABLE_LEN(steps); instead++) {
            struct hand_request_check check = {0};
            if (steps[instead].type == steps[wrong].type)
                continue;
            ck_assert(take_request(&check, &a_request));
            for (int i = 0; i < wrong; i++)
                ck_assert(take(&check, steps[i].type, steps[i].payload));
            ck_assert(!take(&check, steps[instead].type, steps[instead].payload));
        }
    }
    struct hand_request_check check = {0};
    ck_assert(!take(&check, HAND_ARGUMENT, "sh"));
}
END_TEST

START_TEST(test_request_limits)
{
    static const struct hand_request wrong[] = {
        {.lease_ms = HAND_LEASE_MS_MIN - 1, .arguments = 1},
        {.lease_ms = HAND_LEASE_MS_MAX + 1, .arguments = 1},
        {.lease_ms = 1000, .grace_ms = HAND_GRACE_MS_MAX + 1, .arguments = 1},
        {.lease_ms = 1000, .arguments = 0},
        {.lease_ms = 1000, .arguments = HAND_WORDS_MAX + 1},
        {.lease_ms = 1000, .arguments = 1, .entries = HAND_WORDS_MAX},
        {.lease_ms = 1000, .arguments = 1, .entries = UINT32_MAX},
        {.lease_ms = 1000, .arguments = 1, .flags = HAND_INHERIT + 1},
        {.lease_ms = 1000, .arguments = 1, .stdin_bytes = HAND_STDIN_MAX + 1},
    };
    for (int i = 0; i < TABLE_LEN(wrong); i++) {
        struct hand_request_check check = {0};
        ck_assert_msg(!take_request(&check, &wrong[i]), "row %d", i);
    }
    static const struct hand_request most = {.lease_ms = HAND_LEASE_MS_MAX,
                                             .grace_ms = HAND_GRACE_MS_MAX,
                                             .arguments = 1,
                                             .entries = HAND_WORDS_MAX - 1,
                                             .flags = HAND_INHERIT,
                                             .stdin_bytes = HAND_STDIN_MAX};
    struct hand_request_check check = {0};
    ck_assert(take_request(&check, &most));
}
END_TEST

START_TEST(test_words_of_a_request)
{
    static const struct {
        int step; /* how many frames are right before it */
        enum hand_type type;
        const char *payload;
    } wrong[] = {{2, HAND_ENTRY, ""},     {2, HAND_ENTRY, "A"},       {2, HAND_ENTRY, "=A"},
                 {3, HAND_DIRECTORY, ""}, {3, HAND_DIRECTORY, "a/b"}, {4, HAND_STDIN, "abcd"},
                 {4, HAND_STDIN, ""}};
    for (int i = 0; i < TABLE_LEN(wrong); i++) {
        struct hand_request_check check = {0};
        ck_assert(take_request(&check, &a_request));
        for (int j = 0; j < wrong[i].step; j++)
            ck_assert(take(&check,
                           j < 2    ? HAND_ARGUMENT
                           : j == 2 ? HAND_ENTRY
                                    : HAND_DIRECTORY,
                           j == 2 ? "A=b" : "/"));
        ck_assert_msg(!take(&check, wrong[i].type, wrong[i].payload), "row %d", i);
    }
    struct hand_request_check check = {0};
    ck_assert(take_request(&check, &a_request));
    memcpy(small + HAND_HEAD_BYTES, "a\0b", 3);
    const struct hand_frame frame = read_small(hand_frame_seal(small, HAND_ARGUMENT, 0, 3));
    ck_assert(!hand_request_take(&check, &frame));
}
END_TEST

START_TEST(test_words_together_have_a_limit)
{
    const struct hand_request request = {.lease_ms = 1000, .arguments = 1000};
    struct hand_request_check check = {0};
    ck_assert(take_request(&check, &request));
    uint8_t *bytes = malloc(HAND_FRAME_MAX);
    memset(bytes, 'x', HAND_FRAME_MAX);
    const size_t size = hand_frame_seal(bytes, HAND_ARGUMENT, 0, HAND_WORD_MAX);
    struct hand_frame frame;
    ck_assert_int_eq(hand_frame_read(bytes, size, &frame), HAND_WHOLE);
    for (int i = 0; i < HAND_WORDS_BYTES_MAX / HAND_PAYLOAD_MAX; i++)
        ck_assert(hand_request_take(&check, &frame));
    ck_assert(!hand_request_take(&check, &frame));
    (void)hand_frame_seal(bytes, HAND_ARGUMENT, 0, HAND_WORD_MAX + 1);
    ck_assert_int_eq(hand_frame_read(bytes, HAND_FRAME_MAX, &frame), HAND_WHOLE);
    check = (struct hand_request_check){0};
    ck_assert(take_request(&check, &request));
    ck_assert(!hand_request_take(&check, &frame));
    free(bytes);
}
END_TEST

START_TEST(test_finish)
{
    const struct hand_finish in = {.state = HAND_STATE_LOST, .whole = 10, .size = 12};
    struct hand_finish out;
    struct hand_frame frame = read_small(hand_finish_write(small, &in));
    ck_assert(hand_finish_read(&frame, &out));
    ck_assert_int_eq(out.state, HAND_STATE_LOST);
    ck_assert_uint_eq(out.whole, 10);
    ck_assert_uint_eq(out.size, 12);
    const struct hand_finish wrong = {.state = HAND_STATE_LOST, .whole = 13, .size = 12};
    frame = read_small(hand_finish_write(small, &wrong));
    ck_assert(!hand_finish_read(&frame, &out));
}
END_TEST

/* An end that passed, after `bytes` of output. */
static struct hand_end passing_end(uint64_t bytes)
{
    return (struct hand_end){.ended = HAND_EXITED, .proven = true, .output_bytes = bytes};
}

START_TEST(test_end_keeps_every_value)
{
    const struct hand_end in = {
        .ended = HAND_SIGNALED,
        .why = HAND_WHY_SPOOL,
        .proven = false,
        .code = 9,
        .left = 2,
        .remaining = 1,
        .spool_errno = 28,
        .kills = 5,
        .at_ms = UINT64_C(1) << 40,
        .ran_ms = 6,
        .user_us = 7,
        .system_us = 8,
        .max_rss_kib = 9,
        .output_bytes = 10,
        .dropped_bytes = 11,
    };
    struct hand_end out = {0};
    const struct hand_frame frame = read_small(hand_end_write(small, &in));
    ck_assert(hand_end_read(&frame, &out));
    ck_assert_int_eq(out.ended, in.ended);
    ck_assert_int_eq(out.why, in.why);
    ck_assert_int_eq(out.step, in.step);
    ck_assert_int_eq(out.proven, in.proven);
    ck_assert_uint_eq(out.code, in.code);
    ck_assert_uint_eq(out.left, in.left);
    ck_assert_uint_eq(out.remaining, in.remaining);
    ck_assert_uint_eq(out.spool_errno, in.spool_errno);
    ck_assert_uint_eq(out.kills, in.kills);
    ck_assert_uint_eq(out.at_ms, in.at_ms);
    ck_assert_uint_eq(out.ran_ms, in.ran_ms);
    ck_assert_uint_eq(out.user_us, in.user_us);
    ck_assert_uint_eq(out.system_us, in.system_us);
    ck_assert_uint_eq(out.max_rss_kib, in.max_rss_kib);
    ck_assert_uint_eq(out.output_bytes, in.output_bytes);
    ck_assert_uint_eq(out.dropped_bytes, in.dropped_bytes);
}
END_TEST

START_TEST(test_ends_that_contradict_themselves)
{
    static const struct hand_end wrong[] = {
        {.ended = HAND_EXITED, .code = 256},
        {.ended = HAND_SIGNALED, .code = 0},
        {.ended = HAND_SIGNALED, .code = 65},
        {.ended = HAND_NOT_STARTED, .code = 2},
        {.ended = HAND_NOT_STARTED, .step = HAND_STEP_PROGRAM},
        {.ended = HAND_EXITED, .step = HAND_STEP_PROGRAM},
        {.ended = HAND_EXITED, .proven = true, .remaining = 1},
        {.ended = HAND_EXITED, .why = HAND_WHY_SPOOL},
        {.ended = HAND_EXITED, .dropped_bytes = 1},
        {.ended = HAND_EXITED, .spool_errno = 5000},
        {.ended = HAND_EXITED, .why = HAND_WHY_COUNT},
        {.ended = HAND_NOT_STARTED, .code = 2, .step = HAND_STEP_COUNT},
        {.code = 0},
    };
    for (int i = 0; i < TABLE_LEN(wrong); i++) {
        struct hand_end out;
        const struct hand_frame frame = read_small(hand_end_write(small, &wrong[i]));
        ck_assert_msg(!hand_end_read(&frame, &out), "row %d", i);
    }
}
END_TEST

START_TEST(test_what_passes)
{
    struct hand_end end = passing_end(0);
    ck_assert(hand_end_passed(&end));
    for (int i = 0; i < 6; i++) {
        end = passing_end(0);
        if (i == 0)
            end.code = 1;
        else if (i == 1)
            end.why = HAND_WHY_FOREIGN;
        else if (i == 2)
            end.left = 1;
        else if (i == 3)
            end.proven = false;
        else if (i == 4)
            end.ended = HAND_NOT_STARTED;
        else
            end.spool_errno = 28;
        ck_assert_msg(!hand_end_passed(&end), "row %d", i);
    }
}
END_TEST

static const struct hand_begin a_begin = {
    .lease_ms = 1000, .boot = "12345678-1234-1234-1234-123456789abc", .node = "n1"};
static const struct hand_started a_start = {.keeper = 10, .command = 11, .at_ms = 12};

static enum hand_read read_spool(struct hand_spool *spool, size_t size)
{
    struct hand_frame frame;
    return hand_spool_read(spool, small, size, &frame);
}

START_TEST(test_spool_in_order)
{
    struct hand_spool spool = {0};
    size_t whole = 0;
    size_t size = hand_begin_write(small, &a_begin);
    ck_assert_int_eq(read_spool(&spool, size - 1), HAND_MORE);
    ck_assert_int_eq(read_spool(&spool, size), HAND_WHOLE);
    whole += size;
    ck_assert_str_eq(spool.begin.boot, a_begin.boot);
    ck_assert_str_eq(spool.begin.node, "n1");
    size = hand_started_write(small, &a_start);
    ck_assert_int_eq(read_spool(&spool, size), HAND_WHOLE);
    whole += size;
    ck_assert_uint_eq(spool.started.command, 11);
    for (uint8_t stream = HAND_STDOUT; stream <= HAND_STDERR; stream++) {
        size = hand_frame_seal(small, HAND_OUTPUT, stream, 5);
        ck_assert_int_eq(read_spool(&spool, size), HAND_WHOLE);
        whole += size;
    }
    ck_assert_uint_eq(spool.output_bytes, 10);
    const struct hand_end short_end = passing_end(9);
    ck_assert_int_eq(read_spool(&spool, hand_end_write(small, &short_end)), HAND_BAD);
    const struct hand_end end = passing_end(10);
    size = hand_end_write(small, &end);
    ck_assert_int_eq(read_spool(&spool, size), HAND_WHOLE);
    whole += size;
    ck_assert_int_eq(spool.stage, HAND_STAGE_ENDED);
    ck_assert_uint_eq(spool.whole, whole);
    ck_assert_int_eq(read_spool(&spool, 0), HAND_MORE);
    ck_assert_int_eq(read_spool(&spool, 1), HAND_BAD);
}
END_TEST

START_TEST(test_spool_out_of_order)
{
    struct hand_spool spool = {0};
    const struct hand_end end = passing_end(0);
    const struct hand_end not_started = {
        .ended = HAND_NOT_STARTED, .step = HAND_STEP_PROGRAM, .code = 2, .proven = true};
    const struct hand_end unwritten = {.ended = HAND_SIGNALED, .code = 9, .spool_errno = 5};
    ck_assert_int_eq(read_spool(&spool, hand_started_write(small, &a_start)), HAND_BAD);
    ck_assert_int_eq(read_spool(&spool, hand_end_write(small, &end)), HAND_BAD);
    ck_assert_int_eq(read_spool(&spool, hand_begin_write(small, &a_begin)), HAND_WHOLE);
    const struct hand_spool begun = spool;
    ck_assert_int_eq(read_spool(&spool, hand_begin_write(small, &a_begin)), HAND_BAD);
    ck_assert_int_eq(read_spool(&spool, hand_frame_seal(small, HAND_OUTPUT, HAND_STDOUT, 1)),
                     HAND_BAD);
    ck_assert_int_eq(read_spool(&spool, hand_end_write(small, &end)), HAND_BAD);
    ck_assert_mem_eq(&spool, &begun, sizeof(spool));
    ck_assert_int_eq(read_spool(&spool, hand_end_write(small, &not_started)), HAND_WHOLE);
    spool = begun;
    ck_assert_int_eq(read_spool(&spool, hand_end_write(small, &unwritten)), HAND_WHOLE);
    spool = begun;
    ck_assert_int_eq(read_spool(&spool, hand_started_write(small, &a_start)), HAND_WHOLE);
    ck_assert_int_eq(read_spool(&spool, hand_started_write(small, &a_start)), HAND_BAD);
    ck_assert_int_eq(read_spool(&spool, hand_end_write(small, &not_started)), HAND_BAD);
    ck_assert_int_eq(read_spool(&spool, hand_frame_seal(small, HAND_OUTPUT, HAND_STDOUT, 0)),
                     HAND_BAD);
    ck_assert_int_eq(read_spool(&spool, hand_stamp_write(small, HAND_TERM, 0)), HAND_BAD);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hand protocol");
    TCase *frames = test_case(suite, "frames");
    tcase_add_test(frames, test_bytes_of_a_frame_never_change);
    tcase_add_test(frames, test_each_beginning_of_a_frame_needs_more);
    tcase_add_test(frames, test_a_wrong_bit_is_found);
    tcase_add_test(frames, test_payload_has_a_limit);
    tcase_add_test(frames, test_only_output_has_a_stream);
    TCase *channel = test_case(suite, "channel");
    tcase_add_test(channel, test_hello);
    tcase_add_test(channel, test_hello_is_found_after_noise);
    tcase_add_test(channel, test_refusal);
    tcase_add_test(channel, test_stamps);
    tcase_add_test(channel, test_pieces_of_a_spool);
    tcase_add_test(channel, test_finish);
    TCase *request = test_case(suite, "request");
    tcase_add_test(request, test_request_in_order);
    tcase_add_test(request, test_request_out_of_order);
    tcase_add_test(request, test_request_limits);
    tcase_add_test(request, test_words_of_a_request);
    tcase_add_test(request, test_words_together_have_a_limit);
    TCase *spool = test_case(suite, "spool");
    tcase_add_test(spool, test_end_keeps_every_value);
    tcase_add_test(spool, test_ends_that_contradict_themselves);
    tcase_add_test(spool, test_what_passes);
    tcase_add_test(spool, test_spool_in_order);
    tcase_add_test(spool, test_spool_out_of_order);
    return suite;
}
