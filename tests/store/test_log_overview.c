/* What is said of a run from the tables beside its events is what a fold of these says. */
#include "log_reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "bundle.h"
#include "golden_log.h"
#include "log_rebuild.h"
#include "log_try.h"
#include "log_write.h"
#include "must.h"
#include "shop_log.h"
#include "test_main.h"

enum { TASKS = 30, APART = 5 };

static struct sample sample;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, TASKS);
}

static void teardown(void)
{
    sample_done(&sample);
}

static void add_row(const struct overview_row *row, struct str *out)
{
    const struct failure_class *class = &row->class;
    str_addf(out, " %d %d%d%d due %lld '%s' by '%s' %d/%d %lld-%lld %d %d %d %d %d %d\n", row->task,
             (int)row->status, row->held, row->quiet, (long long)row->due_at_ms, row->id, row->by,
             row->tried, row->tries, (long long)row->started_at_ms, (long long)row->ended_at_ms,
             (int)class->label.class, (int)class->label.type, (int)class->label.reason,
             (int)class->kind, class->code, class->is_silent);
}

/* All that there is in it. */
static void add_overview(const struct overview *tasks, struct str *out)
{
    str_addf(out, "%d tasks, due %lld:", tasks->tasks, (long long)tasks->due_at_ms);
    for (int i = 0; i < SHOWN_COUNT; i++)
        str_addf(out, " %d", tasks->counts[i]);
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        str_addf(out, "\nkind %d, %d of %d:\n", kind, tasks->row_counts[kind],
                 overview_count(tasks, (enum overview_kind)kind));
        for (int i = 0; i < tasks->row_counts[kind]; i++)
            add_row(&tasks->rows[kind][i], out);
    }
}

static struct log_overview look(const struct place *place, int64_t run)
{
    struct log_reader *reader = log_reader_of(place);
    struct log_overview out;
    must(log_reader_overview(reader, run, &out, &err));
    log_reader_close(reader);
    log_run_info_done(&out.run);
    return out;
}

static bool is_known(const struct place *place, int64_t run)
{
    return look(place, run).is_known;
}

/* The same as a fold says; false where it says nothing. */
static bool check(const struct place *place, int64_t run)
{
    const struct log_overview said = look(place, run);
    struct follower *follower = NULL;
    struct overview folded;
    struct str is = {0};
    struct str want = {0};
    if (!said.is_known)
        return false;
    must(follower_open(&follower, place, run, &err));
    must(follower_read(follower, 0, NULL, NULL, NULL, &err));
    ck_assert_int_eq(said.orphaned, follower_is_orphaned(follower));
    overview_of_state(&folded, follower_state(follower), said.orphaned);
    add_overview(&said.tasks, &is);
    add_overview(&folded, &want);
    ck_assert_str_eq(str_text(&is), str_text(&want));
    str_done(&is);
    str_done(&want);
    follower_close(follower);
    return true;
}

static void check_known(const struct place *place, int64_t run)
{
    ck_assert(check(place, run));
}

START_TEST(test_golden_runs)
{
    char file[64];
    struct err err = {0};
    (void)snprintf(file, sizeof(file), "%s.sql", golden_log_name(_i));
    char *sql = golden_log_read(file);
    const struct place place = golden_log_make(sql);
    ck_assert(!is_known(&place, 1)); /* they are handed on without these tables */
    ck_assert_msg(log_rebuild(&place, 1, &err), "%s: %s", file, err.message);
    check_known(&place, 1);
    free(sql);
}
END_TEST

/* Every state that a task can be in, and what is over. */
START_TEST(test_the_shops_runs)
{
    const struct place place = sample_place();
    must(shop_log_write(&place, &err));
    for (int run = 1; run <= 3; run++)
        check_known(&place, run);
    check_known(&place, 0); /* nobody owns it: what its gates keep back does not count */
    ck_assert(look(&place, 0).orphaned);
}
END_TEST

static int counted(enum shown shown)
{
    return look(&sample.place, 0).tasks.counts[shown];
}

