/* The log of a run whose plan grows: readers, rows, a spill, a bundle, an orphan. */
#include <stdio.h>
#include <stdlib.h>

#include "bundle.h"
#include "log_rebuild.h"
#include "log_try.h"
#include "log_write.h"
#include "must.h"
#include "owner_state.h"
#include "spill.h"
#include "test_main.h"

enum { FIRST = 12, LATER = 30 };

static struct sample sample;
static struct follower *follower;

static void setup(void)
{
    struct place place = sample_place();
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", place.dir, 1), 0);
    sample_open(&sample, &place, 0);
    sample_start(&sample);
    sample_add(&sample, FIRST);
    sample_drive(&sample);
    follower = NULL;
}

static void teardown(void)
{
    follower_close(follower);
    sample_done(&sample);
}

static void follow(const struct place *place)
{
    follower_close(follower);
    follower = log_follow(place, sample.number);
}

static void check_followed(void)
{
    ck_assert_int_eq(follower_state(follower)->plan->task_count, sample.state.plan->task_count);
    ck_assert_uint_eq(run_state_digest(follower_state(follower)), run_state_digest(&sample.state));
}

static void check_rows(int tasks)
{
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM task"), tasks);
    ck_assert_int_eq(log_number(&sample.place, "SELECT tasks FROM run"), tasks);
    ck_assert_int_eq(log_number(&sample.place,
                                "SELECT count(*) FROM tasks WHERE id='t004' AND status='gave-up'"),
                     1);
    ck_assert_int_eq(log_number(&sample.place, "SELECT max(number) FROM tasks"), tasks - 1);
}

START_TEST(test_a_reader_grows_with_the_run)
{
    follow(&sample.place);
    check_followed();
    sample_add(&sample, LATER);
    must(follower_read(follower, 0, NULL, NULL, NULL, &err));
    check_followed();
    ck_assert_int_eq(follower_run(follower)->tasks, FIRST + LATER);
}
END_TEST

START_TEST(test_a_replay_seeks_to_any_event_and_back)
{
    follow(&sample.place);
    const int64_t last = sample.state.last_seq;
    const uint64_t digest = run_state_digest(&sample.state);
    int tasks = FIRST;
    for (int64_t seq = last; seq >= 0; seq--) {
        must(follower_seek(follower, seq, &err));
        const int now = follower_state(follower)->plan->task_count;
        ck_assert_int_le(now, tasks);
        tasks = now;
    }
    ck_assert_int_eq(tasks, 0);
    must(follower_seek(follower, last, &err));
    ck_assert_uint_eq(run_state_digest(follower_state(follower)), digest);
}
END_TEST

START_TEST(test_rows_can_be_rebuilt)
{
    sample_close_log(&sample);
    must(log_rebuild(&sample.place, sample.number, &err));
    check_rows(FIRST);
}
END_TEST

START_TEST(test_tasks_added_in_a_spill_are_merged)
{
    const struct spill_reason reason = {.since_ms = 1700000000000, .why = "disk full"};
    struct log_writer *spill = NULL;
    struct log_writer *home = sample.writer;
    must(log_writer_spill(&spill, home, &reason, &err));
    sample.writer = spill;
    sample_add(&sample, LATER);
    sample_drive(&sample);
    sample.writer = home;
    follow(&sample.place);
    check_followed();

    const struct place place = *log_writer_place(spill);
    must(log_writer_take_home(home, &place, &err));
    log_writer_close(spill);
    spill_remove(&place);
    check_rows(FIRST + LATER);
    sample_add(&sample, 1);
    check_rows(FIRST + LATER + 1);
    follow(&sample.place);
    check_followed();
}
END_TEST

START_TEST(test_a_bundle_has_all_tasks)
{
    struct bundle *bundle = NULL;
    struct place place;
    char file[PATH_MAX];
    (void)snprintf(file, sizeof(file), "%.*s/out.devs", PATH_MAX - 16, test_tmpdir());
    const struct bundle_asked asked = {.place = &sample.place, .run = sample.number, .file = file};
    must(bundle_open(&bundle, &asked, &err));
    must(bundle_keep(bundle, &err));
    ck_assert_int_eq(bundle_contents(bundle)->tasks, FIRST);
    bundle_close(bundle);
    ck_assert(place_of_file(file, &place, NULL));
    follow(&place);
    check_followed();
}
END_TEST

START_TEST(test_an_orphan_can_be_cancelled)
{
    sample_add(&sample, LATER);
    sample_close_log(&sample);
    ck_assert_int_eq(
        log_number(&sample.place, "SELECT count(*) FROM run WHERE ended_at_ms IS NULL"), 1);
    log_change(&sample.place,
               "INSERT INTO control(run, verb, task, step, attempt, args, by, key_at_ms,"
               " asked_at_ms) VALUES(1, 1, NULL, NULL, NULL, NULL, 'ann', 1, 1)");
    must(orphan_answer(&sample.place, sample.number, &err));
    follow(&sample.place);
    ck_assert_int_eq(follower_state(follower)->plan->task_count, FIRST + LATER);
    ck_assert(follower_state(follower)->stopped_by_person);
    ck_assert_int_eq(follower_state(follower)->counts[TASK_QUEUED], 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_grow");
    TCase *runs = test_case(suite, "runs");
    tcase_add_checked_fixture(runs, setup, teardown);
    tcase_add_test(runs, test_a_reader_grows_with_the_run);
    tcase_add_test(runs, test_a_replay_seeks_to_any_event_and_back);
    tcase_add_test(runs, test_rows_can_be_rebuilt);
    tcase_add_test(runs, test_tasks_added_in_a_spill_are_merged);
    tcase_add_test(runs, test_a_bundle_has_all_tasks);
    tcase_add_test(runs, test_an_orphan_can_be_cancelled);
    return suite;
}
