/* log_writer_spill.c - a writer that spills: where, what it answers meanwhile, and the way home. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "log_write.h"
#include "owner.h"
#include "spill.h"

enum {
    SPILL_PAGES_MAX = (SPILL_BYTES_MAX - LOG_CHECKPOINT_BYTES) / DB_PAGE_BYTES,
    SPILL_ID_UNKNOWN = 1024 * 1024 * 1024, /* where the log cannot say what numbers it has given */
};

#define RUN_COLUMNS                                                                                \
    "id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start,"   \
    " started_at_ms, last_at_ms"
#define EVENT_COLUMNS                                                                              \
    "run, seq, at_ms, mono_ms, kind, task, step, round, grant_no, attempt, a, b, c, d, e, text"

/* What a spill needs of the run to be read by itself. */
static const struct {
    const char *select, *insert;
} parts[] = {
    {"SELECT " RUN_COLUMNS " FROM run WHERE id=?",
     "INSERT INTO run(" RUN_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
    {"SELECT run, text FROM plan WHERE run=?", "INSERT INTO plan(run, text) VALUES(?,?)"},
    {"SELECT hash, text FROM ruleset WHERE hash=(SELECT ruleset FROM run WHERE id=?)",
     "INSERT INTO ruleset(hash, text) VALUES(?,?)"},
};

static bool copy_events(const struct log_writer *spill, const struct log_writer *from,
                        struct err *err)
{
    const struct db_copy copy = {
        .from = &from->db,
        .to = &spill->db,
        .select = "SELECT " EVENT_COLUMNS " FROM event WHERE run=? ORDER BY seq",
        .insert = "INSERT INTO event(" EVENT_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        .run = from->run,
    };
    return db_copy_rows(&copy, err);
}

static bool copy_run(const struct log_writer *spill, const struct log_writer *from, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const struct db_copy copy = {.from = &from->db,
                                     .to = &spill->db,
                                     .select = parts[i].select,
                                     .insert = parts[i].insert,
                                     .run = from->run};
        if (!db_copy_rows(&copy, err))
            return false;
    }
    return true;
}

static int64_t id_behind(const struct log_writer *from, const char *sql)
{
    int64_t last = 0;
    return db_number(&from->db, sql, &last, NULL) ? last + SPILL_ID_GAP : SPILL_ID_UNKNOWN;
}

/* Rows of the spill are numbered behind those of the log: whoever reads on by number sees
 * them, there and at home. */
static bool put_first_ids(struct log_writer *spill, const struct log_writer *from, struct err *err)
{
    static const char *const sql[] = {
        "INSERT INTO output(id, run, task, step, attempt, stream, part, idx, offset, at_ms, bytes)"
        " VALUES(?,0,0,0,0,1,0,0,0,0,x'')",
        "INSERT INTO control(id, run, verb, by, asked_at_ms) VALUES(?,0,0,'',0)",
    };
    spill->first_control = id_behind(from, "SELECT ifnull(max(id), 0) FROM control");
    const int64_t ids[] = {id_behind(from, "SELECT ifnull(max(id), 0) FROM output"),
                           spill->first_control};
    sqlite3_stmt *puts[ARRAY_LEN(sql)] = {NULL};
    bool ok = db_prepare(&spill->db, sql, (int)ARRAY_LEN(sql), puts, err);
    for (size_t i = 0; ok && i < ARRAY_LEN(sql); i++) {
        (void)sqlite3_bind_int64(puts[i], 1, ids[i]);
        ok = db_run(&spill->db, puts[i], err);
    }
    db_finalize(puts, (int)ARRAY_LEN(sql));
    return ok && db_exec(&spill->db, "DELETE FROM control", err); /* its number stays taken */
}

static bool put_marks(const struct log_writer *spill, const struct log_writer *from,
                      const struct spill_reason *reason, struct err *err)
{
    static const char *const sql = "INSERT INTO word(what, number, word)"
                                   " VALUES('spill', ?1, ?2), ('home', 0, ?3)";
    sqlite3_stmt *put = NULL;
    bool ok = db_prepare(&spill->db, &sql, 1, &put, err);
    if (ok) {
        (void)sqlite3_bind_int64(put, 1, reason->since_ms);
        db_bind_text(put, 2, reason->why);
        db_bind_text(put, 3, from->place.db);
        ok = db_run(&spill->db, put, err);
    }
    db_finalize(&put, 1);
    return ok;
}

