#define _GNU_SOURCE /* memmem */
#include "bundle.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_try.h"
#include "must.h"
#include "test_main.h"

static const char secret[] = "planted-value-0123456789";

static struct sample sample;
static struct redactor *redactor;
static struct bundle *bundle;
static char file[PATH_MAX];

static void set_up(void)
{
    static char *const environment[] = {(char *)(uintptr_t) "MY_API_KEY=planted-value-0123456789",
                                        NULL};
    const struct redact_setting setting = {.environment = environment};
    const struct place place = sample_place();
    ck_assert(redactor_open(&redactor, &setting, NULL));
    sample_open(&sample, &place, 10);
    sample_start(&sample);
    sample_drive(&sample);
    (void)snprintf(file, sizeof(file), "%.*s/out.devs", PATH_MAX - 16, test_tmpdir());
}

static void close_bundle(void)
{
    bundle_close(bundle);
    bundle = NULL;
}

static void tear_down(void)
{
    close_bundle();
    redactor_close(redactor);
    sample_done(&sample);
}

static bool make(struct err *err)
{
    const struct bundle_asked asked = {
        .place = &sample.place, .run = sample.number, .file = file, .redactor = redactor};
    return bundle_open(&bundle, &asked, err);
}

static void make_and_keep(void)
{
    must(make(&err));
    must(bundle_keep(bundle, &err));
}

static void say(int index, int64_t offset, const char *text)
{
    log_commit_output(sample.writer, (struct log_output){.task = 1,
                                                         .attempt = 1,
                                                         .stream = 1,
                                                         .part = LOG_OUTPUT_HEAD,
                                                         .index = index,
                                                         .offset = offset,
                                                         .at = {.at_ms = 1000 + index},
                                                         .bytes = text});
}

static struct place place_of_bundle(void)
{
    struct place place;
    ck_assert(place_of_file(file, &place, NULL));
    return place;
}

/* The output of the attempt in the bundle. The caller frees. */
static struct output_page read_output(void)
{
    const struct log_output_key key = {.run = sample.number, .task = 1, .attempt = 1};
    const struct place place = place_of_bundle();
    struct log_reader *reader = log_reader_of(&place);
    struct output_page page = {0};
    must(log_reader_output(reader, &key, 0, &page, &err));
    log_reader_close(reader);
    return page;
}

/* The unfinished file. */
static bool has_part(void)
{
    char part[PATH_MAX + 32];
    (void)snprintf(part, sizeof(part), "%s.part-%ld", file, (long)getpid());
    return access(part, F_OK) == 0;
}

static bool file_holds(const char *path, const char *wanted)
{
    struct stat info;
    FILE *from = fopen(path, "rbe");
    ck_assert_ptr_nonnull(from);
    ck_assert_int_eq(stat(path, &info), 0);
    char *bytes = calloc((size_t)info.st_size + 1, 1);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, (size_t)info.st_size, from), (size_t)info.st_size);
    ck_assert_int_eq(fclose(from), 0);
    const bool found = memmem(bytes, (size_t)info.st_size, wanted, strlen(wanted)) != NULL;
    free(bytes);
    return found;
}

START_TEST(test_the_run_in_a_bundle_folds_to_the_same_state)
{
    make_and_keep();
    const struct place place = place_of_bundle();
    log_check_fold(&place, 0, run_state_digest(&sample.state));
    const struct bundle_contents *contents = bundle_contents(bundle);
    ck_assert_int_eq(contents->tasks, 10);
    ck_assert_int_eq(contents->events, sample.state.last_seq);
    ck_assert_int_eq(contents->attempts, sample.state.attempts);
}
END_TEST

START_TEST(test_a_bundle_is_one_private_file)
{
    make_and_keep();
    check_mode(file, 0600);
    static const char *const beside[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
        char path[PATH_MAX + 16];
        (void)snprintf(path, sizeof(path), "%s%s", file, beside[i]);
        ck_assert_int_ne(access(path, F_OK), 0);
    }
}
END_TEST

/* How often it was called, and the call at which it says no. */
struct asking {
    int asked, stops_at;
};

