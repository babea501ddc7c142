/* log_writer.c - commits a batch in one turn, with all rows that follow from its events.
 *
 * Another program may delete, move or truncate the files of an open log, and SQLite would not
 * notice while data is being lost. So every commit first compares the three files at their paths
 * with the open ones. A file that was moved may be moved back; if data was lost, the writer never
 * writes again, and its owner continues in a spill.
 *
 * A large batch is divided into several transactions (LOG_TRANSACTION_MAX). After a failure the
 * caller commits the same events again: events that are already in the log are skipped, all
 * projections are written again.
 *
 * Copying the WAL is the work of the checkpointer (wal.c), and so is syncing, unless the caller
 * wants the batch on disk now. Only if the WAL grows to WAL_PAGES_MOST does a commit wait for
 * it. */
#include "log_writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "db.h"
#include "event_row.h"
#include "log_own.h"
#include "log_write.h"
#include "owner.h"
#include "owner_state.h"
#include "private_file.h"
#include "xalloc.h"

/* Approximate overhead per row in bytes, besides the data. */
enum { EVENT_ROW_BYTES = 64, OUTPUT_ROW_BYTES = 64, GAIN_ROW_BYTES = 64 };

/* How long another process may have owned the run before a commit notices. */
enum { OWNER_CHECK_US = 50 * 1000 };

enum {
    WAL_PAGES_MAX = LOG_CHECKPOINT_BYTES / DB_PAGE_BYTES,
    WAL_PAGES_MORE = WAL_PAGES_MAX / 4,
    WAL_PAGES_MOST = 2 * WAL_PAGES_MAX, /* above this, commits wait for the checkpoint */
};

static const char *const statement_sql[] = {
    [LOG_BEGIN] = "BEGIN IMMEDIATE",
    [LOG_COMMIT] = "COMMIT",
    [LOG_PUT_EVENT] = EVENT_ROW_SQL,
    /* A replaced row gets a new id, so that readers that continue by id see it. */
    [LOG_PUT_OUTPUT] = "INSERT OR REPLACE INTO output(run, task, step, attempt, stream, part, idx,"
                       " offset, at_ms, bytes) VALUES(?,?,?,?,?,?,?,?,?,?)",
    [LOG_DROP_PART] = "DELETE FROM output WHERE run=? AND task=? AND step=? AND attempt=?"
                      " AND stream=? AND part=?",
    [LOG_PUT_CAPTURE] = "INSERT INTO capture(run, task, step, attempt, at_ms, json)"
                        " VALUES(?,?,?,?,?,?)",
    [LOG_PUT_GAIN] = "INSERT OR REPLACE INTO gain(run, task, step, attempt, bytes)"
                     " VALUES(?,?,?,?,?)",
    [LOG_DROP_GAIN] = "DELETE FROM gain WHERE run=? AND task=?",
    [LOG_GET_GAIN] = "SELECT step, attempt, bytes FROM gain WHERE run=? AND task=?",
    [LOG_ANSWER] = "UPDATE control SET applied_at_ms=?3, done=?4, answer=?5"
                   " WHERE id=?1 AND run=?2",
    [LOG_REFUSE_REST] = "UPDATE control SET applied_at_ms=?2, done=0, answer=?3"
                        " WHERE run=?1 AND applied_at_ms IS NULL",
    [LOG_OPEN_CONTROLS] = "SELECT " CONTROL_ROW_COLUMNS " FROM control"
                          " WHERE run=? AND applied_at_ms IS NULL ORDER BY id LIMIT ?",
    [LOG_ASK] = CONTROL_ROW_INSERT,
    [LOG_PUT_RUN] = "INSERT INTO run(uid, name, kind, dir, command, ruleset, boot, devs, seed,"
                    " jobs, tasks, pid, pid_start, started_at_ms, last_at_ms)"
                    " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?14)",
    [LOG_PUT_PLAN] = "INSERT INTO plan(run, text) VALUES(?,?)",
    [LOG_PUT_RULES] = "INSERT OR IGNORE INTO ruleset(hash, text) VALUES(?,?)",
    [LOG_FIND_RUN] = "SELECT uid, boot, (SELECT ifnull(max(seq), 0) FROM event WHERE run=?1),"
                     " (SELECT text FROM ruleset WHERE hash=run.ruleset), pid, pid_start,"
                     " ended_at_ms FROM run WHERE id=?1"
                     " AND expired=0",
};
static_assert(ARRAY_LEN(statement_sql) == LOG_STATEMENT_COUNT, "every statement has its text");

