/*
 * The queries of docs/run-log.md, as anybody's SQLite runs them: read-only, on the log of the shop
 * (shop_log.h). tests/data/queries.txt has the answers; DEVS_UPDATE_QUERIES=1 writes them anew.
 */
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "shop_log.h"
#include "str.h"
#include "test_main.h"

static const char answers_file[] = "tests/data/queries.txt";

enum { QUERIES_MIN = 20 }; /* that are worth a page */

static sqlite3 *open_log(const char *how)
{
    char path[PATH_MAX];
    char uri[PATH_MAX + 32];
    struct place place;
    sqlite3 *db = NULL;
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    must(place_find(path, true, &place, &err));
    must(shop_log_write(&place, &err));
    (void)snprintf(uri, sizeof(uri), "file:%s?%s", place.db, how);
    ck_assert_int_eq(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL),
                     SQLITE_OK);
    return db;
}

/* The SQL of the page's part about queries. */
static char *read_queries(void)
{
    char *page = test_read_file(test_source_path("docs/run-log.md"));
    ck_assert_ptr_nonnull(page);
    char *part = strstr(page, "## Useful queries");
    ck_assert_ptr_nonnull(part);
    char *sql = strstr(part, "```sql\n");
    ck_assert_ptr_nonnull(sql);
    sql += strlen("```sql\n");
    char *end = strstr(sql, "```");
    ck_assert_ptr_nonnull(end);
    char *queries = strndup(sql, (size_t)(end - sql));
    free(page);
    return queries;
}

static void add_row(sqlite3_stmt *query, struct str *out)
{
    for (int i = 0; i < sqlite3_column_count(query); i++) {
        const char *text = (const char *)sqlite3_column_text(query, i);
        str_addf(out, "%s%s", i > 0 ? "|" : "", text ? text : "");
    }
    str_add_char(out, '\n');
}

/* Adds the comment above the query, its rows and an empty line. */
static void add_answer(const char *sql, size_t len, sqlite3_stmt *query, struct str *out)
{
    const char *comment = memchr(sql, '-', len);
    ck_assert_ptr_nonnull(comment);
    str_add_n(out, comment, strcspn(comment, "\n"));
    str_add_char(out, '\n');
    int code;
    while ((code = sqlite3_step(query)) == SQLITE_ROW)
        add_row(query, out);
    ck_assert_int_eq(code, SQLITE_DONE);
    str_add_char(out, '\n');
}

static int run_queries(sqlite3 *db, const char *sql, struct str *out)
{
    int count = 0;
    for (;;) {
        sqlite3_stmt *query = NULL;
        const char *rest = NULL;
        ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &query, &rest) == SQLITE_OK, "%s: %s",
                      sqlite3_errmsg(db), sql);
        if (!query)
            return count;
        ck_assert_int_ne(sqlite3_stmt_readonly(query), 0);
        add_answer(sql, (size_t)(rest - sql), query, out);
        sqlite3_finalize(query);
        sql = rest;
        count++;
    }
}

static void save_answers(const char *text)
{
    FILE *file = fopen(test_source_path(answers_file), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void check_queries(const char *how)
{
    sqlite3 *db = open_log(how);
    char *queries = read_queries();
    struct str answers = {0};
    ck_assert_int_ge(run_queries(db, queries, &answers), QUERIES_MIN);
    if (getenv("DEVS_UPDATE_QUERIES"))
        save_answers(str_text(&answers));
    char *want = test_read_file(test_source_path(answers_file));
    ck_assert_ptr_nonnull(want);
    ck_assert_str_eq(str_text(&answers), want);
    free(want);
    free(queries);
    str_done(&answers);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

START_TEST(test_the_documented_queries_answer_as_they_say)
{
    check_queries("mode=ro");
}
END_TEST

START_TEST(test_the_documented_queries_answer_on_a_disk_that_cannot_be_written)
{
    check_queries("immutable=1");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("queries");
    TCase *tcase = test_case(suite, "queries");
    tcase_add_test(tcase, test_the_documented_queries_answer_as_they_say);
    tcase_add_test(tcase, test_the_documented_queries_answer_on_a_disk_that_cannot_be_written);
    return suite;
}
