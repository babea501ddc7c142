/*
 * log_merge.c - copies the rows of a spill into its log.
 *
 * A row that the log already has is replaced or skipped, so a merge that was interrupted can be
 * repeated. Before anything is written, both histories are compared: nothing is merged if events
 * are missing between them, or if they differ in the last event that both should have.
 */
#include "log_merge.h"

#include <assert.h>
#include <string.h>

#include "event_row.h"
#include "log_write.h"
#include "owner.h"
#include "spill.h"

enum { ROW_BYTES = 64 }; /* approximate overhead per row in bytes, besides text or data */

/* Copies rows of the run from one file to the other. The first column is the run, which may have a
 * different number in the log. In `select`, ?1 is the run and ?2 the last event in the log. */
struct rows {
    const char *select;
    const char *insert;
};

/* Copied in this order, so that output is in the log before the events that refer to it. A row that
 * the log already has is replaced or skipped, never duplicated. Rows keep their ids unless another
 * run uses them. The final part of a stream replaces its live tail. */
static const struct rows tables[] = {
    {"SELECT run, id, task, step, attempt, stream, part, idx, offset, at_ms, bytes FROM output"
     " WHERE run=?1 AND ?2>=0 ORDER BY id",
     "INSERT OR REPLACE INTO output(run, id, task, step, attempt, stream, part, idx, offset,"
     " at_ms, bytes) VALUES(?1, CASE WHEN EXISTS(SELECT 1 FROM output WHERE id=?2 AND run<>?1)"
     " THEN NULL ELSE ?2 END, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"},
    {"SELECT run, task, step, attempt, stream FROM output WHERE run=?1 AND part=2 AND ?2>=0",
     "DELETE FROM output WHERE run=?1 AND task=?2 AND step=?3 AND attempt=?4 AND stream=?5"
     " AND part=1"},
    {"SELECT run, task, step, attempt, at_ms, json FROM capture WHERE run=?1 AND ?2>=0"
     " ORDER BY id",
     "INSERT INTO capture(run, task, step, attempt, at_ms, json) SELECT ?1, ?2, ?3, ?4, ?5, ?6"
     " WHERE NOT EXISTS(SELECT 1 FROM capture WHERE run=?1 AND task=?2 AND step=?3 AND attempt=?4"
     " AND at_ms=?5 AND json=?6)"},
    {"SELECT run, task, agent, session, at_ms FROM session WHERE run=?1 AND ?2>=0 ORDER BY id",
     "INSERT INTO session(run, task, agent, session, at_ms) SELECT ?1, ?2, ?3, ?4, ?5"
     " WHERE NOT EXISTS(SELECT 1 FROM session WHERE run=?1 AND task=?2 AND session=?4 AND "
     "at_ms=?5)"},
    {"SELECT run, task, step, attempt, bytes FROM gain WHERE run=?1 AND ?2>=0",
     "INSERT OR REPLACE INTO gain(run, task, step, attempt, bytes) VALUES(?,?,?,?,?)"},
    {"SELECT run, id, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms FROM control"
     " WHERE run=?1 AND verb>0 AND ?2>=0 ORDER BY id",
     "INSERT OR IGNORE INTO control(run, id, verb, task, step, attempt, args, by, key_at_ms,"
     " asked_at_ms) VALUES(?,?,?,?,?,?,?,?,?,?)"},
    {"SELECT run, id, applied_at_ms, done, answer FROM control"
     " WHERE run=?1 AND applied_at_ms IS NOT NULL AND ?2>=0",
     "UPDATE control SET applied_at_ms=?3, done=?4, answer=?5 WHERE run=?1 AND id=?2"
     " AND applied_at_ms IS NULL"},
    {"SELECT " EVENT_ROW_COLUMNS " FROM event WHERE run=?1 AND seq>?2 ORDER BY seq", EVENT_ROW_SQL},
    {"SELECT run, task, id, title, status, step, try, tries, entropy, held, cancelling, by,"
     " blocked_by, due_at_ms, started_at_ms, waited_ms FROM task WHERE run=?1 AND ?2>=0",
     "INSERT OR REPLACE INTO task(run, task, id, title, status, step, try, tries, entropy, held,"
     " cancelling, by, blocked_by, due_at_ms, started_at_ms, waited_ms)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
    {"SELECT run, task, step, attempt, grant_no, started_at_ms, ended_at_ms, waited_ms, outcome,"
     " code, ran_ms, out_bytes, err_bytes, out_lines, err_lines, rss_kib, cpu_ms, left_behind,"
     " class, type, reason, print_hi, print_lo FROM attempt WHERE run=?1 AND ?2>=0",
     "INSERT OR REPLACE INTO attempt(run, task, step, attempt, grant_no, started_at_ms,"
     " ended_at_ms, waited_ms, outcome, code, ran_ms, out_bytes, err_bytes, out_lines, err_lines,"
     " rss_kib, cpu_ms, left_behind, class, type, reason, print_hi, print_lo)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
    {"SELECT id, last_seq, last_at_ms, ended_at_ms, exit_code, attempts, passed, failed,"
     " cancelled, waited_ms, boot, devs, pid, pid_start, tasks FROM run"
     " WHERE id=?1 AND last_seq>?2",
     "UPDATE run SET last_seq=?2, last_at_ms=?3, ended_at_ms=?4, exit_code=?5, attempts=?6,"
     " passed=?7, failed=?8, cancelled=?9, waited_ms=?10, boot=?11, devs=?12, pid=?13,"
     " pid_start=?14, tasks=?15 WHERE id=?1"},
};

/* The state of a merge. */
struct merge {
    struct log_writer *writer; /* writes to the log */
    struct db from;            /* the spill */
    int64_t number;            /* run number in the log */
    int64_t spill_number;      /* run number in the spill */
    int64_t have;              /* the run's last event in the log */
    int64_t last;              /* the run's last event in the spill */
};

static bool put_rows(const struct merge *merge, const struct rows *rows, struct err *err)
{
    struct log_writer *writer = merge->writer;
    sqlite3_stmt *from = NULL;
    sqlite3_stmt *to = NULL;
    bool row = true;
    bool ok = db_prepare(&merge->from, &rows->select, 1, &from, err) &&
              db_prepare(&writer->db, &rows->insert, 1, &to, err);
    if (ok) {
        (void)sqlite3_bind_int64(from, 1, merge->spill_number);
        (void)sqlite3_bind_int64(from, 2, merge->have);
    }
    while (ok && row) {
        ok = db_next(&merge->from, from, &row, err);
        if (!ok || !row)
            break;
        const int columns = sqlite3_column_count(from);
        assert(columns == sqlite3_bind_parameter_count(to));
        (void)sqlite3_bind_int64(to, 1, merge->number);
        for (int i = 1; ok && i < columns; i++)
            ok = sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i)) == SQLITE_OK ||
                 db_fail(&writer->db, "bind", err);
        if (!ok)
            break;
        const size_t bytes = (size_t)sqlite3_column_bytes(from, columns - 1) + ROW_BYTES;
        ok = db_run(&writer->db, to, err) && log_write_spend(writer, bytes, err);
    }
    db_finalize(&from, 1);
    db_finalize(&to, 1);
    return ok;
}

