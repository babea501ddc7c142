#include "fingerprint.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data_rows.h"
#include "str.h"
#include "test_main.h"

/* All that the normaliser reports. */
struct told {
    struct str lines;   /* each with a line feed */
    struct str general; /* the same lines without the words of the call */
    struct str raw;
    size_t longest; /* of the raw lines */
    unsigned masked;
    int count;
};

static void note(void *ctx, const struct normaliser_line *line)
{
    struct told *told = ctx;
    str_add_n(&told->lines, line->bytes, line->len);
    str_add_char(&told->lines, '\n');
    str_add_n(&told->general, line->general, line->general_len);
    str_add_char(&told->general, '\n');
    str_add_n(&told->raw, line->raw, line->raw_len);
    str_add_char(&told->raw, '\n');
    told->longest = line->raw_len > told->longest ? line->raw_len : told->longest;
    told->masked |= line->masked;
    told->count++;
}

static void forget(struct told *told)
{
    str_done(&told->lines);
    str_done(&told->general);
    str_done(&told->raw);
}

/* The same numbers each time (xorshift, Marsaglia 2003). */
static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* In pieces of 1 to `most` bytes; 0: in one piece. `call` may be NULL: no words to mask. */
static struct told take(const char *bytes, size_t len, size_t most, const char *call)
{
    struct told told = {0};
    struct normaliser *normaliser = NULL;
    struct normaliser_words *words = NULL;
    uint32_t state = (uint32_t)most + 1;
    if (call) {
        normaliser_words_open(&words);
        normaliser_words_add(words, call, strlen(call));
    }
    normaliser_open(&normaliser, words, note, &told);
    for (size_t at = 0; at < len;) {
        size_t piece = most == 0 ? len : 1 + draw(&state) % most;
        piece = piece < len - at ? piece : len - at;
        normaliser_add(normaliser, bytes + at, piece);
        at += piece;
    }
    normaliser_end(normaliser);
    normaliser_close(normaliser);
    normaliser_words_close(words);
    return told;
}

/*
 * What is masked in a line, and what must stay.
 */

enum { NOTHING = -1, ANYTHING = -2 };

static void check_text(const struct told *told, const char *want)
{
    const size_t len = told->lines.len > 0 ? told->lines.len - 1 : 0; /* the last line feed */
    ck_assert_msg(len == strlen(want) && memcmp(str_text(&told->lines), want, len) == 0,
                  "'%s', not '%s'", str_text(&told->lines), want);
}

static void check_line(const char *raw, const char *want, int mask)
{
    struct told told = take(raw, strlen(raw), 0, NULL);
    struct told again = take(want, strlen(want), 0, NULL); /* a normal form stays as it is */
    check_text(&told, want);
    check_text(&again, want);
    if (mask == NOTHING)
        ck_assert_msg(told.masked == 0, "%s", raw);
    else
        ck_assert_msg(told.masked & (mask == ANYTHING ? ~0U : 1U << mask), "%s", raw);
    forget(&told);
    forget(&again);
}

/* A row has a "raw" line, its normal form ("want"; missing: the same), and a kind of what is
 * masked in it ("mask"; null: nothing). */
static void check_row(const struct json *row, void *ctx)
{
    (void)ctx;
    const char *raw = data_text(row, "raw");
    const char *want = json_text(json_get(row, "want"), raw);
    const char *kind = json_text(json_get(row, "mask"), NULL);
    int mask = NOTHING;
    for (int i = 0; kind && i < NORMALISER_MASK_COUNT; i++)
        mask = strcmp(kind, normaliser_mask_words((enum normaliser_mask)i)) == 0 ? i : mask;
    ck_assert_msg(!kind == (mask == NOTHING), "%s: %s", raw, kind);
    check_line(raw, want, mask);
}

START_TEST(test_lines_are_normalised)
{
    ck_assert_int_eq(data_rows("tests/data/normalised.jsonl", check_row, NULL), 177);
}
END_TEST

START_TEST(test_bytes_that_are_not_utf8_stay)
{
    check_line("\xff\xfe a\xc2\x9b", "\xff\xfe a", NOTHING);
}
END_TEST

static const char *const keys[] = {
    "completedAt", "correlationId", "created_at", "durationMs", "durationSeconds", "elapsedMs",
    "etag",        "expiresAt",     "finishedAt", "latency_ms", "messageId",       "nonce",
    "request-id",  "runId",         "sessionId",  "spanId",     "startedAt",       "startTime",
    "timestamp",   "tookMs",        "traceId",    "ts",         "updatedAt",
};

