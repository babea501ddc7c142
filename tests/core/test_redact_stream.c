#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "redact.h"
#include "test_main.h"

static struct redactor *plain;    /* values and forms */
static struct redactor *patterns; /* a pattern beside them */

static struct redactor *open_redactor(const struct secret_settings *settings)
{
    char token[] = "A_TOKEN=tok-tok-tok-7", other[] = "B_SECRET=tok-7 and more of it";
    char lines[] = "C_KEY=line number 1\nline number 2\n", again[] = "D_KEY=xyxyxyxyxyxyz";
    char *const environment[] = {token, other, lines, again, NULL};
    const struct redact_setting setting = {.environment = environment, .settings = settings};
    struct redactor *redactor = NULL;
    struct err err = {0};
    ck_assert_msg(redactor_open(&redactor, &setting, &err), "%s", err.message);
    return redactor;
}

static void setup(void)
{
    char name[] = "badge", regex[] = "\\bB-[0-9]{4}$";
    struct redact_pattern pattern = {name, regex};
    const struct secret_settings settings = {.patterns = &pattern, .pattern_count = 1};
    plain = open_redactor(NULL);
    patterns = open_redactor(&settings);
}

static void teardown(void)
{
    redactor_close(plain);
    redactor_close(patterns);
}

static void collect(void *ctx, const char *bytes, size_t len)
{
    ck_assert_uint_ge(len, 1);
    ck_assert_uint_le(len, REDACT_SINK_MAX);
    str_add_n(ctx, bytes, len);
}

static const char text[] =
    "start tok-tok-tok-7 and more of it, tok-tok-tok-tok-7\n"
    "a\033[1mtok-\033[31mtok-\033[0mtok-7\033[m tok-\001to\177k-\302\205tok-\033(B7 "
    "tok-tok\033[1;2 tok\033]8;;tok-tok-tok-7\a tok\033tok-tok-tok-7\n"
    "line number 1\r\nline number 2\r\nline number 2\nB-1234\nno B-12345\n"
    "dG9rLXRvay10b2stNw== 746f6b2d746f6b2d746f6b2d37 %74%6f%6b%2d%74%6f%6b%2d%74%6f%6b%2d%37\n"
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789abc; AKIAABCDEFGH23456789 AKIAABCDEFGH234567890\n"
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln https://u:pa55@h/ https://h:1/ "
    "xyxyxyxyxyxyxyxyz\n"
    "Authorization: Bearer abc123DEF.x sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345\n"
    "-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES\n\nabcdefghijklmnopqrstuvwxyz012345\nab==\n"
    "-----END RSA PRIVATE KEY-----\nrest B-7777\nhttps://x:y@tok-tok-tok-";

static void cut_in_pieces(const struct redactor *redactor, size_t first, size_t piece,
                          struct str *out)
{
    struct redact_stream *stream = NULL;
    size_t at = 0;
    redact_stream_open(&stream, redactor);
    for (size_t len = first; at < sizeof(text) - 1; len = piece) {
        const size_t left = sizeof(text) - 1 - at;
        len = len < left ? len : left;
        redact_stream_add(stream, text + at, len, collect, out);
        at += len;
    }
    redact_stream_end(stream, collect, out);
    redact_stream_close(stream);
}

static void check_pieces(const struct redactor *redactor)
{
    struct str whole = {0}, pieces = {0};
    cut_in_pieces(redactor, sizeof(text), sizeof(text), &whole);
    for (size_t piece = 1; piece <= 9; piece++) {
        str_clear(&pieces);
        cut_in_pieces(redactor, piece, piece, &pieces);
        ck_assert_str_eq(pieces.data, whole.data);
    }
    for (size_t border = 0; border < sizeof(text); border++) {
        str_clear(&pieces);
        cut_in_pieces(redactor, border, sizeof(text), &pieces);
        ck_assert_str_eq(pieces.data, whole.data);
    }
    str_done(&whole);
    str_done(&pieces);
}

