/*
 * spill.c - finds and lists spills, creates one for a writer, and merges it.
 *
 * A spill must be readable alone and together with its log. It has copies of the run's row, plan
 * and rules, and its row ids are higher than those of the log, so that readers that continue by id
 * see the rows of both. Its size is limited (SPILL_BYTES_MAX).
 */
#define _DEFAULT_SOURCE

#include "spill.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "db.h"
#include "event_row.h"
#include "log_write.h"
#include "owner.h"
#include "private_file.h"

enum { FOLDERS = 2, NAME_MAX_BYTES = LOG_UID_MAX + 8 };

static const char suffix[] = ".db";

/* Gets the nth directory that may hold spills. Returns false if there are fewer. */
static bool name_folder(int nth, char out[PATH_MAX])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int len = -1;
    if (nth == 0 && runtime && runtime[0] == '/')
        len = snprintf(out, PATH_MAX, "%s/devs", runtime);
    else if (nth == 1)
        len = snprintf(out, PATH_MAX, "/tmp/devs-%lu", (unsigned long)geteuid());
    return len > 0 && len < PATH_MAX - NAME_MAX_BYTES;
}

/* The output of a run must not go to a directory that somebody else created first in /tmp. */
static bool is_ours(const char *dir, struct err *err)
{
    struct stat info;
    if (lstat(dir, &info) != 0)
        return err_set_errno(err, errno, "cannot access '%s'", dir);
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid())
        return err_set(err, ERR_INVALID, "'%s' is not a folder that you own", dir);
    return place_check_private(dir, err);
}

static bool is_uid(const char *uid)
{
    size_t len = strspn(uid, "0123456789abcdef");
    return len > 0 && len < LOG_UID_MAX && uid[len] == '\0';
}

static bool place_in(const char *dir, const char *uid, struct place *out, struct err *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/%s%s", dir, uid, suffix);
    if (len < 0 || len >= PATH_MAX)
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", dir);
    return place_of_file(path, out, err);
}

bool spill_find(const char *uid, struct place *out)
{
    for (int nth = 0; nth < FOLDERS && is_uid(uid); nth++) {
        char dir[PATH_MAX];
        struct place place;
        struct stat info;
        if (name_folder(nth, dir) && place_in(dir, uid, &place, NULL) &&
            lstat(place.db, &info) == 0 && S_ISREG(info.st_mode) && is_ours(dir, NULL)) {
            *out = place;
            return true;
        }
    }
    return false;
}

void spill_remove(const struct place *place)
{
    /* Deletes the database last, so that until then the other files can be recognized as its
     * own. */
    static const char *const beside[] = {"-wal", "-shm", "-gate", "-write", "-bell", "-mine", ""};
    const char *name = strrchr(place->db, '/') + 1;
    char path[PATH_MAX];
    const int len = snprintf(path, sizeof(path), "%s/owner/%.*s", place->dir,
                             (int)(strlen(name) - strlen(suffix)), name);
    if (len > 0 && len < PATH_MAX)
        (void)unlink(path); /* the lock of a killed owner */
    for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
        if (private_path_join(path, sizeof(path), place->db, beside[i], NULL))
            (void)unlink(path); /* best effort: devs gc finds leftovers */
    }
}

bool spill_read_info(const struct place *place, struct spill_info *out, struct err *err)
{
    static const char *const sql =
        "SELECT r.id, r.uid, h.word, s.word, s.number, (SELECT ifnull(min(seq), 0) FROM event"
        " WHERE run=r.id), (SELECT ifnull(max(seq), 0) FROM event WHERE run=r.id)"
        " FROM run r, word s, word h WHERE s.what='spill' AND h.what='home' LIMIT 1";
    struct spill_info info = {.place = *place};
    struct stat file;
    struct db db;
    if (stat(place->db, &file) != 0)
        return err_set(err, ERR_NOT_FOUND, "no such file '%s'", place->db);
    info.bytes = file.st_size;
    if (!db_init(&db, place->db, DB_READ, err))
        return false;

    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = schema_check(&db, err) && db_prepare(&db, &sql, 1, &query, err) &&
              db_next(&db, query, &row, err);
    if (ok && row) {
        info.run = sqlite3_column_int64(query, 0);
        db_copy_text(query, 1, info.uid, sizeof(info.uid));
        db_copy_text(query, 2, info.home, sizeof(info.home));
        db_copy_text(query, 3, info.reason.why, sizeof(info.reason.why));
        info.reason.since_ms = sqlite3_column_int64(query, 4);
        info.first_seq = sqlite3_column_int64(query, 5);
        info.last_seq = sqlite3_column_int64(query, 6);
    } else if (ok) {
        /* Either an unfinished spill, whose devs was killed, or a log that is not a spill. */
        int64_t runs = 0;
        ok = db_number(&db, "SELECT count(*) FROM run WHERE id>0", &runs, err);
        if (ok && runs == 0)
            ok = err_set(err, ERR_NOT_FOUND, "'%s' is empty", place->db);
        else if (ok)
            ok = err_set(err, ERR_INVALID, "'%s' is not a spill log", place->db);
    }
    db_finalize(&query, 1);
    db_done(&db);
    if (!ok)
        return false;
    info.alive = owner_is_alive(place, info.uid);
    *out = info;
    return true;
}

/* Reads the spill named "<uid>.db" into *out, even if it is unfinished or damaged. Returns false
 * for all other files of the directory. */
