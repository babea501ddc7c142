#include "golden_log.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "log_writer.h"
#include "must.h"
#include "test_main.h"

static const char *const names[] = {
    "acts",   "budgets", "circles", "contracts", "crashes", "execs",  "expectations", "grows",
    "limits", "parked",  "passes",  "retries",   "rounds",  "starts", "stopped",      "trees",
};

const char *golden_log_name(int index)
{
    return index < TABLE_LEN(names) ? names[index] : NULL;
}

int golden_log_count(void)
{
    return TABLE_LEN(names);
}

static char *read_file(const char *name)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "tests/data/golden/%s", name);
    char *text = test_read_file(test_source_path(path));
    ck_assert_msg(text != NULL, "no %s", path);
    return text;
}

char *golden_log_sql(const char *name)
{
    char file[64];
    (void)snprintf(file, sizeof(file), "%s.sql", name);
    return read_file(file);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK, "%s", why);
}

static void add_rules(sqlite3 *db)
{
    char *rules = read_file("rules.json");
    sqlite3_stmt *put = NULL;
    ck_assert_int_eq(
        sqlite3_prepare_v2(db, "INSERT INTO ruleset SELECT ruleset, ? FROM run", -1, &put, NULL),
        SQLITE_OK);
    (void)sqlite3_bind_text(put, 1, rules, -1, SQLITE_STATIC);
    ck_assert_int_eq(sqlite3_step(put), SQLITE_DONE);
    (void)sqlite3_finalize(put);
    free(rules);
}

struct place golden_log_make(const char *sql)
{
    char path[PATH_MAX];
    struct place place;
    struct log_writer *writer = NULL;
    sqlite3 *db = NULL;
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    must(place_find(path, true, &place, &err));
    must(log_writer_open(&writer, &place, &err));
    log_writer_close(writer); /* it has made the tables */
    ck_assert_int_eq(sqlite3_open(place.db, &db), SQLITE_OK);
    run_sql(db, "BEGIN");
    run_sql(db, sql);
    add_rules(db);
    run_sql(db, "COMMIT");
    (void)sqlite3_close(db);
    return place;
}

struct place golden_log_place(const char *name)
{
    char *sql = golden_log_sql(name);
    const struct place place = golden_log_make(sql);
    free(sql);
    return place;
}