/* SQLite calls this after each commit with the number of pages in the WAL. */
static int on_commit(void *ctx, sqlite3 *handle, const char *name, int pages)
{
    (void)handle;
    (void)name;
    struct log_writer *writer = ctx;
    writer->wal_pages = pages;
    writer->appended = true;
    if (pages < writer->wal_pages_asked)
        writer->wal_pages_asked = 0; /* the WAL was truncated */
    return SQLITE_OK;
}

static bool open_parts(struct log_writer *writer, struct err *err)
{
    const struct place *place = &writer->place;
    char limit[64];
    struct stat info;
    if (!private_path_join(writer->wal_path, sizeof(writer->wal_path), place->db, "-wal", err) ||
        !private_path_join(writer->shm_path, sizeof(writer->shm_path), place->db, "-shm", err) ||
        !place_check_write(place, err) || !private_file_make(place->db, err))
        return false;
    /* The mark comes before the first byte, so that a log that is not empty always has its mark. */
    if (lstat(place->db, &info) == 0 && info.st_size == 0 && !log_own_mark(place, err))
        return false;
    if (!turns_init(&writer->turns, place, err) || !bell_init(&writer->bell, place, err) ||
        !turns_take(&writer->turns, err))
        return false;

    /* The tables must exist before statements can be prepared. */
    bool ok = db_init(&writer->db, place->db, DB_WRITE, err) && schema_ensure(&writer->db, err);
    if (ok)
        wal_learn(&writer->db);
    turns_give(&writer->turns);

    /* If readers made the WAL grow, it is truncated when it is reset. */
    (void)snprintf(limit, sizeof(limit), "PRAGMA journal_size_limit=%d", LOG_CHECKPOINT_BYTES);
    if (!ok || !db_exec(&writer->db, limit, err))
        return false;
    (void)sqlite3_wal_hook(writer->db.handle, on_commit, writer);
    return db_prepare(&writer->db, statement_sql, LOG_STATEMENT_COUNT, writer->statements, err) &&
           projection_init(&writer->projection, &writer->db, err) &&
           checkpointer_start(&writer->checkpointer, place, err);
}

bool log_writer_open(struct log_writer **out, const struct place *place, struct err *err)
{
    struct log_writer *writer = xcalloc(1, sizeof(*writer));
    writer->place = *place;
    writer->owner_fd = -1;
    writer->turns = (struct turns){.gate_fd = -1, .write_fd = -1};
    writer->bell.fd = -1;
    if (!open_parts(writer, err)) {
        log_writer_close(writer);
        return false;
    }
    *out = writer;
    return true;
}

void log_writer_close(struct log_writer *writer)
{
    if (!writer)
        return;
    checkpointer_stop(writer->checkpointer);
    const bool our_turn = writer->turns.write_fd >= 0 && turns_take(&writer->turns, NULL);
    const bool is_broken = log_writer_is_broken(writer);
    /* Rejects pending controls, which nobody will answer any more. Releases the owner lock within
     * the same turn, so that later requests find the run without an owner. */
    if (our_turn && writer->run != 0 && !is_broken) {
        sqlite3_stmt *refuse = writer->statements[LOG_REFUSE_REST];
        (void)sqlite3_bind_int64(refuse, 1, writer->run);
        (void)sqlite3_bind_int64(refuse, 2, clock_now().at_ms);
        db_bind_text(refuse, 3,
                     writer->state->ended ? "the run has ended"
                                          : "devs ended before it could answer");
        db_try(refuse); /* if this fails, they stay pending */
    }
    owner_drop(&writer->place, writer->uid, writer->owner_fd);
    writer->owner_fd = -1;
    db_finalize(writer->statements, LOG_STATEMENT_COUNT);
    projection_done(&writer->projection);
    if (our_turn) {
        if (is_broken)
            db_done(&writer->db);
        else
            db_done_in_turn(&writer->db);
        turns_give(&writer->turns);
    }
    db_done(&writer->db);
    if (writer->run != 0)
        bell_ring(&writer->bell); /* for readers that check whether the run has an owner */
    bell_done(&writer->bell);
    turns_done(&writer->turns);
    free(writer);
}

