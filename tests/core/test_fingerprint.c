#include "fingerprint.h"

#include <string.h>

#include "fingerprint_internal.h"
#include "json.h"
#include "str.h"
#include "test_main.h"

struct sample {
    const char *name;
    enum outcome_kind kind;
    int code;
    const char *out;
    const char *err;
};

static struct fingerprint_result take_in_pieces(const struct sample *sample, size_t piece)
{
    struct fingerprint *fingerprint;
    const char *texts[FINGERPRINT_STREAMS] = {sample->out, sample->err};
    fingerprint_open(&fingerprint, NULL);
    for (int i = 0; i < FINGERPRINT_STREAMS; i++) {
        const size_t len = strlen(texts[i]);
        for (size_t at = 0; at < len; at += piece)
            fingerprint_add(fingerprint, i, texts[i] + at, len - at < piece ? len - at : piece);
    }
    struct fingerprint_result result = fingerprint_finish(fingerprint, sample->kind, sample->code);
    fingerprint_close(fingerprint);
    return result;
}

static struct digest take(const struct sample *sample)
{
    return take_in_pieces(sample, SIZE_MAX / 2).digest;
}

static struct fingerprint_result take_out(const char *out)
{
    const struct sample sample = {"", OUTCOME_EXIT, 1, out, ""};
    return take_in_pieces(&sample, SIZE_MAX / 2);
}

static const struct sample base = {"base", OUTCOME_EXIT, 1, "one two\n3 failed", "bad"};

static const struct sample different[] = {
    {"another code", OUTCOME_EXIT, 2, "one two\n3 failed", "bad"},
    {"another kind", OUTCOME_SIGNAL, 1, "one two\n3 failed", "bad"},
    {"another number", OUTCOME_EXIT, 1, "one two\n2 failed", "bad"},
    {"another stderr", OUTCOME_EXIT, 1, "one two\n3 failed", "worse"},
    {"a line twice", OUTCOME_EXIT, 1, "one two\n3 failed", "bad\nbad"},
    {"a line less", OUTCOME_EXIT, 1, "3 failed", "bad"},
    {"nothing said", OUTCOME_EXIT, 1, "", ""},
};

START_TEST(test_different_results_differ)
{
    ck_assert_msg(!digest_equal(take(&base), take(&different[_i])), "%s", different[_i].name);
}
END_TEST

static const struct sample alike[] = {
    {"lines in another order", OUTCOME_EXIT, 1, "3 failed\none two\n", "bad\n"},
    {"on the other stream", OUTCOME_EXIT, 1, "one two\nbad", "3 failed"},
    {"blank lines and blanks", OUTCOME_EXIT, 1, "\n  one   two\r\n\n3 failed\n", "bad \n"},
    {"colors", OUTCOME_EXIT, 1, "\033[1mone\033[0m two\n3 failed", "\033[31mbad\033[m"},
};

START_TEST(test_what_is_no_news_does_not_count)
{
    ck_assert_msg(digest_equal(take(&base), take(&alike[_i])), "%s", alike[_i].name);
}
END_TEST

static const struct sample cut[] = {
    {"JSON, and text on stderr", OUTCOME_EXIT, 1, "[\"a\",\n {\"b\": 1.0}]\n",
     "2026-08-21T14:06:15Z 3 failed in 1.5s\r\nx"},
    {"blanks before JSON", OUTCOME_EXIT, 1, "\n \t\r\n[1]\n", ""},
    {"text before JSON", OUTCOME_EXIT, 1, "\x01 A\n[1]\n", ""},
};

START_TEST(test_pieces_do_not_matter)
{
    const struct fingerprint_result want = take_in_pieces(&cut[_i], SIZE_MAX / 2);
    for (size_t piece = 1; piece < 40; piece++) {
        const struct fingerprint_result result = take_in_pieces(&cut[_i], piece);
        ck_assert(digest_equal(result.digest, want.digest));
        ck_assert_uint_eq(result.raw, want.raw);
        ck_assert_int_eq(result.lines, want.lines);
        ck_assert_uint_eq(result.masked, want.masked);
        ck_assert_int_eq((int)result.kind, (int)want.kind);
    }
}
END_TEST

