#include "test_main.h"

#include <stdlib.h>

#include "db.h"
#include "log_sample.h"

static struct sample sample;
static struct str bytes;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 3);
    sample_start(&sample);
    bytes = (struct str){0};
}

static void teardown(void)
{
    str_done(&bytes);
    sample_done(&sample);
}

static void commit(const struct log_gain *gains, size_t count)
{
    const struct log_batch batch = {.gains = gains, .gain_count = count};
    struct err err = {0};
    ck_assert_msg(log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err), "%s",
                  err.message);
}

/* What is kept of the task; false if nothing is. */
static bool load(struct log_gain *gain)
{
    struct err err = {0};
    str_clear(&bytes);
    bool there = log_writer_load_gain(sample.writer, gain, &bytes, &err);
    ck_assert_msg(there || err.code == ERR_NOT_FOUND, "%s", err.message);
    return there;
}

static int64_t number(const char *sql)
{
    struct db db;
    struct err err = {0};
    int64_t value = -1;
    ck_assert_msg(db_init(&db, sample.place.db, DB_READ, &err) && db_number(&db, sql, &value, &err),
                  "%s", err.message);
    db_done(&db);
    return value;
}

START_TEST(test_what_was_saved_comes_back)
{
    static const char memory[] = "a\0b\xff";
    const struct log_gain gains[] = {
        {.task = 0, .step = 2, .attempt = 5, .bytes = memory, .len = sizeof(memory)},
        {.task = 2, .step = 0, .attempt = 1, .bytes = "", .len = 0},
    };
    commit(gains, 2);

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
    commit(&older, 1);
    commit(&newer, 1);

    struct log_gain gain = {.task = 1};
    ck_assert(load(&gain));
    ck_assert_int_eq(gain.attempt, 2);
    ck_assert_str_eq(str_text(&bytes), "newer");
    ck_assert_int_eq(number("SELECT count(*) FROM gain"), 1);
}
END_TEST

START_TEST(test_the_row_of_a_task_that_is_over_goes)
{
    const struct log_gain kept = {.task = 1, .attempt = 1, .bytes = "x", .len = 1};
    const struct log_gain over = {.task = 1};
    commit(&kept, 1);
    commit(&over, 1);

    struct log_gain gain = {.task = 1};
    ck_assert(!load(&gain));
}
END_TEST

START_TEST(test_what_is_too_long_is_not_kept)
{
    char *much = calloc(LOG_GAIN_BYTES_MAX + 1, 1);
    ck_assert_ptr_nonnull(much);
    const struct log_gain most = {.bytes = much, .len = LOG_GAIN_BYTES_MAX};
    const struct log_gain more = {.bytes = much, .len = LOG_GAIN_BYTES_MAX + 1};
    struct log_gain gain = {0};
    commit(&most, 1);
    ck_assert(load(&gain));
    ck_assert_uint_eq(bytes.len, LOG_GAIN_BYTES_MAX);
    commit(&more, 1);
    ck_assert(!load(&gain));
    free(much);
}
END_TEST

/* As a devs wrote it that did not know the table yet. */
START_TEST(test_an_older_log_gets_the_table)
{
    struct place place = sample.place;
    struct db db;
    struct err err = {0};
    sample_done(&sample);
    ck_assert_msg(db_init(&db, place.db, DB_WRITE, &err) &&
                      db_exec(&db,
                              "DROP TABLE gain; DELETE FROM word WHERE what='event';"
                              " PRAGMA user_version=1",
                              &err),
                  "%s", err.message);
    db_done(&db);

    sample_open(&sample, &place, 3);
    ck_assert_int_eq(number("SELECT count(*) FROM word WHERE what='event'"), EVENT_KIND_COUNT - 1);
    const struct log_gain kept = {.task = 1, .attempt = 1, .bytes = "x", .len = 1};
    struct log_gain gain = {.task = 1};
    commit(&kept, 1);
    ck_assert(load(&gain));
    ck_assert_int_eq(number("PRAGMA user_version"), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_gain");
    TCase *gains = test_case(suite, "gains");
    tcase_add_checked_fixture(gains, setup, teardown);
    tcase_add_test(gains, test_what_was_saved_comes_back);
    tcase_add_test(gains, test_a_task_has_one_row);
    tcase_add_test(gains, test_the_row_of_a_task_that_is_over_goes);
    tcase_add_test(gains, test_what_is_too_long_is_not_kept);
    tcase_add_test(gains, test_an_older_log_gets_the_table);
    return suite;
}
