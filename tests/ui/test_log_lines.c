#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_lines.h"
#include "story.h"
#include "test_main.h"
#include "text.h"
#include "xalloc.h"

static struct output_page page;
static struct log_tail tail;
static const struct log_output_key key = {.attempt = 1};

static int64_t next[LOG_TAIL_STREAMS + 1]; /* offset of each stream's next row */

static void add_row(int stream, int64_t at_ms, const char *text)
{
    size_t len = strlen(text);
    page.rows = xgrow(page.rows, &page.cap, page.count + 1, sizeof(*page.rows));
    page.rows[page.count++] = (struct log_output_row){.stream = stream,
                                                      .offset = next[stream],
                                                      .at_ms = at_ms,
                                                      .start = page.text.len,
                                                      .len = len};
    next[stream] += (int64_t)len;
    str_add(&page.text, text);
}

static void check_tail(const char *want)
{
    struct str out = {0};
    for (size_t i = 0; i < tail.count; i++) {
        str_add_n(&out, log_tail_line(&tail, i), tail.lines[i].len);
        str_add_char(&out, '|');
    }
    ck_assert_str_eq(str_text(&out), want);
    str_done(&out);
}

static void check_lines(int64_t until_ms, const char *want)
{
    log_tail_set(&tail, &key, &page, until_ms);
    check_tail(want);
}

START_TEST(test_puts_lines_together)
{
    add_row(1, 10, "one\ntw");
    add_row(2, 20, "err");
    add_row(1, 30, "o\n\nthree");
    add_row(2, 40, "or\n");
    check_lines(INT64_MAX, "one|two||error|three|");
    ck_assert_int_eq(tail.lines[1].at_ms, 30);
    ck_assert_int_eq(tail.lines[3].stream, 2);
}
END_TEST

START_TEST(test_ends_at_a_time)
{
    add_row(1, 10, "one\n");
    add_row(1, 20, "two\n");
    check_lines(19, "one|");
    check_lines(9, "");
    check_lines(20, "one|two|");
}
END_TEST

START_TEST(test_is_cleaned)
{
    add_row(1, 10, "\033[1mbold\033[0m\n\ttab\nover\rwritten\n");
    check_lines(INT64_MAX, "bold|        tab|written|");
}
END_TEST

START_TEST(test_tells_what_was_not_kept)
{
    add_row(1, 10, "one\ntwo");
    next[1] += 1000;
    add_row(1, 20, "end\n");
    check_lines(INT64_MAX, "one|two|(1000 bytes were not kept)|end|");
}
END_TEST

/* A text split in two at any position gives the same lines as in one piece. */
static const char *const cut_texts[] = {
    "caf\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80 end\n",
    "\033[38;5;196mred\033[0m and \033]8;;http://x\033\\link\033]8;;\a plain\n",
    "tab\there, 50%\r100%\nnext",
    "\033(B\033=a\xff\xc3(b\n",
};

START_TEST(test_pieces_are_joined_before_they_are_cleaned)
{
    const char *text = cut_texts[_i];
    struct str want = {0};
    text_clean(&want, text, strlen(text));
    for (size_t i = 0; i < want.len; i++)
        want.data[i] = want.data[i] == '\n' ? '|' : want.data[i];
    if (text[strlen(text) - 1] != '\n')
        str_add_char(&want, '|');
    for (size_t cut = 0; cut <= strlen(text); cut++) {
        char first[64];
        (void)snprintf(first, sizeof(first), "%.*s", (int)cut, text);
        page.count = 0;
        next[1] = 0;
        add_row(1, 10, first);
        add_row(1, 20, text + cut);
        check_lines(INT64_MAX, want.data);
    }
    str_done(&want);
}
END_TEST

START_TEST(test_the_other_stream_may_come_between)
{
    add_row(1, 10, "\033[3");
    add_row(2, 20, "warn\n");
    add_row(1, 30, "1mred\xc3");
    add_row(2, 40, "more\n");
    add_row(1, 50, "\xa9\n");
    check_lines(INT64_MAX, "warn|more|red\xc3\xa9|");
}
END_TEST

START_TEST(test_pages_are_joined)
{
    log_tail_begin(&tail, &key);
    add_row(1, 10, "one\ntw\xc3");
    log_tail_add(&tail, &page, INT64_MAX);
    page.count = 0;
    add_row(1, 20, "\xa9o\nthree");
    log_tail_add(&tail, &page, INT64_MAX);
    log_tail_end(&tail);
    check_tail("one|tw\xc3\xa9o|three|");
}
END_TEST

START_TEST(test_half_a_character_is_not_shown_yet)
{
    add_row(1, 10, "caf\xc3");
    check_lines(INT64_MAX, "caf|");
    add_row(1, 20, "\xa9");
    check_lines(INT64_MAX, "caf\xc3\xa9|");
    page.count = 0;
    next[1] = 0;
    add_row(1, 10, "\xc3");
    check_lines(INT64_MAX, "?|");
}
END_TEST

