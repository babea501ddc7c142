/* This build decides recorded runs as they were decided: docs/testing.md. */
#include "verify.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_log.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"
#include "what_if.h"
#include "xalloc.h"

/* The result of verifying a run. */
struct look {
    struct verify_sum sum;
    char first[2048]; /* the first difference in words, "" = none */
};

static const char *kind_of(const struct event *event)
{
    return event ? event_kind_name(event->kind) : "nothing";
}

/* The caller frees. */
static char *text_of(const struct event *event)
{
    return event ? event_object(event) : xstrdup("");
}

static void on_decision(void *ctx, const struct redecide_difference *difference)
{
    struct look *look = ctx;
    const struct event *recorded = difference->recorded;
    const struct event *made = difference->made;
    const struct event *about = recorded ? recorded : made;
    if (look->first[0] != '\0')
        return;
    char *texts[] = {text_of(recorded), text_of(made)};
    (void)snprintf(look->first, sizeof(look->first),
                   "task %d try %d, after #%lld: recorded %s %s, this build %s %s", about->task,
                   about->attempt, (long long)difference->cause->seq, kind_of(recorded), texts[0],
                   kind_of(made), texts[1]);
    free(texts[0]);
    free(texts[1]);
}

static void on_verdict(void *ctx, const struct verify_verdict *verdict)
{
    struct look *look = ctx;
    if (look->first[0] != '\0')
        return;
    (void)snprintf(look->first, sizeof(look->first),
                   "#%lld task %d try %d: recorded %s (rule %s), by the %s rules %s (rule %s)",
                   (long long)verdict->event->seq, verdict->event->task, verdict->event->attempt,
                   verdict_class_name(verdict->was->class), verdict->was->rule,
                   verdict->rules == VERIFY_RECORDED ? "run's" : "present",
                   verdict_class_name(verdict->is->class), verdict->is->rule);
}

static struct look hold(const char *sql, const char *rules)
{
    const struct place place = golden_log_make(sql);
    struct look look = {0};
    struct log_reader *reader = log_reader_of(&place);
    const struct verify_asked asked = {.reader = reader,
                                       .rules = rules,
                                       .differs = on_decision,
                                       .verdict = on_verdict,
                                       .ctx = &look};
    must(verify_run(&asked, &look.sum, &err));
    log_reader_close(reader);
    return look;
}

/* The SQL of a run with one text in it replaced by another one; the caller frees. */
static char *change(const char *name, const char *from, const char *to)
{
    char *sql = golden_log_sql(name);
    char *at = strstr(sql, from);
    ck_assert_msg(at != NULL, "no %s in %s", from, name);
    struct str changed = {0};
    str_add_n(&changed, sql, (size_t)(at - sql));
    str_add(&changed, to);
    str_add(&changed, at + strlen(from));
    free(sql);
    return changed.data;
}

START_TEST(test_a_golden_run_is_decided_as_it_was)
{
    char *sql = golden_log_sql(golden_log_name(_i));
    const struct look look = hold(sql, NULL);
    const struct redecide_sum *decisions = &look.sum.decisions;
    const struct verify_verdicts *verdicts = &look.sum.verdicts;
    ck_assert_msg(look.first[0] == '\0', "golden run %s: %s", golden_log_name(_i), look.first);
    ck_assert_int_gt(decisions->decisions, 3);
    ck_assert_int_eq(decisions->same, decisions->decisions);
    ck_assert_int_eq(decisions->unknown + decisions->lost_acts + decisions->unseen, 0);
    ck_assert_msg(verdicts->other_prints == 0, "golden run %s: another fingerprint at #%lld",
                  golden_log_name(_i), (long long)verdicts->first_print);
    ck_assert_int_eq(verdicts->recorded, VERIFY_RULES_THERE);
    ck_assert_int_eq(verdicts->judged + verdicts->unread, verdicts->ended);
    free(sql);
}
END_TEST

