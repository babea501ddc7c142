/* schema.c - creates the tables of a log, and checks the tables of an existing one.
 *
 * A log may be untrusted, and the schema of a database can do a lot: a view or a virtual table in
 * the place of a table, or computed columns that take unlimited time. So before any other
 * statement, the names that our statements use are checked to be plain tables. Tables introduced
 * later are added to existing logs of the same format; existing data keeps its meaning. */
#include "db.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "outcome.h"
#include "protocol.h"
#include "run_state.h"
#include "verdict.h"

/* The original tables of this format. Missing integers are NULL, which keeps rows small. */
static const char schema_tables[] =
    "CREATE TABLE ruleset(hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE run("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " kind TEXT NOT NULL, dir TEXT NOT NULL, command TEXT NOT NULL, ruleset TEXT,"
    " boot TEXT NOT NULL, devs TEXT NOT NULL, seed INTEGER NOT NULL, jobs INTEGER NOT NULL,"
    " tasks INTEGER NOT NULL, pid INTEGER NOT NULL, pid_start INTEGER NOT NULL,"
    " started_at_ms INTEGER NOT NULL, ended_at_ms INTEGER, exit_code INTEGER,"
    " last_seq INTEGER NOT NULL DEFAULT 0, last_at_ms INTEGER NOT NULL,"
    " attempts INTEGER NOT NULL DEFAULT 0, passed INTEGER NOT NULL DEFAULT 0,"
    " failed INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0,"
    " waited_ms INTEGER NOT NULL DEFAULT 0, expired INTEGER NOT NULL DEFAULT 0);"
    /* The plan is separate from `run`, because the row of `run` is written with every commit. */
    "CREATE TABLE plan(run INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "CREATE TABLE event("
    " run INTEGER NOT NULL, seq INTEGER NOT NULL,"
    " at TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', at_ms/1000.0, 'unixepoch')),"
    " kind TEXT NOT NULL, task TEXT, task_no INTEGER, step INTEGER, attempt INTEGER,"
    " data TEXT NOT NULL, round INTEGER, grant_no INTEGER, at_ms INTEGER NOT NULL,"
    " mono_ms INTEGER NOT NULL, PRIMARY KEY(run, seq)) WITHOUT ROWID;"
    "CREATE TABLE output("
    " id INTEGER PRIMARY KEY, run INTEGER NOT NULL, task INTEGER NOT NULL,"
    " step INTEGER NOT NULL, attempt INTEGER NOT NULL, stream INTEGER NOT NULL,"
    " part INTEGER NOT NULL, idx INTEGER NOT NULL, offset INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL, bytes BLOB NOT NULL);"
    "CREATE UNIQUE INDEX output_key ON output(run, task, step, attempt, stream, part, idx);"
    "CREATE TABLE capture("
    " id INTEGER PRIMARY KEY, run INTEGER NOT NULL, task INTEGER NOT NULL,"
    " step INTEGER NOT NULL, attempt INTEGER NOT NULL, at_ms INTEGER NOT NULL,"
    " json TEXT NOT NULL);"
    "CREATE INDEX capture_key ON capture(run, task, step, attempt);"
    "CREATE TABLE control("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, verb INTEGER NOT NULL,"
    " task INTEGER, step INTEGER, attempt INTEGER, args TEXT, by TEXT NOT NULL, key_at_ms INTEGER,"
    " asked_at_ms INTEGER NOT NULL, applied_at_ms INTEGER, answer TEXT, done INTEGER);"
    "CREATE INDEX control_open ON control(run) WHERE applied_at_ms IS NULL;"
    "CREATE TABLE session("
    " id INTEGER PRIMARY KEY, run INTEGER NOT NULL, task INTEGER NOT NULL,"
    " agent TEXT NOT NULL, session TEXT NOT NULL, at_ms INTEGER NOT NULL);"
    "CREATE TABLE task("
    " run INTEGER NOT NULL, task INTEGER NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,"
    " status INTEGER NOT NULL, step INTEGER NOT NULL, try INTEGER NOT NULL,"
    " tries INTEGER NOT NULL, entropy INTEGER NOT NULL, held INTEGER NOT NULL,"
    " cancelling INTEGER NOT NULL, by TEXT, blocked_by INTEGER, due_at_ms INTEGER,"
    " started_at_ms INTEGER, waited_ms INTEGER NOT NULL,"
    " PRIMARY KEY(run, task)) WITHOUT ROWID;"
    "CREATE TABLE attempt("
    " run INTEGER NOT NULL, task INTEGER NOT NULL, step INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL, grant_no INTEGER NOT NULL, started_at_ms INTEGER NOT NULL,"
    " ended_at_ms INTEGER, waited_ms INTEGER, outcome INTEGER, code INTEGER,"
    " ran_ms INTEGER, out_bytes INTEGER, err_bytes INTEGER, out_lines INTEGER,"
    " err_lines INTEGER, rss_kib INTEGER, cpu_ms INTEGER, left_behind INTEGER,"
    " class INTEGER, type INTEGER, reason INTEGER,"
    " print_hi INTEGER, print_lo INTEGER,"
    " PRIMARY KEY(run, task, step, attempt)) WITHOUT ROWID;"
    "CREATE TABLE word(what TEXT, number INTEGER, word TEXT NOT NULL,"
    " PRIMARY KEY(what, number)) WITHOUT ROWID;";

/* Tables, indexes and views introduced later. They are also added to existing logs; existing data
 * keeps its meaning. */
static const char schema_additions[] =
    "CREATE TABLE IF NOT EXISTS gain("
    " run INTEGER NOT NULL, task INTEGER NOT NULL, step INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(run, task));"
    "CREATE INDEX IF NOT EXISTS session_key ON session(session, agent);"
    "CREATE TABLE IF NOT EXISTS bookmark("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, seq INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL, made_at_ms INTEGER NOT NULL, name TEXT NOT NULL,"
    " by TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS bookmark_key ON bookmark(run, at_ms);"
    /* Runs that were collected from another log: log_copy.c. */
    "CREATE TABLE IF NOT EXISTS origin("
    " run INTEGER PRIMARY KEY, host TEXT NOT NULL, far_run INTEGER NOT NULL,"
    " output INTEGER NOT NULL, capture INTEGER NOT NULL, is_whole INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL);"
    "CREATE VIEW IF NOT EXISTS bookmarks AS SELECT id, run, seq,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', at_ms/1000.0, 'unixepoch') AS at, name, by,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', made_at_ms/1000.0, 'unixepoch') AS made FROM bookmark;"
    /* A wait ends with the task's next event of one of these kinds; a cancelled wait ends with its
     * step. The window reads each event once, however many tasks wait at the same time. */
    "CREATE VIEW IF NOT EXISTS waits AS SELECT run, task, step, attempt,"
    " at AS started, data->>'delay_ms' AS delay_ms,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', (data->>'due_at_ms')/1000.0, 'unixepoch') AS due,"
    " coalesce(data->>'free', 0) AS free,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', ended_at_ms/1000.0, 'unixepoch') AS ended,"
    " (ended_at_ms-at_ms) AS waited_ms, skipped_by"
    " FROM (SELECT *, lead(at_ms) OVER of_task AS ended_at_ms,"
    " lead(data->>'by') OVER of_task AS skipped_by FROM event"
    " WHERE kind IN('wait_started','wait_ended','step_ended')"
    " WINDOW of_task AS (PARTITION BY run, task_no ORDER BY seq)) WHERE kind='wait_started';";
enum { SCHEMA_ADDED = 7 };
#define SCHEMA_COUNT_ADDED                                                                         \
    "SELECT count(*) FROM sqlite_schema"                                                           \
    " WHERE name IN('gain','session_key','bookmark','bookmark_key',"                               \
    "'bookmarks','waits','origin')"

/* A bundle (bundle.h) has an additional table. */
#define SCHEMA_COUNT_BUNDLE                                                                        \
    "SELECT count(*) FROM sqlite_schema WHERE type='table' AND name='bundle'"

/* Events are immutable; only runs marked as expired can be deleted. REPLACE fires no delete
 * trigger, so a second event with the same number is rejected as well. Triggers are disabled on our
 * own connections (db.c). */
static const char schema_triggers[] =
    "CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event"
    " BEGIN SELECT raise(ABORT, 'the run log is append-only'); END;"
    "CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event"
    " WHEN NOT EXISTS(SELECT 1 FROM run WHERE id=OLD.run AND expired=1)"
    " BEGIN SELECT raise(ABORT, 'the run log is append-only'); END;"
    "CREATE TRIGGER event_is_not_replaced BEFORE INSERT ON event"
    " WHEN EXISTS(SELECT 1 FROM event WHERE run=NEW.run AND seq=NEW.seq)"
    " BEGIN SELECT raise(ABORT, 'the run log is append-only'); END;";

/* For people and scripts: names instead of numbers, times as text. */
static const char schema_views[] =
    "CREATE VIEW runs AS SELECT id AS run, name, kind, dir, command, jobs, tasks, passed,"
    " failed, cancelled, attempts, waited_ms, exit_code,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', started_at_ms/1000.0, 'unixepoch') AS started,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', ended_at_ms/1000.0, 'unixepoch') AS ended,"
    " last_seq AS events, uid, devs AS version FROM run WHERE expired=0;"
    "CREATE VIEW tasks AS SELECT t.run, t.task AS number, t.id, t.title, w.word AS status,"
    " t.step, t.try, t.tries, t.entropy, t.held, t.cancelling, t.by, b.id AS blocked_by,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', t.due_at_ms/1000.0, 'unixepoch') AS due,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', t.started_at_ms/1000.0, 'unixepoch') AS started,"
    " t.waited_ms FROM task t"
    " LEFT JOIN word w ON w.what='status' AND w.number=t.status"
    " LEFT JOIN task b ON b.run=t.run AND b.task=t.blocked_by;"
    "CREATE VIEW attempts AS SELECT a.run, t.id, a.step, a.attempt, a.grant_no,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', a.started_at_ms/1000.0, 'unixepoch') AS started,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', a.ended_at_ms/1000.0, 'unixepoch') AS ended,"
    " o.word AS outcome, a.code, c.word AS class, y.word AS type, r.word AS reason,"
    " a.ran_ms, a.waited_ms, a.cpu_ms, a.rss_kib, a.out_bytes, a.err_bytes"
    " FROM attempt a JOIN task t ON t.run=a.run AND t.task=a.task"
    " LEFT JOIN word o ON o.what='outcome' AND o.number=a.outcome"
    " LEFT JOIN word c ON c.what='class' AND c.number=a.class"
    " LEFT JOIN word y ON y.what='type' AND y.number=a.type"
    " LEFT JOIN word r ON r.what='reason' AND r.number=a.reason;"
    "CREATE VIEW outputs AS SELECT o.run, t.id AS task, o.step, o.attempt,"
    " CASE o.stream WHEN 1 THEN 'stdout' WHEN 2 THEN 'stderr' ELSE 'agent' END AS stream, o.offset,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', o.at_ms/1000.0, 'unixepoch') AS at,"
    " CAST(o.bytes AS TEXT) AS text FROM output o"
    " JOIN task t ON t.run=o.run AND t.task=o.task;"
    "CREATE VIEW controls AS SELECT c.id, c.run, w.word AS verb, t.id AS task, c.step,"
    " c.attempt, c.args, c.by, strftime('%Y-%m-%dT%H:%M:%fZ', c.asked_at_ms/1000.0, 'unixepoch') "
    "AS asked,"
    " c.applied_at_ms-c.asked_at_ms AS took_ms, c.done, c.answer FROM control c"
    " LEFT JOIN word w ON w.what='verb' AND w.number=c.verb"
    " LEFT JOIN task t ON t.run=c.run AND t.task=c.task;"
    "CREATE VIEW captures AS SELECT c.id, c.run, t.id AS task, c.step, c.attempt,"
    " strftime('%Y-%m-%dT%H:%M:%fZ', c.at_ms/1000.0, 'unixepoch') AS at, c.json"
    " FROM capture c JOIN task t ON t.run=c.run AND t.task=c.task;";

/* Names for numbers in the views. */
enum word_list {
    WORDS_STATUS,
    WORDS_OUTCOME,
    WORDS_CLASS,
    WORDS_TYPE,
    WORDS_REASON,
    WORDS_DECISION,
    WORDS_VERB,
    WORD_LIST_COUNT
};

static const struct {
    const char *what;
    int first;
    int end;
} word_lists[] = {
    [WORDS_STATUS] = {"status", TASK_QUEUED, TASK_STATUS_COUNT},
    [WORDS_OUTCOME] = {"outcome", OUTCOME_EXIT, OUTCOME_KIND_COUNT},
    [WORDS_CLASS] = {"class", VERDICT_SUCCESS, VERDICT_CLASS_COUNT},
    [WORDS_TYPE] = {"type", TRANSIENT_NETWORK_TIMEOUT, TRANSIENT_TYPE_COUNT},
    [WORDS_REASON] = {"reason", REASON_TEST_FAIL, REASON_COUNT},
    [WORDS_DECISION] = {"decision", DECISION_SUCCEEDED, DECISION_KIND_COUNT},
    [WORDS_VERB] = {"verb", CONTROL_CANCEL, CONTROL_VERB_COUNT},
};
static_assert(ARRAY_LEN(word_lists) == WORD_LIST_COUNT, "every list has its numbers");

static const char *word_of_number(enum word_list list, int number)
{
    switch (list) {
    case WORDS_STATUS:
        return task_status_name((enum task_status)number);
    case WORDS_OUTCOME:
        return outcome_kind_name((enum outcome_kind)number);
    case WORDS_CLASS:
        return verdict_class_name((enum verdict_class)number);
    case WORDS_TYPE:
        return transient_type_name((enum transient_type)number);
    case WORDS_REASON:
        return reason_name((enum reason)number);
    case WORDS_DECISION:
        return decision_kind_name((enum decision_kind)number);
    case WORDS_VERB:
        return control_verb_name((enum control_verb)number);
    case WORD_LIST_COUNT:
        break;
    }
    return NULL;
}

static bool fill_words(const struct db *db, struct err *err)
{
    const char *sql = "INSERT OR REPLACE INTO word(what, number, word) VALUES(?,?,?)";
    sqlite3_stmt *put = NULL;
    bool ok = db_prepare(db, &sql, 1, &put, err);
    for (size_t list = 0; ok && list < ARRAY_LEN(word_lists); list++) {
        for (int i = word_lists[list].first; ok && i < word_lists[list].end; i++) {
            db_bind_text(put, 1, word_lists[list].what);
            (void)sqlite3_bind_int(put, 2, i);
            db_bind_text(put, 3, word_of_number((enum word_list)list, i));
            ok = db_run(db, put, err);
        }
    }
    db_finalize(&put, 1);
    return ok;
}

/* Adds tables and names that were unknown to the build that made the log. */
static bool bring_up_to_date(const struct db *db, struct err *err)
{
    int64_t want = 0;
    int64_t have = 0;
    int64_t added = 0;
    for (size_t i = 0; i < ARRAY_LEN(word_lists); i++)
        want += word_lists[i].end - word_lists[i].first;
    if (!db_number(db, "SELECT count(*) FROM word WHERE number>=0", &have, err) ||
        !db_number(db, SCHEMA_COUNT_ADDED, &added, err))
        return false;
    if (have >= want && added == SCHEMA_ADDED)
        return true;
    if (!db_exec(db, "BEGIN IMMEDIATE", err))
        return false;
    if (db_exec(db, schema_additions, err) && fill_words(db, err) && db_exec(db, "COMMIT", err))
        return true;
    db_roll_back(db);
    return false;
}

/* A log whose creation was interrupted may have a WAL already. Leaving WAL mode and entering it
 * again would fail while another connection is open. */
static bool start_wal(const struct db *db, struct err *err)
{
    int64_t has_wal = 0;
    if (!db_number(db, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode='wal'",
                   &has_wal, err))
        return false;
    /* Without the first pragma, the third would make a rollback journal, and a log with a rollback
     * journal is not opened (db.c). */
    return has_wal != 0 || db_exec(db,
                                   "PRAGMA journal_mode=MEMORY; PRAGMA auto_vacuum=INCREMENTAL;"
                                   " PRAGMA journal_mode=WAL",
                                   err);
}

static bool create_log(const struct db *db, struct err *err)
{
    char marks[128];
    (void)snprintf(marks, sizeof(marks), "PRAGMA application_id=%d; PRAGMA user_version=%d",
                   SCHEMA_APPLICATION, SCHEMA_VERSION);

    /* The WAL must be started first, and outside a transaction. */
    if (!start_wal(db, err) || !db_exec(db, "BEGIN IMMEDIATE", err))
        return false;
    bool ok = db_exec(db, marks, err) && db_exec(db, schema_tables, err) &&
              db_exec(db, schema_additions, err) && db_exec(db, schema_triggers, err) &&
              db_exec(db, schema_views, err) && fill_words(db, err) && db_exec(db, "COMMIT", err);
    if (!ok)
        db_roll_back(db);
    return ok;
}

/* The tables that our statements read or write. */
static const char *const our_tables[] = {
    "ruleset", "run",  "plan",    "event", "output",   "capture", "control", "session",
    "task",    "word", "attempt", "gain",  "bookmark", "bundle",  "origin",
};

enum { SCHEMA_OBJECTS_MAX = 500, SCHEMA_TEXT_MAX = 64 * 1024 };

static bool refuse_object(const char *name, const char *why, struct err *err)
{
    (void)err_set(err, ERR_DAMAGED, "the log has been tampered with: '%.100s' %s", name, why);
    return err_hint(err, "open another log with --db FILE");
}

/* SQLite stores each object's SQL with one of these beginnings. "CREATE VIRTUAL TABLE" is
 * deliberately missing, as is anything else that somebody wrote into sqlite_schema directly. SQL
 * that begins like a table's creates a table, whatever the row's other columns say. Sets
 * *has_other_table if a table is not identical to a statement of this build: only then may it have
 * generated columns. */
static bool read_objects(const struct db *db, sqlite3_stmt *query, bool *has_other_table,
                         struct err *err)
{
    static const char table[] = "CREATE TABLE ";
    static const char *const beginnings[] = {table, "CREATE INDEX ", "CREATE UNIQUE INDEX ",
                                             "CREATE VIEW ", "CREATE TRIGGER "};
    bool row = true;
    for (int count = 0; row; count++) {
        if (!db_next(db, query, &row, err))
            return false;
        const char *name = row ? (const char *)sqlite3_column_text(query, 0) : NULL;
        const char *sql = row ? (const char *)sqlite3_column_text(query, 1) : NULL;
        if (count >= SCHEMA_OBJECTS_MAX)
            return refuse_object("sqlite_schema", "has too many rows", err);
        if (!sql) /* NULL for the automatic index of a key */
            continue;
        if (sqlite3_column_bytes(query, 1) > SCHEMA_TEXT_MAX)
            return refuse_object(name ? name : "?", "is too long", err);
        bool is_known = false;
        for (size_t i = 0; i < ARRAY_LEN(beginnings); i++)
            is_known = is_known || strncmp(sql, beginnings[i], strlen(beginnings[i])) == 0;
        if (!is_known)
            return refuse_object(name ? name : "?", "is not a table, index, view or trigger", err);
        if (strncmp(sql, table, strlen(table)) == 0 &&
            !strstr(schema_tables, sql + strlen(table)) &&
            !strstr(schema_additions, sql + strlen(table)))
            *has_other_table = true;
    }
    return true;
}

/* A computed column could take unlimited time. The only one that devs makes is the time of an event
 * as text. It is virtual, and no statement of devs reads it. A stored column would be computed by
 * each insert. */
static const char computed_columns_sql[] =
    "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden<>0"
    " AND NOT(?1='event' AND name='at' AND hidden=2)"; /* 2: virtual */

/* No other object may have the name of a missing table. */
static const char other_objects_sql[] = "SELECT count(*) FROM sqlite_schema WHERE lower(name)=?"
                                        " AND type<>'trigger'";

/* Rejects the log, and says why, if the query counts anything for this table. */
static bool check_none(const struct db *db, const char *sql, const char *table, const char *why,
                       struct err *err)
{
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = db_prepare(db, &sql, 1, &query, err);
    if (ok) {
        db_bind_text(query, 1, table);
        ok = db_next(db, query, &row, err);
    }
    const bool has_any = ok && row && sqlite3_column_int(query, 0) > 0;
    db_finalize(&query, 1);
    return has_any ? refuse_object(table, why, err) : ok;
}

/* Checks an untrusted file before reading anything else: the names in our statements must be plain
 * tables. */
static bool check_objects(const struct db *db, struct err *err)
{
    static const char *const sql = "SELECT name, sql FROM sqlite_schema";
    sqlite3_stmt *query = NULL;
    bool has_other_table = false;
    bool ok =
        db_prepare(db, &sql, 1, &query, err) && read_objects(db, query, &has_other_table, err);
    db_finalize(&query, 1);
    for (size_t i = 0; ok && i < ARRAY_LEN(our_tables); i++) {
        /* SQLITE_ERROR for a view; also for a missing table, which our statements report. */
        const bool is_table =
            sqlite3_table_column_metadata(db->handle, "main", our_tables[i], NULL, NULL, NULL, NULL,
                                          NULL, NULL) == SQLITE_OK;
        if (is_table && has_other_table)
            ok = check_none(db, computed_columns_sql, our_tables[i], "has computed columns", err);
        else if (!is_table)
            ok = check_none(db, other_objects_sql, our_tables[i], "is not a table", err);
    }
    return ok;
}

struct marks {
    int64_t application, version, tables;
};

/* Reads everything in one transaction, since another process may be creating the log. */
static bool read_marks(const struct db *db, struct marks *out, struct err *err)
{
    if (!db_exec(db, "BEGIN", err))
        return false;
    bool ok = check_objects(db, err) &&
              db_number(db, "SELECT count(*) FROM sqlite_schema", &out->tables, err) &&
              db_number(db, "PRAGMA application_id", &out->application, err) &&
              db_number(db, "PRAGMA user_version", &out->version, err);
    db_roll_back(db);
    return ok;
}

static bool is_empty(const struct marks *marks)
{
    return marks->tables == 0 && marks->version == 0 && marks->application == 0;
}

static bool check_marks(const struct marks *marks, struct err *err)
{
    if (is_empty(marks))
        return err_set(err, ERR_NOT_FOUND, "the log is empty: nothing has been recorded yet");
    if (marks->application != SCHEMA_APPLICATION || marks->version < 1) {
        (void)err_set(err, ERR_DAMAGED, "the file is a database, but not a devs log");
        return err_hint(err, "open another log with --db FILE");
    }
    if (marks->version < SCHEMA_VERSION) {
        (void)err_set(err, ERR_DAMAGED,
                      "the log was written by an older devs (format %lld, this one reads %d)",
                      (long long)marks->version, SCHEMA_VERSION);
        return err_hint(err,
                        "use that devs to show or export it, or open another log with --db FILE");
    }
    if (marks->version > SCHEMA_VERSION) {
        (void)err_set(
            err, ERR_DAMAGED,
            "the log was written by a newer devs (schema %lld, latest known %d): read only",
            (long long)marks->version, SCHEMA_VERSION);
        return err_hint(err, "update devs, or name another log with --db FILE");
    }
    return true;
}

bool schema_has_bookmarks(const struct db *db, bool *out, struct err *err)
{
    int64_t count = 0;
    bool ok =
        db_number(db, "SELECT count(*) FROM sqlite_schema WHERE type='table' AND name='bookmark'",
                  &count, err);
    if (ok)
        *out = count > 0;
    return ok;
}

bool schema_check(struct db *db, struct err *err)
{
    struct marks marks;
    int64_t bundles = 0;
    if (!read_marks(db, &marks, err) || !check_marks(&marks, err) ||
        !db_number(db, SCHEMA_COUNT_BUNDLE, &bundles, err))
        return false;
    if (bundles != 0) /* nothing may be added to a bundle */
        return err_set(err, ERR_INVALID, "the log is a bundle: it is read only");
    return true;
}

bool schema_check_read(const struct db *db, int *newer_out, struct err *err)
{
    struct marks marks;
    if (!read_marks(db, &marks, err))
        return false;
    bool newer = marks.application == SCHEMA_APPLICATION && marks.version > SCHEMA_VERSION;
    if (!newer && !check_marks(&marks, err))
        return false;
    *newer_out = newer ? (int)marks.version : 0;
    return true;
}

bool schema_ensure(struct db *db, struct err *err)
{
    struct marks marks;
    if (!read_marks(db, &marks, err) || (is_empty(&marks) && !create_log(db, err)))
        return false;
    return schema_check(db, err) && (is_empty(&marks) || bring_up_to_date(db, err));
}
