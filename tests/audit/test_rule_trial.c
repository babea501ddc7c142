#include "rule_trial.h"

#include <stdio.h>
#include <string.h>

#include "classify.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"

enum { TASKS = 10, PIECE = 4096 };

/* Text that no built-in rule matches. */
static const char flux_rule[] = "{\"name\":\"flux\",\"verdict\":\"transient\",\"type\":"
                                "\"API_RATE_LIMIT\",\"pattern\":\"^flux capacitor is empty\"}";
static const char flux_line[] = "flux capacitor is empty\n";

static struct place place;
static struct sample sample; /* writer NULL: none is open */
static struct str new_rules;
static struct rule_trial trial;
static struct str words;

static void setup(void)
{
    place = sample_place();
    trial = (struct rule_trial){0};
    new_rules = (struct str){0};
    words = (struct str){0};
}

static void teardown(void)
{
    str_done(&new_rules);
    str_done(&words);
    if (sample.writer)
        sample_done(&sample);
    sample.writer = NULL;
}

/* A run that is over; every fifth of its tasks failed with exit 1. */
static void record(void)
{
    if (sample.writer)
        sample_done(&sample);
    sample_open(&sample, &place, TASKS);
    sample_start(&sample);
    sample_drive(&sample);
}

/* Output of the failed attempt of task 4, to stderr. */
static void write_piece(struct log_output piece)
{
    piece.task = 4;
    piece.attempt = 1;
    piece.stream = 2;
    piece.at = sample.now;
    log_commit_output(sample.writer, piece);
}

static void write_text(const char *text)
{
    write_piece((struct log_output){.part = LOG_OUTPUT_HEAD, .bytes = text});
}

static void try_rule(const char *rules, const char *rule)
{
    must(rule_list_add(rules, rule, &new_rules, &err));
    struct rule_trial_asked asked = {
        .place = &place, .rules = rules, .new_rules = str_text(&new_rules)};
    must(rule_trial_run(&asked, &trial, &err));
    rule_trial_words(&trial, &words);
}

START_TEST(test_changes_by_a_rule_are_counted)
{
    record();
    write_text(flux_line);
    try_rule(NULL, flux_rule);
    ck_assert_int_eq(trial.attempts, sample.state.attempts);
    ck_assert_int_eq(trial.changed, 1);
    char want[80];
    (void)snprintf(want, sizeof(want), "1 of %d would change: 1 exit 1 -> rate-limit",
                   sample.state.attempts);
    ck_assert_str_eq(str_text(&words), want);
    ck_assert(!trial.changes[0].look);
}
END_TEST

START_TEST(test_a_rule_that_matches_nothing_changes_nothing)
{
    record();
    write_text("so it is said: flux capacitor is empty\n");
    try_rule(NULL, flux_rule);
    ck_assert_int_eq(trial.changed, 0);
    ck_assert_int_eq(trial.change_count, 0);
}
END_TEST

START_TEST(test_changes_of_a_known_class_are_listed_for_review)
{
    const char *rules = "[{\"name\":\"flux\",\"verdict\":\"persistent\",\"reason\":\"test-fail\","
                        "\"pattern\":\"^flux capacitor\"}]";
    record();
    write_text(flux_line);
    record();
    write_text(flux_line);
    try_rule(rules, flux_rule);
    ck_assert_int_eq(trial.changed, 2);
    ck_assert_int_eq(trial.change_count, 1);
    ck_assert(trial.changes[0].look);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "would change: 2 test-fail -> rate-limit (look "
                                                   "at these: #2/t4 try 1, #1/t4 try 1)"));
}
END_TEST

START_TEST(test_another_time_to_retry_is_a_change_too)
{
    const char *with_time =
        "{\"name\":\"flux\",\"verdict\":\"transient\",\"type\":\"API_RATE_LIMIT\","
        "\"pattern\":\"^flux capacitor is empty, back in ([0-9]+ seconds)\",\"retry_after\":1}";
    record();
    write_text("flux capacitor is empty, back in 30 seconds\n");
    struct str rules = {0};
    ck_assert(rule_list_add(NULL, flux_rule, &rules, NULL));
    try_rule(rules.data, with_time);
    ck_assert_ptr_nonnull(
        strstr(str_text(&words),
               "1 rate-limit without a time to retry -> rate-limit with a time to retry"));
    str_done(&rules);
}
END_TEST

/* Head, gap and rest, as the engine leaves them: the line is cut in two between rows. */
START_TEST(test_the_end_of_a_stream_is_joined_across_rows)
{
    record();
    char filler[PIECE];
    memset(filler, '\n', sizeof(filler));
    write_text("head\n");
    int64_t at = 1000 * 1000;
    int count = CLASSIFY_TAIL_MAX / PIECE;
    for (int i = 0; i < count; i++) {
        write_piece((struct log_output){.part = LOG_OUTPUT_REST,
                                        .index = i,
                                        .offset = at,
                                        .bytes = filler,
                                        .len = sizeof(filler)});
        at += PIECE;
    }
    for (size_t i = 0; i < 2; i++) {
        size_t half = strlen(flux_line) / 2;
        size_t len = i == 0 ? half : strlen(flux_line) - half;
        write_piece((struct log_output){.part = LOG_OUTPUT_REST,
                                        .index = count + (int)i,
                                        .offset = at,
                                        .bytes = flux_line + (i == 0 ? 0 : half),
                                        .len = len});
        at += (int64_t)len;
    }
    try_rule(NULL, flux_rule);
    ck_assert_int_eq(trial.changed, 1);
}
END_TEST