const char *log_writer_uid(const struct log_writer *writer)
{
    return writer->uid;
}

/* The three files currently found at their paths. */
struct file_set {
    struct stat db;
    struct stat wal;
    struct stat shm;
};

/* Reads the three files at their paths, with one stat(2) each, and returns true if they are the
 * open ones. If the WAL was deleted, everything that is not in the database yet is lost; with
 * different shared memory, two processes would overwrite each other's frames. */
static bool files_are_in_place(struct log_writer *writer, struct file_set *files)
{
    if (stat(writer->place.db, &files->db) != 0 || stat(writer->wal_path, &files->wal) != 0 ||
        stat(writer->shm_path, &files->shm) != 0)
        return false;
    if (writer->db_inode == 0 && db_is_in_place(&writer->db))
        writer->db_inode = (uint64_t)files->db.st_ino;
    if (writer->shm_inode == 0)
        writer->shm_inode = (uint64_t)files->shm.st_ino;
    wal_learn(&writer->db);
    return (uint64_t)files->db.st_ino == writer->db_inode &&
           (uint64_t)files->wal.st_ino == writer->db.wal_inode &&
           (uint64_t)files->shm.st_ino == writer->shm_inode;
}

/* Returns true if neither file is shorter than after the last commit. devs gc shortens the
 * database, but never below its number of pages. */
static bool files_are_whole(struct log_writer *writer, const struct file_set *files)
{
    enum { WAL_HEADER = 32, FRAME_HEADER = 24 };
    struct wal_index index;
    if (!wal_index_read(&writer->db, &index))
        return true;
    const int64_t pages = (int64_t)index.pages * index.page_bytes;
    const int64_t frames =
        WAL_HEADER + (int64_t)index.frames * ((int64_t)index.page_bytes + FRAME_HEADER);
    if (files->db.st_size < (writer->db_bytes < pages ? writer->db_bytes : pages))
        return false;
    writer->db_bytes = files->db.st_size;
    return index.frames == index.copied || files->wal.st_size >= frames;
}

/* Records that committed data was lost: this process never writes to the log again. */
static bool fail_for_good(struct log_writer *writer, const struct err *why, struct err *err)
{
    if (writer->damage.code == ERR_NONE)
        writer->damage = *why;
    writer->cut_off = true;
    return err_set(err, writer->damage.code, "%s", writer->damage.message);
}

/* Checks that the log's files are in place and complete. Runs within a turn, at every commit,
 * because data written to a deleted file would be lost. A file that was moved may be moved back;
 * damage is permanent. */
static bool check_files(struct log_writer *writer, struct err *err)
{
    struct err why = {0};
    struct file_set files;
    if (writer->damage.code != ERR_NONE)
        return fail_for_good(writer, &writer->damage, err);
    writer->cut_off = !files_are_in_place(writer, &files);
    if (!writer->cut_off && wal_lost_memory(&writer->db))
        (void)err_set(&why, ERR_IO, "'%s-shm' was truncated while in use", writer->place.db);
    else if (!writer->cut_off && !files_are_whole(writer, &files))
        (void)err_set(&why, ERR_IO, "'%s' or its WAL was truncated", writer->place.db);
    if (!checkpointer_check(writer->checkpointer, &why) || why.code != ERR_NONE)
        return fail_for_good(writer, &why, err);
    return !writer->cut_off ||
           err_set(err, ERR_IO, "'%s' was deleted, moved or replaced", writer->place.db);
}

