/* log_copy.c - writes the rows of another log, as they arrive from a feed.
 *
 * A run is entered when its plan arrives, so that no reader finds one without. Its events are then
 * appended in sequence, each exactly once; output and captures replace what has the same key, and
 * the tables `task` and `attempt` are written from the fold of the events, as for any run. So a
 * feed can break at any byte, and begin again after the last committed rows.
 *
 * The table `session` stays empty: it only finds the run that the hooks of an agent here continue.
 *
 * A mirror also holds the owner locks of the runs that are alive there: whoever reads the mirror
 * finds out about the owner of a run as in any other log. */
#include "log_copy.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "event_row.h"
#include "follower.h"
#include "log_write.h"
#include "owner.h"
#include "sha256.h"
#include "xalloc.h"

enum { ROW_BYTES = 64 };

/* A run of the other log. */
struct copied_run {
    int64_t far_run;
    int64_t run; /* its number here; 0 = it is not here */
    char uid[LOG_UID_MAX];
    struct str row;          /* owned; its FEED_RUN, as a frame, until its plan arrives */
    int64_t far_seq;         /* its last event there, as its row says */
    bool has_ended;          /* there, as its row says */
    int64_t seq;             /* the last event here */
    int64_t at_ms, mono_ms;  /* of that event */
    int64_t output, capture; /* the last rows that have arrived: their ids there */
    int64_t events;          /* that were new */
    bool is_new, is_ours;    /* was entered by this copy; was recorded by this log */
    bool is_whole;           /* collected to its end */
    bool is_chosen, is_synced;
    bool is_moved;    /* output or captures have arrived since the last commit */
    bool is_wanted;   /* mirror: with its output */
    bool is_refused;  /* collection: the run here is a different one */
    bool was_cleared; /* collection: its controls were, in this connection */
    bool wants_again, had_again;
    int owner_fd; /* mirror: its owner lock; -1 = none */
    /* Its fold, for the tables `task` and `attempt`. */
    bool is_stale;
    struct follower *follower;    /* owned; NULL = not open */
    struct projection projection; /* owned, while the follower is open */
};

enum copy_statement {
    PUT_RULES,
    PUT_RUN,
    PUT_PLAN,
    PUT_ORIGIN,
    SET_ORIGIN,
    SET_RUN,
    PUT_EVENT,
    PUT_OUTPUT,
    DROP_PART,
    PUT_CAPTURE,
    PUT_CONTROL,
    PUT_NEW_CONTROL,
    DROP_CONTROLS,
    PUT_BOOKMARK,
    COUNT_OUTPUTS,
    DROP_OUTPUTS,
    FIND_RUN,
    LAST_EVENT,
    COPY_STATEMENT_COUNT
};

