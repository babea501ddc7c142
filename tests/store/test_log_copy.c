/* What a feed reads from a log, a copy has: whole, in pieces, after breaks, and never twice. */
#include "log_copy.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed_source.h"
#include "log_try.h"
#include "log_write.h"
#include "must.h"
#include "owner.h"
#include "sha256.h"
#include "shop_log.h"
#include "test_main.h"

enum { NEWEST = 4 }; /* the shop's newest run */

static struct place home;  /* the log that is copied */
static struct place there; /* the copy */

static struct place new_place(void)
{
    char path[PATH_MAX];
    struct place place;
    (void)snprintf(path, sizeof(path), "%.*s/devs.db", PATH_MAX - 16, test_tmpdir());
    ck_assert(place_of_file(path, &place, NULL));
    return place;
}

/* All rows of a query as text, one line each. */
static char *dump(const struct place *place, const char *sql)
{
    struct str out = {0};
    struct db db;
    sqlite3_stmt *statement = NULL;
    bool row = true;
    must(db_init(&db, place->db, DB_READ, &err));
    must(db_prepare(&db, &sql, 1, &statement, &err));
    while (db_next(&db, statement, &row, NULL) && row) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);
            str_addf(&out, "%s=%s ", sqlite3_column_name(statement, i), text ? text : "NULL");
        }
        str_add_char(&out, '\n');
    }
    db_finalize(&statement, 1);
    db_done(&db);
    str_add(&out, "");
    return out.data ? out.data : calloc(1, 1);
}