/* All that makes it a spill, in one transaction. */
static bool fill(struct log_writer *spill, const struct log_writer *from,
                 const struct spill_reason *reason, struct err *err)
{
    char limit[64];
    (void)snprintf(limit, sizeof(limit), "PRAGMA max_page_count=%d", (int)SPILL_PAGES_MAX);
    return db_exec(&spill->db, limit, err) && log_write_begin(spill, err) &&
           copy_run(spill, from, err) && (!reason->whole || copy_events(spill, from, err)) &&
           put_first_ids(spill, from, err) && put_marks(spill, from, reason, err) &&
           log_write_end(spill, err);
}

static bool try_place(struct log_writer **out, const struct log_writer *from,
                      const struct place *place, const struct spill_reason *reason, struct err *err)
{
    struct log_writer *spill = NULL;
    if (!log_writer_open(&spill, place, err))
        return false;
    memcpy(spill->uid, from->uid, sizeof(spill->uid));
    bool ok =
        owner_take(place, spill->uid, &spill->owner_fd, err) && fill(spill, from, reason, err);
    if (!ok) {
        log_write_abort(spill);
        log_writer_close(spill);
        spill_remove(place);
        return false;
    }
    log_write_follow(spill, from->run, from->state);
    spill->is_spill = true;
    spill->new_owner = from->new_owner;
    spill->last_seq = from->committed_seq;
    spill->committed_seq = from->committed_seq;
    *out = spill;
    return true;
}

/* A damaged event cannot be taken along: then what comes from now on. */
bool log_writer_spill(struct log_writer **out, const struct log_writer *from,
                      const struct spill_reason *reason, struct err *err)
{
    assert(from->run > 0);
    struct place place;
    struct place left;
    if (spill_find(from->uid, &left))
        return err_set(err, ERR_BUSY, "an earlier second log, '%s', was not brought home yet",
                       left.db);
    if (!spill_choose(from->uid, &place, err))
        return false;
    struct spill_reason rest = *reason;
    rest.whole = false;
    return (reason->whole && try_place(out, from, &place, reason, NULL)) ||
           try_place(out, from, &place, &rest, err);
}

const struct place *log_writer_place(const struct log_writer *writer)
{
    return &writer->place;
}

int64_t log_writer_first_control(const struct log_writer *writer)
{
    return writer->first_control;
}

bool log_writer_has_room(const struct log_writer *writer)
{
    int64_t pages = 0;
    return db_pages(&writer->db, &pages, NULL) && pages * DB_PAGE_BYTES < SPILL_OUTPUT_BYTES_MAX;
}

bool log_write_answer_alone(struct log_writer *writer, const struct event *event,
                            const char *answer, struct err *err)
{
    static const char *const sql = "INSERT OR REPLACE INTO control(id, run, verb, by,"
                                   " asked_at_ms, applied_at_ms, done, answer)"
                                   " VALUES(?1, ?2, 0, '', ?3, ?3, ?4, ?5)";
    sqlite3_stmt *put = NULL;
    bool ok = db_prepare(&writer->db, &sql, 1, &put, err);
    if (ok) {
        (void)sqlite3_bind_int64(put, 1, event->a);
        (void)sqlite3_bind_int64(put, 2, writer->run);
        (void)sqlite3_bind_int64(put, 3, event->at.at_ms);
        (void)sqlite3_bind_int64(put, 4, event->b);
        db_bind_text(put, 5, answer);
        ok = db_run(&writer->db, put, err);
    }
    db_finalize(&put, 1);
    return ok;
}

bool log_writer_take_home(struct log_writer *writer, const struct place *spill, struct err *err)
{
    assert(writer->run > 0 && !writer->is_spill);
    if (!log_write_merge(writer, writer->run, spill, err))
        return false;
    writer->behind = true;
    bell_ring(&writer->bell);
    return true;
}