/* A NUL is no blank before JSON, in a piece of its own neither. */
START_TEST(test_a_nul_is_no_json)
{
    static const char bytes[] = "\0 A\n[1]";
    const size_t len = sizeof(bytes) - 1;
    for (size_t first = 1; first < len; first++) {
        struct fingerprint *fingerprint;
        fingerprint_open(&fingerprint, NULL);
        fingerprint_add(fingerprint, 0, bytes, first);
        fingerprint_add(fingerprint, 0, &bytes[first], len - first);
        ck_assert_int_eq((int)fingerprint_finish(fingerprint, OUTCOME_EXIT, 0).kind,
                         (int)FINGERPRINT_TEXT);
        fingerprint_close(fingerprint);
    }
}
END_TEST

START_TEST(test_C2_unmasked_json_has_the_hash_of_its_canonical_text)
{
    static const char text[] = "{\"b\": [1.0, \"x  \\u28ff y\"], \"a\": null}";
    unsigned char want[CANONICAL_HASH_BYTES];
    unsigned char hash[CANONICAL_HASH_BYTES];
    struct json *json = NULL;
    ck_assert(json_parse(text, strlen(text), &json, NULL, NULL));
    canonical_hash(json, want);
    fingerprint_json_hash(json, NULL, hash);
    ck_assert_mem_eq(hash, want, sizeof(want));
    json_free(json);
}
END_TEST

START_TEST(test_is_never_nothing)
{
    const struct sample silent = {"silent", OUTCOME_EXIT, 0, "", ""};
    ck_assert(digest_is_known(take(&silent)));
    fingerprint_close(NULL);
}
END_TEST

static const struct {
    const char *a, *b;
    bool equal, alike; /* as they are; once masked */
} values[] = {
    {"{\"a\":1,\"b\":[1,2]}", "{ \"b\": [1.0, 2],\n \"a\": 1e0 }\n", true, true},
    {"{\"a\":1}", "{\"a\":2}", false, false},
    {"[1,2]", "[2,1]", false, false},
    {"{\"n\":1,\"durationMs\":391,\"pid\":15514}", "{\"pid\":4,\"n\":1.0,\"durationMs\":2}", false,
     true},
    {"{\"at\":\"2026-08-21T14:06:15Z\"}", "{\"at\":\"2026-08-21T14:07:15Z\"}", false, true},
    {"[{\"x\":\"a\\nb\"}]", "[{\"x\":\"a b\"}]", false, false},
    {"{\"a\":1}", "{\"a\":1} ", true, true},
    {"{\"a\":1}", "x {\"a\":1}", false, false},
    {"{\"a\":\"x  y\"}", "{\"a\":\"x y\"}", false, false},        /* blanks are content there */
    {"{\"a\":1}\n{\"a\":2}", "{\"a\":2}\n{\"a\":1}", true, true}, /* lines, so text */
};

START_TEST(test_C2_json_is_compared_by_content)
{
    const struct fingerprint_result a = take_out(values[_i].a);
    const struct fingerprint_result b = take_out(values[_i].b);
    bool equal = digest_equal(a.digest, b.digest);
    bool same = digest_equal(a.masked_digest, b.masked_digest);
    ck_assert_msg(equal == values[_i].equal, "%s and %s", values[_i].a, values[_i].b);
    ck_assert_msg(same == values[_i].alike, "%s and %s, masked", values[_i].a, values[_i].b);
}
END_TEST

START_TEST(test_C2_text_is_no_json)
{
    const struct sample text = {"", OUTCOME_EXIT, 1, "[1/400] Building C object a.o\n", ""};
    ck_assert_int_eq((int)take_in_pieces(&text, 5).kind, (int)FINGERPRINT_TEXT);
    const struct sample scalar = {"", OUTCOME_EXIT, 1, "17\n", ""};
    ck_assert_int_eq((int)take_in_pieces(&scalar, 5).kind, (int)FINGERPRINT_TEXT);
    const struct sample blank = {"", OUTCOME_EXIT, 1, " \n\n[]\n", ""};
    ck_assert_int_eq((int)take_in_pieces(&blank, 1).kind, (int)FINGERPRINT_JSON);
}
END_TEST