static void setup(void)
{
    home = new_place();
    there = new_place();
    must(shop_log_write(&home, &err));

    /* The shop's rules have a made-up hash. */
    char *text = dump(&home, "SELECT text FROM ruleset");
    const char *rules = text + strlen("text=");
    const size_t len = strlen(rules) - strlen(" \n");
    struct sha256 *sha256 = NULL;
    unsigned char hash[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    char sql[256];
    sha256_open(&sha256);
    sha256_add(sha256, rules, len);
    sha256_finish(sha256, hash);
    sha256_hex(hash, hex);
    (void)snprintf(sql, sizeof(sql), "UPDATE ruleset SET hash='%s'", hex);
    log_change(&home, sql);
    (void)snprintf(sql, sizeof(sql), "UPDATE run SET ruleset='%s'", hex);
    log_change(&home, sql);
    free(text);
}

static void check_same(const char *sql)
{
    char *want = dump(&home, sql);
    char *got = dump(&there, sql);
    const char *here = got;
    for (const char *at = want; *here == *at && *at != '\0'; at++)
        here++;
    ck_assert_msg(strcmp(got, want) == 0, "%s: differs at byte %zu: '%.200s', wanted '%.200s'", sql,
                  (size_t)(here - got), here, want + (here - got));
    free(want);
    free(got);
}

/* Everything that a collection copies. Runs keep their numbers, if the log was empty. */
static void check_rows(void)
{
    check_same("SELECT uid, name, kind, dir, command, ruleset, seed, jobs, tasks, started_at_ms,"
               " ended_at_ms, exit_code, last_seq, attempts, passed, failed, cancelled, waited_ms"
               " FROM run ORDER BY id");
    check_same("SELECT * FROM plan ORDER BY run");
    check_same("SELECT * FROM ruleset ORDER BY hash");
    check_same("SELECT * FROM event ORDER BY run, seq");
    check_same("SELECT run, task, step, attempt, stream, part, idx, offset, at_ms, hex(bytes)"
               " FROM output ORDER BY run, task, step, attempt, stream, part, idx");
    check_same("SELECT run, task, step, attempt, at_ms, json FROM capture ORDER BY run, id");
    check_same("SELECT * FROM task ORDER BY run, task");
    check_same("SELECT * FROM attempt ORDER BY run, task, step, attempt");
}

/* Gives the messages to the other side; returns false when it has failed. */
struct hub {
    struct feed_source *source;
    struct log_copy *copy;
    size_t limit; /* bytes after which the link breaks; SIZE_MAX = never */
    size_t passed;
    int64_t now_ms;
    bool is_over; /* FEED_BYE has arrived */
    struct err err;
};

/* Lets the source take what the copy has sent. */
static void take_back(struct hub *hub, const struct str *bytes, struct str *out)
{
    struct feed_message message;
    size_t used = 0;
    for (size_t at = 0; at < bytes->len; at += used) {
        ck_assert_int_eq(feed_read(bytes->data + at, bytes->len - at, false, &message, &used),
                         FEED_WHOLE);
        if (message.kind == FEED_HAVE)
            must(feed_source_have(hub->source, &message, out, &err));
        else if (message.kind == FEED_AGAIN)
            feed_source_again(hub->source, feed_number_at(&message, 0, 0));
    }
}

/* Gives whole frames of the first bytes to the copy. Returns false once the link is broken. */
static bool pass(struct hub *hub, const struct str *bytes)
{
    struct feed_message message;
    size_t used = 0;
    const size_t left = hub->limit - hub->passed;
    const size_t len = bytes->len < left ? bytes->len : left;
    for (size_t at = 0;
         feed_read(str_text(bytes) + at, len - at, true, &message, &used) == FEED_WHOLE;
         at += used) {
        if (!log_copy_take(hub->copy, &message, &hub->err))
            return false;
    }
    hub->passed += len;
    return len == bytes->len;
}

/* Collects until everything has arrived or the link breaks. */
static void collect(struct hub *hub)
{
    struct str out = {0};
    struct str back = {0};
    must(feed_source_open(&hub->source, &home, FEED_COLLECT, &err));
    must(log_copy_open(&hub->copy, &there, "h1", false, &err));
    must(feed_source_look(hub->source, &out, &err));
    bool goes_on = pass(hub, &out);
    str_clear(&out);
    if (goes_on)
        must(log_copy_choose(hub->copy, &back, &err));
    take_back(hub, &back, &out);
    while (goes_on) {
        must(feed_source_fill(hub->source, 0, &out, &err));
        if (out.len == 0)
            break;
        goes_on = pass(hub, &out);
        if (goes_on)
            must(log_copy_commit(hub->copy, 0, &err));
        str_clear(&out);
        for (int64_t run; (run = log_copy_again(hub->copy)) != 0;)
            feed_source_again(hub->source, run);
    }
    hub->is_over = goes_on;
    feed_source_close(hub->source);
    str_done(&out);
    str_done(&back);
}

static struct log_copy_sum collect_once(size_t limit)
{
    struct hub hub = {.limit = limit};
    collect(&hub);
    const struct log_copy_sum sum = log_copy_sum(hub.copy);
    if (hub.is_over)
        ck_assert(log_copy_is_whole(hub.copy));
    log_copy_drop(hub.copy);
    log_copy_close(hub.copy);
    return sum;
}

START_TEST(test_a_collection_has_everything_and_takes_nothing_twice)
{
    const struct log_copy_sum sum = collect_once(SIZE_MAX);
    ck_assert_int_eq(sum.added, NEWEST);
    check_rows();
    const struct log_copy_sum again = collect_once(SIZE_MAX);
    ck_assert_int_eq(again.events, 0);
    ck_assert_int_eq(again.added + again.continued, 0);
    check_rows();
}
END_TEST

START_TEST(test_a_collection_that_breaks_at_any_byte_is_continued)
{
    struct hub whole = {.limit = SIZE_MAX};
    collect(&whole);
    const size_t all = whole.passed;
    log_copy_close(whole.copy);
    there = new_place();
    size_t breaks = 0;
    for (size_t limit = 1; limit < all; limit += all / 97 + 1, breaks++) {
        (void)collect_once(limit);
        if (breaks % 16 == 15) { /* begins again with an empty log */
            (void)collect_once(SIZE_MAX);
            check_rows();
            there = new_place();
        }
    }
    (void)collect_once(SIZE_MAX);
    check_rows();
}
END_TEST

START_TEST(test_a_collected_run_is_not_continued_here)
{
    struct log_writer *writer = NULL;
    (void)collect_once(SIZE_MAX);
    struct follower *follower = log_follow(&there, NEWEST);
    must(log_writer_open(&writer, &there, &err));
    must_fail_with(log_writer_resume(writer, NEWEST, follower_state(follower), &err), ERR_INVALID,
                   "collected from 'h1'");
    log_writer_close(writer);
    follower_close(follower);
}
END_TEST

START_TEST(test_runs_of_this_log_are_not_collected)
{
    struct hub hub = {.limit = SIZE_MAX};
    there = home;
    collect(&hub);
    ck_assert_int_eq(log_copy_sum(hub.copy).ours, NEWEST);
    ck_assert_int_eq(log_copy_sum(hub.copy).events, 0);
    log_copy_close(hub.copy);
}
END_TEST

START_TEST(test_two_collections_at_a_time_are_refused)
{
    struct log_copy *copy = NULL;
    struct log_copy *other = NULL;
    must(log_copy_open(&copy, &there, "h1", false, &err));
    must_fail(log_copy_open(&other, &there, "h2", false, &err), ERR_BUSY);
    log_copy_close(copy);
}
END_TEST

/* Follows the newest run into a mirror until nothing is missing. */
static void follow(struct hub *hub, bool is_first)
{
    struct str out = {0};
    struct str back = {0};
    must(feed_source_open(&hub->source, &home, FEED_FOLLOW, &err));
    must(feed_source_look(hub->source, &out, &err));
    if (!is_first)
        must(log_copy_have(hub->copy, &back, &err));
    take_back(hub, &back, &out);
    feed_source_want(hub->source, NEWEST);
    bool goes_on = true;
    const int64_t until_ms = hub->now_ms + 4 * FEED_CHECK_MS;
    for (; goes_on; hub->now_ms += FEED_CHECK_MS) {
        must(feed_source_fill(hub->source, hub->now_ms, &out, &err));
        if (out.len == 0 && hub->now_ms > until_ms)
            break;
        goes_on = pass(hub, &out);
        str_clear(&out);
        if (goes_on)
            must(log_copy_commit(hub->copy, hub->now_ms, &err));
        for (int64_t run; (run = log_copy_again(hub->copy)) != 0;)
            feed_source_again(hub->source, run);
    }
    log_copy_drop(hub->copy);
    feed_source_close(hub->source);
    str_done(&out);
    str_done(&back);
}

static void check_mirror(void)
{
    check_same("SELECT * FROM event ORDER BY run, seq");
    check_same("SELECT id, uid, last_seq, ended_at_ms, passed, failed FROM run ORDER BY id");
    check_same("SELECT * FROM task ORDER BY run, task");
    check_same("SELECT * FROM attempt ORDER BY run, task, step, attempt");
    check_same("SELECT run, task, step, attempt, stream, part, idx, offset, at_ms, hex(bytes)"
               " FROM output WHERE run=4 ORDER BY task, step, attempt, stream, part, idx");
    check_same("SELECT task, step, attempt, at_ms, json FROM capture WHERE run=4 ORDER BY id");
}

START_TEST(test_a_mirror_that_breaks_at_any_byte_misses_nothing)
{
    struct hub hub = {.limit = SIZE_MAX};
    must(log_copy_open(&hub.copy, &there, "h1", true, &err));
    follow(&hub, true);
    const size_t all = hub.passed;
    check_mirror();
    log_copy_close(hub.copy);

    there = new_place();
    must(log_copy_open(&hub.copy, &there, "h1", true, &err));
    bool is_first = true;
    for (hub.limit = 100; hub.limit < all; hub.limit += all / 61 + 1) {
        hub.passed = 0;
        follow(&hub, is_first);
        is_first = false;
    }
    hub.limit = SIZE_MAX;
    hub.passed = 0;
    follow(&hub, false);
    check_mirror();
    log_copy_close(hub.copy);
}
END_TEST

START_TEST(test_output_that_differs_is_sent_again)
{
    struct hub hub = {.limit = SIZE_MAX};
    must(log_copy_open(&hub.copy, &there, "h1", true, &err));
    follow(&hub, true);
    log_change(&there, "DELETE FROM output WHERE id%2=0");
    log_change(&there, "UPDATE origin SET output=output-1 WHERE output>0");
    follow(&hub, false);
    check_mirror();
    log_copy_close(hub.copy);
}
END_TEST

START_TEST(test_another_run_of_the_same_number_replaces_it)
{
    struct hub hub = {.limit = SIZE_MAX};
    must(log_copy_open(&hub.copy, &there, "h1", true, &err));
    follow(&hub, true);
    log_change(&home, "UPDATE run SET uid='0123456789abcdef' WHERE id=4");
    follow(&hub, false);
    check_mirror();
    log_copy_close(hub.copy);
}
END_TEST

/* Hostile messages. */

static bool take(struct log_copy *copy, enum feed_kind kind, const struct feed_value *values,
                 size_t count, struct err *err)
{
    struct str frame = {0};
    struct feed_message message;
    size_t used = 0;
    ck_assert(feed_add(&frame, kind, values, count));
    ck_assert_int_eq(feed_read(frame.data, frame.len, true, &message, &used), FEED_WHOLE);
    const bool ok = log_copy_take(copy, &message, err);
    str_done(&frame);
    return ok;
}

static bool take_run(struct log_copy *copy, const char *uid, struct err *err)
{
    const struct feed_value row[FEED_RUN_VALUES] = {
        feed_number(1),  feed_text(uid), feed_text("n"), feed_text("plan"), feed_text("/"),
        feed_text("c"),  feed_null(),    feed_text("b"), feed_text("v"),    feed_number(1),
        feed_number(1),  feed_number(1), feed_number(1), feed_null(),       feed_null(),
        feed_number(99), feed_number(1), feed_number(0), feed_number(0),    feed_number(0),
        feed_number(0),  feed_number(0)};
    return take(copy, FEED_RUN, row, TABLE_LEN(row), err);
}

static bool take_event(struct log_copy *copy, int64_t run, int64_t seq, struct err *err)
{
    const struct feed_value event[] = {feed_number(run), feed_number(seq),  feed_number(1),
                                       feed_number(1),   feed_text("note"), feed_null(),
                                       feed_null(),      feed_null(),       feed_null(),
                                       feed_null(),      feed_null(),       feed_text("{}")};
    return take(copy, FEED_EVENT, event, TABLE_LEN(event), err);
}

START_TEST(test_what_contradicts_itself_is_refused)
{
    static const struct feed_value plan[] = {{.type = FEED_NUMBER, .number = 1},
                                             {.type = FEED_TEXT, .bytes = "{}", .len = 2}};
    const struct feed_value rules[] = {feed_text("0123"), feed_text("{}")};
    struct log_copy *copy = NULL;
    must(log_copy_open(&copy, &there, "h1", true, &err));
    must_fail_with(take_event(copy, 1, 1, &err), ERR_INVALID, "unknown run");
    must_fail_with(take(copy, FEED_PLAN, plan, 2, &err), ERR_INVALID, "unknown run");
    must_fail_with(take_run(copy, "../../x", &err), ERR_INVALID, "uid");
    must_fail_with(take_run(copy, "", &err), ERR_INVALID, "uid");
    must(take_run(copy, "abc", &err));
    must_fail_with(take_event(copy, 1, 1, &err), ERR_INVALID, "not sent");
    must(take(copy, FEED_PLAN, plan, 2, &err));
    must_fail_with(take_event(copy, 1, 2, &err), ERR_INVALID, "follows event 0");
    ck_assert_int_eq(log_number(&there, "SELECT count(*) FROM run"), 0); /* was rolled back */
    log_copy_close(copy);

    must(log_copy_open(&copy, &there, "h1", true, &err));
    must(take_run(copy, "abc", &err));
    must(take(copy, FEED_PLAN, plan, 2, &err));
    must(take_event(copy, 1, 1, &err));
    must(log_copy_commit(copy, 0, &err));
    must_fail_with(take_event(copy, 1, 1, &err), ERR_INVALID, "follows event 1");
    must_fail_with(take_run(copy, "def", &err), ERR_INVALID, "different");
    ck_assert_int_eq(log_number(&there, "SELECT count(*) FROM event"), 1);
    log_copy_close(copy);

    must(log_copy_open(&copy, &there, "h1", false, &err));
    must_fail_with(take(copy, FEED_RULES, rules, 2, &err), ERR_INVALID, "hash");
    log_copy_close(copy);
}
END_TEST

/* Another host that knows the uid of a collected run cannot change it. */
START_TEST(test_a_whole_run_is_not_changed_by_another_host)
{
    const struct feed_value outputs[] = {feed_number(1), feed_number(7), feed_number(0)};
    struct log_copy *copy = NULL;
    (void)collect_once(SIZE_MAX);
    char *uid = dump(&there, "SELECT uid AS u FROM run WHERE id=1");
    char *name = uid + strlen("u=");
    name[strcspn(name, " ")] = '\0';
    const int64_t events = log_number(&there, "SELECT count(*) FROM event WHERE run=1");
    must(log_copy_open(&copy, &there, "h2", false, &err));
    must(take_run(copy, name, &err));
    must_fail_with(take(copy, FEED_OUTPUTS, outputs, 3, &err), ERR_INVALID, "not asked for");
    must_fail_with(take_event(copy, 1, 999, &err), ERR_INVALID, "not asked for");
    log_copy_close(copy);
    ck_assert_int_eq(log_number(&there, "SELECT count(*) FROM event WHERE run=1"), events);
    check_rows();
    free(uid);
}
END_TEST

START_TEST(test_a_mirror_has_the_owners_of_the_runs)
{
    static const struct feed_value plan[] = {{.type = FEED_NUMBER, .number = 1},
                                             {.type = FEED_TEXT, .bytes = "{}", .len = 2}};
    const struct feed_value alive[] = {feed_number(1), feed_number(1)};
    const struct feed_value dead[] = {feed_number(1), feed_number(0)};
    struct log_copy *copy = NULL;
    must(log_copy_open(&copy, &there, "h1", true, &err));
    must(take_run(copy, "abc", &err));
    must(take(copy, FEED_PLAN, plan, 2, &err));
    must(take(copy, FEED_ALIVE, alive, 2, &err));
    ck_assert(owner_is_alive(&there, "abc"));
    must(take(copy, FEED_ALIVE, dead, 2, &err));
    ck_assert(!owner_is_alive(&there, "abc"));
    must(take(copy, FEED_ALIVE, alive, 2, &err));
    log_copy_close(copy);
    ck_assert(!owner_is_alive(&there, "abc"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_copy");
    TCase *tcase = test_case(suite, "log_copy");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_a_collection_has_everything_and_takes_nothing_twice);
    tcase_add_test(tcase, test_a_collection_that_breaks_at_any_byte_is_continued);
    tcase_add_test(tcase, test_a_collected_run_is_not_continued_here);
    tcase_add_test(tcase, test_runs_of_this_log_are_not_collected);
    tcase_add_test(tcase, test_two_collections_at_a_time_are_refused);
    tcase_add_test(tcase, test_a_mirror_that_breaks_at_any_byte_misses_nothing);
    tcase_add_test(tcase, test_output_that_differs_is_sent_again);
    tcase_add_test(tcase, test_another_run_of_the_same_number_replaces_it);
    tcase_add_test(tcase, test_what_contradicts_itself_is_refused);
    tcase_add_test(tcase, test_a_whole_run_is_not_changed_by_another_host);
    tcase_add_test(tcase, test_a_mirror_has_the_owners_of_the_runs);
    return suite;
}