/* The log returns only the end of the output, which may begin anywhere. */
START_TEST(test_end_of_a_line_is_left_out)
{
    next[1] = 500;
    add_row(1, 10, "8;5;196mrest\nwhole\n");
    check_lines(INT64_MAX, "whole|");
    page.count = 0;
    add_row(1, 10, "\x97\xa5no line feed");
    check_lines(INT64_MAX, "no line feed|");
}
END_TEST

START_TEST(test_bytes_that_come_again_are_not_repeated)
{
    add_row(1, 10, "one\ntwo\n");
    next[1] -= 4;
    add_row(1, 20, "two\nthree\n");
    next[1] -= 6;
    add_row(1, 30, "three\n");
    check_lines(INT64_MAX, "one|two|three|");
}
END_TEST

START_TEST(test_endless_line_is_broken_up)
{
    static char text[1000 + 1];
    static const char rune[] = {'\xe6', '\x97', '\xa5'};
    memset(text, 'x', sizeof(text) - 1);
    memcpy(text, rune, sizeof(rune));
    for (int i = 0; i < 1000; i++)
        add_row(1, i, text);
    log_tail_set(&tail, &key, &page, INT64_MAX);
    ck_assert_uint_ge(tail.count, 1000 * 1000 / LOG_TAIL_LINE_MAX);
    for (size_t i = 0; i < tail.count; i++) {
        ck_assert_uint_le(tail.lines[i].len, TEXT_LINE_MAX);
        ck_assert_ptr_null(memchr(log_tail_line(&tail, i), '?', tail.lines[i].len));
    }
}
END_TEST

START_TEST(test_much_output_takes_little_room)
{
    struct str lines = {0};
    for (int i = 0; i < 1000; i++)
        str_add(&lines, "a line of the output\n");
    log_tail_begin(&tail, &key);
    for (int i = 0; i < 100; i++) {
        page.count = 0;
        str_clear(&page.text);
        add_row(1, i, lines.data);
        log_tail_add(&tail, &page, INT64_MAX);
    }
    log_tail_end(&tail);
    ck_assert_uint_le(tail.text.cap, 1 << 20);
    ck_assert_int_eq(
        strncmp(log_tail_line(&tail, tail.count - 1), "a line of the output", tail.lines[0].len),
        0);
    str_done(&lines);
}
END_TEST

START_TEST(test_keeps_the_newest)
{
    for (int i = 0; i < LOG_TAIL_LINES_MAX + 10; i++)
        add_row(1, i, i == LOG_TAIL_LINES_MAX + 9 ? "last\n" : "x\n");
    log_tail_set(&tail, &key, &page, INT64_MAX);
    ck_assert_uint_le(tail.count, LOG_TAIL_LINES_MAX);
    ck_assert_int_eq(strncmp(log_tail_line(&tail, tail.count - 1), "last", 4), 0);
}
END_TEST

START_TEST(test_finds)
{
    add_row(1, 10, "alpha\nBeta\nalphabet\n");
    log_tail_set(&tail, &key, &page, INT64_MAX);
    ck_assert_uint_eq(log_tail_find(&tail, "BET", 0, 1), 1);
    ck_assert_uint_eq(log_tail_find(&tail, "alpha", 1, 1), 2);
    ck_assert_uint_eq(log_tail_find(&tail, "alpha", 1, -1), 0);
    ck_assert_uint_eq(log_tail_find(&tail, "gamma", 2, -1), tail.count);
    ck_assert_uint_eq(log_tail_find(&tail, "", 0, 1), tail.count);
}
END_TEST

static void set_up(void)
{
    log_tail_init(&tail);
}

static void tear_down(void)
{
    log_tail_done(&tail);
    free(page.rows);
    str_done(&page.text);
    page = (struct output_page){0};
    memset(next, 0, sizeof(next));
}

static void add_tail_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "log tail");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_puts_lines_together);
    tcase_add_test(tcase, test_ends_at_a_time);
    tcase_add_test(tcase, test_is_cleaned);
    tcase_add_test(tcase, test_tells_what_was_not_kept);
    tcase_add_loop_test(tcase, test_pieces_are_joined_before_they_are_cleaned, 0,
                        TABLE_LEN(cut_texts));
    tcase_add_test(tcase, test_the_other_stream_may_come_between);
    tcase_add_test(tcase, test_pages_are_joined);
    tcase_add_test(tcase, test_half_a_character_is_not_shown_yet);
    tcase_add_test(tcase, test_end_of_a_line_is_left_out);
    tcase_add_test(tcase, test_bytes_that_come_again_are_not_repeated);
    tcase_add_test(tcase, test_endless_line_is_broken_up);
    tcase_add_test(tcase, test_much_output_takes_little_room);
    tcase_add_test(tcase, test_keeps_the_newest);
    tcase_add_test(tcase, test_finds);
}

