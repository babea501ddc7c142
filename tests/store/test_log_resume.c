#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "log_try.h"
#include "must.h"
#include "owner.h"
#include "owner_state.h"
#include "test_main.h"

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

static bool go_on(int64_t number, struct err *err)
{
    struct err why = {0};
    ck_assert_msg(log_writer_open(&writer, &sample.place, &why), "%s", why.message);
    return log_writer_continue(writer, number, &heir, &estate, err);
}

static void must_go_on(void)
{
    must(go_on(sample.number, &err));
}

static void commit_note(int64_t seq)
{
    struct event *notes = sample_notes(seq, 1);
    notes[0].at = clock_now();
    must(run_state_apply(&state, &notes[0], &err));
    const struct log_batch batch = {.events = notes, .event_count = 1};
    must(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err));
    free(notes);
}

static void read_row(struct log_run_info *out)
{
    struct log_reader *reader = log_reader_of(&sample.place);
    must(log_reader_run(reader, sample.number, out, &err));
    log_reader_close(reader);
}

static void count_event(void *ctx, const struct event *event)
{
    int64_t *next = ctx;
    ck_assert_int_eq(event->seq, ++*next);
}

START_TEST(test_heir_has_the_state_the_events_and_the_lock)
{
    int64_t last = 0;
    sample_close_log(&sample);
    ck_assert(!owner_is_alive(&sample.place, "")); /* no run has that name */
    heir.each = count_event;
    heir.ctx = &last;
    must_go_on();
    ck_assert_int_eq(last, state.last_seq);
    ck_assert_uint_eq(run_state_digest(&state), run_state_digest(&sample.state));
    ck_assert_int_eq(log_writer_committed_seq(writer), sample.state.last_seq);
    ck_assert(owner_is_alive(&sample.place, log_writer_uid(writer)));
    ck_assert(!estate.rebooted);
}
END_TEST

START_TEST(test_rules_are_those_of_the_run)
{
    sample_close_log(&sample);
    log_change(
        &sample.place,
        "INSERT INTO ruleset(hash, text) VALUES('other', '[1]'); UPDATE run SET ruleset='other'");
    must_go_on();
    ck_assert_str_eq(str_text(&estate.rules), "[1]");
}
END_TEST

/* The row names the new owner from its first event on, not before. */
START_TEST(test_row_names_the_owner_from_its_first_event_on)
{
    struct this_process self;
    struct log_run_info row;
    this_process_read(&self);
    sample_close_log(&sample);
    log_change(&sample.place, "UPDATE run SET pid=1, pid_start=1, boot='another', devs='old'");
    must_go_on();
    ck_assert(estate.rebooted);
    read_row(&row);
    ck_assert_int_eq(row.pid, 1);
    ck_assert_str_eq(row.boot, "another");
    log_run_info_done(&row);
    const int64_t seq = state.last_seq + 1;
    commit_note(seq);
    ck_assert_int_eq(log_writer_committed_seq(writer), seq);
    read_row(&row);
    ck_assert_int_eq(row.last_seq, seq);
    ck_assert_int_eq(row.pid, self.pid);
    ck_assert_str_eq(row.boot, self.boot);
    log_run_info_done(&row);
}
END_TEST

static void must_not_go_on(int64_t number, enum err_code code, const char *words)
{
    must_fail_with(go_on(number, &err), code, words);
    log_writer_close(writer);
    writer = NULL;
}

START_TEST(test_a_run_has_one_owner)
{
    must_not_go_on(sample.number, ERR_BUSY, ""); /* its owner lives */
    ck_assert_int_eq(state.last_seq, 0);

    sample_close_log(&sample);
    must_go_on();
    struct log_writer *first = writer;
    struct run_state other;
    run_state_init(&other, sample.plan, sample.state.seed);
    heir.state = &other;
    must_not_go_on(sample.number, ERR_BUSY, "");
    writer = first;
    run_state_done(&other);
}
END_TEST

START_TEST(test_a_run_that_has_ended_or_is_not_there_is_left_alone)
{
    sample_drive(&sample);
    ck_assert(sample.state.ended);
    sample_close_log(&sample);
    must_not_go_on(sample.number + 1, ERR_NOT_FOUND, "");
    must_not_go_on(sample.number, ERR_INVALID, "");
    struct log_run_info row;
    read_row(&row);
    ck_assert(!owner_is_alive(&sample.place, row.uid)); /* it was given back */
    log_run_info_done(&row);
}
END_TEST

START_TEST(test_events_of_a_newer_devs_are_refused)
{
    char sql[200];
    sample_close_log(&sample);
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO event(run, seq, at_ms, mono_ms, kind, data)"
                   " VALUES(%lld, %lld, 1, 1, 'moon_rose', '{}')",
                   (long long)sample.number, (long long)sample.state.last_seq + 1);
    log_change(&sample.place, sql);
    must_not_go_on(sample.number, ERR_DAMAGED, "newer devs");
}
END_TEST

static struct str bytes;

static void setup_log_gain(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 3);
    sample_start(&sample);
    bytes = (struct str){0};
}

static void teardown_log_gain(void)
{
    str_done(&bytes);
    sample_done(&sample);
}