START_TEST(test_long_json_is_text)
{
    struct str text = {0};
    str_add_char(&text, '[');
    while (text.len + 3 < FINGERPRINT_JSON_MAX)
        str_add(&text, "1,");
    str_add(&text, "1]");
    while (text.len < FINGERPRINT_JSON_MAX)
        str_add_char(&text, ' ');
    const struct sample longest = {"", OUTCOME_EXIT, 0, str_text(&text), ""};
    ck_assert_int_eq((int)take_in_pieces(&longest, 4096).kind, (int)FINGERPRINT_JSON);
    str_add_char(&text, ' ');
    const struct sample longer = {"", OUTCOME_EXIT, 0, str_text(&text), ""};
    ck_assert_int_eq((int)take_in_pieces(&longer, 4096).kind, (int)FINGERPRINT_TEXT);
    str_done(&text);
}
END_TEST

/* One call's result: what it was asked is known. */
static struct digest take_call(const char *arguments, const char *err, int code)
{
    struct normaliser_words *words;
    struct fingerprint *fingerprint;
    normaliser_words_open(&words);
    normaliser_words_add(words, arguments, strlen(arguments));
    fingerprint_open(&fingerprint, &(const struct fingerprint_setting){.words = words});
    fingerprint_add(fingerprint, 1, err, strlen(err));
    struct digest digest = fingerprint_finish(fingerprint, OUTCOME_EXIT, code).digest;
    fingerprint_close(fingerprint);
    normaliser_words_close(words);
    return digest;
}

START_TEST(test_an_echo_of_the_call_is_masked_only_where_it_fails)
{
    static const char *const errors[] = {"cat: src/alpha.c: No such file or directory",
                                         "cat: lib/beta.h: No such file or directory"};
    ck_assert(digest_equal(take_call("cat src/alpha.c", errors[0], 1),
                           take_call("cat lib/beta.h", errors[1], 1)));
    ck_assert(!digest_equal(take_call("cat src/alpha.c", errors[0], 0),
                            take_call("cat lib/beta.h", errors[1], 0)));
    ck_assert(!digest_equal(take_call("cat", errors[0], 1), take_call("cat", errors[1], 1)));
}
END_TEST

START_TEST(test_raw_tells_masked_bytes_apart)
{
    const struct sample a = {"", OUTCOME_EXIT, 0, "took 3 ms\n", ""};
    const struct sample b = {"", OUTCOME_EXIT, 0, "took 4 ms\n", ""};
    const struct fingerprint_result first = take_in_pieces(&a, 3);
    const struct fingerprint_result second = take_in_pieces(&b, 3);
    ck_assert(digest_equal(first.digest, second.digest));
    ck_assert_uint_ne(first.raw, second.raw);
    ck_assert_uint_eq(first.raw, take_in_pieces(&a, 1).raw);
    ck_assert_uint_eq(first.masked, 1U << NORMALISER_DURATIONS);
    ck_assert_int_eq(first.lines, 1);
}
END_TEST

struct seen {
    int count[FINGERPRINT_STREAMS];
    struct digest sum;
};

static void see(void *ctx, const struct fingerprint_line *line)
{
    struct seen *seen = ctx;
    seen->count[line->stream]++;
    seen->sum = digest_sum(seen->sum, line->hash);
    ck_assert(digest_equal(line->hash, line->general_hash));
    ck_assert_ptr_eq(line->line->bytes, line->line->general);
}

START_TEST(test_each_line_is_shown_with_its_hash)
{
    struct seen a = {0};
    struct seen b = {0};
    struct fingerprint *fingerprint;
    fingerprint_open(&fingerprint, &(const struct fingerprint_setting){.line = see, .ctx = &a});
    fingerprint_add(fingerprint, 0, "one\ntwo\n", 8);
    fingerprint_add(fingerprint, 1, "three", 5);
    ck_assert_int_eq(a.count[0], 2);
    ck_assert_int_eq(a.count[1], 0); /* not ended yet */
    (void)fingerprint_finish(fingerprint, OUTCOME_EXIT, 0);
    fingerprint_close(fingerprint);
    ck_assert_int_eq(a.count[1], 1);

    fingerprint_open(&fingerprint, &(const struct fingerprint_setting){.line = see, .ctx = &b});
    fingerprint_add(fingerprint, 0, "three\ntwo\n", 10);
    (void)fingerprint_finish(fingerprint, OUTCOME_EXIT, 0);
    fingerprint_close(fingerprint);
    ck_assert(!digest_equal(a.sum, b.sum));
}
END_TEST

enum { PIECE = 1024 * 1024, LINE = 1024 };