bool log_writer_check(struct log_writer *writer, struct err *err)
{
    struct err why = {0};
    if (writer->damage.code != ERR_NONE)
        return fail_for_good(writer, &writer->damage, err);
    if (!turns_take(&writer->turns, NULL))
        return true; /* the process that has the turn checks, too */
    bool ok = check_files(writer, err);
    if (ok && !wal_is_whole(&writer->db, &why))
        ok = fail_for_good(writer, &why, err);
    turns_give(&writer->turns);
    return ok;
}

bool log_writer_is_broken(const struct log_writer *writer)
{
    return writer->damage.code != ERR_NONE;
}

bool log_writer_is_cut_off(const struct log_writer *writer)
{
    return writer->cut_off;
}

bool log_write_begin(struct log_writer *writer, struct err *err)
{
    assert(!writer->in_turn);
    if (!turns_take(&writer->turns, err))
        return false;
    writer->in_turn = true;
    writer->appended = false;
    writer->spent = 0;
    if (!check_files(writer, err))
        return false;

    /* Checks that this process still holds the owner lock. Without a run there is no lock yet. The
     * commit that ends the run always checks, other commits at most once per interval. */
    const int64_t now_us = clock_mono_us();
    if (writer->owner_fd >= 0 && writer->state &&
        (writer->state->ended || writer->owner_checked_us == 0 ||
         now_us - writer->owner_checked_us >= OWNER_CHECK_US)) {
        if (!owner_keep(&writer->place, writer->uid, &writer->owner_fd, err))
            return false;
        writer->owner_checked_us = now_us;
    }

    /* Another program that takes no turns may have locked the database. Waits as long as for a
     * turn; after a failed wait only for a short time. */
    const int wait_ms = writer->in_vain ? TURNS_AGAIN_MS_MAX : TURNS_WAIT_MS_MAX;
    const int64_t from_us = clock_mono_us();
    struct err why = {0};
    (void)sqlite3_busy_timeout(writer->db.handle, wait_ms);
    bool ok = db_run(&writer->db, writer->statements[LOG_BEGIN], &why);
    (void)sqlite3_busy_timeout(writer->db.handle, DB_BUSY_MS);
    writer->waited_us += clock_mono_us() - from_us;
    writer->in_vain = why.code == ERR_BUSY;
    return ok || err_set(err, why.code, "%s", why.message);
}

bool log_write_end(struct log_writer *writer, struct err *err)
{
    assert(writer->in_turn);
    bool ok = writer->run == 0 || projection_summary(&writer->projection, writer->last_seq, err);
    if (!ok || !db_run(&writer->db, writer->statements[LOG_COMMIT], err))
        return false;
    writer->committed_seq = writer->last_seq;

    /* If a reader has kept the WAL from being reset, does not request a checkpoint at each commit,
     * but only after it has grown further. */
    const bool is_large = writer->wal_pages >= WAL_PAGES_MAX &&
                          writer->wal_pages >= writer->wal_pages_asked + WAL_PAGES_MORE;
    if (writer->appended && (is_large || writer->idle)) {
        writer->appended = false;
        writer->wal_pages_asked = writer->wal_pages;
        checkpointer_ask(writer->checkpointer, writer->idle);
    }
    writer->in_turn = false;
    turns_give(&writer->turns);
    return true;
}

void log_write_abort(struct log_writer *writer)
{
    if (!writer->in_turn)
        return;
    db_roll_back(&writer->db);
    writer->last_seq = writer->committed_seq;
    writer->behind = true;
    writer->in_turn = false;
    turns_give(&writer->turns);
}

bool log_write_spend(struct log_writer *writer, size_t bytes, struct err *err)
{
    writer->spent += bytes;
    if (writer->spent < LOG_TRANSACTION_MAX)
        return true;
    /* After a failed batch, stale projections are only marked; the next batch writes them all. */
    return (writer->behind || projection_set_behind(&writer->projection, err)) &&
           log_write_end(writer, err) && log_write_begin(writer, err);
}