/* The parameters are the values of the message, with the run's number here. */
static const char *const copy_sql[COPY_STATEMENT_COUNT] = {
    [PUT_RULES] = "INSERT OR IGNORE INTO ruleset(hash, text) VALUES(?1,?2)",
    [PUT_RUN] =
        "INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs,"
        " tasks, pid, pid_start, started_at_ms, last_at_ms)"
        " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,0,0,?13,?13)",
    [PUT_PLAN] = "INSERT INTO plan(run, text) VALUES(?1,?2)",
    [PUT_ORIGIN] = "INSERT INTO origin(run, host, far_run, output, capture, is_whole, at_ms)"
                   " VALUES(?1,?2,?3,0,0,0,?4)",
    [SET_ORIGIN] = "UPDATE origin SET host=?2, far_run=?3, output=?4, capture=?5, is_whole=?6,"
                   " at_ms=?7 WHERE run=?1",
    [SET_RUN] = "UPDATE run SET boot=?8, devs=?9, tasks=?12, ended_at_ms=?14, exit_code=?15,"
                " last_seq=?16, last_at_ms=?17, attempts=?18, passed=?19, failed=?20,"
                " cancelled=?21, waited_ms=?22 WHERE id=?1",
    [PUT_EVENT] = EVENT_ROW_SQL,
    /* As in the log's writer: a replaced row gets a new id, so that readers see it. */
    [PUT_OUTPUT] = "INSERT OR REPLACE INTO output(run, task, step, attempt, stream, part, idx,"
                   " offset, at_ms, bytes) VALUES(?1,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
    [DROP_PART] = "DELETE FROM output WHERE run=?1 AND task=?3 AND step=?4 AND attempt=?5"
                  " AND stream=?6 AND part=?7",
    [PUT_CAPTURE] = "INSERT INTO capture(run, task, step, attempt, at_ms, json)"
                    " SELECT ?1, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS(SELECT 1 FROM capture"
                    " WHERE run=?1 AND task=?3 AND step=?4 AND attempt=?5 AND at_ms=?6"
                    " AND json=?7)",
    [PUT_CONTROL] = "INSERT OR REPLACE INTO control(" FEED_CONTROL_COLUMNS
                    ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [PUT_NEW_CONTROL] = "INSERT INTO control(" FEED_CONTROL_COLUMNS
                        ") SELECT ?1,NULL,?3,?4,?5,?6,?7,?8,?9,?10,ifnull(?11,?10),"
                        "ifnull(?12,''),ifnull(?13,0) WHERE ?2>0",
    [DROP_CONTROLS] = "DELETE FROM control WHERE run=?1",
    [PUT_BOOKMARK] = "INSERT INTO bookmark(run, seq, at_ms, made_at_ms, name, by)"
                     " SELECT ?1,?3,?4,?5,?6,?7 WHERE ?2>0 AND NOT EXISTS(SELECT 1 FROM bookmark"
                     " WHERE run=?1 AND seq=?3 AND made_at_ms=?5 AND name=?6)",
    [COUNT_OUTPUTS] = "SELECT count(*), ifnull(sum(length(bytes)), 0) FROM output WHERE run=?1",
    [DROP_OUTPUTS] = "DELETE FROM output WHERE run=?1",
    [FIND_RUN] = "SELECT id, (SELECT ifnull(max(seq), 0) FROM event WHERE run=id), origin.run,"
                 " origin.output, origin.capture, origin.is_whole, origin.host FROM run"
                 " LEFT JOIN origin ON origin.run=run.id WHERE uid=?1 AND expired=0",
    [LAST_EVENT] = "SELECT at_ms, mono_ms FROM event WHERE run=?1 AND seq=?2",
};

/* Everything that a run has, in the order in which it is deleted. */
static const char *const drop_sql[] = {
    "DELETE FROM event WHERE run=?1",   "DELETE FROM output WHERE run=?1",
    "DELETE FROM capture WHERE run=?1", "DELETE FROM session WHERE run=?1",
    "DELETE FROM control WHERE run=?1", "DELETE FROM bookmark WHERE run=?1",
    "DELETE FROM task WHERE run=?1",    "DELETE FROM attempt WHERE run=?1",
    "DELETE FROM plan WHERE run=?1",    "DELETE FROM origin WHERE run=?1",
    "DELETE FROM run WHERE id=?1",
};

struct log_copy {
    struct log_writer *writer; /* owned */
    char host[LOG_COPY_HOST_MAX];
    bool is_mirror;
    int lock_fd;             /* collection: the lock against others; -1 = none */
    struct copied_run *runs; /* owned */
    size_t count, cap;
    int64_t bytes;    /* taken so far */
    size_t row_bytes; /* of the rows that are kept */
    int64_t output_bytes;
    int64_t projected_ms;
    bool rings;                                     /* the owner of a run has changed */
    sqlite3_stmt *statements[COPY_STATEMENT_COUNT]; /* owned */
};

/* The owner lock of this name keeps others from collecting into the log. */
static const char collect_lock[] = "collect";

bool log_copy_open(struct log_copy **out, const struct place *place, const char *host,
                   bool is_mirror, struct err *err)
{
    struct log_copy *copy = xcalloc(1, sizeof(*copy));
    struct err why = {0};
    copy->is_mirror = is_mirror;
    copy->lock_fd = -1;
    (void)snprintf(copy->host, sizeof(copy->host), "%s", host);
    bool ok = log_writer_open(&copy->writer, place, err) &&
              db_prepare(&copy->writer->db, copy_sql, COPY_STATEMENT_COUNT, copy->statements, err);
    if (ok && !is_mirror && !owner_take(place, collect_lock, &copy->lock_fd, &why))
        ok = why.code == ERR_BUSY
                 ? err_set(err, ERR_BUSY, "another devs is collecting into '%s'", place->db)
                 : err_set(err, why.code, "%s", why.message);
    if (!ok) {
        log_copy_close(copy);
        return false;
    }
    *out = copy;
    return true;
}

static void close_fold(struct copied_run *run)
{
    projection_done(&run->projection);
    follower_close(run->follower);
    run->follower = NULL;
}

