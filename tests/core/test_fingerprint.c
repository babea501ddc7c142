#include "fingerprint.h"

#include <string.h>

#include "fingerprint_internal.h"
#include "json.h"
#include "str.h"
#include "test_main.h"

/* The output of an attempt, and its end. */
struct sample {
    const char *name;
    const char *out;
    const char *err;
    enum outcome_kind kind;
    int code;
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
    const struct sample sample = {"", out, "", OUTCOME_EXIT, 1};
    return take_in_pieces(&sample, SIZE_MAX / 2);
}

static const struct sample base = {"base", "one two\n3 failed", "bad", OUTCOME_EXIT, 1};

static const struct sample different[] = {
    {"another code", "one two\n3 failed", "bad", OUTCOME_EXIT, 2},
    {"another kind", "one two\n3 failed", "bad", OUTCOME_SIGNAL, 1},
    {"another number", "one two\n2 failed", "bad", OUTCOME_EXIT, 1},
    {"another stderr", "one two\n3 failed", "worse", OUTCOME_EXIT, 1},
    {"a line twice", "one two\n3 failed", "bad\nbad", OUTCOME_EXIT, 1},
    {"a line less", "3 failed", "bad", OUTCOME_EXIT, 1},
    {"nothing said", "", "", OUTCOME_EXIT, 1},
};

START_TEST(test_different_results_differ)
{
    ck_assert_msg(!digest_equal(take(&base), take(&different[_i])), "%s", different[_i].name);
}
END_TEST

static const struct sample alike[] = {
    {"lines in another order", "3 failed\none two\n", "bad\n", OUTCOME_EXIT, 1},
    {"on the other stream", "one two\nbad", "3 failed", OUTCOME_EXIT, 1},
    {"blank lines and blanks", "\n  one   two\r\n\n3 failed\n", "bad \n", OUTCOME_EXIT, 1},
    {"colors", "\033[1mone\033[0m two\n3 failed", "\033[31mbad\033[m", OUTCOME_EXIT, 1},
};

START_TEST(test_order_blanks_and_colors_do_not_count)
{
    ck_assert_msg(digest_equal(take(&base), take(&alike[_i])), "%s", alike[_i].name);
}
END_TEST

