/* bundle_tables.c - a bundle's other tables, row by row, cut of secrets. */
#include "bundle_parts.h"

#include <assert.h>
#include <stddef.h>

#include "event.h"
#include "event_row.h"
#include "schema.h"

/* Rows of the run from one file to the other, column by column; ?1 of `select` is the run. */
static const struct table {
    const char *select;
    const char *insert;
    size_t counted; /* in struct bundle_contents; 0 = nobody asks how many */
} tables[] = {
    {"SELECT id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid,"
     " pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed,"
     " failed, cancelled, waited_ms FROM run WHERE id=?1",
     "INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks,"
     " pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts,"
     " passed, failed, cancelled, waited_ms)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
     0},
    {"SELECT run, text FROM plan WHERE run=?1", "INSERT INTO plan(run, text) VALUES(?,?)", 0},
    {"SELECT hash, text FROM ruleset WHERE hash=(SELECT ruleset FROM run WHERE id=?1)",
     "INSERT INTO ruleset(hash, text) VALUES(?,?)", 0},
    {"SELECT " EVENT_ROW_COLUMNS " FROM event WHERE run=?1 ORDER BY seq", EVENT_ROW_SQL,
     offsetof(struct bundle_contents, events)},
    {"SELECT run, task, step, attempt, at_ms, json FROM capture WHERE run=?1 ORDER BY id",
     "INSERT INTO capture(run, task, step, attempt, at_ms, json) VALUES(?,?,?,?,?,?)",
     offsetof(struct bundle_contents, captures)},
    {"SELECT run, id, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms,"
     " answer, done FROM control WHERE run=?1 ORDER BY id",
     "INSERT INTO control(run, id, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms,"
     " applied_at_ms, answer, done) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
     offsetof(struct bundle_contents, controls)},
    {"SELECT run, task, agent, session, at_ms, json FROM session WHERE run=?1 ORDER BY id",
     "INSERT INTO session(run, task, agent, session, at_ms, json) VALUES(?,?,?,?,?,?)", 0},
    {"SELECT run, task, id, title, status, step, try, tries, entropy, held, cancelling, by,"
     " blocked_by, due_at_ms, started_at_ms, waited_ms FROM task WHERE run=?1",
     "INSERT INTO task(run, task, id, title, status, step, try, tries, entropy, held,"
     " cancelling, by, blocked_by, due_at_ms, started_at_ms, waited_ms)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
     offsetof(struct bundle_contents, tasks)},
    {"SELECT run, task, step, attempt, grant_no, started_at_ms, ended_at_ms, waited_ms, outcome,"
     " code, ran_ms, out_bytes, err_bytes, out_lines, err_lines, rss_kib, cpu_ms, left_behind,"
     " class, type, reason, print_hi, print_lo FROM attempt WHERE run=?1",
     "INSERT INTO attempt(run, task, step, attempt, grant_no, started_at_ms, ended_at_ms,"
     " waited_ms, outcome, code, ran_ms, out_bytes, err_bytes, out_lines, err_lines, rss_kib,"
     " cpu_ms, left_behind, class, type, reason, print_hi, print_lo)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
     offsetof(struct bundle_contents, attempts)},
};

/* Not every log has the table: schema.h. */
static const struct table bookmark_table = {
    "SELECT run, id, seq, at_ms, made_at_ms, name, by FROM bookmark WHERE run=?1 ORDER BY id",
    "INSERT INTO bookmark(run, id, seq, at_ms, made_at_ms, name, by) VALUES(?,?,?,?,?,?,?)",
    offsetof(struct bundle_contents, bookmarks)};

enum { EVENT_KIND_COLUMN = 4, EVENT_TEXT_COLUMN = 15 };

/* Texts pass the secrets of now, numbers go as they are. The text must live until the step. */
static bool put_column(struct bundle *bundle, sqlite3_stmt *from, sqlite3_stmt *to, int at,
                       struct str *text)
{
    if (sqlite3_column_type(from, at) != SQLITE_TEXT)
        return sqlite3_bind_value(to, at + 1, sqlite3_column_value(from, at)) == SQLITE_OK;
    const char *bytes = (const char *)sqlite3_column_text(from, at);
    str_clear(text);
    redact_text(bundle->redactor, bytes, (size_t)sqlite3_column_bytes(from, at), text,
                &bundle->counts);
    return sqlite3_bind_text64(to, at + 1, str_text(text), text->len, SQLITE_TRANSIENT,
                               SQLITE_UTF8) == SQLITE_OK;
}

static bool tell(const struct bundle *bundle, struct err *err)
{
    enum { TELL_EVERY = 1024 };
    return bundle->contents.events % TELL_EVERY != 0 || bundle_tell(bundle, err);
}

static bool put_row(struct bundle *bundle, const struct table *table, sqlite3_stmt *from,
                    sqlite3_stmt *to, struct err *err)
{
    struct str text = {0};
    int columns = sqlite3_column_count(from);
    bool ok = true;
    assert(columns == sqlite3_bind_parameter_count(to));
    for (int i = 0; ok && i < columns; i++)
        ok = put_column(bundle, from, to, i, &text);
    str_done(&text);
    if (!ok)
        return db_fail(&bundle->to, "bind", err);
    bool is_event = table->counted == offsetof(struct bundle_contents, events);
    if (is_event && sqlite3_column_int(from, EVENT_KIND_COLUMN) == EVENT_SECRETS_CUT)
        bundle_count_recorded(bundle, (const char *)sqlite3_column_text(from, EVENT_TEXT_COLUMN));
    if (is_event && !tell(bundle, err))
        return false;
    if (table->counted > 0)
        (*(int64_t *)(void *)((char *)&bundle->contents + table->counted))++;
    return db_run(&bundle->to, to, err);
}

static bool copy_table(struct bundle *bundle, const struct table *table, struct err *err)
{
    sqlite3_stmt *from = NULL;
    sqlite3_stmt *to = NULL;
    bool row = true;
    bool ok = db_prepare(&bundle->from, &table->select, 1, &from, err) &&
              db_prepare(&bundle->to, &table->insert, 1, &to, err);
    if (ok)
        (void)sqlite3_bind_int64(from, 1, bundle->run);
    while (ok && row) {
        ok = db_next(&bundle->from, from, &row, err);
        if (ok && row)
            ok = put_row(bundle, table, from, to, err);
    }
    db_finalize(&from, 1);
    db_finalize(&to, 1);
    return ok;
}

bool bundle_copy_tables(struct bundle *bundle, struct err *err)
{
    bool ok = true;
    bool has_bookmarks = false;
    for (size_t i = 0; ok && i < ARRAY_LEN(tables); i++)
        ok = copy_table(bundle, &tables[i], err);
    return ok && schema_has_bookmarks(&bundle->from, &has_bookmarks, err) &&
           (!has_bookmarks || copy_table(bundle, &bookmark_table, err));
}