START_TEST(test_nothing_is_read_across_a_gap)
{
    record();
    write_text(flux_line);
    write_piece((struct log_output){
        .part = LOG_OUTPUT_REST, .offset = 5000, .bytes = "the end\n", .len = 8});
    try_rule(NULL, flux_rule);
    ck_assert_int_eq(trial.changed, 0);
}
END_TEST

/* A live tail that was left behind repeats bytes of the head. */
START_TEST(test_repeated_bytes_are_read_once)
{
    record();
    write_text(flux_line);
    write_piece((struct log_output){.part = LOG_OUTPUT_TAIL,
                                    .offset = 5,
                                    .bytes = flux_line + 5,
                                    .len = strlen(flux_line) - 5});
    try_rule(NULL, flux_rule);
    ck_assert_int_eq(trial.changed, 1);
}
END_TEST

struct watched {
    int64_t stop_at, done, total;
};

static bool watch(void *ctx, int64_t done, int64_t total)
{
    struct watched *watched = ctx;
    ck_assert(done == watched->done || done == watched->done + 1); /* a run, or an attempt */
    watched->done = done;
    watched->total = total;
    return done < watched->stop_at;
}

START_TEST(test_a_trial_reports_progress_and_can_be_stopped)
{
    record();
    struct watched watched = {.stop_at = 3};
    struct rule_trial_asked asked = {.place = &place, .progress = watch, .ctx = &watched};
    ck_assert(rule_trial_run(&asked, &trial, NULL));
    ck_assert(trial.cancelled);
    ck_assert_int_eq(watched.done, 3);
    ck_assert_int_eq(trial.attempts, 3);
    ck_assert_int_eq(watched.total, sample.state.attempts);
    rule_trial_words(&trial, &words);
    ck_assert_str_eq(str_text(&words), "stopped after 3: 0 of 3 would change");

    watched = (struct watched){.stop_at = 0}; /* before the first run is read */
    ck_assert(rule_trial_run(&asked, &trial, NULL));
    ck_assert(trial.cancelled);
    ck_assert_int_eq(trial.attempts, 0);

    watched = (struct watched){.stop_at = INT64_MAX};
    ck_assert(rule_trial_run(&asked, &trial, NULL));
    ck_assert(!trial.cancelled);
    ck_assert_int_eq(watched.done, sample.state.attempts);
}
END_TEST

START_TEST(test_rules_that_do_not_compile_are_refused_first)
{
    struct err err = {0};
    struct rule_trial_asked asked = {
        .place = &place,
        .new_rules = "[{\"name\":\"bad\",\"verdict\":\"transient\",\"type\":\"NETWORK_TIMEOUT\","
                     "\"pattern\":\"(\"}]"};
    ck_assert(!rule_trial_run(&asked, &trial, &err)); /* though there is no log either */
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "bad"));

    err = (struct err){0};
    asked.new_rules = NULL;
    ck_assert(!rule_trial_run(&asked, &trial, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_a_log_without_attempts_says_so)
{
    sample_open(&sample, &place, TASKS);
    try_rule(NULL, flux_rule);
    ck_assert_str_eq(str_text(&words), "no attempts have been recorded yet");
}
END_TEST

/* More kinds of change than the list has room for. */
START_TEST(test_the_list_of_changes_is_bounded)
{
    struct rule_trial many = {.attempts = 9, .changed = 9, .change_count = 1, .others = 3};
    many.skipped = 2;
    many.changes[0] = (struct rule_trial_change){.from = "exit 1",
                                                 .to = "busy",
                                                 .look = true,
                                                 .count = 6,
                                                 .example_count = 1,
                                                 .examples = {{7, "tax", 1, 3}}};
    rule_trial_words(&many, &words);
    ck_assert_str_eq(str_text(&words), "9 of 9 would change: 6 exit 1 -> busy (look at these: "
                                       "#7/tax step 2 try 3, ...), 3 in other ways; 2 could not be "
                                       "read");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule_trial");
    TCase *tests = test_case(suite, "trial");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_changes_by_a_rule_are_counted);
    tcase_add_test(tests, test_a_rule_that_matches_nothing_changes_nothing);
    tcase_add_test(tests, test_changes_of_a_known_class_are_listed_for_review);
    tcase_add_test(tests, test_another_time_to_retry_is_a_change_too);
    tcase_add_test(tests, test_the_end_of_a_stream_is_joined_across_rows);
    tcase_add_test(tests, test_nothing_is_read_across_a_gap);
    tcase_add_test(tests, test_repeated_bytes_are_read_once);
    tcase_add_test(tests, test_a_trial_reports_progress_and_can_be_stopped);
    tcase_add_test(tests, test_rules_that_do_not_compile_are_refused_first);
    tcase_add_test(tests, test_a_log_without_attempts_says_so);
    tcase_add_test(tests, test_the_list_of_changes_is_bounded);
    return suite;
}
