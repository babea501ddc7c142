#include <stddef.h>

#include "log_lines.h"

#include "story.h"
#include "test_main.h"
#include "xalloc.h"

static struct story story;
static struct log_elsewhere elsewhere;
static struct log_output_key own;
static size_t flood; /* rows of each attempt; 0: one line of its own */

/* Attempt n of a task writes one line: the task's id, its step and n. */
static bool read_line(void *ctx, const struct log_output_key *key, int64_t after, size_t bytes,
                      struct output_page *page, struct err *err)
{
    (void)ctx;
    (void)bytes;
    (void)err;
    page->count = 0;
    str_clear(&page->text);
    if (after >= (flood > 0 ? (int64_t)flood : 1))
        return true;
    str_addf(&page->text, "%s step %d Attempt %d\n", story.plan->tasks[key->task].id, key->step + 1,
             key->attempt);
    for (size_t i = 0; flood > 0 && i < ELSEWHERE_PIECE_BYTES / 16; i++)
        str_add(&page->text, "0123456789abcde\n");
    page->rows = xgrow(page->rows, &page->cap, 1, sizeof(*page->rows));
    page->rows[page->count++] = (struct log_output_row){.id = after + 1,
                                                        .stream = LOG_STREAM_OUT,
                                                        .offset = after * (1 << 20),
                                                        .at_ms = 10 * key->attempt,
                                                        .len = page->text.len};
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
    ck_assert_uint_eq(elsewhere.in_tries, 2); /* of both steps that were tried */
    ck_assert_uint_gt(elsewhere.in_tasks, 5);
    look("T-104 step 2 attempt 3", INT64_MAX);
    ck_assert_uint_eq(elsewhere.in_tries, 0); /* its own line is not another's */
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

/* Much output takes many turns, and there is a limit to all of it. */
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

static void set_up(void)
{
    story_init_full(&story);
    log_elsewhere_init(&elsewhere);
    flood = 0;
    own = (struct log_output_key){
        .run = 41, .task = story_task(&story, "T-104"), .step = 1, .attempt = 3};
}

static void tear_down(void)
{
    log_elsewhere_done(&elsewhere);
    story_done(&story);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_elsewhere");
    TCase *tcase = test_case(suite, "elsewhere");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_counts_in_other_tries_and_tasks);
    tcase_add_test(tcase, test_nothing_later_than_the_moment);
    tcase_add_test(tcase, test_the_same_text_is_not_looked_for_again);
    tcase_add_test(tcase, test_is_bounded);
    return suite;
}