static const struct sample cut[] = {
    {"JSON, and text on stderr", "[\"a\",\n {\"b\": 1.0}]\n",
     "2026-08-21T14:06:15Z 3 failed in 1.5s\r\nx", OUTCOME_EXIT, 1},
    {"blanks before JSON", "\n \t\r\n[1]\n", "", OUTCOME_EXIT, 1},
    {"text before JSON", "\x01 A\n[1]\n", "", OUTCOME_EXIT, 1},
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

/* A NUL before JSON is not a blank, not even in a piece of its own. */
START_TEST(test_a_nul_is_not_json)
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

START_TEST(test_a_silent_attempt_has_a_digest)
{
    const struct sample silent = {"silent", "", "", OUTCOME_EXIT, 0};
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
    const struct sample text = {"", "[1/400] Building C object a.o\n", "", OUTCOME_EXIT, 1};
    ck_assert_int_eq((int)take_in_pieces(&text, 5).kind, (int)FINGERPRINT_TEXT);
    const struct sample scalar = {"", "17\n", "", OUTCOME_EXIT, 1};
    ck_assert_int_eq((int)take_in_pieces(&scalar, 5).kind, (int)FINGERPRINT_TEXT);
    const struct sample blank = {"", " \n\n[]\n", "", OUTCOME_EXIT, 1};
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
    const struct sample longest = {"", str_text(&text), "", OUTCOME_EXIT, 0};
    ck_assert_int_eq((int)take_in_pieces(&longest, 4096).kind, (int)FINGERPRINT_JSON);
    str_add_char(&text, ' ');
    const struct sample longer = {"", str_text(&text), "", OUTCOME_EXIT, 0};
    ck_assert_int_eq((int)take_in_pieces(&longer, 4096).kind, (int)FINGERPRINT_TEXT);
    str_done(&text);
}
END_TEST

/* The result of a call whose arguments are known. */
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
    const struct sample a = {"", "took 3 ms\n", "", OUTCOME_EXIT, 0};
    const struct sample b = {"", "took 4 ms\n", "", OUTCOME_EXIT, 0};
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
    ck_assert_int_eq(a.count[1], 0); /* the line has not ended */
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

/* The same line again and again; a long one, because short ones are slow with a sanitizer. */
static void fill(struct str *piece)
{
    char line[LINE];
    memset(line, 'x', sizeof(line));
    line[LINE - 1] = '\n';
    while (piece->len < PIECE)
        str_add_n(piece, line, sizeof(line));
}

/* Output past the limit, and its tail, which the caller kept. */
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

/* Two streams within their limits, in either order. */
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

/*
 * The summary of a test runner.
 */

static const struct {
    const char *text;
    const char *want;
} summaries[] = {
    {"x.py F\n==== 1 failed, 13 passed, 2 skipped in 0.21s ====\n",
     "pytest 13 passed 1 failed 2 skipped"},
    {"==== 3 passed, 1 error in 1.00s ====\n", "pytest 3 passed 1 failed"},
    {"test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out\ntest "
     "result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; finished in 0.00s\n",
     "cargo 15 passed 1 failed 2 skipped"},
    {"Tests:       1 failed, 13 passed, 14 total\nTime: 1.2 s\n",
     "jest 13 passed 1 failed 14 total"},
    {" Tests  2 failed | 11 passed (13)\n", "vitest 11 passed 2 failed"},
    {"[ERROR] Tests\nTests run: 14, Failures: 1, Errors: 2, Skipped: 3\n",
     "junit 3 failed 3 skipped 14 total"},
    {"# tests 14\n# pass 13\n# fail 1\n# skipped 0\n", "tap 13 passed 1 failed 14 total"},
    {"# tests 14, passed 13, failed 1\n", "tap 13 passed 1 failed 14 total"},
    {"Ran 14 tests in 0.002s\n\nFAILED (failures=1, errors=2, skipped=1)\n",
     "unittest 3 failed 1 skipped 14 total"},
    {"[  PASSED  ] 13 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Tax.Rounds\n",
     "gtest 13 passed 1 failed"},
    {"92%: Checks: 13, Failures: 1, Errors: 0\n", "check 1 failed 13 total"},
    {"92% tests passed, 1 tests failed out of 13\n", "ctest 12 passed 1 failed 13 total"},
    {"  13 passing (20ms)\n  1 failing\n", "mocha 13 passed 1 failed"},
    {"\033[31m==== 1 failed in 0.21s ====\033[0m\n", "pytest 1 failed"},
    {"==== 1 failed in 0.2s ====\n# tests 3\n# pass 3\n", "tap 3 passed 3 total"},
};

static struct classify_text text_of(const char *text)
{
    return (struct classify_text){.bytes = text, .len = strlen(text)};
}

/* The form, and the counts that are reported. */
static void spell(const struct test_report *report, struct str *out)
{
    const struct {
        int64_t count;
        const char *name;
    } counts[] = {{report->passed, "passed"},
                  {report->failed, "failed"},
                  {report->skipped, "skipped"},
                  {report->total, "total"}};
    str_add(out, report->form);
    for (int i = 0; i < TABLE_LEN(counts); i++) {
        if (counts[i].count != -1)
            str_addf(out, " %lld %s", (long long)counts[i].count, counts[i].name);
    }
}

START_TEST(test_summaries_are_read)
{
    struct classify_text text = text_of(summaries[_i].text);
    struct test_report report;
    struct str spelled = {0};
    ck_assert_msg(test_report_find(&text, &report), "%s: none found", summaries[_i].want);
    spell(&report, &spelled);
    ck_assert_str_eq(str_text(&spelled), summaries[_i].want);
    ck_assert_ptr_null(strchr(report.line, '\x1b'));
    str_done(&spelled);
}
END_TEST

static const char *const not_summaries[] = {
    "",
    "ok 1 - adds\nnot ok 2 - rounds\n",
    "I ran the tests: 13 passed and 1 failed.\n",
    "PASS src/tax.test.js\n",
    "=== nothing in here ===\n",
    "Ran out of memory in 3 tests\n",
};

START_TEST(test_other_text_is_not_a_summary)
{
    struct classify_text text = text_of(not_summaries[_i]);
    struct test_report report;
    ck_assert(!test_report_find(&text, &report));
}
END_TEST

START_TEST(test_a_number_that_is_too_large_is_bounded)
{
    struct str line = {0};
    str_add(&line, "# pass ");
    for (int i = 0; i < 400; i++)
        str_add_char(&line, '9');
    str_add_char(&line, '\n');
    struct classify_text text = {.bytes = line.data, .len = line.len};
    struct test_report report;
    ck_assert(test_report_find(&text, &report));
    ck_assert_int_ge(report.passed, TEST_REPORT_NUMBER_MAX);
    ck_assert_int_lt(report.passed, INT64_C(20) * TEST_REPORT_NUMBER_MAX);
    ck_assert_uint_lt(strlen(report.line), TEST_REPORT_LINE_MAX);
    str_done(&line);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fingerprint");
    TCase *text = test_case(suite, "text");
    tcase_add_loop_test(text, test_different_results_differ, 0, TABLE_LEN(different));
    tcase_add_loop_test(text, test_order_blanks_and_colors_do_not_count, 0, TABLE_LEN(alike));
    tcase_add_loop_test(text, test_pieces_do_not_matter, 0, TABLE_LEN(cut));
    tcase_add_test(text, test_a_nul_is_not_json);
    tcase_add_test(text, test_a_silent_attempt_has_a_digest);
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
    TCase *report = test_case(suite, "report");
    tcase_add_loop_test(report, test_summaries_are_read, 0, TABLE_LEN(summaries));
    tcase_add_test(report, test_a_number_that_is_too_large_is_bounded);
    tcase_add_loop_test(report, test_other_text_is_not_a_summary, 0, TABLE_LEN(not_summaries));
    return suite;
}
