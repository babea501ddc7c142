#include "log_gc.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bookmark.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"

static struct place place;
static uint64_t digests[8]; /* of the runs' states, by number */

/* A whole run: tasks, attempts and many events. */
static int64_t add_run(int tasks)
{
    struct sample sample;
    sample_open(&sample, &place, tasks);
    sample_start(&sample);
    sample_drive(&sample);
    log_commit_output(sample.writer, (struct log_output){.attempt = 1,
                                                         .stream = LOG_STREAM_OUT,
                                                         .part = LOG_OUTPUT_HEAD,
                                                         .at = sample.now,
                                                         .bytes = "some words"});
    const struct log_capture capture = {.task = 0, .attempt = 1, .at = sample.now, .json = "{}"};
    log_commit(sample.writer, &(struct log_batch){.captures = &capture, .capture_count = 1});
    const int64_t number = sample.number;
    digests[number] = run_state_digest(&sample.state);
    sample_done(&sample);
    return number;
}

static void setup(void)
{
    place = sample_place();
    for (int i = 0; i < 4; i++)
        (void)add_run(6);
}

static struct log_gc_asked asked_new(void)
{
    return (struct log_gc_asked){
        .place = &place, .limits = log_limits_new(), .now_ms = INT64_C(4000000000000)};
}

/* What would happen to each run, newest first, as letters. */
static void check_plan(const struct log_gc_asked *asked, const char *wanted)
{
    static const char letters[LOG_GC_WHY_COUNT + 1] = ".nabsNOMLB";
    struct log_gc_run *runs = NULL;
    size_t count = 0;
    char got[16] = "";
    must(log_gc_plan(asked, &runs, &count, &err));
    for (size_t i = 0; i < count; i++)
        got[i] = letters[runs[i].why];
    free(runs);
    ck_assert_str_eq(got, wanted);
}

static void remove_run(int64_t run)
{
    struct log_gc *gc = NULL;
    must(log_gc_open(&gc, &place, &err));
    must(log_gc_remove(gc, run, &err));
    log_gc_close(gc);
}

static enum err_code refusal(int64_t run)
{
    struct log_gc *gc = NULL;
    struct err err = {0};
    ck_assert(log_gc_open(&gc, &place, &err));
    ck_assert(!log_gc_remove(gc, run, &err));
    log_gc_close(gc);
    return err.code;
}

static void mark(int64_t run)
{
    struct bookmark bookmark = {.run = run, .seq = 1, .at_ms = 1, .by = "ann"};
    must(bookmark_add(&place, &bookmark, &err));
}

START_TEST(test_without_limits_all_runs_stay)
{
    const struct log_gc_asked asked = asked_new();
    check_plan(&asked, "n...");
}
END_TEST

START_TEST(test_limits_of_number_age_and_size)
{
    struct log_gc_asked asked = asked_new();
    asked.limits.runs = 2;
    check_plan(&asked, "n.MM");
    asked.limits.runs = 0;
    check_plan(&asked, "nMMM");
    asked = asked_new();
    asked.limits.age_ms = 1000;
    check_plan(&asked, "nOOO");
    asked.now_ms = 0;
    check_plan(&asked, "n...");
    asked = asked_new();
    asked.limits.bytes = 1;
    check_plan(&asked, "nLLL");
    asked.limits.bytes = INT64_MAX / 2;
    check_plan(&asked, "n...");
}
END_TEST

