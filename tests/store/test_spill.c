#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db.h"
#include "log_merge.h"
#include "log_try.h"
#include "log_write.h"
#include "must.h"
#include "spill.h"
#include "test_main.h"

enum { BEFORE = 5, AWAY = 7, AFTER = 3, TASKS = 2 };

static struct sample sample;
static struct log_writer *spill;
static struct spill_reason reason;

static void setup(void)
{
    struct place place = sample_place();
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", place.dir, 1), 0);
    sample_open(&sample, &place, TASKS);
    reason = (struct spill_reason){.since_ms = 1700000000000, .why = "disk full"};
    spill = NULL;
}

static void teardown(void)
{
    log_writer_close(spill);
    sample_done(&sample);
}

static void put_output(struct log_writer *writer, enum log_output_part part, int index,
                       const char *text)
{
    log_commit_output(writer, (struct log_output){.attempt = 1,
                                                  .stream = 1,
                                                  .part = part,
                                                  .index = index,
                                                  .offset = index,
                                                  .bytes = text});
}

static void begin_spill(void)
{
    must(log_writer_spill(&spill, sample.writer, &reason, &err));
}

/* Some notes in the log, then more in a spill. */
static void write_notes_and_spill(void)
{
    log_commit_notes(sample.writer, 1, BEFORE);
    begin_spill();
    log_commit_notes(spill, 1 + BEFORE, AWAY);
}

/* Closes the spill. */
static struct place leave_spill(void)
{
    const struct place place = *log_writer_place(spill);
    log_writer_close(spill);
    spill = NULL;
    return place;
}

static void go_home(void)
{
    must(log_writer_take_home(sample.writer, log_writer_place(spill), &err));
    const struct place place = leave_spill();
    spill_remove(&place);
}

/* A reader sees every event once and in order, in whichever file it is. */
static int64_t events_seen(const struct place *place, int64_t run)
{
    struct event_page page = {0};
    int64_t last = 0;
    struct log_reader *reader = log_reader_of(place);
    do {
        must(log_reader_events(reader, run, last, &page, &err));
        for (size_t i = 0; i < page.count; i++)
            ck_assert_int_eq(page.events[i].seq, ++last);
    } while (page.count > 0);
    event_page_done(&page);
    log_reader_close(reader);
    return last;
}

START_TEST(test_a_spill_is_private_and_found_by_uid)
{
    umask(_i == 0 ? 0 : 0777);
    begin_spill();
    umask(022);
    struct place found;
    ck_assert(spill_find(log_writer_uid(sample.writer), &found));
    ck_assert_str_eq(found.db, log_writer_place(spill)->db);
    check_mode(found.db, 0600);
    check_mode(found.dir, 0700);
    ck_assert(!spill_find("0123456789abcdef0123456789abcdef", &found));
    ck_assert(!spill_find("../../etc", &found));
}
END_TEST

START_TEST(test_readers_continue_in_the_spill)
{
    log_commit_notes(sample.writer, 1, BEFORE);
    put_output(sample.writer, LOG_OUTPUT_HEAD, 0, "one ");
    begin_spill();
    log_commit_notes(spill, 1 + BEFORE, AWAY);
    put_output(spill, LOG_OUTPUT_HEAD, 1, "two");
    ck_assert_int_eq(events_seen(&sample.place, sample.number), BEFORE + AWAY);

    struct output_page page = {0};
    const struct log_output_key key = {.run = sample.number, .attempt = 1};
    struct log_reader *reader = log_reader_of(&sample.place);
    must(log_reader_output_tail(reader, &key, 100, &page, &err));
    ck_assert_str_eq(str_text(&page.text), "one two");
    must(log_reader_output(reader, &key, 0, &page, &err));
    ck_assert_uint_eq(page.count, 1);
    must(log_reader_output(reader, &key, page.rows[0].id, &page, &err));
    ck_assert_str_eq(str_text(&page.text), "two");
    int64_t last = page.rows[0].id;

    struct log_trouble trouble;
    struct str words = {0};
    log_reader_trouble(reader, sample.number, &trouble);
    ck_assert_int_eq(trouble.kind, LOG_TROUBLE_SPILLED);
    log_trouble_words(&trouble, &words);
    ck_assert_ptr_nonnull(
        strstr(str_text(&words), "disk full. Runs continue, recorded in a spill"));

    /* After the merge, a reader that continues by number gets nothing twice. */
    go_home();
    put_output(sample.writer, LOG_OUTPUT_HEAD, 2, "three");
    must(log_reader_output(reader, &key, last, &page, &err));
    ck_assert_str_eq(str_text(&page.text), "three");
    must(log_reader_output(reader, &key, 0, &page, &err));
    ck_assert_str_eq(str_text(&page.text), "one twothree");
    log_reader_trouble(reader, sample.number, &trouble);
    ck_assert_int_eq(trouble.kind, LOG_TROUBLE_NONE);
    str_done(&words);
    output_page_done(&page);
    log_reader_close(reader);
}
END_TEST