static struct story story;
static struct log_elsewhere elsewhere;
static struct log_output_key own;
static size_t flood; /* rows per attempt; 0: one unique line */

/* Attempt n of a task writes one line: the task's id, its step and n. */
static bool read_line(void *ctx, const struct log_output_key *output, int64_t after, size_t bytes,
                      struct output_page *rows, struct err *err)
{
    (void)ctx;
    (void)bytes;
    (void)err;
    rows->count = 0;
    str_clear(&rows->text);
    if (after >= (flood > 0 ? (int64_t)flood : 1))
        return true;
    str_addf(&rows->text, "%s step %d Attempt %d\n", story.plan->tasks[output->task].id,
             output->step + 1, output->attempt);
    for (size_t i = 0; flood > 0 && i < ELSEWHERE_PIECE_BYTES / 16; i++)
        str_add(&rows->text, "0123456789abcde\n");
    rows->rows = xgrow(rows->rows, &rows->cap, 1, sizeof(*rows->rows));
    rows->rows[rows->count++] = (struct log_output_row){.id = after + 1,
                                                        .stream = LOG_STREAM_OUT,
                                                        .offset = after * (1 << 20),
                                                        .at_ms = 10 * output->attempt,
                                                        .len = rows->text.len};
    return true;
}

static const struct elsewhere_source source = {.read = read_line};

static int look(const char *needle, int64_t until_ms)
{
    enum { TURNS_MAX = 10000 };
    struct err err = {0};
    int turns = 0;
    log_elsewhere_begin(&elsewhere, &own, needle, until_ms);
    while (!elsewhere.is_done && turns++ < TURNS_MAX)
        ck_assert(log_elsewhere_turn(&elsewhere, &story.state, &source, &err));
    ck_assert(elsewhere.is_done);
    return turns;
}

START_TEST(test_counts_in_other_tries_and_tasks)
{
    struct str words = {0};
    look("attempt 1", INT64_MAX);
    ck_assert_uint_eq(elsewhere.in_tries, 2); /* from both steps with attempts */
    ck_assert_uint_gt(elsewhere.in_tasks, 5);
    look("T-104 step 2 attempt 3", INT64_MAX);
    ck_assert_uint_eq(elsewhere.in_tries, 0); /* its own line does not count */
    look("T-105", INT64_MAX);
    ck_assert_uint_eq(elsewhere.in_tries, 0);
    ck_assert_uint_ge(elsewhere.in_tasks, 1);
    look("tokne", INT64_MAX);
    log_elsewhere_words(&elsewhere, &words);
    ck_assert_str_eq(words.data, "\"tokne\" not found in this log; in other tries: 0; "
                                 "in other tasks: 0");
    str_done(&words);
}
END_TEST

START_TEST(test_nothing_later_than_the_moment)
{
    look("attempt 2", 20);
    const size_t then = elsewhere.in_tries;
    look("attempt 2", 19);
    ck_assert_uint_lt(elsewhere.in_tries, then);
    ck_assert_uint_eq(elsewhere.in_tasks, 0);
}
END_TEST

START_TEST(test_the_same_text_is_not_looked_for_again)
{
    look("attempt", INT64_MAX);
    ck_assert_int_eq(look("attempt", INT64_MAX), 0);
    log_elsewhere_stop(&elsewhere);
    ck_assert_int_gt(look("attempt", INT64_MAX), 0);
}
END_TEST

/* Large output takes many turns, up to a total limit. */
START_TEST(test_is_bounded)
{
    flood = 100;
    const int turns = look("attempt", INT64_MAX);
    ck_assert_int_gt(turns, ELSEWHERE_BYTES_MAX / ELSEWHERE_TURN_BYTES / 2);
    ck_assert(elsewhere.is_cut);
    ck_assert_int_le(elsewhere.bytes,
                     ELSEWHERE_BYTES_MAX + (int64_t)flood * 2 * ELSEWHERE_PIECE_BYTES);
}
END_TEST

static void set_up_elsewhere(void)
{
    story_init_full(&story);
    log_elsewhere_init(&elsewhere);
    flood = 0;
    own = (struct log_output_key){
        .run = 41, .task = story_task(&story, "T-104"), .step = 1, .attempt = 3};
}

static void tear_down_elsewhere(void)
{
    log_elsewhere_done(&elsewhere);
    story_done(&story);
}

static void add_elsewhere_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "elsewhere");
    tcase_add_checked_fixture(tcase, set_up_elsewhere, tear_down_elsewhere);
    tcase_add_test(tcase, test_counts_in_other_tries_and_tasks);
    tcase_add_test(tcase, test_nothing_later_than_the_moment);
    tcase_add_test(tcase, test_the_same_text_is_not_looked_for_again);
    tcase_add_test(tcase, test_is_bounded);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_lines");
    add_tail_cases(suite);
    add_elsewhere_cases(suite);
    return suite;
}