/* Deletes a part of the stream of this output. */
static bool drop_part(struct log_writer *writer, const struct log_output *output,
                      enum log_output_part part, struct err *err)
{
    sqlite3_stmt *drop = writer->statements[LOG_DROP_PART];
    (void)sqlite3_bind_int64(drop, 1, writer->run);
    (void)sqlite3_bind_int(drop, 2, output->task);
    (void)sqlite3_bind_int(drop, 3, output->step);
    (void)sqlite3_bind_int(drop, 4, output->attempt);
    (void)sqlite3_bind_int(drop, 5, output->stream);
    (void)sqlite3_bind_int(drop, 6, (int)part);
    return db_run(&writer->db, drop, err);
}

static bool put_outputs(struct log_writer *writer, const struct log_batch *batch, struct err *err)
{
    sqlite3_stmt *put = writer->statements[LOG_PUT_OUTPUT];
    for (size_t i = 0; i < batch->output_count; i++) {
        const struct log_output *output = &batch->outputs[i];
        const bool is_tail = output->part == LOG_OUTPUT_TAIL;
        if (output->begins && (!drop_part(writer, output, LOG_OUTPUT_HEAD, err) ||
                               !drop_part(writer, output, LOG_OUTPUT_REST, err)))
            return false;
        (void)sqlite3_bind_int64(put, 1, writer->run);
        (void)sqlite3_bind_int(put, 2, output->task);
        (void)sqlite3_bind_int(put, 3, output->step);
        (void)sqlite3_bind_int(put, 4, output->attempt);
        (void)sqlite3_bind_int(put, 5, output->stream);
        (void)sqlite3_bind_int(put, 6, (int)output->part);
        (void)sqlite3_bind_int(put, 7, is_tail ? 0 : output->index);
        (void)sqlite3_bind_int64(put, 8, output->offset);
        (void)sqlite3_bind_int64(put, 9, output->at.at_ms);
        (void)sqlite3_bind_blob64(put, 10, output->len > 0 ? output->bytes : "", output->len,
                                  SQLITE_STATIC);
        if (!db_run(&writer->db, put, err))
            return false;

        /* The final part of a stream replaces its live tail. The tail is deleted after that:
         * otherwise the new row could get the tail's id, and readers would miss it. */
        if (output->part == LOG_OUTPUT_REST && output->index == 0 &&
            !drop_part(writer, output, LOG_OUTPUT_TAIL, err))
            return false;
        if (!log_write_spend(writer, output->len + OUTPUT_ROW_BYTES, err))
            return false;
    }
    return true;
}

static bool put_captures(struct log_writer *writer, const struct log_batch *batch, struct err *err)
{
    sqlite3_stmt *put = writer->statements[LOG_PUT_CAPTURE];
    for (size_t i = 0; i < batch->capture_count; i++) {
        const struct log_capture *capture = &batch->captures[i];
        (void)sqlite3_bind_int64(put, 1, writer->run);
        (void)sqlite3_bind_int(put, 2, capture->task);
        (void)sqlite3_bind_int(put, 3, capture->step);
        (void)sqlite3_bind_int(put, 4, capture->attempt);
        (void)sqlite3_bind_int64(put, 5, capture->at.at_ms);
        db_bind_text(put, 6, capture->json);
        if (!db_run(&writer->db, put, err) ||
            !log_write_spend(writer, strlen(capture->json) + OUTPUT_ROW_BYTES, err))
            return false;
    }
    return true;
}

/* Writes the answer into the control's row, for whoever requested it. The event is the
 * authoritative answer. */