/* A run that is missing in the list of golden_log.c would not be checked. */
START_TEST(test_every_golden_run_is_in_the_list)
{
    DIR *dir = opendir(test_source_path("tests/data/golden"));
    ck_assert_ptr_nonnull(dir);
    int found = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        found += strstr(entry->d_name, ".sql") != NULL;
    (void)closedir(dir);
    ck_assert_int_eq(found, golden_log_count());
}
END_TEST

/* Together the golden runs have every kind of decision. */
START_TEST(test_golden_runs_hold_every_kind_of_decision)
{
    struct str all = {0};
    for (int i = 0; i < golden_log_count(); i++) {
        char *sql = golden_log_sql(golden_log_name(i));
        str_add(&all, sql);
        free(sql);
    }
    for (int kind = 1; kind < EVENT_KIND_COUNT; kind++) {
        char note[64];
        (void)snprintf(note, sizeof(note), "'%s'", event_kind_name((enum event_kind)kind));
        if (redecide_is_decision((enum event_kind)kind))
            ck_assert_msg(strstr(str_text(&all), note) != NULL, "none has a %s", note);
    }
    str_done(&all);
}
END_TEST

/* A wait that the plan would not give is the first difference; later events are compared too. */
START_TEST(test_another_policy_decides_differently)
{
    char *sql = change("retries", "\"max_attempts\": 4, \"base_delay_ms\": 20",
                       "\"max_attempts\": 3, \"base_delay_ms\": 20");
    const struct look look = hold(sql, NULL);
    ck_assert_int_gt(look.sum.decisions.different, 0);
    ck_assert_int_gt(look.sum.decisions.same, 10);
    ck_assert_int_eq(look.sum.decisions.same + look.sum.decisions.different,
                     look.sum.decisions.decisions);
    ck_assert_msg(strstr(look.first, "recorded wait_started {\"delay_ms\":20") != NULL, "%s",
                  look.first);
    ck_assert_msg(strstr(look.first, "\"allowed\":3") != NULL, "%s", look.first);
    free(sql);
}
END_TEST

/* Today's rules that judge differently are reported; the run's own rules judge as recorded. */
START_TEST(test_other_rules_judge_differently)
{
    static const char rules[] = "[{\"name\":\"refused\",\"verdict\":\"persistent\",\"reason\":"
                                "\"auth\",\"pattern\":\"ECONNREFUSED\"}]";
    char *sql = golden_log_sql("retries");
    const struct look look = hold(sql, rules);
    ck_assert_int_eq(look.sum.verdicts.different[VERIFY_RECORDED], 0);
    ck_assert_int_gt(look.sum.verdicts.different[VERIFY_PRESENT], 0);
    ck_assert_msg(strstr(look.first, "persistent (rule refused)") != NULL, "%s", look.first);
    free(sql);
}
END_TEST

/* Missing rows are counted. */
START_TEST(test_acts_without_their_row_are_counted)
{
    char *sql = change("acts", "INSERT INTO output(", "DELETE FROM control;\nINSERT INTO output(");
    const struct look look = hold(sql, NULL);
    ck_assert_int_gt(look.sum.decisions.lost_acts, 0);
    ck_assert_int_gt(look.sum.decisions.lost, 0);
    ck_assert_int_eq(look.sum.decisions.different, 0);
    ck_assert_int_eq(look.sum.decisions.same + look.sum.decisions.lost,
                     look.sum.decisions.decisions);
    free(sql);
}
END_TEST

/* A golden run, read from its log. */
struct golden {
    struct log_run_info run; /* owned, both */
    struct event_page page;
};

static struct golden golden;
static struct what_if_sum sum;

static void read_golden(const char *name)
{
    const struct place place = golden_log_place(name);
    golden = (struct golden){0};
    struct log_reader *reader = log_reader_of(&place);
    must(log_reader_run(reader, 0, &golden.run, &err));
    must(log_reader_events(reader, golden.run.number, 0, &golden.page, &err));
    ck_assert_uint_lt(golden.page.count, LOG_PAGE_EVENTS);
    log_reader_close(reader);
}