static bool take_name(const char *dir, const char *name, struct spill_info *out)
{
    size_t len = strlen(name);
    char uid[LOG_UID_MAX];
    if (len <= strlen(suffix) || len - strlen(suffix) >= sizeof(uid) ||
        strcmp(name + len - strlen(suffix), suffix) != 0)
        return false;
    (void)snprintf(uid, sizeof(uid), "%.*s", (int)(len - strlen(suffix)), name);
    struct place place;
    struct stat info;
    if (!is_uid(uid) || !place_in(dir, uid, &place, NULL) || lstat(place.db, &info) != 0)
        return false;
    struct err err = {0};
    if (!spill_read_info(&place, out, &err)) {
        *out = (struct spill_info){.place = place, .bytes = info.st_size};
        out->alive = owner_is_alive(&place, uid);
        out->is_empty = err.code == ERR_NOT_FOUND && !out->alive &&
                        (int64_t)info.st_mtim.tv_sec * 1000 + SPILL_MAKING_MS < clock_now().at_ms;
    }
    return true;
}

size_t spill_list(struct spill_info *out, size_t max)
{
    size_t count = 0;
    for (int nth = 0; nth < FOLDERS; nth++) {
        char dir[PATH_MAX];
        DIR *folder = name_folder(nth, dir) && is_ours(dir, NULL) ? opendir(dir) : NULL;
        const struct dirent *entry = folder ? readdir(folder) : NULL;
        for (; entry && count < max; entry = readdir(folder)) {
            if (take_name(dir, entry->d_name, &out[count]))
                count++;
        }
        if (folder)
            (void)closedir(folder);
    }
    return count;
}

enum {
    SPILL_PAGES_MAX = (SPILL_BYTES_MAX - LOG_CHECKPOINT_BYTES) / DB_PAGE_BYTES,
    SPILL_ID_UNKNOWN = 1024 * 1024 * 1024, /* used if the log cannot say which ids it has used */
};

#define RUN_COLUMNS                                                                                \
    "id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid, pid_start,"   \
    " started_at_ms, last_at_ms"

/* Creating the spill of a writer, answering from it, and merging it. */

/* The rows that make a spill readable on its own. */
static const struct {
    const char *select, *insert;
    bool is_whole; /* copied only into a spill with all events */
} parts[] = {
    {"SELECT " RUN_COLUMNS " FROM run WHERE id=?",
     "INSERT INTO run(" RUN_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", false},
    {"SELECT run, text FROM plan WHERE run=?", "INSERT INTO plan(run, text) VALUES(?,?)", false},
    {"SELECT hash, text FROM ruleset WHERE hash=(SELECT ruleset FROM run WHERE id=?)",
     "INSERT INTO ruleset(hash, text) VALUES(?,?)", false},
    {"SELECT " EVENT_ROW_COLUMNS " FROM event WHERE run=? ORDER BY seq", EVENT_ROW_SQL, true},
};

static bool copy_run(const struct log_writer *spill, const struct log_writer *from, bool whole,
                     struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const struct db_copy copy = {.from = &from->db,
                                     .to = &spill->db,
                                     .select = parts[i].select,
                                     .insert = parts[i].insert,
                                     .run = from->run};
        if ((whole || !parts[i].is_whole) && !db_copy_rows(&copy, err))
            return false;
    }
    return true;
}

static int64_t id_behind(const struct log_writer *from, const char *sql)
{
    int64_t last = 0;
    return db_number(&from->db, sql, &last, NULL) ? last + SPILL_ID_GAP : SPILL_ID_UNKNOWN;
}

/* Makes row ids of the spill higher than those of the log, so that readers that continue by id see
 * the rows of both. */
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
    return ok &&
           db_exec(&spill->db, "DELETE FROM control", err); /* the id of a deleted row stays used */
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

static bool try_place(struct log_writer **out, const struct log_writer *from,
                      const struct place *place, const struct spill_reason *reason, struct err *err)
{
    struct log_writer *spill = NULL;
    char limit[64];
    if (!log_writer_open(&spill, place, err))
        return false;
    memcpy(spill->uid, from->uid, sizeof(spill->uid));
    (void)snprintf(limit, sizeof(limit), "PRAGMA max_page_count=%d", (int)SPILL_PAGES_MAX);
    /* Writes everything that a spill needs, in one transaction. */
    const bool ok = owner_take(place, spill->uid, &spill->owner_fd, err) &&
                    db_exec(&spill->db, limit, err) && log_write_begin(spill, err) &&
                    copy_run(spill, from, reason->whole, err) && put_first_ids(spill, from, err) &&
                    put_marks(spill, from, reason, err) && log_write_end(spill, err);
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

bool log_writer_spill(struct log_writer **out, const struct log_writer *from,
                      const struct spill_reason *reason, struct err *err)
{
    assert(from->run > 0);
    struct place place;
    struct place left;
    if (spill_find(from->uid, &left))
        return err_set(err, ERR_BUSY, "an earlier spill log, '%s', has not been merged yet",
                       left.db);
    char dir[PATH_MAX];
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    struct stat info;
    const bool has_runtime =
        runtime && runtime[0] == '/' && stat(runtime, &info) == 0 && S_ISDIR(info.st_mode);
    if (!is_uid(from->uid))
        return err_set(err, ERR_INVALID, "invalid run uid '%s'", from->uid);
    if (!name_folder(has_runtime ? 0 : 1, dir))
        return err_set(err, ERR_INVALID, "XDG_RUNTIME_DIR does not name a folder");
    if (!private_folder_make(dir, NULL, err) || !is_ours(dir, err) ||
        !place_in(dir, from->uid, &place, err))
        return false;

    /* If a damaged event prevents copying, the spill has only the events that follow. */
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
        (void)sqlite3_bind_int64(put, 1, event->answered.control);
        (void)sqlite3_bind_int64(put, 2, writer->run);
        (void)sqlite3_bind_int64(put, 3, event->at.at_ms);
        (void)sqlite3_bind_int64(put, 4, event->answered.done);
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