START_TEST(test_a_spill_is_merged_in_order_and_once)
{
    log_commit_notes(sample.writer, 1, BEFORE);
    put_output(sample.writer, LOG_OUTPUT_TAIL, 0, "live");
    for (int round = 0; round < 2; round++) {
        int64_t have = events_seen(&sample.place, sample.number);
        begin_spill();
        const struct place place = *log_writer_place(spill);
        log_commit_notes(spill, 1 + have, AWAY);
        put_output(spill, LOG_OUTPUT_REST, 0, "end");
        must(log_writer_take_home(sample.writer, &place, &err));
        go_home(); /* once more does no harm */
        ck_assert_int_eq(log_writer_committed_seq(sample.writer), have + AWAY);
        log_commit_notes(sample.writer, 1 + have + AWAY, AFTER);
        ck_assert_int_eq(events_seen(&sample.place, sample.number), have + AWAY + AFTER);
        ck_assert_int_ne(access(place.db, F_OK), 0);
    }
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM output"), 1);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM output WHERE bytes=x'656e64'"),
                     1);
    ck_assert_int_eq(log_number(&sample.place, "SELECT last_seq FROM run"),
                     BEFORE + 2 * (AWAY + AFTER));
}
END_TEST

/* Adds more attempts than one transaction of the merge takes, after the tasks' rows. */
static void put_attempts(const struct place *place)
{
    log_change(place, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<6000)"
                      " INSERT INTO attempt(run, task, step, attempt, grant_no, started_at_ms)"
                      " SELECT run.id, 0, 0, i, 1, 1 FROM n, run");
}

/* A failed batch leaves rows to be written; the spill still has all tasks. */
START_TEST(test_no_task_is_lost_in_the_merge)
{
    log_commit_notes(sample.writer, 1, BEFORE);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM task"), TASKS);
    must(log_write_begin(sample.writer, &err));
    projection_touch_all(&sample.writer->projection);
    log_write_abort(sample.writer);
    begin_spill();
    log_commit_notes(spill, 1 + BEFORE, AWAY);
    put_attempts(log_writer_place(spill));
    go_home();
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM attempt"), 6000);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM task"), TASKS);
}
END_TEST

/* The log is deleted or replaced, or its WAL is deleted. */
START_TEST(test_a_log_that_is_removed_or_replaced_is_noticed)
{
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s%s", sample.place.db, _i == 2 ? "-wal" : "");
    log_commit_notes(sample.writer, 1, BEFORE);
    ck_assert_int_eq(unlink(path), 0);
    if (_i == 1) {
        FILE *file = fopen(path, "w");
        ck_assert_ptr_nonnull(file);
        fclose(file);
    }
    struct event *events = sample_notes(1 + BEFORE, AWAY);
    const struct log_batch batch = {.events = events, .event_count = AWAY};
    must_fail_with(log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err), ERR_IO,
                   "deleted, moved or replaced");
    ck_assert(log_writer_is_cut_off(sample.writer));
    free(events);

    /* The spill takes the whole run along, and a new log can merge it. */
    reason.whole = true;
    begin_spill();
    log_commit_notes(spill, 1 + BEFORE, AWAY);
    ck_assert_int_eq(log_number(log_writer_place(spill), "SELECT min(seq) FROM event"), 1);
    ck_assert_int_eq(log_number(log_writer_place(spill), "SELECT count(*) FROM event"),
                     BEFORE + AWAY);
    struct log_merged merged;
    const struct place other = sample_place();
    must_fail(log_merge(&other, log_writer_place(spill), &merged, &err),
              ERR_BUSY); /* it is alive */
    const struct place from = leave_spill();
    for (int twice = 0; twice < 2; twice++) {
        must(log_merge(&other, &from, &merged, &err));
        ck_assert_int_eq(merged.events, twice == 0 ? BEFORE + AWAY : 0);
    }
    ck_assert_int_eq(events_seen(&other, merged.run), BEFORE + AWAY);
}
END_TEST