START_TEST(test_a_named_run_is_deleted_at_any_age)
{
    const int64_t named[] = {4, 2};
    struct log_gc_asked asked = asked_new();
    asked.named = named;
    asked.named_count = 2;
    check_plan(&asked, "N.N.");
    struct log_gc_run *runs = NULL;
    size_t count = 0;
    const int64_t unknown[] = {9};
    asked.named = unknown;
    asked.named_count = 1;
    must_fail(log_gc_plan(&asked, &runs, &count, &err), ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_live_and_bookmarked_runs_are_kept)
{
    const int64_t named[] = {3, 5};
    struct sample live;
    sample_open(&live, &place, 3);
    sample_start(&live);
    mark(3);
    struct log_gc_asked asked = asked_new();
    asked.limits.runs = 0;
    asked.named = named;
    asked.named_count = 2;
    check_plan(&asked, "aMbMM");
    ck_assert_int_eq(refusal(5), ERR_BUSY);
    ck_assert_int_eq(refusal(3), ERR_INVALID);
    log_check_fold(&place, 3, digests[3]);
    digests[5] = run_state_digest(&live.state);
    log_check_fold(&place, 5, digests[5]);
    sample_done(&live);
}
END_TEST

START_TEST(test_all_rows_of_a_run_are_deleted)
{
    static const char *const tables[] = {"event",   "output", "capture", "task", "attempt",
                                         "control", "plan",   "session", "gain"};
    remove_run(2);
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        char sql[96];
        (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s WHERE run=2", tables[i]);
        ck_assert_int_eq(log_number(&place, sql), 0);
    }
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM run WHERE id=2"), 0);
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM output WHERE run=3"), 1);
    log_check_fold(&place, 1, digests[1]);
    log_check_fold(&place, 3, digests[3]);
    log_check_fold(&place, 4, digests[4]);
    /* Its number is not used again. */
    remove_run(4);
    ck_assert_int_eq(add_run(3), 5);
}
END_TEST

START_TEST(test_rules_are_deleted_with_the_last_run_that_used_them)
{
    log_change(&place,
               "INSERT INTO ruleset VALUES('one','[]'); INSERT INTO ruleset VALUES('two','[]');"
               "UPDATE run SET ruleset='one' WHERE id IN(1,2);"
               "UPDATE run SET ruleset='two' WHERE id=3");
    remove_run(1);
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM ruleset WHERE hash='one'"), 1);
    remove_run(2);
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM ruleset WHERE hash='one'"), 0);
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM ruleset WHERE hash='two'"), 1);
}
END_TEST

START_TEST(test_the_space_is_given_back)
{
    struct log_gc *gc = NULL;
    int64_t bytes = 0;
    for (int64_t run = 1; run <= 3; run++)
        remove_run(run);
    const int64_t before = log_number(&place, "PRAGMA page_count");
    const int64_t free_before = log_number(&place, "PRAGMA freelist_count");
    ck_assert_int_gt(free_before, 0);
    must(log_gc_open(&gc, &place, &err));
    must(log_gc_shrink(gc, 0, &bytes, &err));
    log_gc_close(gc);
    ck_assert_int_eq(log_number(&place, "PRAGMA freelist_count"), 0);
    ck_assert_int_eq(log_number(&place, "PRAGMA page_count"), before - free_before);
    ck_assert_int_eq(bytes, free_before * DB_PAGE_BYTES);
    log_check_fold(&place, 4, digests[4]);
}
END_TEST

/* Gives a run so many rows that deleting it takes many turns. */
static void fill_run(int64_t run)
{
    char sql[512];
    (void)snprintf(sql, sizeof(sql),
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)"
                   " INSERT INTO event(run, seq, at_ms, mono_ms, kind, data)"
                   " SELECT %lld, 100000+i, 1, 1, 'note', '{\"note\":\"filled\"}' FROM n",
                   (long long)run);
    log_change(&place, sql);
}

START_TEST(test_a_kill_in_the_middle_leaves_a_sound_log)
{
    struct log_gc_asked asked = asked_new();
    fill_run(2);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct log_gc *gc = NULL;
        bool ok = log_gc_open(&gc, &place, NULL) && log_gc_remove(gc, 2, NULL);
        _exit(ok ? 0 : 1);
    }
    /* Readers see that the run is expired, or gone. */
    while (log_number(&place, "SELECT count(*) FROM run WHERE id=2 AND expired=0") > 0)
        continue;
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);

    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM pragma_integrity_check"
                                        " WHERE integrity_check='ok'"),
                     1);
    log_check_fold(&place, 1, digests[1]);
    log_check_fold(&place, 3, digests[3]);
    log_check_fold(&place, 4, digests[4]);
    if (log_number(&place, "SELECT count(*) FROM run WHERE id=2") > 0) {
        check_plan(&asked, "n..B");
        remove_run(2);
    }
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM event WHERE run=2"), 0);
    check_plan(&asked, "n..");
}
END_TEST

START_TEST(test_a_run_continues_meanwhile)
{
    struct sample live;
    int go[2];
    fill_run(1);
    ck_assert_int_eq(pipe(go), 0);
    const pid_t child = fork(); /* before the run: its writer has a thread */
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct log_gc *gc = NULL;
        int64_t bytes = 0;
        char byte;
        bool ok = read(go[0], &byte, 1) == 1 && log_gc_open(&gc, &place, NULL) &&
                  log_gc_remove(gc, 1, NULL) && log_gc_shrink(gc, 0, &bytes, NULL);
        log_gc_close(gc);
        _exit(ok ? 0 : 1);
    }
    sample_open(&live, &place, 40);
    sample_start(&live);
    ck_assert_int_eq(write(go[1], "g", 1), 1);
    sample_drive(&live); /* each of its commits must succeed */
    check_exit(child);
    ck_assert_int_eq(close(go[0]) | close(go[1]), 0);
    digests[live.number] = run_state_digest(&live.state);
    const int64_t number = live.number;
    sample_done(&live);
    log_check_fold(&place, number, digests[number]);
    ck_assert_int_eq(log_number(&place, "SELECT count(*) FROM event WHERE run=1"), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_gc");
    TCase *runs = test_case(suite, "runs");
    tcase_add_checked_fixture(runs, setup, NULL);
    tcase_add_test(runs, test_without_limits_all_runs_stay);
    tcase_add_test(runs, test_limits_of_number_age_and_size);
    tcase_add_test(runs, test_a_named_run_is_deleted_at_any_age);
    tcase_add_test(runs, test_live_and_bookmarked_runs_are_kept);
    tcase_add_test(runs, test_all_rows_of_a_run_are_deleted);
    tcase_add_test(runs, test_rules_are_deleted_with_the_last_run_that_used_them);
    tcase_add_test(runs, test_the_space_is_given_back);
    tcase_add_test(runs, test_a_kill_in_the_middle_leaves_a_sound_log);
    tcase_add_test(runs, test_a_run_continues_meanwhile);
    return suite;
}