static bool answer_control(struct log_writer *writer, const struct event *event, struct err *err)
{
    const char *words = event->answered.answer ? event->answered.answer : "";
    sqlite3_stmt *answer = writer->statements[LOG_ANSWER];
    (void)sqlite3_bind_int64(answer, 1, event->answered.control);
    (void)sqlite3_bind_int64(answer, 2, writer->run);
    (void)sqlite3_bind_int64(answer, 3, event->at.at_ms);
    (void)sqlite3_bind_int64(answer, 4, event->answered.done);
    db_bind_text(answer, 5, words);
    bool ok = db_run(&writer->db, answer, err);
    /* The control is in the log, which cannot be written: the spill keeps its answer. */
    if (ok && writer->is_spill && sqlite3_changes(writer->db.handle) == 0)
        ok = log_write_answer_alone(writer, event, words, err);
    return ok;
}

/* Writes the events, each with the rows that accompany it. */
static bool put_events(struct log_writer *writer, const struct log_batch *batch, struct err *err)
{
    struct str data = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < batch->event_count; i++) {
        const struct event *event = &batch->events[i];
        if (event->seq <= writer->last_seq)
            continue; /* written before a previous attempt at this batch failed */
        const struct event_row row = {
            .run = writer->run,
            .event = event,
            .task = event->task >= 0 ? writer->state->plan->tasks[event->task].id : NULL,
        };
        ok = event_row_put(&writer->db, writer->statements[LOG_PUT_EVENT], &row, &data, err);
        if (ok && event->kind == EVENT_CONTROL_ANSWERED)
            ok = answer_control(writer, event, err);
        else if (ok && event->kind == EVENT_AGENT_SESSION)
            ok = event_row_put_session(&writer->db, &row, err);
        if (!ok)
            break;
        projection_touch(&writer->projection, event);
        writer->last_seq = event->seq;
        ok = log_write_spend(writer, data.len + EVENT_ROW_BYTES, err);
    }
    str_done(&data);
    return ok;
}

bool log_write_projections(struct log_writer *writer, struct err *err)
{
    bool more = true;
    while (more) {
        if (!projection_write(&writer->projection, &more, err) ||
            !log_write_spend(writer, more ? PROJECTION_ROW_BYTES : 0, err))
            return false;
    }
    return true;
}

/* Writes the loop detector's knowledge about the output of tasks. Call this in a transaction. */
static bool put_gains(struct log_writer *writer, const struct log_batch *batch, struct err *err)
{
    sqlite3_stmt *put = writer->statements[LOG_PUT_GAIN];
    sqlite3_stmt *drop = writer->statements[LOG_DROP_GAIN];
    for (size_t i = 0; i < batch->gain_count; i++) {
        const struct log_gain *gain = &batch->gains[i];
        const bool kept = gain->bytes && gain->len <= LOG_GAIN_BYTES_MAX;
        if (kept) {
            (void)sqlite3_bind_int64(put, 1, writer->run);
            (void)sqlite3_bind_int(put, 2, gain->task);
            (void)sqlite3_bind_int(put, 3, gain->step);
            (void)sqlite3_bind_int(put, 4, gain->attempt);
            (void)sqlite3_bind_blob64(put, 5, gain->bytes, gain->len, SQLITE_STATIC);
        } else {
            (void)sqlite3_bind_int64(drop, 1, writer->run);
            (void)sqlite3_bind_int(drop, 2, gain->task);
        }
        if (!db_run(&writer->db, kept ? put : drop, err) ||
            !log_write_spend(writer, (kept ? gain->len : 0) + GAIN_ROW_BYTES, err))
            return false;
    }
    return true;
}

bool log_writer_commit(struct log_writer *writer, const struct log_batch *batch, enum log_sync sync,
                       struct err *err)
{
    assert(writer->run > 0);
    const bool is_empty = batch->event_count == 0 && batch->output_count == 0 &&
                          batch->capture_count == 0 && batch->gain_count == 0;
    bool ok = true;
    writer->idle = batch->idle;
    if (!is_empty) {
        if (writer->behind)
            projection_touch_all(&writer->projection);
        writer->behind = false;
        ok = log_write_begin(writer, err) && log_write_owner(writer, err) &&
             put_outputs(writer, batch, err) && put_captures(writer, batch, err) &&
             put_gains(writer, batch, err) && put_events(writer, batch, err) &&
             log_write_projections(writer, err) && log_write_end(writer, err);
        if (ok)
            writer->new_owner = false;
        else
            log_write_abort(writer);
    }