/* Text before and after a key, and what becomes of the text after it. */
static const struct {
    const char *before, *after, *want;
} forms[] = {
    {"{\"", "\": \"req x\", \"n\": 3}", "\": \"<v>\", \"n\": 3}"},
    {"{\"", "\":17.5,\"n\":3}", "\":<v>,\"n\":3}"},
    {"{'n': 1, '", "': 'a'}", "': '<v>'}"},
    {"\"{\\\"", "\\\":\\\"a\\\"}\"", "\\\":\\\"<v>\\\"}\""},
    {"n=1 ", "=a1b; c=2", "=<v>; c=2"},
    {"x: ", ": a1b c", ": <v> c"},
};

START_TEST(test_values_of_known_keys_are_masked)
{
    for (int form = 0; form < TABLE_LEN(forms); form++) {
        struct str raw = {0};
        struct str want = {0};
        str_addf(&raw, "%s%s%s", forms[form].before, keys[_i], forms[form].after);
        str_addf(&want, "%s%s%s", forms[form].before, keys[_i], forms[form].want);
        check_line(str_text(&raw), str_text(&want), ANYTHING);
        str_done(&raw);
        str_done(&want);
    }
}
END_TEST

START_TEST(test_kinds_have_names)
{
    static const char *const words[] = {"times",        "ids",       "addresses", "temp paths",
                                        "hex",          "durations", "pids",      "ports",
                                        "try counters", "seeds",     "rates",     "arguments"};
    ck_assert_int_eq(TABLE_LEN(words), NORMALISER_MASK_COUNT);
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++)
        ck_assert_str_eq(normaliser_mask_words((enum normaliser_mask)i), words[i]);
}
END_TEST

/*
 * A stream in pieces: the lines are the same wherever it is cut, and limited.
 */

static const char sample[] =
    "2026-08-21T14:06:15.803Z \033[31mERROR\033[0m cat: src/alpha.txt failed\r\n"
    "  10%\r  20% of it\r 100% of 7c9d8b6f5 in 3.2s\n\n\n"
    "\xe2\xa0\x8b abc\b\bd \t pid 4711\r\r\n"
    "\033]0;a title\007no \xe2\x9c\x93 line feed at /tmp/ccUwfH2T.s";

static const char sample_lines[] = "<ts> ERROR cat: src/alpha.txt failed\n"
                                   "100% of <hex> in <dur>\n"
                                   "ad pid <pid>\n"
                                   "no \xe2\x9c\x93 line feed at <tmp>\n";

static const char sample_general[] = "<ts> ERROR <arg>: <arg> failed\n"
                                     "100% of <hex> in <dur>\n"
                                     "ad pid <pid>\n"
                                     "no \xe2\x9c\x93 line feed at <tmp>\n";

START_TEST(test_cuts_do_not_matter)
{
    for (size_t most = 0; most < 100; most++) {
        struct told told = take(sample, sizeof(sample) - 1, most, "cat src/alpha.txt");
        ck_assert_str_eq(str_text(&told.lines), sample_lines);
        ck_assert_str_eq(str_text(&told.general), sample_general);
        ck_assert_int_eq(told.count, 4);
        forget(&told);
    }
}
END_TEST

START_TEST(test_raw_is_the_text_written_last)
{
    struct told told = take("10%\r20% \033[1mx\n", 15, 1, "");
    ck_assert_str_eq(str_text(&told.raw), "20% \033[1mx\n");
    forget(&told);
}
END_TEST

/* Lines around the limit, with and without a \r in them. */
static void add_long_line(struct str *text, size_t len, char c)
{
    for (size_t i = 0; i < len; i++)
        str_add_char(text, i % 61 == 60 ? ' ' : c);
}

START_TEST(test_long_lines_are_cut_in_the_same_places)
{
    static const size_t lengths[] = {NORMALISER_LINE_MAX - 1, NORMALISER_LINE_MAX,
                                     NORMALISER_LINE_MAX + 1, 3 * NORMALISER_LINE_MAX + 7};
    static const size_t pieces[] = {100, 5000, 70000};
    struct str text = {0};
    for (int i = 0; i < TABLE_LEN(lengths); i++) {
        add_long_line(&text, lengths[i], 'x');
        str_add(&text, i % 2 == 0 ? "\n" : "\r\n");
        add_long_line(&text, lengths[i], 'y');
        str_add_char(&text, '\r');
        add_long_line(&text, lengths[i], 'z');
        str_add_char(&text, '\n');
    }
    struct told whole = take(str_text(&text), text.len, 0, "");
    ck_assert_uint_eq(whole.longest, NORMALISER_LINE_MAX);
    for (int i = 0; i < TABLE_LEN(pieces); i++) {
        struct told told = take(str_text(&text), text.len, pieces[i], "");
        ck_assert_int_eq(told.count, whole.count);
        ck_assert(strcmp(str_text(&told.lines), str_text(&whole.lines)) == 0);
        ck_assert(strcmp(str_text(&told.raw), str_text(&whole.raw)) == 0);
        forget(&told);
    }
    forget(&whole);
    str_done(&text);
}
END_TEST