static void golden_done(void)
{
    event_page_done(&golden.page);
    log_run_info_done(&golden.run);
}

/* The result of other policies (NULL: the recorded ones); the caller frees. */
static struct what_if *ask(const char *policies)
{
    struct policy_change *change = NULL;
    struct violations wrong = {0};
    struct what_if *what = NULL;
    ck_assert(!policies || policy_change_read(policies, strlen(policies), &change, &wrong));
    must(what_if_new(&what, golden.run.plan_text, golden.run.seed, change, &err));
    for (size_t i = 0; i < golden.page.count; i++)
        must(what_if_take(what, &golden.page.events[i], &err));
    what_if_sum(what, &sum);
    policy_change_free(change);
    return what;
}

START_TEST(test_the_recorded_policies_differ_nowhere)
{
    read_golden(golden_log_name(_i));
    struct what_if *what = ask(NULL);
    ck_assert_msg(sum.differ == 0, "golden run %s: task %d after try %d: %s", golden_log_name(_i),
                  sum.first.task, sum.first.attempt, sum.first.why);
    ck_assert_mem_eq(&sum.recorded, &sum.other, sizeof(sum.other));
    ck_assert_int_eq(sum.recorded.tries, what_if_state(what)->attempts);
    ck_assert_int_eq(sum.steps_changed, 0);
    what_if_free(what);
    golden_done();
}
END_TEST

START_TEST(test_other_policies_account_for_every_try)
{
    static const char *const policies[] = {
        "{\"max_attempts\":1}",
        "{\"max_attempts\":20}",
        "{\"policy\":\"research\"}",
        "{\"deadline_ms\":1}",
        "{\"retry_on\":[],\"policies\":{\"infrastructure\":{\"max_attempts\":1}}}",
    };
    read_golden(golden_log_name(_i));
    for (int i = 0; i < TABLE_LEN(policies); i++) {
        struct what_if *what = ask(policies[i]);
        ck_assert_msg(sum.other.tries + sum.not_run == sum.recorded.tries, "%s under %s",
                      golden_log_name(_i), policies[i]);
        ck_assert_int_le(sum.other.counts[TASK_PASSED], sum.recorded.counts[TASK_PASSED]);
        ck_assert_int_eq(sum.differ, sum.waits + sum.ends + sum.goes_on);
        what_if_free(what);
    }
    golden_done();
}
END_TEST

/* A step that would be retried begins no round of its agent: the result is unknown. */
START_TEST(test_a_step_that_is_retried_begins_no_round)
{
    read_golden("rounds");
    struct what_if *what =
        ask("{\"policies\":{\"infrastructure\":{\"retry_on\":[\"transient\",\"persistent\"]}}}");
    ck_assert_int_gt(sum.goes_on, 0);
    ck_assert(sum.first.recorded.new_round);
    ck_assert_int_eq(sum.first.other.kind, DECISION_WAIT);
    what_if_free(what);
    golden_done();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("golden_logs");
    TCase *tcase = test_case(suite, "golden");
    tcase_add_loop_test(tcase, test_a_golden_run_is_decided_as_it_was, 0, golden_log_count());
    tcase_add_test(tcase, test_every_golden_run_is_in_the_list);
    tcase_add_test(tcase, test_golden_runs_hold_every_kind_of_decision);
    tcase_add_test(tcase, test_another_policy_decides_differently);
    tcase_add_test(tcase, test_other_rules_judge_differently);
    tcase_add_test(tcase, test_acts_without_their_row_are_counted);
    TCase *what_if = test_case(suite, "what_if");
    tcase_add_loop_test(what_if, test_the_recorded_policies_differ_nowhere, 0, golden_log_count());
    tcase_add_loop_test(what_if, test_other_policies_account_for_every_try, 0, golden_log_count());
    tcase_add_test(what_if, test_a_step_that_is_retried_begins_no_round);
    return suite;
}
