/* test_compare.c - two attempts side by side, from a real log. */
#include "test_main.h"

#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "log_sample.h"
#include "text.h"
#include "xalloc.h"

enum { TASKS = 5, FAILS = 4 }; /* task number; every fifth task fails, three times */

static struct sample sample;
static struct log_reader *reader;
static struct compare *compare;
static struct report_rows rows;

static void setup(void)
{
    const struct place place = sample_place();
    sample_open(&sample, &place, TASKS);
    sample_start(&sample);
    sample_drive(&sample);
    compare = xcalloc(1, sizeof(*compare));
}

static void teardown(void)
{
    compare_done(compare);
    free(compare);
    report_rows_done(&rows);
    rows = (struct report_rows){0};
    log_reader_close(reader);
    reader = NULL;
    sample_done(&sample);
}

/* Writes output of attempt `number` of the failing task to a stream, from `offset` on. */
static void write_at(int number, int stream, int64_t offset, const char *text)
{
    const struct log_output output = {.task = FAILS,
                                      .attempt = number,
                                      .stream = stream,
                                      .part = offset > 0 ? LOG_OUTPUT_REST : LOG_OUTPUT_HEAD,
                                      .offset = offset,
                                      .at = sample.now,
                                      .bytes = text,
                                      .len = strlen(text)};
    const struct log_batch batch = {.outputs = &output, .output_count = 1};
    struct err err = {0};
    ck_assert_msg(log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err), "%s",
                  err.message);
}

static void compare_tries(int first, int second)
{
    struct compare_subject subjects[COMPARE_SIDES];
    struct err err = {0};
    ck_assert_msg(log_reader_open(&reader, &sample.place, &err), "%s", err.message);
    for (int i = 0; i < COMPARE_SIDES; i++)
        subjects[i] = (struct compare_subject){.state = &sample.state,
                                               .reader = reader,
                                               .key = {.run = sample.number,
                                                       .task = FAILS,
                                                       .attempt = i == 0 ? first : second,
                                                       .readable = true}};
    ck_assert_msg(compare_read(compare, subjects, &err), "%s", err.message);
}

static const char *lay(int columns, bool ascii)
{
    const struct compare_look look = {.columns = columns, .ascii = ascii};
    compare_lay(compare, &look, &rows);
    return str_text(&rows.text);
}

static void assert_has(const char *text, const char *want)
{
    ck_assert_msg(strstr(text, want), "not there: %s\nin:\n%s", want, text);
}

static void assert_lacks(const char *text, const char *other)
{
    ck_assert_msg(!strstr(text, other), "there: %s\nin:\n%s", other, text);
}

START_TEST(test_what_moves_by_itself_is_no_difference)
{
    write_at(1, LOG_STREAM_OUT, 0, "12:00:01 build\ntook 3.2 s\n");
    write_at(2, LOG_STREAM_OUT, 0, "12:07:44 build\ntook 81 ms\n");
    compare_tries(1, 2);
    const char *text = lay(80, false);
    assert_has(text, "nothing: same result\n");
    assert_has(text, "masked as <word>: times, durations\n");
    assert_has(text, "out: 2 and 2 lines, identical\n");
    ck_assert_uint_eq(compare->fresh, 0);
}
END_TEST

START_TEST(test_changed_lines_stand_among_folded_equal_ones)
{
    write_at(1, LOG_STREAM_OUT, 0, "a\nb\nc\nd\ne\nf\nexpected 19.99, got 20.00\ng\nh\n");
    write_at(2, LOG_STREAM_OUT, 0, "a\nb\nc\nd\ne\nf\nexpected 19.99, got 20.01\nnote\ng\nh\n");
    compare_tries(1, 2);
    assert_has(lay(80, false), "2 of its 10 lines; new .20\n"
                               "\n"
                               "out: 9 and 10 lines, -1 +2\n"
                               "= 4 identical lines\n"
                               "  e\n"
                               "  f\n"
                               "- expected 19.99, got 20.00\n"
                               "+ expected 19.99, got 20.01\n"
                               "+ note\n"
                               "  g\n"
                               "  h\n");
}
END_TEST

START_TEST(test_a_line_that_only_moved_is_not_new)
{
    write_at(1, LOG_STREAM_OUT, 0, "one\ntwo\n");
    write_at(2, LOG_STREAM_ERR, 0, "two\none\n");
    compare_tries(1, 2);
    ck_assert_uint_eq(compare->fresh, 0);
    ck_assert_uint_eq(compare->second_lines, 2);
    assert_has(lay(80, false), "err: 0 and 2 lines, -0 +2\n");
}
END_TEST

