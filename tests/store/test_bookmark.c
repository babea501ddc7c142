#include "bookmark.h"

#include <stdio.h>
#include <string.h>

#include "bundle.h"
#include "log_try.h"
#include "must.h"
#include "str.h"
#include "test_main.h"

static struct sample sample;

static void setup(void)
{
    const struct place place = sample_place();
    sample_open(&sample, &place, 3);
    sample_start(&sample);
}

static void teardown(void)
{
    sample_done(&sample);
}

static struct bookmark bookmark_at(int64_t seq, int64_t at_ms, const char *name)
{
    struct bookmark bookmark = {
        .run = sample.number, .seq = seq, .at_ms = at_ms, .made_at_ms = 9000, .by = "ann@pts/1"};
    (void)snprintf(bookmark.name, sizeof(bookmark.name), "%s", name);
    return bookmark;
}

static int64_t add(int64_t seq, int64_t at_ms, const char *name)
{
    struct bookmark bookmark = bookmark_at(seq, at_ms, name);
    must(bookmark_add(&sample.place, &bookmark, &err));
    ck_assert_int_gt(bookmark.id, 0);
    return bookmark.id;
}

static size_t list_of(const struct place *place, int64_t run, struct bookmark *out, size_t max)
{
    struct log_reader *reader = log_reader_of(place);
    size_t count = 99;
    must(bookmark_list(reader, run, out, max, &count, &err));
    log_reader_close(reader);
    return count;
}

static size_t list(struct bookmark *out, size_t max)
{
    return list_of(&sample.place, sample.number, out, max);
}

START_TEST(test_bookmarks_are_listed_in_the_order_of_the_run)
{
    struct bookmark got[4];
    const int64_t later = add(1, 5000, "here it broke");
    const int64_t earlier = add(0, 1000, "");
    ck_assert_uint_eq(list(got, 4), 2);
    ck_assert_int_eq(got[0].id, earlier);
    ck_assert_int_eq(got[1].id, later);
    ck_assert_int_eq(got[1].run, sample.number);
    ck_assert_int_eq(got[1].seq, 1);
    ck_assert_int_eq(got[1].at_ms, 5000);
    ck_assert_int_eq(got[1].made_at_ms, 9000);
    ck_assert_str_eq(got[1].name, "here it broke");
    ck_assert_str_eq(got[1].by, "ann@pts/1");
    ck_assert_str_eq(got[0].name, "");
    ck_assert_uint_eq(list(got, 1), 1);
    ck_assert_uint_eq(list_of(&sample.place, 0, got, 4), 2);
}
END_TEST

START_TEST(test_a_bookmark_is_removed)
{
    struct bookmark got[2];
    const int64_t id = add(1, 5000, "one");
    must(bookmark_remove(&sample.place, id, &err));
    ck_assert_uint_eq(list(got, 2), 0);
    must_fail(bookmark_remove(&sample.place, id, &err), ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_a_name_is_one_clean_line_that_fits)
{
    struct bookmark got[2];
    struct bookmark bookmark = bookmark_at(1, 1, "red\x1b[31m \xff\nnext\tline");
    ck_assert(bookmark_add(&sample.place, &bookmark, NULL));
    ck_assert_uint_eq(list(got, 2), 1);
    ck_assert_ptr_null(strpbrk(got[0].name, "\x1b\n\t\xff"));
    ck_assert_ptr_nonnull(strstr(got[0].name, "next"));

    /* The tab takes more room once it is clean, and the cut would fall into a character. */
    struct str name = {0};
    str_add(&name, "\ta");
    while (name.len + 2 <= BOOKMARK_NAME_MAX)
        str_add(&name, "\xc3\xa9");
    bookmark = bookmark_at(1, 2, str_text(&name));
    str_done(&name);
    ck_assert(bookmark_add(&sample.place, &bookmark, NULL));
    ck_assert_uint_eq(list(got, 2), 2);
    ck_assert_uint_eq(strlen(got[1].name), BOOKMARK_NAME_MAX - 1);
}
END_TEST

START_TEST(test_events_and_runs_that_do_not_exist_are_not_found)
{
    struct bookmark bookmark = bookmark_at(sample.state.last_seq + 1, 1, "");
    must_fail_with(bookmark_add(&sample.place, &bookmark, &err), ERR_NOT_FOUND, "event");
    bookmark = bookmark_at(1, 1, "");
    bookmark.run = 77;
    must_fail(bookmark_add(&sample.place, &bookmark, &err), ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_a_run_has_a_limited_number_of_bookmarks)
{
    static struct bookmark got[BOOKMARKS_MAX];
    (void)add(1, 1, "first");
    log_change(&sample.place,
               "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i+1 FROM n WHERE i<1000)"
               " INSERT INTO bookmark(run, seq, at_ms, made_at_ms, name, by)"
               " SELECT 1, 1, i, 0, '', '' FROM n");
    ck_assert_uint_eq(list(got, BOOKMARKS_MAX), BOOKMARKS_MAX);
    struct bookmark bookmark = bookmark_at(1, 1, "");
    must_fail(bookmark_add(&sample.place, &bookmark, &err), ERR_LIMIT);
}
END_TEST

START_TEST(test_an_older_log_gets_the_table)
{
    struct bookmark got[2];
    log_change(&sample.place, "DROP VIEW bookmarks; DROP TABLE bookmark");
    ck_assert_uint_eq(list(got, 2), 0);
    (void)add(1, 7, "new");
    ck_assert_uint_eq(list(got, 2), 1);
}
END_TEST

START_TEST(test_a_bundle_has_the_bookmarks_and_takes_no_more)
{
    struct bookmark got[2];
    struct bundle *bundle = NULL;
    struct place place;
    char file[PATH_MAX];
    (void)add(1, 7, "to look at");
    (void)snprintf(file, sizeof(file), "%.*s/out.devs", PATH_MAX - 16, test_tmpdir());
    const struct bundle_asked asked = {.place = &sample.place, .run = sample.number, .file = file};
    must(bundle_open(&bundle, &asked, &err));
    ck_assert_int_eq(bundle_contents(bundle)->bookmarks, 1);
    must(bundle_keep(bundle, &err));
    bundle_close(bundle);
    must(place_of_file(file, &place, &err));
    ck_assert_uint_eq(list_of(&place, 0, got, 2), 1);
    ck_assert_str_eq(got[0].name, "to look at");
    struct bookmark bookmark = bookmark_at(1, 1, "");
    must_fail(bookmark_add(&place, &bookmark, &err), ERR_INVALID);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bookmark");
    TCase *marks = test_case(suite, "marks");
    tcase_add_checked_fixture(marks, setup, teardown);
    tcase_add_test(marks, test_bookmarks_are_listed_in_the_order_of_the_run);
    tcase_add_test(marks, test_a_bookmark_is_removed);
    tcase_add_test(marks, test_a_name_is_one_clean_line_that_fits);
    tcase_add_test(marks, test_events_and_runs_that_do_not_exist_are_not_found);
    tcase_add_test(marks, test_a_run_has_a_limited_number_of_bookmarks);
    tcase_add_test(marks, test_an_older_log_gets_the_table);
    tcase_add_test(marks, test_a_bundle_has_the_bookmarks_and_takes_no_more);
    return suite;
}