START_TEST(test_long_lines_are_cut_at_a_set_limit)
{
    static const char text[] = "abcdefgh\nijk\nlm";
    for (size_t cut = 0; cut < sizeof(text) - 1; cut++) {
        struct told told = {0};
        struct normaliser *normaliser;
        normaliser_open(&normaliser, NULL, note, &told);
        normaliser_set_line_max(normaliser, 3);
        normaliser_add(normaliser, text, cut);
        normaliser_add(normaliser, text + cut, sizeof(text) - 1 - cut);
        normaliser_end(normaliser);
        ck_assert_str_eq(str_text(&told.lines), "abc\ndef\ngh\nijk\nlm\n");
        normaliser_close(normaliser);
        forget(&told);
    }
}
END_TEST

/* Text whose normal form is longest. */
static const char *const swelling[] = {"1s,", "seed 1,", "ts=1,", "1h/s ", "0x1 ", "pid 1 "};

START_TEST(test_a_normalised_line_has_a_limit_too)
{
    struct str text = {0};
    while (text.len + strlen(swelling[_i]) <= NORMALISER_LINE_MAX)
        str_add(&text, swelling[_i]);
    struct told told = take(str_text(&text), text.len, 0, "seed pid");
    ck_assert_int_eq(told.count, 1);
    ck_assert_uint_le(told.lines.len, NORMALISER_TEXT_MAX);
    ck_assert_uint_le(told.general.len, NORMALISER_TEXT_MAX);
    forget(&told);
    str_done(&text);
}
END_TEST

/* Long lines that once took quadratic time. */
static const char *const hostile[] = {
    "/tmp/=",   "/tmp/build@", "/var/folders/a/1/=", "1787300000.", "1.2.",
    "ts=pid=1", "eyJ1-a1-",    "1m 1m/s ",           "0.1/0.2/",    "/tmp/a/",
    "x\033]",   "seed 1,000,", "tests/x.c:",
};

START_TEST(test_hostile_lines_take_linear_time)
{
    struct str text = {0};
    while (text.len < 16 * (size_t)NORMALISER_LINE_MAX) /* the case's time limit is the check */
        str_add(&text, hostile[_i]);
    struct told told = take(str_text(&text), text.len, 0, "tests/y.c tmp");
    ck_assert_int_gt(told.count, 0);
    forget(&told);
    str_done(&text);
}
END_TEST

/* A progress bar without a line feed stays one line. */
START_TEST(test_overwritten_text_takes_no_space)
{
    struct str text = {0};
    for (int i = 0; i < 50000; i++)
        str_addf(&text, "\r[%d of 50000] downloading", i);
    struct told told = take(str_text(&text), text.len, 4096, "");
    ck_assert_int_eq(told.count, 1);
    ck_assert_str_eq(str_text(&told.lines), "[49999 of 50000] downloading\n");
    forget(&told);
    str_done(&text);
}
END_TEST

START_TEST(test_a_dropped_line_is_not_reported)
{
    struct told told = {0};
    struct normaliser *normaliser;
    normaliser_open(&normaliser, NULL, note, &told);
    normaliser_add(normaliser, "one\nhalf a li", 13);
    normaliser_drop(normaliser);
    normaliser_add(normaliser, "two\n", 4);
    normaliser_end(normaliser);
    normaliser_add(normaliser, "three", 5); /* another stream */
    normaliser_end(normaliser);
    normaliser_close(normaliser);
    ck_assert_str_eq(str_text(&told.lines), "one\ntwo\nthree\n");
    forget(&told);
}
END_TEST

static const struct {
    const char *call, *raw, *want;
} echoes[] = {
    {"cat src/alpha.txt", "cat: src/alpha.txt: No such file", "<arg>: <arg>: No such file"},
    {"cat src/alpha.txt", "in alpha.txt, src and src/beta", "in <arg>, <arg> and <arg>/beta"},
    {"{\"path\": \"src/a.c\"}", "src/a.c:12: error", "<arg>:12: error"},
    {"git checkout release/1.0", "no release/1.0, release-2", "no <arg>, <arg>-2"},
    {"open alpha.c", "alpha.c, alpha.h and alpha/b are not alphabet",
     "<arg>, <arg> and <arg> are not alphabet"},
    {"test alpha", "alpha-1 failed, alpha.2 passed", "<arg>-1 failed, <arg>.2 passed"},
    {"seek 1234 5678", "1234 of 5678", "1234 of 5678"}, /* numbers are no names */
    {"a bc de", "a bc de", "a bc de"},                  /* too short */
    {"hex tmp", "<hex> in 7c9d8b6f5, hex in <tmp>", "<hex> in <hex>, <arg> in <tmp>"},
    {"Alpha", "alpha Alpha ALPHA xAlpha", "alpha <arg> ALPHA xAlpha"},
    {"caf\xc3\xa9", "caf\xc3\xa9 caf\xc3\xa8", "<arg> caf\xc3\xa8"},
    {"alpha", "", ""},
};