void log_copy_close(struct log_copy *copy)
{
    if (!copy)
        return;
    if (copy->writer)
        log_copy_drop(copy);
    for (size_t i = 0; i < copy->count; i++) {
        struct copied_run *run = &copy->runs[i];
        close_fold(run);
        if (copy->writer)
            owner_drop(log_writer_place(copy->writer), run->uid, run->owner_fd);
        str_done(&run->row);
    }
    if (copy->writer)
        owner_drop(log_writer_place(copy->writer), collect_lock, copy->lock_fd);
    db_finalize(copy->statements, COPY_STATEMENT_COUNT);
    log_writer_close(copy->writer);
    free(copy->runs);
    free(copy);
}

void log_copy_drop(struct log_copy *copy)
{
    log_write_abort(copy->writer);
}

static struct copied_run *find_run(const struct log_copy *copy, int64_t far_run)
{
    for (size_t i = copy->count; i-- > 0;) {
        if (copy->runs[i].far_run == far_run)
            return &copy->runs[i];
    }
    return NULL;
}

static bool begin(struct log_copy *copy, struct err *err)
{
    return copy->writer->in_turn || log_write_begin(copy->writer, err);
}

/* Runs a statement with the values of the message, from parameter 1 on, and the number that the run
 * has here (0 = the first value is not a run). */
static bool run_with(struct log_copy *copy, enum copy_statement which,
                     const struct feed_message *message, int64_t run, struct err *err)
{
    sqlite3_stmt *put = copy->statements[which];
    const int count = sqlite3_bind_parameter_count(put);
    bool ok = true;
    for (int i = 0; ok && i < count && i < (int)message->count; i++) {
        const struct feed_value *value = &message->values[i];
        const char *at = value->len > 0 ? value->bytes : "";
        int code = SQLITE_OK;
        switch (value->type) {
        case FEED_NUMBER:
            code = sqlite3_bind_int64(put, i + 1, i == 0 && run != 0 ? run : value->number);
            break;
        case FEED_TEXT:
            code = sqlite3_bind_text64(put, i + 1, at, value->len, SQLITE_STATIC, SQLITE_UTF8);
            break;
        case FEED_BLOB:
            code = sqlite3_bind_blob64(put, i + 1, at, value->len, SQLITE_STATIC);
            break;
        case FEED_NULL:
        case FEED_TYPE_COUNT:
            code = sqlite3_bind_null(put, i + 1);
            break;
        }
        ok = code == SQLITE_OK || db_fail(&copy->writer->db, "bind", err);
    }
    ok = ok && db_run(&copy->writer->db, put, err);
    (void)sqlite3_clear_bindings(put); /* the values belong to the message */
    return ok;
}

/* Like run_with(), and begins another transaction when this one is large. */
static bool put_values(struct log_copy *copy, enum copy_statement which,
                       const struct feed_message *message, int64_t run, struct err *err)
{
    size_t bytes = ROW_BYTES;
    for (size_t i = 0; i < message->count; i++)
        bytes += message->values[i].len;
    return run_with(copy, which, message, run, err) && log_write_spend(copy->writer, bytes, err);
}

/* Runs a statement whose only parameter is the run. */
static bool run_of(struct log_copy *copy, enum copy_statement which, int64_t run, struct err *err)
{
    (void)sqlite3_bind_int64(copy->statements[which], 1, run);
    return db_run(&copy->writer->db, copy->statements[which], err);
}

/* Runs. */

/* Finds out whether this log has the run, and up to where. */
static bool look_up(struct log_copy *copy, struct copied_run *run, struct err *err)
{
    sqlite3_stmt *find = copy->statements[FIND_RUN];
    bool row = false;
    db_bind_text(find, 1, run->uid);
    bool ok = db_next(&copy->writer->db, find, &row, err);
    if (ok && row) {
        const char *host = (const char *)sqlite3_column_text(find, 6);
        const bool is_same_host = host && strcmp(host, copy->host) == 0;
        run->run = sqlite3_column_int64(find, 0);
        run->seq = sqlite3_column_int64(find, 1);
        run->is_ours = sqlite3_column_type(find, 2) == SQLITE_NULL;
        /* Row ids of another log mean nothing here. */
        run->output = is_same_host ? sqlite3_column_int64(find, 3) : 0;
        run->capture = is_same_host ? sqlite3_column_int64(find, 4) : 0;
        run->is_whole = sqlite3_column_int(find, 5) != 0;
    }
    (void)sqlite3_reset(find); /* repeats the step's error */
    if (!ok || run->seq == 0)
        return ok;
    sqlite3_stmt *last = copy->statements[LAST_EVENT];
    (void)sqlite3_bind_int64(last, 1, run->run);
    (void)sqlite3_bind_int64(last, 2, run->seq);
    ok = db_next(&copy->writer->db, last, &row, err);
    if (ok && row) {
        run->at_ms = sqlite3_column_int64(last, 0);
        run->mono_ms = sqlite3_column_int64(last, 1);
    }
    (void)sqlite3_reset(last); /* repeats the step's error */
    return ok;
}