START_TEST(test_a_gap_is_not_merged)
{
    write_notes_and_spill();
    const struct place from = leave_spill();
    struct place other = sample_place();
    struct log_merged merged;
    must_fail_with(log_merge(&other, &from, &merged, &err), ERR_DAMAGED, "begins with event 6");
    must_fail(log_merge(&other, &sample.place, &merged, &err), ERR_INVALID);
}
END_TEST

/* The run was continued without its spill: the spill has another end of it. */
START_TEST(test_two_ends_are_not_merged)
{
    write_notes_and_spill();
    const struct place from = leave_spill();
    const int64_t own = _i == 0 ? 2 : AWAY + AFTER;
    for (int64_t i = 1; i <= own; i++)
        log_commit_notes(sample.writer, BEFORE + i, 1);
    must_fail_with(log_writer_take_home(sample.writer, &from, &err), ERR_DAMAGED,
                   "differ at event");
    ck_assert_int_eq(log_number(&sample.place, "SELECT max(seq) FROM event"), BEFORE + own);
    ck_assert_int_eq(access(from.db, F_OK), 0);
}
END_TEST

/* The session is looked up to resume it. */
START_TEST(test_an_agents_session_is_merged_once)
{
    struct event *events = sample_notes(1 + BEFORE, 1);
    const struct log_batch batch = {.events = events, .event_count = 1};
    log_commit_notes(sample.writer, 1, BEFORE);
    begin_spill();
    events[0].kind = EVENT_AGENT_SESSION;
    events[0].task = events[0].step = 0;
    events[0].attempt = 1;
    events[0].session.agent = "claude";
    events[0].session.session = "s-1";
    events[0].session.resumed = false;
    must(log_writer_commit(spill, &batch, LOG_SYNC_NORMAL, &err));
    const struct place place = *log_writer_place(spill);
    must(log_writer_take_home(sample.writer, &place, &err));
    go_home();
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM session WHERE session='s-1'"),
                     1);
    free(events);
}
END_TEST

/* The owner was killed: the next one finds what it could not write home. */
START_TEST(test_the_next_owner_merges_a_spill_left_behind)
{
    write_notes_and_spill();
    const struct place from = leave_spill();
    sample_close_log(&sample);

    struct log_writer *writer = NULL;
    struct follower *follower = log_follow(&sample.place, sample.number);
    ck_assert_int_eq(follower_state(follower)->last_seq, BEFORE + AWAY);
    struct log_trouble trouble;
    follower_trouble(follower, 1, &trouble);
    ck_assert_int_eq(trouble.kind, LOG_TROUBLE_LEFT);
    ck_assert_str_eq(trouble.text, from.db);

    must(log_writer_open(&writer, &sample.place, &err));
    must(log_writer_resume(writer, sample.number, follower_state(follower), &err));
    log_writer_close(writer);
    follower_close(follower);
    ck_assert_int_ne(access(from.db, F_OK), 0);
    ck_assert_int_eq(log_number(&sample.place, "SELECT max(seq) FROM event"), BEFORE + AWAY);
}
END_TEST

/* A continued run: the clocks of its events belong to the boot in its row. */
START_TEST(test_a_spill_names_the_new_owner)
{
    static const char old[] = "SELECT count(*) FROM run WHERE boot='old' AND pid=1";
    log_commit_notes(sample.writer, 1, BEFORE);
    must(db_exec(&sample.writer->db, "UPDATE run SET boot='old', pid=1", &err));
    sample.writer->new_owner = true;
    begin_spill();
    log_commit_notes(spill, 1 + BEFORE, AWAY);
    ck_assert_int_eq(log_number(log_writer_place(spill), old), 0);
    ck_assert_int_eq(log_number(&sample.place, old), 1);
    go_home();
    ck_assert_int_eq(log_number(&sample.place, old), 0);
}
END_TEST

