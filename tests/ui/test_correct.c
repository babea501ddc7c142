/* Trials of a new rule, in their thread; and what the scripts of tests/data/screens cannot say of
 * the prompt that corrects a class. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app_internal.h"
#include "clock.h"
#include "correct.h"
#include "log_writer.h"
#include "stage.h"
#include "story.h"
#include "test_main.h"

static void set_up(void)
{
    stage_open(story_init_full, "T-104");
}

static void open_for(const char *id)
{
    view.chosen = story_task(&story, id);
    ck_assert_int_eq(view_key(&view, 'C', &facts).kind, VIEW_ASKED);
    facts.clock.mono_ms += PROMPT_DEAF_MS;
}

static const char *pattern(void)
{
    return view.correct.fields[CORRECT_PATTERN].text;
}

START_TEST(test_every_class_can_be_picked)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    open_for("T-104");
    int count = correct_found(&view.correct, found);
    ck_assert_int_eq(count, (TRANSIENT_TYPE_COUNT - 1) + REASON_COUNT + 1);
    for (int i = 0; i < count; i++) {
        char word[VERDICT_WORD_MAX];
        struct verdict_label label;
        ck_assert_msg(verdict_label_parse(correct_word(&found[i], word), &label), "%s", word);
        ck_assert_msg(verdict_label_equals(&label, &found[i]), "%s", word);
    }
}
END_TEST

/* If no rule matched, suggests the last line of stderr, as long as there is room for it. */
START_TEST(test_last_line_is_the_pattern_where_nothing_matched)
{
    char line[400] = "end (of) [it] ";
    for (size_t i = strlen(line); i < sizeof(line) - 1; i++)
        line[i] = '.';
    line[sizeof(line) - 1] = '\0';
    story_at(&story, 13, 0);
    story_fail(&story, "T-101", REASON_NONE, "{}");
    story_end(&story, "T-101", DECISION_FAILED);
    story_say(&story, "T-101", line);
    open_for("T-101");
    ck_assert_str_eq(view.correct.now, "exit 1");
    (void)view_key(&view, '+', &facts);
    (void)view_update_prompt(&view, &facts);
    ck_assert_ptr_nonnull(strstr(pattern(), "end \\(of\\) \\[it] \\.\\."));
    ck_assert_uint_lt(strlen(pattern()), LINE_EDIT_MAX);
    ck_assert_str_eq(view.correct.problem, "");
}
END_TEST

START_TEST(test_pattern_is_of_the_first_line)
{
    struct verdict_label label = {.class = VERDICT_PERSISTENT};
    struct correct_target target = {
        .attempt = 1, .name = "x", .now = "exit 1", .line = "one.\ntwo"};
    correct_open(&view.correct, &target, NULL, 0);
    correct_rule_begin(&view.correct, &label);
    ck_assert_str_eq(pattern(), "one\\.");
}
END_TEST

enum { DEADLINE_MS = 60000, TOTAL = 640 };

static const char rule[] =
    "{\"name\":\"my-net\",\"verdict\":\"transient\",\"type\":\"NETWORK_TIMEOUT\","
    "\"pattern\":\"lost the link\"}";

static struct place place;
static struct correct_trial *trial;
static int lead[2]; /* each byte lets the stand-in judge one more attempt; closing lets it finish */
static bool saw_new_rule, saw_old_rules;

static void set_up_trial(void)
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

/* Judges one attempt per byte received. */
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

static void start(const char *given_rules)
{
    struct err err = {0};
    struct correct_trial_job job = {stand_in, &place, given_rules, rule};
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

/* The screen stays responsive: a new trial is refused until the last one has ended, and nothing
 * waits for that. */
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

/* Records a log with one attempt that failed and printed the reason. */
static void record(void)
{
    struct story trial_story;
    struct log_writer *writer = NULL;
    struct err err = {0};
    struct str plan = {0};
    int64_t number = 0;
    char path[4096];
    static const char said[] = "boat: lost the link\n";
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    ck_assert_msg(place_find(path, true, &place, &err), "%s", err.message);
    story_init(&trial_story, "alpha", "G");
    story_start(&trial_story, "alpha");
    story_fail(&trial_story, "alpha", REASON_NONE, NULL);
    plan_write(trial_story.plan, &plan);
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
    run_state_done(&trial_story.state);
    run_state_init(&trial_story.state, trial_story.plan, 1);
    ck_assert_msg(log_writer_open(&writer, &place, &err), "%s", err.message);
    ck_assert_msg(log_writer_begin(writer, &run, &trial_story.state, &number, &err), "%s",
                  err.message);
    for (size_t i = 0; i < trial_story.events.count; i++)
        ck_assert(run_state_apply(&trial_story.state, &trial_story.events.items[i], &err));
    struct log_output output = {.task = 0,
                                .step = 0,
                                .attempt = 1,
                                .stream = 2,
                                .bytes = said,
                                .len = sizeof(said) - 1,
                                .at = trial_story.now};
    struct log_batch batch = {.events = trial_story.events.items,
                              .event_count = trial_story.events.count,
                              .outputs = &output,
                              .output_count = 1};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
    log_writer_close(writer);
    str_done(&plan);
    story_done(&trial_story);
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
    Suite *suite = suite_create("correct");
    TCase *prompt = test_case(suite, "prompt");
    tcase_add_checked_fixture(prompt, set_up, stage_close);
    tcase_add_test(prompt, test_every_class_can_be_picked);
    tcase_add_test(prompt, test_last_line_is_the_pattern_where_nothing_matched);
    tcase_add_test(prompt, test_pattern_is_of_the_first_line);
    TCase *tcase = test_case(suite, "trial");
    tcase_add_checked_fixture(tcase, set_up_trial, tear_down);
    tcase_add_test(tcase, test_news_come_while_it_works);
    tcase_add_test(tcase, test_cancelled_trial_ends_at_its_next_attempt);
    tcase_add_test(tcase, test_next_trial_does_not_wait_for_the_last);
    tcase_add_test(tcase, test_failure_is_told_in_words);
    tcase_add_test(tcase, test_stop_waits_for_what_works);
    tcase_add_test(tcase, test_what_is_no_rule_is_not_tried);
    tcase_add_test(tcase, test_real_trial_reads_the_log);
    return suite;
}
