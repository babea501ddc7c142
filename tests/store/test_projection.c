#include <stdio.h>
#include <string.h>

#include "db.h"
#include "log_rebuild.h"
#include "log_sample.h"
#include "log_write.h"
#include "must.h"
#include "test_main.h"

enum { TASKS = 60, MANY_TASKS = 6000, ROOM_STEPS = 12, ROOM_STEP_BYTES = 40 * 1024 };

static struct sample sample;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, TASKS);
}

/* All rows of a table as text, one line each. */
static void dump(const char *sql, struct str *out)
{
    struct db db;
    sqlite3_stmt *statement = NULL;
    struct err err = {0};
    bool row = true;
    ck_assert_msg(db_init(&db, sample.place.db, DB_READ, &err), "%s", err.message);
    ck_assert_msg(db_prepare(&db, &sql, 1, &statement, &err), "%s", err.message);
    while (db_next(&db, statement, &row, &err) && row) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);
            str_addf(out, "%s=%s ", sqlite3_column_name(statement, i), text ? text : "NULL");
        }
        str_add_char(out, '\n');
    }
    db_finalize(&statement, 1);
    db_done(&db);
}

static void dump_all(struct str *out)
{
    dump("SELECT * FROM task ORDER BY run, task", out);
    dump("SELECT * FROM attempt ORDER BY run, task, step, attempt", out);
    dump("SELECT * FROM run ORDER BY id", out);
}

/* What the writer wrote bit by bit is what a fold from the start gives. */
static void assert_rebuilds(void)
{
    log_writer_close(sample.writer);
    sample.writer = NULL;
    struct str written = {0};
    struct str rebuilt = {0};
    dump_all(&written);
    must(log_rebuild(&sample.place, sample.number, &err));
    dump_all(&rebuilt);
    ck_assert_ptr_nonnull(written.data);
    ck_assert_ptr_nonnull(rebuilt.data);
    size_t same = 0;
    while (written.data[same] != '\0' && written.data[same] == rebuilt.data[same])
        same++;
    ck_assert_msg(written.data[same] == rebuilt.data[same], "written '%.200s', rebuilt '%.200s'",
                  written.data + same, rebuilt.data + same);
    ck_assert_ptr_nonnull(strstr(written.data, "id=t59"));
    str_done(&written);
    str_done(&rebuilt);
    sample_done(&sample);
}

START_TEST(test_a_whole_run)
{
    sample_start(&sample);
    sample_drive(&sample);
    ck_assert(sample.state.ended);
    assert_rebuilds();
}
END_TEST

START_TEST(test_a_run_under_way)
{
    sample_start(&sample);
    for (int i = 0; i < 1 + _i * 7; i++)
        ck_assert(sample_advance(&sample));
    assert_rebuilds();
}
END_TEST

START_TEST(test_before_its_first_event)
{
    assert_rebuilds();
}
END_TEST

static struct control act(enum control_verb verb, int task)
{
    struct control control = {.verb = verb, .mode = CANCEL_TERM, .task = task, .step = -1};
    (void)snprintf(control.by, sizeof(control.by), "ann");
    return control;
}

START_TEST(test_acts_that_change_other_tasks)
{
    sample_start(&sample);
    sample_control(&sample, act(CONTROL_HOLD, 3));
    for (int i = 0; i < 30; i++)
        ck_assert(sample_advance(&sample));
    sample_control(&sample, act(CONTROL_RELEASE, 3));
    sample_control(&sample, act(CONTROL_CANCEL, 5));  /* t6 needs it */
    sample_control(&sample, act(CONTROL_CANCEL, 19)); /* t20 */
    sample_control(&sample, act(CONTROL_RETRY, 19));
    sample_drive(&sample);
    sample_control(&sample, act(CONTROL_RETRY, 5));
    sample_control(&sample, act(CONTROL_CANCEL, -1));
    sample_drive(&sample);
    assert_rebuilds();
}
END_TEST

START_TEST(test_a_run_with_an_owner_is_left_alone)
{
    sample_start(&sample);
    must_fail(log_rebuild(&sample.place, sample.number, &err), ERR_BUSY);
    must_fail(log_rebuild(&sample.place, 99, &err), ERR_NOT_FOUND);
    sample_done(&sample);
}
END_TEST

/* Rows that were tampered with are put right. */
START_TEST(test_a_rebuild_mends)
{
    sample_start(&sample);
    sample_drive(&sample);
    log_writer_close(sample.writer);
    sample.writer = NULL;
    struct str before = {0};
    struct str after = {0};
    dump_all(&before);
    struct db db;
    must(db_init(&db, sample.place.db, DB_WRITE, &err));
    must(db_exec(&db,
                 "UPDATE task SET status=1; DELETE FROM attempt WHERE task%2;"
                 "INSERT INTO task SELECT run, 1000, 'x', 'x', status, step, try, tries,"
                 " entropy, held, cancelling, by, blocked_by, due_at_ms, started_at_ms,"
                 " waited_ms FROM task WHERE task=0; UPDATE run SET passed=0",
                 &err));
    db_done(&db);
    must(log_rebuild(&sample.place, sample.number, &err));
    dump_all(&after);
    ck_assert_str_eq(before.data, after.data);
    str_done(&before);
    str_done(&after);
    sample_done(&sample);
}
END_TEST

/* The disk is full somewhere within a batch of several transactions, and has room
 * again later. */
START_TEST(test_a_write_that_fails_leaves_no_row_behind)
{
    struct place place = sample_place();
    sample_open(&sample, &place, MANY_TASKS);
    sample_start(&sample);
    struct log_writer *writer = sample.writer;
    sample.writer = NULL;
    sample_control(&sample, act(CONTROL_CANCEL, -1));
    sample.writer = writer;

    struct log_batch batch = {.events = sample.turn.events, .event_count = sample.turn.event_count};
    struct err err = {0};
    sample_limit_wal(&sample, (int64_t)_i * ROOM_STEP_BYTES);
    bool ok = log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err);
    sample_limit_wal(&sample, -1);
    ck_assert_msg(!ok, "there was room for all of it");
    err = (struct err){0};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
    ck_assert_int_eq(log_writer_committed_seq(writer), sample.state.last_seq);
    assert_rebuilds();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("projection");
    TCase *tcase = test_case(suite, "rebuild");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_a_whole_run);
    tcase_add_loop_test(tcase, test_a_run_under_way, 0, 8);
    tcase_add_test(tcase, test_before_its_first_event);
    tcase_add_test(tcase, test_acts_that_change_other_tasks);
    tcase_add_test(tcase, test_a_run_with_an_owner_is_left_alone);
    tcase_add_test(tcase, test_a_rebuild_mends);
    TCase *full = test_case(suite, "full");
    tcase_add_loop_test(full, test_a_write_that_fails_leaves_no_row_behind, 0, ROOM_STEPS);
    return suite;
}