START_TEST(test_each_moment_of_a_run)
{
    int held = 0;
    int waits = 0;
    sample_start(&sample);
    sample_control(&sample, (struct control){.verb = CONTROL_HOLD, .task = 3, .by = "ann"});
    for (int i = 0; !sample.state.ended && i < 1000; i++) {
        if (i % APART == 0) {
            check_known(&sample.place, 0);
            held += counted(SHOWN_HELD);
            waits += counted(SHOWN_BACKOFF);
        }
        if (!sample_advance(&sample))
            sample_control(&sample,
                           (struct control){.verb = CONTROL_RELEASE, .task = 3, .by = "ann"});
    }
    ck_assert_int_gt(held, 0);
    ck_assert_int_gt(waits, 0);
    ck_assert(sample.state.ended);
    check_known(&sample.place, sample.number);
    ck_assert_int_gt(counted(SHOWN_PASSED), 0);
    ck_assert_int_gt(counted(SHOWN_GAVE_UP), 0);
}
END_TEST

static struct input input_for(enum input_kind kind)
{
    const struct sample_live *live = &sample.live[0];
    return (struct input){.kind = kind,
                          .task = live->task,
                          .step = live->step,
                          .attempt = live->attempt,
                          .pid = 7,
                          .quiet_ms = 90000};
}

START_TEST(test_what_is_quiet_now)
{
    sample_start(&sample);
    ck_assert_uint_gt(sample.live_count, 1);
    sample_step(&sample, input_for(INPUT_RUNNING));
    sample_step(&sample, input_for(INPUT_QUIET));
    check_known(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_QUIET), 1);
    sample_step(&sample, input_for(INPUT_HEARD));
    check_known(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_QUIET), 0);
    sample_step(&sample, input_for(INPUT_QUIET));
    sample_close_log(&sample);
    check_known(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_QUIET), 0);
    ck_assert_int_eq(counted(SHOWN_LOST), (int)sample.live_count);
}
END_TEST

/* A task that was cancelled and is silent does not take the place of one that runs. */
START_TEST(test_a_task_that_is_stopping_is_not_quiet)
{
    sample_start(&sample);
    const int running = (int)sample.live_count;
    struct input cancel = input_for(INPUT_CONTROL);
    cancel.control = (struct control){
        .verb = CONTROL_CANCEL, .task = sample.live[0].task, .step = -1, .by = "ann"};
    sample_step(&sample, input_for(INPUT_RUNNING));
    sample_step(&sample, cancel);
    sample_step(&sample, input_for(INPUT_QUIET));
    check_known(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_STOPPING), 1);
    ck_assert_int_eq(counted(SHOWN_QUIET), 0);
    ck_assert_int_eq(counted(SHOWN_RUNNING), running - 1);
}
END_TEST

START_TEST(test_an_owner_that_was_killed_and_who_goes_on)
{
    struct run_state state;
    struct log_estate estate = {0};
    struct log_heir heir = {.state = &state};
    sample_start(&sample);
    for (int i = 0; i < TASKS / 2; i++)
        ck_assert(sample_advance(&sample));
    sample_close_log(&sample);
    check_known(&sample.place, 0);
    ck_assert(look(&sample.place, 0).orphaned);
    run_state_init(&state, sample.plan, sample.state.seed);
    must(log_writer_open(&sample.writer, &sample.place, &err));
    must(log_writer_continue(sample.writer, sample.number, &heir, &estate, &err));
    check_known(&sample.place, 0);
    ck_assert(!look(&sample.place, 0).orphaned);
    sample_close_log(&sample); /* the writer borrows the state */
    str_done(&estate.rules);
    run_state_done(&state);
}
END_TEST

START_TEST(test_a_run_that_grows)
{
    struct place place = sample_place();
    sample_done(&sample);
    sample_open(&sample, &place, 0);
    sample_start(&sample);
    check_known(&place, 0);
    sample_add(&sample, 12);
    check_known(&place, 0);
    sample_drive(&sample);
    sample_add(&sample, 5);
    check_known(&place, 0);
    ck_assert_int_eq(look(&place, 0).tasks.tasks, 17);
}
END_TEST