/* The same line over and over. Long ones: a sanitizer makes many short ones take long. */
static void fill(struct str *piece)
{
    char line[LINE];
    memset(line, 'x', sizeof(line));
    line[LINE - 1] = '\n';
    while (piece->len < PIECE)
        str_add_n(piece, line, sizeof(line));
}

/* A flood past the limit, and its end, which the caller kept. */
static struct fingerprint_result flood(size_t total, const char *tail)
{
    struct fingerprint *fingerprint;
    struct str piece = {0};
    fill(&piece);
    fingerprint_open(&fingerprint, NULL);
    for (size_t done = 0; done < total; done += PIECE)
        fingerprint_add(fingerprint, 0, str_text(&piece), PIECE);
    fingerprint_add(fingerprint, 0, tail, strlen(tail));
    fingerprint_add_tail(fingerprint, 0, tail, strlen(tail));
    fingerprint_add_tail(fingerprint, 1, "never came\n", 11);
    struct fingerprint_result result = fingerprint_finish(fingerprint, OUTCOME_EXIT, 1);
    fingerprint_close(fingerprint);
    str_done(&piece);
    return result;
}

START_TEST(test_past_the_limit_only_the_tail_counts)
{
    const size_t limit = FINGERPRINT_BYTES_MAX;
    const struct fingerprint_result all = flood(limit - PIECE, "rest\n2 failed\n");
    ck_assert(!all.partial);
    ck_assert_int_eq(all.skipped_bytes, 0);
    ck_assert_int_eq(all.lines, (int64_t)(limit - PIECE) / LINE + 2);

    const struct fingerprint_result part = flood(limit + PIECE, "rest\n2 failed\n");
    ck_assert(part.partial);
    ck_assert_int_eq(part.skipped_bytes, PIECE + 5); /* "rest" may be half a line */
    ck_assert_int_eq(part.lines, (int64_t)limit / LINE + 1);
    ck_assert(digest_equal(part.digest, flood(limit + 2 * PIECE, "rest\n2 failed\n").digest));
    ck_assert(!digest_equal(part.digest, flood(limit + PIECE, "rest\n1 failed\n").digest));
}
END_TEST

/* Two floods, each within its stream's limit, whichever comes first. */
static struct digest flood_both(int first)
{
    struct fingerprint *fingerprint;
    struct str piece = {0};
    fill(&piece);
    fingerprint_open(&fingerprint, NULL);
    for (int turn = 0; turn < FINGERPRINT_STREAMS; turn++) {
        const int stream = turn == 0 ? first : 1 - first;
        for (int i = 0; i < 40 + stream; i++)
            fingerprint_add(fingerprint, stream, str_text(&piece), PIECE);
    }
    struct fingerprint_result result = fingerprint_finish(fingerprint, OUTCOME_EXIT, 1);
    ck_assert(!result.partial);
    fingerprint_close(fingerprint);
    str_done(&piece);
    return result.digest;
}

START_TEST(test_each_stream_has_its_own_limit)
{
    ck_assert(digest_equal(flood_both(0), flood_both(1)));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fingerprint");
    TCase *text = test_case(suite, "text");
    tcase_add_loop_test(text, test_different_results_differ, 0, TABLE_LEN(different));
    tcase_add_loop_test(text, test_what_is_no_news_does_not_count, 0, TABLE_LEN(alike));
    tcase_add_loop_test(text, test_pieces_do_not_matter, 0, TABLE_LEN(cut));
    tcase_add_test(text, test_a_nul_is_no_json);
    tcase_add_test(text, test_is_never_nothing);
    tcase_add_test(text, test_an_echo_of_the_call_is_masked_only_where_it_fails);
    tcase_add_test(text, test_raw_tells_masked_bytes_apart);
    tcase_add_test(text, test_each_line_is_shown_with_its_hash);
    TCase *json = test_case(suite, "json");
    tcase_add_loop_test(json, test_C2_json_is_compared_by_content, 0, TABLE_LEN(values));
    tcase_add_test(json, test_C2_text_is_no_json);
    tcase_add_test(json, test_C2_unmasked_json_has_the_hash_of_its_canonical_text);
    tcase_add_test(json, test_long_json_is_text);
    TCase *limit = test_case(suite, "limit");
    tcase_set_tags(limit, "slow");
    tcase_add_test(limit, test_past_the_limit_only_the_tail_counts);
    tcase_add_test(limit, test_each_stream_has_its_own_limit);
    return suite;
}