static void forget_row(struct log_copy *copy, struct copied_run *run)
{
    copy->row_bytes -= run->row.len;
    str_done(&run->row);
}

/* Returns whether the text is a uid: it becomes the name of a file. */
static bool is_uid(const struct feed_value *text)
{
    char uid[LOG_UID_MAX] = "";
    if (text->len == 0 || text->len >= sizeof(uid))
        return false;
    memcpy(uid, text->bytes, text->len);
    return strspn(uid, "0123456789abcdef") == text->len;
}

static bool take_row(struct log_copy *copy, const struct feed_message *message, struct err *err)
{
    const int64_t far_run = feed_number_at(message, FEED_RUN_NUMBER, 0);
    const struct feed_value *uid = &message->values[FEED_RUN_UID];
    struct copied_run *run = find_run(copy, far_run);
    if (far_run == 0 || !is_uid(uid))
        return err_set(err, ERR_INVALID, "run #%lld has no uid", (long long)far_run);
    if (run && run->run != 0 && !feed_text_is(message, FEED_RUN_UID, run->uid))
        return err_set(err, ERR_INVALID, "run #%lld is a different one now", (long long)far_run);
    if (!run) {
        if (copy->count == LOG_COPY_RUNS_MAX)
            return err_set(err, ERR_LIMIT, "more than %d runs", (int)LOG_COPY_RUNS_MAX);
        copy->runs = xgrow(copy->runs, &copy->cap, copy->count + 1, sizeof(*copy->runs));
        run = &copy->runs[copy->count++];
        *run = (struct copied_run){.far_run = far_run, .owner_fd = -1};
    }
    if (run->run == 0) {
        memcpy(run->uid, uid->bytes, uid->len);
        run->uid[uid->len] = '\0';
        if (!copy->is_mirror && !look_up(copy, run, err))
            return false;
    }
    run->far_seq = feed_number_at(message, FEED_RUN_LAST_SEQ, 0);
    run->has_ended = message->values[FEED_RUN_ENDED].type == FEED_NUMBER;
    forget_row(copy, run);
    if (run->run == 0 && !feed_add(&run->row, FEED_RUN, message->values, message->count))
        return err_set(err, ERR_INVALID, "the row of run #%lld is invalid", (long long)far_run);
    copy->row_bytes += run->row.len;
    if (copy->row_bytes > LOG_COPY_ROWS_MAX)
        return err_set(err, ERR_LIMIT, "the rows of the runs have more than %d bytes",
                       (int)LOG_COPY_ROWS_MAX);
    return !copy->is_mirror || run->run == 0 ||
           (begin(copy, err) && put_values(copy, SET_RUN, message, run->run, err));
}

/* Enters the run with its plan, unless it is here. */
static bool take_plan(struct log_copy *copy, struct copied_run *run,
                      const struct feed_message *plan, struct err *err)
{
    struct feed_message row;
    size_t used = 0;
    if (run->run != 0)
        return true;
    const bool has_row = run->row.len > 0 && feed_read(str_text(&run->row), run->row.len, true,
                                                       &row, &used) == FEED_WHOLE;
    if (!has_row)
        return err_set(err, ERR_INVALID, "run #%lld has a plan, but no row",
                       (long long)run->far_run);
    if (!begin(copy, err))
        return false;
    if (!copy->is_mirror)
        row.values[0] = feed_null();
    if (!run_with(copy, PUT_RUN, &row, 0, err)) /* in one transaction with the plan */
        return false;
    const int64_t number = sqlite3_last_insert_rowid(copy->writer->db.handle);
    sqlite3_stmt *origin = copy->statements[PUT_ORIGIN];
    (void)sqlite3_bind_int64(origin, 1, number);
    db_bind_text(origin, 2, copy->host);
    (void)sqlite3_bind_int64(origin, 3, run->far_run);
    (void)sqlite3_bind_int64(origin, 4, 0);
    if (!db_run(&copy->writer->db, origin, err) || !put_values(copy, PUT_PLAN, plan, number, err))
        return false;
    run->run = number;
    run->is_new = true;
    const bool ok = !copy->is_mirror || put_values(copy, SET_RUN, &row, number, err);
    forget_row(copy, run);
    return ok;
}