    /* Syncs now, or lets the other thread do it within LOG_FULL_SYNC_MS. */
    if (ok && sync == LOG_SYNC_FULL) {
        if (db_sync(&writer->db, &writer->unsynced)) /* keeps the first error */
            checkpointer_synced(writer->checkpointer);
    } else if (ok && !is_empty) {
        checkpointer_news(writer->checkpointer);
    }
    if (!is_empty)
        bell_ring(&writer->bell);

    /* Waits if the disk is slower than the writer. */
    if (writer->wal_pages >= WAL_PAGES_MOST) {
        const int64_t from_us = clock_mono_us();
        checkpointer_await(writer->checkpointer, TURNS_AGAIN_MS_MAX);
        writer->waited_us += clock_mono_us() - from_us;
    }
    return ok;
}

int64_t log_writer_waited_ms(const struct log_writer *writer)
{
    enum { US_PER_MS = 1000 };
    return (writer->turns.waited_us + writer->waited_us) / US_PER_MS;
}

int64_t log_writer_committed_seq(const struct log_writer *writer)
{
    return writer->committed_seq;
}

bool log_writer_synced(struct log_writer *writer, struct err *err)
{
    struct err *unsynced = &writer->unsynced;
    checkpointer_take_error(writer->checkpointer, unsynced);
    if (unsynced->code == ERR_NONE)
        return true;
    (void)err_set(err, unsynced->code, "%s", unsynced->message);
    *unsynced = (struct err){0};
    return false;
}

/* Beginning and following a run, and rebuilding its projections. */

void log_write_follow(struct log_writer *writer, int64_t number, const struct run_state *state)
{
    writer->run = number;
    writer->state = state;
    writer->last_seq = state->last_seq;
    writer->committed_seq = state->last_seq;
    projection_follow(&writer->projection, number, state);
    projection_touch_all(&writer->projection);
}

/* Inserts the rules, the run's row, its plan and a row for each task. */
static bool enter_run(struct log_writer *writer, const struct log_run *run,
                      const struct run_state *state, struct err *err)
{
    if (!log_write_begin(writer, err))
        return false;
    if (run->rules_hash && run->rules_text) {
        sqlite3_stmt *put_rules = writer->statements[LOG_PUT_RULES];
        db_bind_text(put_rules, 1, run->rules_hash);
        db_bind_text(put_rules, 2, run->rules_text);
        if (!db_run(&writer->db, put_rules, err))
            return false;
    }

    struct this_process self;
    this_process_read(&self);
    sqlite3_stmt *put_run = writer->statements[LOG_PUT_RUN];
    const char *const texts[] = {writer->uid,  run->name,       run->kind, run->dir,
                                 run->command, run->rules_hash, self.boot, DEVS_VERSION};
    const int64_t numbers[] = {(int64_t)run->seed, run->jobs,      run->tasks,
                               self.pid,           self.pid_start, run->now.at_ms};
    const int text_count = (int)ARRAY_LEN(texts);
    for (int i = 0; i < text_count; i++)
        db_bind_text(put_run, 1 + i, texts[i]);
    for (int i = 0; i < (int)ARRAY_LEN(numbers); i++)
        (void)sqlite3_bind_int64(put_run, 1 + text_count + i, numbers[i]);
    if (!db_run(&writer->db, put_run, err))
        return false;

    const int64_t number = sqlite3_last_insert_rowid(writer->db.handle);
    sqlite3_stmt *put_plan = writer->statements[LOG_PUT_PLAN];
    (void)sqlite3_bind_int64(put_plan, 1, number);
    db_bind_text(put_plan, 2, run->plan_text);
    if (!db_run(&writer->db, put_plan, err))
        return false;
    log_write_follow(writer, number, state);
    return log_write_projections(writer, err) && log_write_end(writer, err);
}