/* Loads what is saved for the task; false if nothing is. */
static bool load(struct log_gain *gain)
{
    struct err err = {0};
    str_clear(&bytes);
    bool there = log_writer_load_gain(sample.writer, gain, &bytes, &err);
    ck_assert_msg(there || err.code == ERR_NOT_FOUND, "%s", err.message);
    return there;
}

START_TEST(test_saved_memory_is_loaded)
{
    static const char memory[] = "a\0b\xff";
    const struct log_gain gains[] = {
        {.task = 0, .step = 2, .attempt = 5, .bytes = memory, .len = sizeof(memory)},
        {.task = 2, .step = 0, .attempt = 1, .bytes = "", .len = 0},
    };
    log_commit(sample.writer, &(struct log_batch){.gains = gains, .gain_count = 2});

    struct log_gain gain = {.task = 0};
    ck_assert(load(&gain));
    ck_assert_int_eq(gain.step, 2);
    ck_assert_int_eq(gain.attempt, 5);
    ck_assert_uint_eq(bytes.len, sizeof(memory));
    ck_assert_mem_eq(bytes.data, memory, sizeof(memory));
    gain.task = 2;
    ck_assert(load(&gain));
    ck_assert_int_eq(gain.attempt, 1);
    ck_assert_uint_eq(bytes.len, 0);
    gain.task = 1;
    ck_assert(!load(&gain));
}
END_TEST

START_TEST(test_a_task_has_one_row)
{
    const struct log_gain older = {.task = 1, .attempt = 1, .bytes = "older", .len = 5};
    const struct log_gain newer = {.task = 1, .attempt = 2, .bytes = "newer", .len = 5};
    log_commit(sample.writer, &(struct log_batch){.gains = &older, .gain_count = 1});
    log_commit(sample.writer, &(struct log_batch){.gains = &newer, .gain_count = 1});

    struct log_gain gain = {.task = 1};
    ck_assert(load(&gain));
    ck_assert_int_eq(gain.attempt, 2);
    ck_assert_str_eq(str_text(&bytes), "newer");
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM gain"), 1);
}
END_TEST

START_TEST(test_the_row_of_a_finished_task_is_deleted)
{
    const struct log_gain kept = {.task = 1, .attempt = 1, .bytes = "x", .len = 1};
    const struct log_gain over = {.task = 1};
    log_commit(sample.writer, &(struct log_batch){.gains = &kept, .gain_count = 1});
    log_commit(sample.writer, &(struct log_batch){.gains = &over, .gain_count = 1});

    struct log_gain gain = {.task = 1};
    ck_assert(!load(&gain));
}
END_TEST

START_TEST(test_memory_that_is_too_long_is_not_kept)
{
    char *much = calloc(LOG_GAIN_BYTES_MAX + 1, 1);
    ck_assert_ptr_nonnull(much);
    const struct log_gain most = {.bytes = much, .len = LOG_GAIN_BYTES_MAX};
    const struct log_gain more = {.bytes = much, .len = LOG_GAIN_BYTES_MAX + 1};
    struct log_gain gain = {0};
    log_commit(sample.writer, &(struct log_batch){.gains = &most, .gain_count = 1});
    ck_assert(load(&gain));
    ck_assert_uint_eq(bytes.len, LOG_GAIN_BYTES_MAX);
    log_commit(sample.writer, &(struct log_batch){.gains = &more, .gain_count = 1});
    ck_assert(!load(&gain));
    free(much);
}
END_TEST

/* A log of an older devs, which did not know the table. */
START_TEST(test_a_log_without_the_table_gets_it)
{
    struct place place = sample.place;
    struct db db;
    sample_done(&sample);
    must(db_init(&db, place.db, DB_WRITE, &err) &&
         db_exec(&db, "DROP TABLE gain; DELETE FROM word WHERE what='verb'", &err));
    db_done(&db);

    sample_open(&sample, &place, 3);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM word WHERE what='verb'"),
                     CONTROL_VERB_COUNT - 1);
    const struct log_gain kept = {.task = 1, .attempt = 1, .bytes = "x", .len = 1};
    struct log_gain gain = {.task = 1};
    log_commit(sample.writer, &(struct log_batch){.gains = &kept, .gain_count = 1});
    ck_assert(load(&gain));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_resume");
    TCase *tcase = test_case(suite, "log_resume");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_heir_has_the_state_the_events_and_the_lock);
    tcase_add_test(tcase, test_rules_are_those_of_the_run);
    tcase_add_test(tcase, test_row_names_the_owner_from_its_first_event_on);
    tcase_add_test(tcase, test_a_run_has_one_owner);
    tcase_add_test(tcase, test_a_run_that_has_ended_or_is_not_there_is_left_alone);
    tcase_add_test(tcase, test_events_of_a_newer_devs_are_refused);
    TCase *gains = test_case(suite, "gains");
    tcase_add_checked_fixture(gains, setup_log_gain, teardown_log_gain);
    tcase_add_test(gains, test_saved_memory_is_loaded);
    tcase_add_test(gains, test_a_task_has_one_row);
    tcase_add_test(gains, test_the_row_of_a_finished_task_is_deleted);
    tcase_add_test(gains, test_memory_that_is_too_long_is_not_kept);
    tcase_add_test(gains, test_a_log_without_the_table_gets_it);
    return suite;
}