START_TEST(test_a_bundle)
{
    char file[PATH_MAX];
    struct bundle *bundle = NULL;
    sample_start(&sample);
    sample_drive(&sample);
    sample_close_log(&sample);
    (void)snprintf(file, sizeof(file), "%s/run.devs", test_tmpdir());
    const struct bundle_asked asked = {.place = &sample.place, .run = sample.number, .file = file};
    must(bundle_open(&bundle, &asked, &err));
    check_known(bundle_place(bundle), 0);
    bundle_close(bundle);
}
END_TEST

START_TEST(test_a_log_of_the_first_format)
{
    sample_start(&sample);
    sample_close_log(&sample);
    log_change(&sample.place, "PRAGMA user_version=1");
    check_known(&sample.place, 0);
}
END_TEST

/* The disk is full within a batch of several transactions: its events are there, what is kept of
 * them is not. */
START_TEST(test_within_a_large_batch)
{
    enum { MANY_TASKS = 6000, ROOM_BYTES = 350 * 1024 };
    struct place place = sample_place();
    struct err err = {0};
    sample_done(&sample);
    sample_open(&sample, &place, MANY_TASKS);
    sample_start(&sample);
    struct log_writer *writer = sample.writer;
    sample.writer = NULL;
    sample_control(&sample, (struct control){.verb = CONTROL_CANCEL, .task = -1, .by = "ann"});
    sample.writer = writer;
    const struct log_batch batch = {.events = sample.turn.events,
                                    .event_count = sample.turn.event_count};
    const int64_t before = log_number(&sample.place, "SELECT last_seq FROM run");
    sample_limit_wal(&sample, (int64_t)ROOM_BYTES);
    ck_assert(!log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err));
    sample_limit_wal(&sample, -1);
    ck_assert_int_gt(log_number(&sample.place, "SELECT last_seq FROM run"), before);
    ck_assert(!is_known(&place, 0));
    err = (struct err){0};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
    check_known(&place, 0);
}
END_TEST

/* What is not of the last event, or is invalid, is not said. */
START_TEST(test_what_does_not_fit_is_not_known)
{
    static const char *const changes[] = {
        "UPDATE run SET last_seq=last_seq+1",
        "DELETE FROM task WHERE task=5",
        "UPDATE task SET task=1000 WHERE task=5",
        "UPDATE task SET status=99 WHERE task=5",
        "UPDATE task SET held=7 WHERE task=5",
        "UPDATE plan SET text=replace(text, '\"version\"', '\"best_effort\":true,\"version\"')",
        "UPDATE attempt SET class=44, ended_at_ms=1 WHERE task=4",
        "PRAGMA user_version=7",
    };
    sample_start(&sample);
    sample_drive(&sample);
    sample_close_log(&sample);
    ck_assert_int_lt(_i, TABLE_LEN(changes));
    check_known(&sample.place, 0);
    log_change(&sample.place, changes[_i]);
    ck_assert_msg(!is_known(&sample.place, 0), "%s", changes[_i]);
}
END_TEST

Suite *test_suite(void)
{
    enum { CHANGES = 8 };
    Suite *suite = suite_create("log_overview");
    TCase *recorded = test_case(suite, "recorded");
    tcase_add_loop_test(recorded, test_golden_runs, 0, golden_log_count());
    tcase_add_test(recorded, test_the_shops_runs);
    TCase *moments = test_case(suite, "moments");
    tcase_add_checked_fixture(moments, setup, teardown);
    tcase_add_test(moments, test_each_moment_of_a_run);
    tcase_add_test(moments, test_what_is_quiet_now);
    tcase_add_test(moments, test_a_task_that_is_stopping_is_not_quiet);
    tcase_add_test(moments, test_an_owner_that_was_killed_and_who_goes_on);
    tcase_add_test(moments, test_a_run_that_grows);
    tcase_add_test(moments, test_a_bundle);
    tcase_add_test(moments, test_a_log_of_the_first_format);
    tcase_add_test(moments, test_within_a_large_batch);
    tcase_add_loop_test(moments, test_what_does_not_fit_is_not_known, 0, CHANGES);
    return suite;
}