START_TEST(test_what_was_not_kept_is_marked_and_equal)
{
    static const char mark[] = "(more output here was not kept)";
    write_at(1, LOG_STREAM_OUT, 0, "head\nhal");
    write_at(1, LOG_STREAM_OUT, 5000, "tail\n");
    write_at(2, LOG_STREAM_OUT, 0, "head\nhal");
    write_at(2, LOG_STREAM_OUT, 7000, "tail\n");
    compare_tries(1, 2);
    const char *text = lay(80, false);
    assert_has(text, "out: 4 and 4 lines, identical\n");
    assert_has(text, "= 4 identical lines\n");
    const struct compare_lines *lines = &compare->sides[0].texts[COMPARE_OUT];
    ck_assert_mem_eq(str_text(&lines->bytes) + lines->items[2].start, mark, sizeof(mark) - 1);
}
END_TEST

START_TEST(test_ends_verdicts_and_decisions_stand_side_by_side)
{
    compare_tries(2, 3);
    const char *text = lay(80, false);
    assert_has(text, "         #1/t4 try 2 of VERIFY               #1/t4 try 3 of VERIFY\n");
    assert_has(text, "ended    exit 1                              exit 1\n");
    assert_has(text, "class    test-fail (persistent)              test-fail (persistent)\n");
    assert_has(text, "then     tries again after 1 s               —\n");
    assert_has(text, "end      —                                   gave up: 3 of 3 tries used\n");
    ck_assert_int_eq(rows.items[0].mark, REPORT_ROW_HEAD);
    ck_assert_int_eq(rows.items[1].mark, REPORT_ROW_PLAIN);
}
END_TEST

static const int widths[] = {12, 24, 40, 59, 60, 80, 140};

/* No row is wider than the screen, and none contains control bytes. */
START_TEST(test_rows_fit_any_width_whatever_was_written)
{
    write_at(1, LOG_STREAM_OUT, 0, "\033[2J\033]0;title\007plain\xe2\x80\xae reversed\n\xff\xfe\n");
    write_at(2, LOG_STREAM_OUT, 0, "a line that is longer than the narrow screens are wide\n");
    write_at(2, LOG_STREAM_ERR, 0, "tab\there\rover\b\n");
    compare_tries(1, 2);
    const bool ascii = _i % 2 == 0;
    const char *text = lay(widths[_i / 2], ascii);
    for (size_t i = 0; i < rows.count; i++) {
        const struct report_row *row = &rows.items[i];
        ck_assert_int_le(text_width(text + row->start, row->len), widths[_i / 2]);
        for (size_t at = row->start; at < row->start + row->len; at++)
            ck_assert_msg((unsigned char)text[at] >= ' ' && text[at] != 127, "row %zu", i);
    }
    assert_lacks(text, "\xe2\x80\xae");
    assert_lacks(text, "title");
}
END_TEST

START_TEST(test_rows_beyond_the_limit_are_counted)
{
    struct str many = {0};
    for (int i = 0; i < REPORT_ROWS_MAX / 2 + 20; i++)
        str_addf(&many, "line %c%c%c\n", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676);
    write_at(1, LOG_STREAM_OUT, 0, many.data);
    for (size_t i = 0; i < many.len; i++)
        many.data[i] = many.data[i] == 'l' ? 'm' : many.data[i];
    write_at(2, LOG_STREAM_OUT, 0, many.data);
    compare_tries(1, 2);
    ck_assert(compare->diffs[COMPARE_OUT].is_cut);
    const char *text = lay(80, false);
    ck_assert_uint_eq(rows.count, REPORT_ROWS_MAX);
    assert_has(text + rows.items[rows.count - 1].start, " more lines\n");
    str_done(&many);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tcase = test_case(suite, "compare");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_what_moves_by_itself_is_no_difference);
    tcase_add_test(tcase, test_changed_lines_stand_among_folded_equal_ones);
    tcase_add_test(tcase, test_a_line_that_only_moved_is_not_new);
    tcase_add_test(tcase, test_what_was_not_kept_is_marked_and_equal);
    tcase_add_test(tcase, test_ends_verdicts_and_decisions_stand_side_by_side);
    tcase_add_loop_test(tcase, test_rows_fit_any_width_whatever_was_written, 0,
                        2 * (int)ARRAY_LEN(widths));
    tcase_add_test(tcase, test_rows_beyond_the_limit_are_counted);
    return suite;
}
