#include "test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "db.h"
#include "log_reader.h"
#include "log_sample.h"
#include "owner.h"
#include "this_process.h"

enum { TASKS = 20, STEPS_BEFORE = 15 };

static struct sample sample;
static struct run_state state; /* the heir's */
static struct log_writer *writer;
static struct log_estate estate;
static struct log_heir heir;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, TASKS);
    sample_start(&sample);
    for (int i = 0; i < STEPS_BEFORE; i++)
        ck_assert(sample_advance(&sample));
    run_state_init(&state, sample.plan, sample.state.seed);
    heir = (struct log_heir){.state = &state};
}

static void teardown(void)
{
    log_writer_close(writer);
    str_done(&estate.rules);
    run_state_done(&state);
    sample_done(&sample);
}

/* The owner goes, the run has not ended. */
static void abandon(void)
{
    log_writer_close(sample.writer);
    sample.writer = NULL;
}

static bool go_on(int64_t number, struct err *err)
{
    struct err why = {0};
    ck_assert_msg(log_writer_open(&writer, &sample.place, &why), "%s", why.message);
    return log_writer_continue(writer, number, &heir, &estate, err);
}

static void must_go_on(void)
{
    struct err err = {0};
    ck_assert_msg(go_on(sample.number, &err), "%s", err.message);
}

static void change(const char *sql)
{
    struct db db;
    struct err err = {0};
    ck_assert_msg(db_init(&db, sample.place.db, DB_WRITE, &err), "%s", err.message);
    ck_assert_msg(db_exec(&db, sql, &err), "%s", err.message);
    db_done(&db);
}

static void commit_note(int64_t seq)
{
    struct event *notes = sample_notes(seq, 1);
    struct err err = {0};
    notes[0].at = clock_now();
    ck_assert_msg(run_state_apply(&state, &notes[0], &err), "%s", err.message);
    const struct log_batch batch = {.events = notes, .event_count = 1};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
    free(notes);
}

static void read_row(struct log_run_info *out)
{
    struct log_reader *reader = NULL;
    struct err err = {0};
    ck_assert_msg(log_reader_open(&reader, &sample.place, &err), "%s", err.message);
    ck_assert_msg(log_reader_run(reader, sample.number, out, &err), "%s", err.message);
    log_reader_close(reader);
}

START_TEST(test_heir_has_the_state_the_rules_and_the_lock)
{
    abandon();
    ck_assert(!owner_is_alive(&sample.place, "")); /* no run has that name */
    must_go_on();
    ck_assert_uint_eq(run_state_digest(&state), run_state_digest(&sample.state));
    ck_assert_int_eq(log_writer_committed_seq(writer), sample.state.last_seq);
    ck_assert(owner_is_alive(&sample.place, log_writer_uid(writer)));
    ck_assert(!estate.rebooted);
}
END_TEST

START_TEST(test_rules_are_those_of_the_run)
{
    abandon();
    change(
        "INSERT INTO ruleset(hash, text) VALUES('other', '[1]'); UPDATE run SET ruleset='other'");
    must_go_on();
    ck_assert_str_eq(str_text(&estate.rules), "[1]");
}
END_TEST

START_TEST(test_numbers_of_events_go_on)
{
    abandon();
    must_go_on();
    int64_t seq = state.last_seq + 1;
    commit_note(seq);
    ck_assert_int_eq(log_writer_committed_seq(writer), seq);
    struct log_run_info row;
    read_row(&row);
    ck_assert_int_eq(row.last_seq, seq);
    log_run_info_done(&row);
}
END_TEST

/* The row names the new owner with the first event of its boot, not before. */
START_TEST(test_row_names_the_owner_from_its_first_event_on)
{
    struct this_process self;
    struct log_run_info row;
    this_process_read(&self);
    abandon();
    change("UPDATE run SET pid=1, pid_start=1, boot='another', devs='old'");
    must_go_on();
    ck_assert(estate.rebooted);
    read_row(&row);
    ck_assert_int_eq(row.pid, 1);
    ck_assert_str_eq(row.boot, "another");
    log_run_info_done(&row);
    commit_note(state.last_seq + 1);
    read_row(&row);
    ck_assert_int_eq(row.pid, self.pid);
    ck_assert_str_eq(row.boot, self.boot);
    log_run_info_done(&row);
}
END_TEST

START_TEST(test_only_one_has_it)
{
    struct err err = {0};
    ck_assert(!go_on(sample.number, &err)); /* its owner lives */
    ck_assert_int_eq(err.code, ERR_BUSY);
    ck_assert_int_eq(state.last_seq, 0);
    log_writer_close(writer);
    writer = NULL;

    abandon();
    must_go_on();
    struct log_writer *first = writer;
    struct run_state other;
    run_state_init(&other, sample.plan, sample.state.seed);
    heir.state = &other;
    err = (struct err){0};
    ck_assert(!go_on(sample.number, &err));
    ck_assert_int_eq(err.code, ERR_BUSY);
    log_writer_close(writer);
    writer = first;
    run_state_done(&other);
}
END_TEST

START_TEST(test_what_cannot_go_on_is_left_alone)
{
    struct err err = {0};
    sample_drive(&sample);
    ck_assert(sample.state.ended);
    abandon();
    ck_assert(!go_on(sample.number, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    struct log_run_info row;
    read_row(&row);
    ck_assert(!owner_is_alive(&sample.place, row.uid)); /* it was given back */
    log_run_info_done(&row);
}
END_TEST

START_TEST(test_events_of_a_newer_devs_are_not_passed_over)
{
    struct err err = {0};
    char sql[200];
    abandon();
    (void)snprintf(
        sql, sizeof(sql),
        "INSERT INTO event(run, seq, at_ms, mono_ms, kind) VALUES(%lld, %lld, 1, 1, 999)",
        (long long)sample.number, (long long)sample.state.last_seq + 1);
    change(sql);
    ck_assert(!go_on(sample.number, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(err.message, "newer devs"));
}
END_TEST

START_TEST(test_run_that_is_not_there)
{
    struct err err = {0};
    ck_assert(!go_on(sample.number + 1, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

static void count_event(void *ctx, const struct event *event)
{
    int64_t *next = ctx;
    ck_assert_int_eq(event->seq, ++*next);
}

START_TEST(test_each_event_is_told_in_order)
{
    int64_t last = 0;
    heir.each = count_event;
    heir.ctx = &last;
    abandon();
    must_go_on();
    ck_assert_int_eq(last, state.last_seq);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_resume");
    TCase *tcase = test_case(suite, "log_resume");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_heir_has_the_state_the_rules_and_the_lock);
    tcase_add_test(tcase, test_rules_are_those_of_the_run);
    tcase_add_test(tcase, test_numbers_of_events_go_on);
    tcase_add_test(tcase, test_row_names_the_owner_from_its_first_event_on);
    tcase_add_test(tcase, test_only_one_has_it);
    tcase_add_test(tcase, test_what_cannot_go_on_is_left_alone);
    tcase_add_test(tcase, test_events_of_a_newer_devs_are_not_passed_over);
    tcase_add_test(tcase, test_run_that_is_not_there);
    tcase_add_test(tcase, test_each_event_is_told_in_order);
    return suite;
}