START_TEST(test_where_pieces_end_does_not_matter)
{
    check_pieces(plain);
    check_pieces(patterns);
}
END_TEST

START_TEST(test_all_of_it_is_cut_as_it_should_be)
{
    struct str out = {0};
    redact_text(patterns, text, sizeof(text) - 1, &out, NULL);
    ck_assert_str_eq(out.data,
                     "start [cut:A_TOKEN], tok-[cut:A_TOKEN]\n"
                     "a\033[1m[cut:A_TOKEN]\033[m [cut:A_TOKEN] tok-tok\033[1;2 "
                     "tok\033]8;;[cut:A_TOKEN]\a tok\033[cut:A_TOKEN]\n"
                     "[cut:C_KEY]\r\n[cut:C_KEY]\n[cut:badge]\nno B-12345\n"
                     "[cut:A_TOKEN] [cut:A_TOKEN] [cut:A_TOKEN]\n"
                     "[cut:github-token]; [cut:aws-key-id] AKIAABCDEFGH234567890\n"
                     "[cut:jwt] https://u:[cut:url-password]@h/ https://h:1/ xyxy[cut:D_KEY]\n"
                     "Authorization: Bearer [cut:authorization] [cut:anthropic-key]\n"
                     "-----BEGIN RSA PRIVATE KEY-----[cut:private-key]\nrest [cut:badge]\n"
                     "https://x:[cut:url-password]@[cut:A_TOKEN]");
    str_done(&out);
}
END_TEST

/* What came out so far, of one stream. */
static size_t came(struct redact_stream *stream, const char *bytes, struct str *out)
{
    redact_stream_add(stream, bytes, strlen(bytes), collect, out);
    return out->len;
}

START_TEST(test_no_more_is_held_back_than_may_be_a_secret)
{
    struct redact_stream *stream = NULL;
    struct str out = {0};
    redact_stream_open(&stream, plain);
    ck_assert_uint_eq(came(stream, "go on? [y/n] ", &out), 13);
    ck_assert_uint_eq(came(stream, "tok-tok", &out), 13);
    ck_assert_uint_eq(came(stream, "! ", &out), 22);
    ck_assert_uint_eq(came(stream, "tok-tok-tok-7", &out), 22 + strlen("[cut:A_TOKEN]"));
    redact_stream_end(stream, collect, &out);
    str_done(&out);
    redact_stream_close(stream);
}
END_TEST

START_TEST(test_beginning_of_a_value_at_the_end_is_cut)
{
    struct str out = {0};
    redact_text(plain, "tok-tok", 7, &out, NULL);
    ck_assert_str_eq(out.data, "tok-tok");
    str_clear(&out);
    redact_text(plain, "<tok-tok-", 9, &out, NULL);
    ck_assert_str_eq(out.data, "<[cut:A_TOKEN]");
    str_done(&out);
}
END_TEST

START_TEST(test_stream_begins_anew_after_its_end)
{
    struct redact_stream *stream = NULL;
    struct str out = {0};
    redact_stream_open(&stream, patterns);
    redact_stream_end(stream, collect, &out);
    (void)came(stream, "tok-tok-", &out);
    redact_stream_end(stream, collect, &out);
    (void)came(stream, "tok-7 tok-tok-tok-7", &out);
    redact_stream_end(stream, collect, &out);
    ck_assert_str_eq(out.data, "[cut:A_TOKEN]tok-7 [cut:A_TOKEN]");
    ck_assert_int_eq(redact_stream_counts(stream)->all, 2);
    str_done(&out);
    redact_stream_close(stream);
}
END_TEST

static void count_bytes(void *ctx, const char *bytes, size_t len)
{
    (void)bytes;
    *(size_t *)ctx += len;
}