static bool take_rules(struct log_copy *copy, const struct feed_message *message, struct err *err)
{
    const struct feed_value *text = &message->values[1];
    struct sha256 *sha256 = NULL;
    unsigned char hash[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    sha256_open(&sha256);
    sha256_add(sha256, text->bytes, text->len);
    sha256_finish(sha256, hash);
    sha256_hex(hash, hex);
    /* Other runs of the log may have these rules, too. */
    if (!copy->is_mirror && !feed_text_is(message, 0, hex))
        return err_set(err, ERR_INVALID, "a set of rules does not match its hash");
    return begin(copy, err) && put_values(copy, PUT_RULES, message, 0, err);
}

/* Deletes everything of a run, which is another one by now. */
static bool take_reset(struct log_copy *copy, struct copied_run *run, struct err *err)
{
    if (run->run == 0)
        return true;
    if (!copy->is_mirror) {
        run->is_refused = true;
        run->is_chosen = false;
        return true;
    }
    if (!begin(copy, err))
        return false;
    close_fold(run);
    for (size_t i = 0; i < ARRAY_LEN(drop_sql); i++) {
        sqlite3_stmt *drop = NULL;
        bool ok = db_prepare(&copy->writer->db, &drop_sql[i], 1, &drop, err);
        if (ok) {
            (void)sqlite3_bind_int64(drop, 1, run->run);
            ok = db_run(&copy->writer->db, drop, err);
        }
        db_finalize(&drop, 1);
        if (!ok)
            return false;
    }
    owner_drop(log_writer_place(copy->writer), run->uid, run->owner_fd);
    run->owner_fd = -1;
    run->run = run->seq = run->at_ms = run->mono_ms = run->output = run->capture = 0;
    run->is_synced = run->is_stale = false;
    return true;
}

/* Rows. */

static bool take_event(struct log_copy *copy, struct copied_run *run,
                       const struct feed_message *message, struct err *err)
{
    enum { SEQ, AT = 2, MONO = 3 };
    const int64_t seq = feed_number_at(message, 1, 0);
    if (seq != run->seq + 1)
        return err_set(err, ERR_INVALID, "event %lld of run #%lld follows event %lld",
                       (long long)seq, (long long)run->far_run, (long long)run->seq);
    if (!put_values(copy, PUT_EVENT, message, run->run, err))
        return false;
    run->seq = seq;
    run->at_ms = feed_number_at(message, AT, 0);
    run->mono_ms = feed_number_at(message, MONO, 0);
    run->events++;
    run->is_stale = true;
    return true;
}

enum { OUTPUT_PART = 6 }; /* of the values of FEED_OUTPUT */

/* Drops a part of the stream of this output. */
static bool drop_part(struct log_copy *copy, struct copied_run *run,
                      const struct feed_message *output, enum log_output_part part, struct err *err)
{
    struct feed_message dropped = *output;
    dropped.values[OUTPUT_PART] = feed_number((int64_t)part);
    dropped.count = OUTPUT_PART + 1;
    return put_values(copy, DROP_PART, &dropped, run->run, err);
}

static bool take_output(struct log_copy *copy, struct copied_run *run,
                        const struct feed_message *message, struct err *err)
{
    enum { ID = 1, INDEX = 7, BYTES = 10 };
    const int64_t id = feed_number_at(message, ID, 0);
    const int64_t part = feed_number_at(message, OUTPUT_PART, 0);
    const bool is_first = feed_number_at(message, INDEX, 0) == 0;
    if (id <= run->output || part > LOG_OUTPUT_REST)
        return err_set(err, ERR_INVALID, "a row of output of run #%lld is out of order",
                       (long long)run->far_run);
    /* The first row of a head replaces all rows of its stream; that of a rest, the live tail. */
    const bool begins = is_first && part == LOG_OUTPUT_HEAD;
    if ((begins && (!drop_part(copy, run, message, LOG_OUTPUT_HEAD, err) ||
                    !drop_part(copy, run, message, LOG_OUTPUT_REST, err))) ||
        !put_values(copy, PUT_OUTPUT, message, run->run, err) ||
        (is_first && part == LOG_OUTPUT_REST &&
         !drop_part(copy, run, message, LOG_OUTPUT_TAIL, err)))
        return false;
    run->output = id;
    run->is_moved = true;
    copy->output_bytes += (int64_t)message->values[BYTES].len;
    return true;
}

static bool take_capture(struct log_copy *copy, struct copied_run *run,
                         const struct feed_message *message, struct err *err)
{
    const int64_t id = feed_number_at(message, 1, 0);
    if (id <= run->capture)
        return err_set(err, ERR_INVALID, "a capture of run #%lld is out of order",
                       (long long)run->far_run);
    run->capture = id;
    run->is_moved = true;
    return put_values(copy, PUT_CAPTURE, message, run->run, err);
}

/* Compares the output with that of the other log, and begins again if it differs. */
static bool check_outputs(struct log_copy *copy, struct copied_run *run,
                          const struct feed_message *message, struct err *err)
{
    sqlite3_stmt *query = copy->statements[COUNT_OUTPUTS];
    bool row = false;
    (void)sqlite3_bind_int64(query, 1, run->run);
    bool ok = db_next(&copy->writer->db, query, &row, err);
    const bool is_same = ok && row &&
                         sqlite3_column_int64(query, 0) == feed_number_at(message, 1, 0) &&
                         sqlite3_column_int64(query, 1) == feed_number_at(message, 2, 0);
    (void)sqlite3_reset(query); /* repeats the step's error */
    if (!ok || is_same || run->had_again)
        return ok;
    run->wants_again = run->had_again =
        true; /* once for each connection: it may change meanwhile */
    run->output = 0;
    return run_of(copy, DROP_OUTPUTS, run->run, err);
}

static bool take_control(struct log_copy *copy, struct copied_run *run,
                         const struct feed_message *message, struct err *err)
{
    if (copy->is_mirror)
        return put_values(copy, PUT_CONTROL, message, run->run, err);
    return put_values(copy, PUT_NEW_CONTROL, message, run->run, err);
}

/* The controls of a collected run arrive whole each time. */
static bool clear_once(struct log_copy *copy, struct copied_run *run, struct err *err)
{
    if (copy->is_mirror || run->was_cleared)
        return true;
    run->was_cleared = true;
    return run_of(copy, DROP_CONTROLS, run->run, err);
}

/* The owner of a run there is alive, or is not any more. */
static bool take_alive(struct log_copy *copy, struct copied_run *run,
                       const struct feed_message *message, struct err *err)
{
    const struct place *place = log_writer_place(copy->writer);
    const bool is_alive = feed_number_at(message, 1, 0) != 0;
    if (!copy->is_mirror || is_alive == (run->owner_fd >= 0))
        return true;
    copy->rings = true;
    if (is_alive)
        return owner_take(place, run->uid, &run->owner_fd, err);
    owner_drop(place, run->uid, run->owner_fd);
    run->owner_fd = -1;
    return true;
}

/* The fold. */

static bool touch_event(void *ctx, const struct run_state *state, const struct event *event)
{
    (void)state;
    projection_touch(ctx, event);
    return true;
}

/* Writes the tables that follow from the events, and in a collection the row of the run. */
static bool project_run(struct log_copy *copy, struct copied_run *run, struct err *err)
{
    struct log_writer *writer = copy->writer;
    struct projection *projection = &run->projection;
    bool more = true;
    assert(!writer->in_turn);
    bool ok = true;
    if (!run->follower) {
        ok = follower_open(&run->follower, log_writer_place(writer), run->run, err) &&
             projection_init(projection, &writer->db, err);
        if (ok) {
            projection_follow(projection, run->run, follower_state(run->follower));
            projection_touch_all(projection);
        }
    }
    ok = ok && follower_read(run->follower, 0, touch_event, projection, NULL, err);
    ok = ok && log_write_begin(writer, err);
    while (ok && more)
        ok = projection_write(projection, &more, err) &&
             log_write_spend(writer, more ? PROJECTION_ROW_BYTES : 0, err);
    ok = ok && (copy->is_mirror || projection_summary(projection, run->seq, err)) &&
         log_write_end(writer, err);
    if (!ok)
        log_write_abort(writer);
    if (!ok || follower_state(run->follower)->ended || !copy->is_mirror)
        close_fold(run);
    run->is_stale = false;
    return ok;
}

static bool set_origin(struct log_copy *copy, const struct copied_run *run, struct err *err)
{
    const int64_t values[] = {run->far_run, run->output, run->capture, run->is_whole, run->at_ms};
    sqlite3_stmt *set = copy->statements[SET_ORIGIN];
    (void)sqlite3_bind_int64(set, 1, run->run);
    db_bind_text(set, 2, copy->host);
    for (int i = 0; i < (int)ARRAY_LEN(values); i++)
        (void)sqlite3_bind_int64(set, 3 + i, values[i]);
    return db_run(&copy->writer->db, set, err);
}

/* A run was collected as far as it is: commits it with its tables. */
static bool end_run(struct log_copy *copy, struct copied_run *run, struct err *err)
{
    if (run->wants_again)
        return true; /* another end follows */
    if (!begin(copy, err) || !clear_once(copy, run, err) || !set_origin(copy, run, err) ||
        !log_write_end(copy->writer, err) || !project_run(copy, run, err))
        return false;
    run->is_synced = true;
    run->is_whole = run->has_ended && run->seq == run->far_seq;
    return log_write_begin(copy->writer, err) && set_origin(copy, run, err) &&
           log_write_end(copy->writer, err);
}

/* Messages. */

static bool take_of_run(struct log_copy *copy, struct copied_run *run,
                        const struct feed_message *message, struct err *err)
{
    if (message->kind == FEED_PLAN)
        return take_plan(copy, run, message, err);
    if (message->kind == FEED_RESET)
        return take_reset(copy, run, err);
    if (run->run == 0 || run->is_ours || run->is_refused)
        return err_set(err, ERR_INVALID, "a row belongs to run #%lld, which was not sent",
                       (long long)run->far_run);
    if (!copy->is_mirror && !run->is_chosen) /* it may be whole, from another host */
        return err_set(err, ERR_INVALID, "a row belongs to run #%lld, which was not asked for",
                       (long long)run->far_run);
    if (message->kind == FEED_ALIVE)
        return take_alive(copy, run, message, err);
    if (!begin(copy, err))
        return false;
    switch (message->kind) {
    case FEED_EVENT:
        return take_event(copy, run, message, err);
    case FEED_OUTPUT:
        return take_output(copy, run, message, err);
    case FEED_CAPTURE:
        return take_capture(copy, run, message, err);
    case FEED_CONTROL:
        return clear_once(copy, run, err) && take_control(copy, run, message, err);
    case FEED_BOOKMARK:
        return put_values(copy, PUT_BOOKMARK, message, run->run, err);
    case FEED_OUTPUTS:
        return check_outputs(copy, run, message, err);
    case FEED_SYNCED:
        if (!copy->is_mirror)
            return end_run(copy, run, err);
        run->is_synced = true;
        return true;
    default: /* other kinds are not about a run */
        return true;
    }
}

bool log_copy_take(struct log_copy *copy, const struct feed_message *message, struct err *err)
{
    bool ok = true;
    struct err why = {0};
    copy->bytes += FEED_HEADER_BYTES;
    for (size_t i = 0; i < message->count; i++)
        copy->bytes += (int64_t)message->values[i].len + 1;
    if (copy->bytes > LOG_COPY_BYTES_MAX)
        ok = err_set(&why, ERR_LIMIT, "more than %lld GiB have arrived",
                     (long long)(LOG_COPY_BYTES_MAX >> 30));
    else if (message->kind == FEED_RUN)
        ok = take_row(copy, message, &why);
    else if (message->kind == FEED_RULES)
        ok = take_rules(copy, message, &why);
    else if (message->kind >= FEED_PLAN && message->kind <= FEED_RESET &&
             message->kind != FEED_STATE && message->kind != FEED_ASKED) {
        struct copied_run *run = find_run(copy, feed_number_at(message, 0, 0));
        ok = run ? take_of_run(copy, run, message, &why)
                 : message->kind == FEED_RESET ||
                       err_set(&why, ERR_INVALID, "a row belongs to an unknown run");
    }
    if (ok)
        return true;
    log_write_abort(copy->writer);
    return err_set(err, why.code, "%s", why.message) || err_hint(err, "%s", why.hint);
}

bool log_copy_commit(struct log_copy *copy, int64_t now_ms, struct err *err)
{
    const bool wrote = copy->writer->in_turn;
    bool ok = true;
    if (wrote) {
        for (size_t i = 0; ok && i < copy->count; i++) {
            struct copied_run *run = &copy->runs[i];
            ok = !run->is_moved || run->run == 0 || set_origin(copy, run, err);
            run->is_moved = false;
        }
        ok = ok && log_write_end(copy->writer, err);
        if (!ok)
            log_write_abort(copy->writer);
    }
    /* The tables of runs that have ended are complete when readers are woken: they read them once.
     * Events that do not fit are shown as damage by whoever reads them. */
    const bool is_due = copy->is_mirror && now_ms - copy->projected_ms >= LOG_COPY_PROJECT_MS;
    for (size_t i = 0; ok && copy->is_mirror && i < copy->count; i++) {
        struct copied_run *run = &copy->runs[i];
        if (run->run != 0 && run->is_synced && run->is_stale && (is_due || run->has_ended))
            (void)!project_run(copy, run, NULL);
    }
    if (is_due)
        copy->projected_ms = now_ms;
    if (wrote || copy->rings)
        bell_ring(&copy->writer->bell);
    copy->rings = false;
    return ok;
}

static bool add_have(const struct copied_run *run, struct str *out, struct err *err)
{
    const struct feed_value have[] = {
        feed_number(run->far_run), feed_text(run->uid),
        feed_number(run->seq),     feed_number(run->at_ms),
        feed_number(run->mono_ms), feed_number(run->output),
        feed_number(run->capture), feed_number(run->is_wanted || run->is_chosen),
    };
    return feed_add(out, FEED_HAVE, have, ARRAY_LEN(have)) ||
           err_set(err, ERR_INVALID, "run #%lld is invalid", (long long)run->far_run);
}

/* Sets the position of a run to its last committed rows. */
static bool read_position(struct log_copy *copy, struct copied_run *run, struct err *err)
{
    run->run = run->seq = run->output = run->capture = 0;
    run->had_again = run->wants_again = run->is_moved = false;
    return look_up(copy, run, err);
}

bool log_copy_have(struct log_copy *copy, struct str *out, struct err *err)
{
    log_copy_drop(copy);
    for (size_t i = 0; i < copy->count; i++) {
        struct copied_run *run = &copy->runs[i];
        if (!read_position(copy, run, err) || (run->run != 0 && !add_have(run, out, err)))
            return false;
    }
    return true;
}

void log_copy_want(struct log_copy *copy, int64_t run)
{
    struct copied_run *found = find_run(copy, run);
    if (found)
        found->is_wanted = true;
}

bool log_copy_is_synced(const struct log_copy *copy, int64_t run)
{
    const struct copied_run *found = find_run(copy, run);
    return found && found->run != 0 && found->is_synced;
}

void log_copy_progress(const struct log_copy *copy, int64_t run, int64_t *done, int64_t *all)
{
    const struct copied_run *found = find_run(copy, run);
    *done = found ? found->seq : 0;
    *all = found ? found->far_seq : 0;
}

const char *log_copy_uid(const struct log_copy *copy, int64_t run)
{
    const struct copied_run *found = find_run(copy, run);
    return found && found->run != 0 ? found->uid : NULL;
}

int64_t log_copy_again(struct log_copy *copy)
{
    for (size_t i = 0; i < copy->count; i++) {
        if (copy->runs[i].wants_again) {
            copy->runs[i].wants_again = false;
            return copy->runs[i].far_run;
        }
    }
    return 0;
}

bool log_copy_choose(struct log_copy *copy, struct str *out, struct err *err)
{
    for (size_t i = 0; i < copy->count; i++) {
        struct copied_run *run = &copy->runs[i];
        const bool is_whole = run->is_whole && run->seq == run->far_seq && run->has_ended;
        run->is_chosen = !run->is_ours && !is_whole;
        if (run->is_chosen && !add_have(run, out, err))
            return false;
    }
    return true;
}

bool log_copy_is_whole(const struct log_copy *copy)
{
    for (size_t i = 0; i < copy->count; i++) {
        if (copy->runs[i].is_chosen && !copy->runs[i].is_synced)
            return false;
    }
    return true;
}

struct log_copy_sum log_copy_sum(const struct log_copy *copy)
{
    struct log_copy_sum sum = {.runs = (int64_t)copy->count, .output_bytes = copy->output_bytes};
    for (size_t i = 0; i < copy->count; i++) {
        const struct copied_run *run = &copy->runs[i];
        sum.ours += run->is_ours;
        sum.refused += run->is_refused;
        sum.unchanged += !run->is_ours && !run->is_refused && !run->is_new && run->events == 0;
        sum.added += run->is_new;
        sum.continued += !run->is_new && run->events > 0;
        sum.events += run->events;
    }
    return sum;
}

bool log_copy_next(const struct log_copy *copy, size_t *at, struct log_copy_run *out)
{
    while (*at < copy->count) {
        /* the order of their numbers: a feed lists the newest first */
        const struct copied_run *run = &copy->runs[copy->count - 1 - *at];
        ++*at;
        if (!run->is_new && run->events == 0)
            continue;
        *out = (struct log_copy_run){.run = run->run,
                                     .far_run = run->far_run,
                                     .uid = run->uid,
                                     .events = run->events,
                                     .is_new = run->is_new,
                                     .has_ended = run->has_ended};
        return true;
    }
    return false;
}