static bool check_gap(const struct merge *merge, struct err *err)
{
    int64_t first = 0;
    if (!db_number_of_run(&merge->from, "SELECT ifnull(min(seq), 0) FROM event WHERE run=?",
                          merge->spill_number, &first, err))
        return false;
    if (first <= merge->have + 1)
        return true;
    return err_set(err, ERR_DAMAGED,
                   "the log has run #%lld up to event %lld, but the spill log begins with event "
                   "%lld: the events in between are missing",
                   (long long)merge->number, (long long)merge->have, (long long)first);
}

/* Identifies an event. */
struct event_marks {
    int64_t at_ms, mono_ms; /* -1 if no event has this number */
    char kind[EVENT_KIND_NAME_MAX];
};

static bool read_marks(const struct db *db, int64_t run, int64_t seq, struct event_marks *out,
                       struct err *err)
{
    static const char *const sql = "SELECT at_ms, mono_ms, kind FROM event WHERE run=? AND seq=?";
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = db_prepare(db, &sql, 1, &query, err);
    *out = (struct event_marks){.at_ms = -1, .mono_ms = -1};
    if (ok) {
        (void)sqlite3_bind_int64(query, 1, run);
        (void)sqlite3_bind_int64(query, 2, seq);
        ok = db_next(db, query, &row, err);
    }
    if (ok && row) {
        out->at_ms = sqlite3_column_int64(query, 0);
        out->mono_ms = sqlite3_column_int64(query, 1);
        db_copy_text(query, 2, out->kind, sizeof(out->kind));
    }
    db_finalize(&query, 1);
    return ok;
}

/* Detects diverging histories: somebody may have continued the run without finding the spill. */
static bool check_same(const struct merge *merge, struct err *err)
{
    const int64_t seq = merge->have < merge->last ? merge->have : merge->last;
    struct event_marks home, spill;
    if (!read_marks(&merge->writer->db, merge->number, seq, &home, err) ||
        !read_marks(&merge->from, merge->spill_number, seq, &spill, err))
        return false;
    const bool is_one = home.at_ms == spill.at_ms && home.mono_ms == spill.mono_ms &&
                        strcmp(home.kind, spill.kind) == 0;
    if (spill.kind[0] == '\0' || is_one)
        return true;
    return err_set(err, ERR_DAMAGED,
                   "the log and the spill log differ at event %lld of run #%lld: the run was "
                   "continued without the events of the spill log",
                   (long long)seq, (long long)merge->number);
}

