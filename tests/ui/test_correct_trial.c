/* A rule on trial in its thread. What does the work is a stand-in that the test leads,
 * and once the real one over a log. */
#include "app_internal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log_writer.h"
#include "story.h"
#include "test_main.h"

enum { DEADLINE_MS = 60000, TOTAL = 640 };

static const char rule[] =
    "{\"name\":\"my-net\",\"verdict\":\"transient\",\"type\":\"NETWORK_TIMEOUT\","
    "\"pattern\":\"lost the link\"}";

static struct place place;
static struct correct_trial *trial;
static int lead[2]; /* a byte lets the stand-in do one attempt more, its end lets it finish */
static bool saw_new_rule, saw_old_rules;

static void set_up(void)
{
    ck_assert_int_eq(pipe(lead), 0);
    trial = NULL;
    saw_new_rule = false;
    saw_old_rules = false;
}

static void tear_down(void)
{
    correct_trial_stop(trial);
}

/* One attempt for each byte it is given. */
static bool stand_in(const struct rule_trial_asked *asked, struct rule_trial *out, struct err *err)
{
    char byte = 0;
    saw_new_rule = strstr(asked->new_rules, "lost the link") != NULL;
    saw_old_rules = asked->rules && strstr(asked->rules, "old-one") != NULL &&
                    strstr(asked->new_rules, "old-one") != NULL;
    while (read(lead[0], &byte, 1) == 1) {
        if (byte == 'f')
            return err_set(err, ERR_IO, "cannot read the log");
        out->attempts++;
        if (!asked->progress(asked->ctx, out->attempts, TOTAL)) {
            out->cancelled = true;
            return true;
        }
    }
    return true;
}

static void start(const char *rules)
{
    struct err err = {0};
    struct correct_trial_job job = {stand_in, &place, rules, rule};
    ck_assert_msg(correct_trial_start(&trial, &job, &err), "%s", err.message);
}

static void give(const char *bytes)
{
    ck_assert_int_eq(write(lead[1], bytes, strlen(bytes)), (ssize_t)strlen(bytes));
}

static struct correct_trial_news wait_for(bool over, int64_t done)
{
    int64_t until = clock_now().mono_ms + DEADLINE_MS;
    struct correct_trial_news news = correct_trial_look(trial);
    while (news.over != over || news.done < done) {
        ck_assert_msg(clock_now().mono_ms < until, "no news: %lld done", (long long)news.done);
        (void)sched_yield();
        news = correct_trial_look(trial);
    }
    return news;
}

START_TEST(test_news_come_while_it_works)
{
    start("[{\"name\":\"old-one\",\"verdict\":\"persistent\",\"pattern\":\"a b\"}]");
    ck_assert(!correct_trial_look(trial).over);
    give("..");
    struct correct_trial_news news = wait_for(false, 2);
    ck_assert_int_eq(news.total, TOTAL);
    ck_assert_str_eq(news.words, "");
    (void)close(lead[1]);
    news = wait_for(true, 2);
    ck_assert(!news.failed);
    ck_assert_ptr_nonnull(strstr(news.words, "of 2"));
    ck_assert(saw_new_rule);
    ck_assert(saw_old_rules);
}
END_TEST

START_TEST(test_cancelled_trial_ends_at_its_next_attempt)
{
    start(NULL);
    give(".");
    (void)wait_for(false, 1);
    ck_assert(!correct_trial_is_cancelled(trial));
    correct_trial_cancel(trial);
    ck_assert(correct_trial_is_cancelled(trial));
    give(".");
    ck_assert_int_eq(wait_for(true, 2).done, 2);
}
END_TEST

/* The screen goes on: a new trial is refused until the last one has ended, and nobody waits
 * for that. */
START_TEST(test_next_trial_does_not_wait_for_the_last)
{
    struct app_options options = {.place = &place};
    struct app *app = calloc(1, sizeof(*app));
    ck_assert_ptr_nonnull(app);
    app->options = &options;
    app->view.correct.stage = CORRECT_TRYING;
    start(NULL);
    app->trial = trial;
    app_rule_stop(app);
    app_rule_try(app);
    ck_assert_ptr_eq(app->trial, trial);
    ck_assert_int_eq(app->view.correct.stage, CORRECT_TRIED);
    ck_assert(app->view.correct.failed);
    (void)close(lead[1]);
    (void)wait_for(true, 0);
    app_rule_look(app);
    ck_assert_ptr_null(app->trial);
    trial = NULL;
    free(app);
}
END_TEST