START_TEST(test_words_of_the_call_are_masked_in_the_general_form)
{
    struct told told = take(echoes[_i].raw, strlen(echoes[_i].raw), 3, echoes[_i].call);
    if (told.general.len > 0)
        told.general.data[--told.general.len] = '\0';
    ck_assert_str_eq(str_text(&told.general), echoes[_i].want);
    forget(&told);
}
END_TEST

START_TEST(test_a_call_has_a_limit_of_words)
{
    struct str call = {0};
    struct str want = {0};
    for (int i = 0; i < NORMALISER_WORDS_MAX + 5; i++) {
        str_addf(&call, "word_%d ", i);
        str_addf(&want, i < NORMALISER_WORDS_MAX ? "<arg> " : "word_%d ", i);
    }
    call.data[--call.len] = '\0';
    want.data[want.len - 1] = '\n';
    struct told told = take(str_text(&call), call.len, 0, str_text(&call));
    ck_assert_str_eq(str_text(&told.general), str_text(&want));
    forget(&told);
    str_done(&call);
    str_done(&want);
}
END_TEST

/* One step of a recorded trajectory, as a digest. */
static struct digest digest_of(const struct json *step)
{
    struct fingerprint *fingerprint;
    const char *output = json_text(json_get(step, "output"), "");
    fingerprint_open(&fingerprint, NULL);
    fingerprint_add(fingerprint, 0, output, strlen(output));
    const int code = (int)json_i64(json_get(step, "exit"), 0);
    struct digest digest = fingerprint_finish(fingerprint, OUTCOME_EXIT, code).masked_digest;
    fingerprint_close(fingerprint);
    return digest;
}

/* Each call of a row "vol-..." gives the same result each time. */
static void check_volatile_row(const struct json *row, void *ctx)
{
    int *rows = ctx;
    const struct json *steps = json_get(row, "steps");
    if (strncmp(data_text(row, "id"), "vol-", 4) != 0)
        return;
    int compared = 0;
    for (size_t i = 0; i < json_count(steps); i++) {
        char *args = json_brief(json_get(json_at(steps, i), "args"), 4096);
        for (size_t k = i + 1; k < json_count(steps); k++) {
            char *others = json_brief(json_get(json_at(steps, k), "args"), 4096);
            bool same_call = strcmp(args, others) == 0;
            free(others);
            if (!same_call)
                continue;
            ck_assert_msg(digest_equal(digest_of(json_at(steps, i)), digest_of(json_at(steps, k))),
                          "%s: steps %zu and %zu", data_text(row, "id"), i + 1, k + 1);
            compared++;
            break;
        }
        free(args);
    }
    ck_assert_int_gt(compared, 0);
    (*rows)++;
}

START_TEST(test_recorded_outputs_that_only_move_are_equal)
{
    int rows = 0;
    data_rows("tests/data/loops.jsonl", check_volatile_row, &rows);
    ck_assert_int_gt(rows, 10);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("normaliser");
    TCase *lines = test_case(suite, "lines");
    tcase_add_test(lines, test_lines_are_normalised);
    tcase_add_test(lines, test_bytes_that_are_not_utf8_stay);
    tcase_add_loop_test(lines, test_values_of_known_keys_are_masked, 0, TABLE_LEN(keys));
    tcase_add_test(lines, test_kinds_have_names);
    TCase *pieces = test_case(suite, "pieces");
    tcase_add_test(pieces, test_cuts_do_not_matter);
    tcase_add_test(pieces, test_raw_is_the_text_written_last);
    tcase_add_test(pieces, test_a_dropped_line_is_not_reported);
    TCase *limits = test_case(suite, "limits");
    tcase_add_test(limits, test_long_lines_are_cut_in_the_same_places);
    tcase_add_test(limits, test_long_lines_are_cut_at_a_set_limit);
    tcase_add_loop_test(limits, test_a_normalised_line_has_a_limit_too, 0, TABLE_LEN(swelling));
    tcase_add_test(limits, test_overwritten_text_takes_no_space);
    tcase_add_loop_test(limits, test_hostile_lines_take_linear_time, 0, TABLE_LEN(hostile));
    TCase *words = test_case(suite, "words");
    tcase_add_loop_test(words, test_words_of_the_call_are_masked_in_the_general_form, 0,
                        TABLE_LEN(echoes));
    tcase_add_test(words, test_a_call_has_a_limit_of_words);
    tcase_add_test(words, test_recorded_outputs_that_only_move_are_equal);
    return suite;
}