/* Bytes that never come to an end of what is cut, or of what may be. */
static const struct {
    const char *again;
    size_t most; /* bytes that may come out of it */
} floods[] = {
    {"xy", 100},                                       /* a value that overlaps with itself */
    {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", 100}, /* a token without an end */
    {"A", SIZE_MAX},
    {"a://b:", SIZE_MAX},
    {"eyJ", SIZE_MAX},
    {"-----BEGIN ", SIZE_MAX},
    {" \\", SIZE_MAX},
    {"authorization:", SIZE_MAX},
};

/* More than may be held back; more still where it does not take long. */
enum { FLOOD_PIECE = 6000, FLOOD_TIMEOUT_S = 120 };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { FLOOD_PIECES = 15 };
#elif defined(__OPTIMIZE__)
enum { FLOOD_PIECES = 500 };
#else
enum { FLOOD_PIECES = 100 };
#endif
static_assert(FLOOD_PIECE * FLOOD_PIECES > REDACT_HOLD_MAX, "the limit is met");

START_TEST(test_flood_is_held_back_within_limits)
{
    const struct redactor *both[] = {plain, patterns};
    const size_t len = strlen(floods[_i].again);
    for (int which = 0; which < 2; which++) {
        struct redact_stream *stream = NULL;
        char bytes[FLOOD_PIECE];
        size_t in = 0, out = 0;
        redact_stream_open(&stream, both[which]);
        if (len == 2)
            redact_stream_add(stream, "xyxyxyxyxyxyz", 12, count_bytes, &out);
        for (int i = 0; i < FLOOD_PIECES; i++) {
            for (size_t j = 0; j < FLOOD_PIECE; j++)
                bytes[j] = floods[_i].again[in++ % len];
            redact_stream_add(stream, bytes, FLOOD_PIECE, count_bytes, &out);
            if (floods[_i].most == SIZE_MAX)
                ck_assert_uint_ge(out + REDACT_HOLD_MAX, in);
        }
        redact_stream_end(stream, count_bytes, &out);
        redact_stream_close(stream);
    }
}
END_TEST

/* Outputs as tools write them: nothing is cut but what is a token. */
static const struct {
    const char *file;
    int cuts;
} recorded[] = {
    {"tests/data/errors-captured.jsonl", 0}, {"tests/data/failures-more.jsonl", 0},
    {"tests/data/loops.jsonl", 8},           {"tests/data/loops-more.jsonl", 0},
    {"tests/data/retry-after.jsonl", 0},     {"tests/data/rules-reasons.jsonl", 0},
    {"tests/data/rules-types.jsonl", 0},
};

START_TEST(test_recorded_outputs_stay)
{
    struct redact_counts counts = {0};
    char *original = test_read_file(test_source_path(recorded[_i].file));
    ck_assert_ptr_nonnull(original);
    char *got = redact_string(plain, original, &counts);
    ck_assert_int_eq(counts.all, recorded[_i].cuts);
    ck_assert((strcmp(got, original) == 0) == (recorded[_i].cuts == 0));
    redact_counts_done(&counts);
    free(got);
    free(original);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("redact_stream");
    TCase *tcase = test_case(suite, "pieces");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_where_pieces_end_does_not_matter);
    tcase_add_test(tcase, test_all_of_it_is_cut_as_it_should_be);
    tcase_add_test(tcase, test_no_more_is_held_back_than_may_be_a_secret);
    tcase_add_test(tcase, test_beginning_of_a_value_at_the_end_is_cut);
    tcase_add_test(tcase, test_stream_begins_anew_after_its_end);
    tcase_add_loop_test(tcase, test_recorded_outputs_stay, 0, TABLE_LEN(recorded));
    TCase *long_case = test_case(suite, "floods");
    tcase_add_checked_fixture(long_case, setup, teardown);
    tcase_set_timeout(long_case, FLOOD_TIMEOUT_S);
    tcase_add_loop_test(long_case, test_flood_is_held_back_within_limits, 0, TABLE_LEN(floods));
    return suite;
}