static bool go_on(void *ctx, int64_t done, int64_t all, struct err *err)
{
    struct asking *asking = ctx;
    ck_assert_int_le(done, all);
    return ++asking->asked != asking->stops_at || err_set(err, ERR_BUSY, "stopped");
}

static bool make_asking(struct asking *asking, struct err *err)
{
    const struct bundle_asked asked = {
        .place = &sample.place, .run = sample.number, .file = file, .tell = go_on, .ctx = asking};
    return bundle_open(&bundle, &asked, err);
}

/* Stopped among the events, among the output, and in the final check. */
START_TEST(test_making_a_bundle_can_be_stopped_at_any_time)
{
    struct asking whole = {0};
    say(0, 0, "some output\n");
    must(make_asking(&whole, &err));
    ck_assert_int_ge(whole.asked, 3);
    ck_assert(has_part());
    close_bundle();
    for (int at = 1; at <= whole.asked; at++) {
        struct asking asking = {.stops_at = at};
        must_fail_with(make_asking(&asking, &err), ERR_BUSY, "stopped");
        ck_assert_int_eq(asking.asked, at);
        ck_assert(!has_part());
    }
}
END_TEST

START_TEST(test_a_secret_across_rows_is_cut)
{
    say(0, 0, "before planted-");
    say(1, 15, "value-");
    say(2, 21, "0123456789 after\n");
    make_and_keep();
    ck_assert(!file_holds(file, secret));
    ck_assert(!file_holds(file, "0123456789"));
    struct output_page page = read_output();
    ck_assert_str_eq(page.text.data, "before [cut:MY_API_KEY] after\n");
    int64_t next = 0;
    for (size_t i = 0; i < page.count; i++) {
        ck_assert_int_eq(page.rows[i].offset, next);
        next += (int64_t)page.rows[i].len;
    }
    const struct bundle_contents *contents = bundle_contents(bundle);
    ck_assert_int_eq(contents->cut_count, 1);
    ck_assert_str_eq(contents->cuts[0].name, "MY_API_KEY");
    ck_assert_int_eq(contents->cuts[0].now, 1);
    output_page_done(&page);
}
END_TEST

START_TEST(test_output_without_secrets_stays_row_by_row)
{
    say(0, 0, "one\n");
    say(1, 4, "two\n");
    say(2, 100, "after a gap\n");
    make_and_keep();
    struct output_page page = read_output();
    ck_assert_uint_eq(page.count, 3);
    ck_assert_uint_eq(page.rows[1].len, 4);
    ck_assert_int_eq(page.rows[1].at_ms, 1001);
    ck_assert_int_eq(page.rows[2].offset, 100);
    ck_assert_str_eq(page.text.data, "one\ntwo\nafter a gap\n");
    output_page_done(&page);
}
END_TEST

START_TEST(test_secrets_in_texts_are_cut_and_counted)
{
    struct event events[] = {event_new(EVENT_NOTE), event_new(EVENT_SECRETS_CUT)};
    events[0].seq = sample.state.last_seq + 1;
    events[0].note.note = "it said planted-value-0123456789";
    events[1].seq = sample.state.last_seq + 2;
    events[1].task = 1;
    events[1].step = 0;
    events[1].round = events[1].grant = events[1].attempt = 1;
    events[1].secrets.count = 5;
    events[1].secrets.names = "2 MY_API_KEY\n3 github";
    const struct log_capture capture = {
        .task = 1, .attempt = 1, .json = "{\"v\":1,\"argv\":[\"planted-value-0123456789\"]}"};
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        ck_assert(run_state_apply(&sample.state, &events[i], NULL));
    const struct log_batch batch = {
        .events = events, .event_count = 2, .captures = &capture, .capture_count = 1};
    ck_assert(log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, NULL));
    make_and_keep();
    ck_assert(!file_holds(file, secret));
    ck_assert(file_holds(file, "[cut:MY_API_KEY]"));
    const struct bundle_contents *contents = bundle_contents(bundle);
    ck_assert_int_eq(contents->cut_count, 2);
    ck_assert_int_eq(contents->cuts[0].recorded, 2);
    ck_assert_int_eq(contents->cuts[0].now, 2);
    ck_assert_str_eq(contents->cuts[1].name, "github");
    ck_assert_int_eq(contents->cuts[1].recorded, 3);
    ck_assert_int_eq(contents->captures, 1);
}
END_TEST