bool log_write_merge(struct log_writer *writer, int64_t number, const struct place *spill,
                     struct err *err)
{
    struct spill_info info;
    struct merge merge = {.writer = writer, .number = number};
    if (!spill_read_info(spill, &info, err) || !db_init(&merge.from, spill->db, DB_READ, err))
        return false;
    merge.spill_number = info.run;
    merge.last = info.last_seq;
    bool ok = db_number_of_run(&writer->db, "SELECT ifnull(max(seq), 0) FROM event WHERE run=?",
                               number, &merge.have, err);
    if (ok) {
        ok = check_gap(&merge, err) && check_same(&merge, err) && log_write_begin(writer, err);
        for (size_t i = 0; ok && i < ARRAY_LEN(tables); i++)
            ok = put_rows(&merge, &tables[i], err);
        /* A writer of the run appends after the merged events and updates the run's row. */
        if (ok && writer->run != 0 && merge.last > writer->last_seq)
            writer->last_seq = merge.last;
        ok = ok && log_write_end(writer, err);
        if (!ok)
            log_write_abort(writer);
    }
    db_done(&merge.from);
    return ok;
}

static bool find_run(const struct db *db, const char *uid, int64_t *out, struct err *err)
{
    static const char *const sql = "SELECT id FROM run WHERE uid=?";
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = db_prepare(db, &sql, 1, &query, err);
    if (ok)
        db_bind_text(query, 1, uid);
    ok = ok && db_next(db, query, &row, err);
    if (ok)
        *out = row ? sqlite3_column_int64(query, 0) : 0;
    db_finalize(&query, 1);
    return ok;
}

/* Inserts the run's row with a new number, its plan and its rules. */
static bool enter_run(struct log_writer *writer, const struct spill_info *info, struct err *err)
{
    static const struct rows rows[] = {
        {"SELECT ?1, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid,"
         " pid_start, started_at_ms, last_at_ms FROM run WHERE id=?1 AND ?2>=0",
         "INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs,"
         " tasks, pid, pid_start, started_at_ms, last_at_ms)"
         " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {"SELECT run, text FROM plan WHERE run=?1 AND ?2>=0",
         "INSERT INTO plan(run, text) VALUES(?,?)"},
        {"SELECT ?1, hash, text FROM ruleset WHERE hash=(SELECT ruleset FROM run WHERE id=?1)"
         " AND ?2>=0",
         "INSERT OR IGNORE INTO ruleset(hash, text) SELECT ?2, ?3 WHERE ?1>0"},
    };
    struct merge merge = {.writer = writer, .spill_number = info->run};
    if (info->first_seq != 1)
        return err_set(err, ERR_DAMAGED,
                       "the run is not in the log, but the spill log begins with event %lld",
                       (long long)info->first_seq);
    if (!db_init(&merge.from, info->place.db, DB_READ, err))
        return false;
    bool ok = log_write_begin(writer, err) &&
              db_number(&writer->db, "SELECT ifnull(max(id), 0) + 1 FROM run", &merge.number, err);
    for (size_t i = 0; ok && i < ARRAY_LEN(rows); i++)
        ok = put_rows(&merge, &rows[i], err);
    ok = ok && log_write_end(writer, err);
    if (!ok)
        log_write_abort(writer);
    db_done(&merge.from);
    return ok;
}

static bool merge_owned(struct log_writer *writer, const struct spill_info *info,
                        struct log_merged *out, struct err *err)
{
    static const char count[] = "SELECT count(*) FROM event WHERE run=?";
    int64_t before = 0;
    int64_t after = 0;
    int64_t number = 0;
    if (!find_run(&writer->db, info->uid, &number, err))
        return false;
    if (number == 0 &&
        (!enter_run(writer, info, err) || !find_run(&writer->db, info->uid, &number, err)))
        return false;
    if (!db_number_of_run(&writer->db, count, number, &before, err) ||
        !log_write_merge(writer, number, &info->place, err) ||
        !db_number_of_run(&writer->db, count, number, &after, err))
        return false;
    *out = (struct log_merged){.run = number, .events = after - before};
    bell_ring(&writer->bell);
    return true;
}

bool log_merge(const struct place *home, const struct place *spill, struct log_merged *out,
               struct err *err)
{
    struct spill_info info;
    struct log_writer *writer = NULL;
    int owner_fd = -1;
    if (!spill_read_info(spill, &info, err))
        return false;
    if (info.alive)
        return err_set(err, ERR_BUSY, "run #%lld is still running and will merge '%s' on its own",
                       (long long)info.run, spill->db);
    if (!log_writer_open(&writer, home, err))
        return false;
    bool ok = owner_take(home, info.uid, &owner_fd, err) && merge_owned(writer, &info, out, err);
    owner_drop(home, info.uid, owner_fd);
    log_writer_close(writer);
    return ok;
}