START_TEST(test_failure_is_told_in_words)
{
    start(NULL);
    give("f");
    struct correct_trial_news news = wait_for(true, 0);
    ck_assert(news.failed);
    ck_assert_str_eq(news.words, "cannot read the log");
}
END_TEST

START_TEST(test_stop_waits_for_what_works)
{
    start(NULL);
    give(".....");
    (void)close(lead[1]);
    correct_trial_stop(trial);
    trial = NULL;
    char byte;
    ck_assert(saw_new_rule);
    ck_assert_int_le(read(lead[0], &byte, 1), 1);
}
END_TEST

START_TEST(test_what_is_no_rule_is_not_tried)
{
    struct err err = {0};
    struct correct_trial_job job = {stand_in, &place, NULL, "[]"};
    ck_assert(!correct_trial_start(&trial, &job, &err));
    ck_assert_ptr_null(trial);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

/* A log with one attempt that failed and said why. */
static void record(void)
{
    struct story story;
    struct log_writer *writer = NULL;
    struct err err = {0};
    struct str plan = {0};
    int64_t number = 0;
    char path[4096];
    static const char said[] = "boat: lost the link\n";
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    ck_assert_msg(place_find(path, true, &place, &err), "%s", err.message);
    story_init(&story, "alpha", "G");
    story_start(&story, "alpha");
    story_fail(&story, "alpha", REASON_NONE, NULL);
    plan_write(story.plan, &plan);
    struct log_run run = {.name = "boats",
                          .kind = "plan",
                          .plan_text = plan.data,
                          .dir = "/",
                          .command = "devs run plan.json",
                          .rules_hash = "0",
                          .rules_text = "{}",
                          .seed = 1,
                          .jobs = 1,
                          .tasks = 1,
                          .now = clock_now()};
    run_state_done(&story.state);
    run_state_init(&story.state, story.plan, 1);
    ck_assert_msg(log_writer_open(&writer, &place, &err), "%s", err.message);
    ck_assert_msg(log_writer_begin(writer, &run, &story.state, &number, &err), "%s", err.message);
    for (size_t i = 0; i < story.event_count; i++)
        ck_assert(run_state_apply(&story.state, &story.events[i], &err));
    struct log_output output = {.task = 0,
                                .step = 0,
                                .attempt = 1,
                                .stream = 2,
                                .bytes = said,
                                .len = sizeof(said) - 1,
                                .at = story.now};
    struct log_batch batch = {.events = story.events,
                              .event_count = story.event_count,
                              .outputs = &output,
                              .output_count = 1};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
    log_writer_close(writer);
    str_done(&plan);
    story_done(&story);
}

START_TEST(test_real_trial_reads_the_log)
{
    struct err err = {0};
    struct correct_trial_job job = {rule_trial_run, &place, NULL, rule};
    record();
    ck_assert_msg(correct_trial_start(&trial, &job, &err), "%s", err.message);
    struct correct_trial_news news = wait_for(true, 0);
    ck_assert_msg(!news.failed, "%s", news.words);
    ck_assert_int_eq(news.done, 1);
    ck_assert_int_eq(news.total, 1);
    ck_assert_msg(strstr(news.words, "1 of 1 would change: 1 exit 1 -> network"), "%s", news.words);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("correct_trial");
    TCase *tcase = test_case(suite, "trial");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_news_come_while_it_works);
    tcase_add_test(tcase, test_cancelled_trial_ends_at_its_next_attempt);
    tcase_add_test(tcase, test_next_trial_does_not_wait_for_the_last);
    tcase_add_test(tcase, test_failure_is_told_in_words);
    tcase_add_test(tcase, test_stop_waits_for_what_works);
    tcase_add_test(tcase, test_what_is_no_rule_is_not_tried);
    tcase_add_test(tcase, test_real_trial_reads_the_log);
    return suite;
}