/* A mark that is longer than its secret makes the data of an event too long for readers. */
START_TEST(test_an_event_that_redaction_makes_too_long_stays_readable)
{
    static char *const environment[] = {
        (char *)(uintptr_t) "AN_API_KEY_WITH_A_NAME_LONGER_THAN_THE_VALUE=q7Zk2mXw", NULL};
    const struct redact_setting setting = {.environment = environment};
    struct event event = event_new(EVENT_NOTE);
    struct str note = {0};
    struct event_page page = {0};
    for (int i = 0; i < 400; i++)
        str_add(&note, "q7Zk2mXw ");
    redactor_close(redactor);
    ck_assert(redactor_open(&redactor, &setting, NULL));
    event.seq = sample.state.last_seq + 1;
    event.note.note = note.data;
    ck_assert(run_state_apply(&sample.state, &event, NULL));
    const struct log_batch batch = {.events = &event, .event_count = 1};
    ck_assert(log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, NULL));
    make_and_keep();
    ck_assert(!file_holds(file, "q7Zk2mXw"));
    const struct place place = place_of_bundle();
    struct log_reader *reader = log_reader_of(&place);
    must(log_reader_events(reader, sample.number, event.seq - 1, &page, &err));
    ck_assert_uint_eq(page.count, 1);
    ck_assert(!page.events[0].is_damaged);
    ck_assert_str_eq(page.events[0].data, "{}");
    event_page_done(&page);
    log_reader_close(reader);
    str_done(&note);
}
END_TEST

START_TEST(test_a_bundle_that_is_not_kept_leaves_no_file)
{
    must(make(&err));
    ck_assert(has_part());
    ck_assert_int_ne(access(file, F_OK), 0);
    close_bundle();
    ck_assert(!has_part());
    ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

START_TEST(test_an_existing_file_is_not_overwritten)
{
    must(make(&err));
    FILE *other = fopen(file, "wxe"); /* it came while somebody was asked */
    ck_assert_ptr_nonnull(other);
    ck_assert_int_eq(fclose(other), 0);
    ck_assert(!bundle_keep(bundle, NULL));
    close_bundle();
    must_fail(make(&err), ERR_INVALID);
}
END_TEST

START_TEST(test_a_bundle_is_read_only)
{
    struct log_writer *writer = NULL;
    make_and_keep();
    const struct place place = place_of_bundle();
    must_fail_with(log_writer_open(&writer, &place, &err), ERR_INVALID,
                   "the log is a bundle: it is read only");
}
END_TEST

START_TEST(test_a_run_that_is_not_there)
{
    const struct bundle_asked asked = {.place = &sample.place, .run = 99, .file = file};
    must_fail(bundle_open(&bundle, &asked, &err), ERR_NOT_FOUND);
    ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bundle");
    TCase *tcase = test_case(suite, "bundle");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_the_run_in_a_bundle_folds_to_the_same_state);
    tcase_add_test(tcase, test_a_bundle_is_one_private_file);
    tcase_add_test(tcase, test_making_a_bundle_can_be_stopped_at_any_time);
    tcase_add_test(tcase, test_a_secret_across_rows_is_cut);
    tcase_add_test(tcase, test_output_without_secrets_stays_row_by_row);
    tcase_add_test(tcase, test_secrets_in_texts_are_cut_and_counted);
    tcase_add_test(tcase, test_an_event_that_redaction_makes_too_long_stays_readable);
    tcase_add_test(tcase, test_a_bundle_that_is_not_kept_leaves_no_file);
    tcase_add_test(tcase, test_an_existing_file_is_not_overwritten);
    tcase_add_test(tcase, test_a_bundle_is_read_only);
    tcase_add_test(tcase, test_a_run_that_is_not_there);
    return suite;
}