bool log_writer_begin(struct log_writer *writer, const struct log_run *run,
                      const struct run_state *state, int64_t *number_out, struct err *err)
{
    assert(writer->run == 0);
    assert(state->last_seq == 0);

    /* Take the lock before the run becomes visible, so that it never looks like an orphan. */
    if (!this_process_uid(writer->uid, err) ||
        !owner_take(&writer->place, writer->uid, &writer->owner_fd, err))
        return false;
    if (!enter_run(writer, run, state, err)) {
        log_write_abort(writer);
        owner_drop(&writer->place, writer->uid, writer->owner_fd);
        writer->owner_fd = -1;
        writer->uid[0] = '\0';
        writer->run = 0;
        return false;
    }
    *number_out = writer->run;
    bell_ring(&writer->bell);
    return true;
}

/* Controls for the owner of a run, and their answers. */

bool log_writer_refuse(struct log_writer *writer, int64_t control, const char *answer,
                       struct err *err)
{
    sqlite3_stmt *put = writer->statements[LOG_ANSWER];
    bool ok = log_write_begin(writer, err);
    if (ok) {
        (void)sqlite3_bind_int64(put, 1, control);
        (void)sqlite3_bind_int64(put, 2, writer->run);
        (void)sqlite3_bind_int64(put, 3, clock_now().at_ms);
        (void)sqlite3_bind_int64(put, 4, 0);
        db_bind_text(put, 5, answer);
        ok = db_run(&writer->db, put, err) && log_write_end(writer, err);
    }
    if (!ok)
        log_write_abort(writer);
    bell_ring(&writer->bell);
    return ok;
}

bool log_writer_controls(struct log_writer *writer, struct control *out, size_t max,
                         size_t *count_out, struct err *err)
{
    assert(writer->run > 0);
    sqlite3_stmt *open = writer->statements[LOG_OPEN_CONTROLS];
    (void)sqlite3_bind_int64(open, 1, writer->run);
    (void)sqlite3_bind_int64(open, 2, (int64_t)max);

    size_t count = 0;
    int64_t unsound = 0; /* id of an invalid row; rejecting one per call is enough */
    bool row = false;
    bool ok = db_next(&writer->db, open, &row, err);
    while (ok && row && count < max) {
        if (control_row_read(open, &out[count]))
            count++;
        else
            unsound = out[count].id;
        ok = db_next(&writer->db, open, &row, err);
    }
    (void)sqlite3_reset(open); /* repeats the step's error */
    if (ok && unsound != 0)
        ok = log_writer_refuse(writer, unsound, "unknown action", err);
    if (ok)
        *count_out = count;
    return ok;
}

bool log_writer_ask(struct log_writer *writer, const struct control *control, struct err *err)
{
    assert(writer->run > 0);
    const bool ok =
        log_write_begin(writer, err) &&
        control_row_insert(&writer->db, writer->statements[LOG_ASK], writer->run, control, err) &&
        log_write_end(writer, err);
    if (!ok)
        log_write_abort(writer);
    return ok;
}

bool log_writer_load_gain(struct log_writer *writer, struct log_gain *gain, struct str *bytes,
                          struct err *err)
{
    assert(writer->run > 0);
    sqlite3_stmt *get = writer->statements[LOG_GET_GAIN];
    (void)sqlite3_bind_int64(get, 1, writer->run);
    (void)sqlite3_bind_int(get, 2, gain->task);
    bool row = false;
    bool ok = db_next(&writer->db, get, &row, err);
    if (ok && !row)
        ok = err_set(err, ERR_NOT_FOUND, "nothing is stored for task %d", gain->task);
    if (ok) {
        int len = sqlite3_column_bytes(get, 2);
        const char *from = sqlite3_column_blob(get, 2);
        gain->step = (int)db_column_or(get, 0, -1);
        gain->attempt = (int)db_column_or(get, 1, 0);
        if (from && len > 0)
            str_add_n(bytes, from, (size_t)len);
    }
    (void)sqlite3_reset(get);
    return ok;
}