/* If another folder replaces that of the log, nobody has the lock in it. */
START_TEST(test_a_spill_in_use_is_not_merged)
{
    write_notes_and_spill();
    sample_close_log(&sample);

    struct log_writer *writer = NULL;
    must(log_writer_open(&writer, &sample.place, &err));
    must_fail(log_writer_resume(writer, sample.number, &sample.state, &err), ERR_BUSY);
    ck_assert_int_eq(access(log_writer_place(spill)->db, F_OK), 0);
    log_commit_notes(spill, 1 + BEFORE + AWAY, AFTER);
    log_writer_close(writer);
}
END_TEST

START_TEST(test_acts_and_answers_find_each_other_across_the_spill)
{
    log_commit_notes(sample.writer, 1, BEFORE);
    begin_spill();
    int64_t first = log_writer_first_control(spill);
    ck_assert_int_gt(first, SPILL_ID_GAP - 1);

    /* The request is in the log and its answer in the spill; then both are in the spill. */
    struct db db;
    const char *sql = "INSERT INTO control(run, verb, by, asked_at_ms) VALUES(1, 3, 'x', 1)";
    must(db_init(&db, sample.place.db, DB_WRITE, &err) && db_exec(&db, sql, &err));
    db_done(&db);
    must(db_init(&db, log_writer_place(spill)->db, DB_WRITE, &err) && db_exec(&db, sql, &err));
    db_done(&db);
    struct control controls[4];
    size_t asked = 0;
    must(log_writer_controls(spill, controls, 4, &asked, &err));
    ck_assert_uint_eq(asked, 1);
    ck_assert_int_gt(controls[0].id, first);
    const int64_t ids[] = {1, controls[0].id};
    for (int i = 0; i < 2; i++) {
        struct event answer = {
            .seq = BEFORE + 1 + i,
            .at = {.at_ms = 5, .mono_ms = 5},
            .kind = EVENT_CONTROL_ANSWERED,
            .task = -1,
            .step = -1,
            .answered = {.control = ids[i], .done = true, .verb = CONTROL_HOLD, .answer = "held"}};
        const struct log_batch batch = {.events = &answer, .event_count = 1};
        must(log_writer_commit(spill, &batch, LOG_SYNC_FULL, &err));
    }
    struct log_run_info info;
    struct log_reader *reader = log_reader_of(&sample.place);
    must(log_reader_run(reader, sample.number, &info, &err));
    log_run_info_done(&info);
    for (int home = 0; home < 2; home++) {
        for (int i = 0; i < 2; i++) {
            bool answered = false;
            bool done = false;
            struct str text = {0};
            must(log_reader_answer(reader, ids[i], &answered, &done, &text, &err));
            ck_assert(answered && done);
            ck_assert_str_eq(str_text(&text), "held");
            str_done(&text);
        }
        if (home == 0)
            go_home();
    }
    log_reader_close(reader);
}
END_TEST

START_TEST(test_a_folder_of_somebody_elses_is_not_used)
{
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s/devs", sample.place.dir);
    if (_i == 0)
        ck_assert_int_eq(symlink("/tmp", path), 0);
    else
        ck_assert(mkdir(path, 0700) == 0 && chmod(path, 0777) == 0);
    must_fail(log_writer_spill(&spill, sample.writer, &reason, &err), ERR_INVALID);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("spill");
    TCase *tcase = test_case(suite, "spill");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_a_spill_is_private_and_found_by_uid, 0, 2);
    tcase_add_test(tcase, test_readers_continue_in_the_spill);
    tcase_add_test(tcase, test_a_spill_is_merged_in_order_and_once);
    tcase_add_test(tcase, test_no_task_is_lost_in_the_merge);
    tcase_add_test(tcase, test_an_agents_session_is_merged_once);
    tcase_add_loop_test(tcase, test_a_log_that_is_removed_or_replaced_is_noticed, 0, 3);
    tcase_add_test(tcase, test_a_gap_is_not_merged);
    tcase_add_loop_test(tcase, test_two_ends_are_not_merged, 0, 2);
    tcase_add_test(tcase, test_the_next_owner_merges_a_spill_left_behind);
    tcase_add_test(tcase, test_a_spill_names_the_new_owner);
    tcase_add_test(tcase, test_a_spill_in_use_is_not_merged);
    tcase_add_test(tcase, test_acts_and_answers_find_each_other_across_the_spill);
    tcase_add_loop_test(tcase, test_a_folder_of_somebody_elses_is_not_used, 0, 2);
    return suite;
}
