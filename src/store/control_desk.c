/* control_desk.c - writes controls on its own thread, and answers controls that no engine will
 * answer.
 *
 * A screen adds a job to a ring and gets a ticket, with which it later asks for the row or the
 * error. If the log cannot be written, the row goes to the spill of the run, where its engine
 * looks, too. If the run has no owner, the desk answers the control itself. This file also converts
 * between rows and struct control. */
#include "control_desk.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "db.h"
#include "event_row.h"
#include "log_writer.h"
#include "owner.h"
#include "owner_state.h"
#include "plan.h"
#include "private_file.h"
#include "quiet_thread.h"
#include "spill.h"
#include "str.h"
#include "turns.h"
#include "xalloc.h"

bool control_row_read(sqlite3_stmt *row, struct control *out)
{
    int64_t verb = sqlite3_column_int64(row, 1);
    int64_t task = db_column_or(row, 2, -1);
    int64_t step = db_column_or(row, 3, -1);
    int64_t attempt = db_column_or(row, 4, 0);
    *out =
        (struct control){.id = sqlite3_column_int64(row, 0), .key_at_ms = db_column_or(row, 7, 0)};
    bool sound = verb > 0 && verb < CONTROL_VERB_COUNT && task >= -1 && task < PLAN_TASKS_MAX &&
                 step >= -1 && step < PLAN_STEPS_MAX && attempt >= 0 && attempt < INT32_MAX;
    if (!sound)
        return false;
    out->verb = (enum control_verb)verb;
    out->task = (int)task;
    out->step = (int)step;
    out->attempt = (int)attempt;
    db_copy_text(row, 6, out->by, sizeof(out->by));
    return control_args_parse((const char *)sqlite3_column_text(row, 5), out);
}

bool control_row_insert(const struct db *db, sqlite3_stmt *insert, int64_t run,
                        const struct control *control, struct err *err)
{
    struct str args = {0};
    control_args(control, &args);
    (void)sqlite3_bind_int64(insert, 1, run);
    (void)sqlite3_bind_int(insert, 2, (int)control->verb);
    db_bind_unless(insert, 3, control->task, -1);
    db_bind_unless(insert, 4, control->step, -1);
    db_bind_unless(insert, 5, control->attempt, 0);
    db_bind_text(insert, 6, args.data);
    db_bind_text(insert, 7, control->by);
    db_bind_unless(insert, 8, control->key_at_ms, 0);
    (void)sqlite3_bind_int64(insert, 9, clock_now().at_ms);
    bool ok = db_run(db, insert, err);
    if (ok && sqlite3_changes(db->handle) == 0)
        ok = err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)run);
    str_done(&args);
    return ok;
}

enum { RESULTS_MAX = 4 * CONTROL_DESK_QUEUE_MAX, ORPHAN_TRIES = 2 };

enum desk_statement {
    DESK_BEGIN,
    DESK_COMMIT,
    DESK_ASK,
    DESK_RUN,
    DESK_REFUSE,
    DESK_STATEMENT_COUNT,
};

#define REFUSE_SQL                                                                                 \
    "UPDATE control SET applied_at_ms=?2, done=0, answer=?3"                                       \
    " WHERE id=?1 AND applied_at_ms IS NULL"

static const char *const statement_sql[] = {
    [DESK_BEGIN] = "BEGIN IMMEDIATE", [DESK_COMMIT] = "COMMIT",
    [DESK_ASK] = CONTROL_ROW_INSERT,  [DESK_RUN] = "SELECT uid FROM run WHERE id=?",
    [DESK_REFUSE] = REFUSE_SQL,
};
static_assert(ARRAY_LEN(statement_sql) == DESK_STATEMENT_COUNT, "every statement has its text");

struct job {
    int64_t ticket;
    int64_t run;
    struct control control;
};

struct result {
    int64_t ticket; /* 0 = none yet */
    int64_t row;    /* 0 = could not be written: see err */
    struct err err;
};

/* A log that controls are written to. */
struct desk_log {
    struct db db;
    struct turns turns;
    struct bell bell;
    sqlite3_stmt *statements[DESK_STATEMENT_COUNT]; /* owned */
};

struct control_desk {
    struct place place;

    struct desk_log log;        /* used only by the desk's thread once it runs */
    control_desk_send_fn *send; /* NULL = the log is on this machine */
    void *send_ctx;             /* borrowed */

    /* used only by the starting thread */
    pthread_t thread;
    bool has_thread;
    int64_t last_ticket;

    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t news;
    bool stopping;
    struct job jobs[CONTROL_DESK_QUEUE_MAX]; /* ring buffer of waiting jobs */
    size_t first, count;
    struct result results[RESULTS_MAX]; /* ticket t is at t % RESULTS_MAX */
};

static bool write_row(struct desk_log *log, const struct job *job, int64_t *row_out,
                      struct err *err)
{
    if (!turns_take(&log->turns, err))
        return false;
    bool ok = db_run(&log->db, log->statements[DESK_BEGIN], err) &&
              control_row_insert(&log->db, log->statements[DESK_ASK], job->run, &job->control, err);
    const int64_t row = ok ? sqlite3_last_insert_rowid(log->db.handle) : 0;
    ok = ok && db_run(&log->db, log->statements[DESK_COMMIT], err);
    if (!ok)
        db_roll_back(&log->db);
    turns_give(&log->turns);
    if (ok) {
        *row_out = row;
        bell_ring(&log->bell);
    }
    return ok;
}

static bool open_log(struct desk_log *log, const struct place *place, struct err *err)
{
    *log = (struct desk_log){.turns = {.gate_fd = -1, .write_fd = -1}, .bell = {.fd = -1}};
    return place_check_write(place, err) && db_init(&log->db, place->db, DB_WRITE, err) &&
           schema_check(&log->db, err) && turns_init(&log->turns, place, err) &&
           bell_init(&log->bell, place, err) &&
           db_prepare(&log->db, statement_sql, DESK_STATEMENT_COUNT, log->statements, err);
}

static void close_log(struct desk_log *log)
{
    db_finalize(log->statements, DESK_STATEMENT_COUNT);
    db_done(&log->db);
    bell_done(&log->bell);
    turns_done(&log->turns);
}

static bool find_uid(struct control_desk *desk, int64_t run, char out[LOG_UID_MAX])
{
    sqlite3_stmt *query = desk->log.statements[DESK_RUN];
    (void)sqlite3_bind_int64(query, 1, run);
    bool row = false;
    bool found = db_next(&desk->log.db, query, &row, NULL) && row;
    out[0] = '\0';
    if (found)
        db_copy_text(query, 0, out, LOG_UID_MAX);
    (void)sqlite3_reset(query);
    return out[0] != '\0';
}

static bool has_owner(struct control_desk *desk, int64_t run)
{
    char uid[LOG_UID_MAX];
    struct place spill;
    return find_uid(desk, run, uid) && (owner_is_alive(&desk->place, uid) ||
                                        (spill_find(uid, &spill) && owner_is_alive(&spill, uid)));
}

/* Answers the row here if the run has no owner, since nobody else would. ERR_BUSY alone does not
 * prove that there is an owner, because the log itself can be busy, too. */
static void see_to_answer(struct control_desk *desk, int64_t run, int64_t row)
{
    struct desk_log *log = &desk->log;
    struct err err = {0};
    for (int i = 0; i < ORPHAN_TRIES; i++) {
        err = (struct err){0};
        if (has_owner(desk, run) || orphan_answer(&desk->place, run, &err))
            return;
        if (err.code != ERR_BUSY)
            break;
    }
    if (has_owner(desk, run) || !turns_take(&log->turns, NULL))
        return;
    /* Last resort: answers the row itself, because nobody else will. */
    sqlite3_stmt *put = log->statements[DESK_REFUSE];
    (void)sqlite3_bind_int64(put, 1, row);
    (void)sqlite3_bind_int64(put, 2, clock_now().at_ms);
    db_bind_text(put, 3, err.message);
    db_try(put); /* on failure the control stays pending */
    turns_give(&log->turns);
    bell_ring(&log->bell);
}

static bool take_job(struct control_desk *desk, struct job *out)
{
    (void)pthread_mutex_lock(&desk->lock);
    while (desk->count == 0 && !desk->stopping)
        (void)pthread_cond_wait(&desk->news, &desk->lock);
    bool there = desk->count > 0;
    if (there) {
        *out = desk->jobs[desk->first];
        desk->first = (desk->first + 1) % CONTROL_DESK_QUEUE_MAX;
        desk->count--;
    }
    (void)pthread_mutex_unlock(&desk->lock);
    return there;
}

/* Writes the row to the log, or to the spill of the run, from which its engine reads controls if
 * the log cannot be written. */
static bool write_here(struct control_desk *desk, const struct job *job, int64_t *row,
                       struct err *err)
{
    char uid[LOG_UID_MAX];
    struct place place;
    bool written = write_row(&desk->log, job, row, err);
    if (!written && find_uid(desk, job->run, uid) && spill_find(uid, &place)) {
        struct desk_log spill;
        written = open_log(&spill, &place, NULL) && write_row(&spill, job, row, NULL);
        close_log(&spill);
    }
    return written;
}

static void *run_desk(void *arg)
{
    struct control_desk *desk = arg;
    struct job job;
    while (take_job(desk, &job)) {
        struct err err = {0};
        int64_t row = 0;
        const bool written = desk->send
                                 ? desk->send(desk->send_ctx, job.run, &job.control, &row, &err)
                                 : write_here(desk, &job, &row, &err);
        (void)pthread_mutex_lock(&desk->lock);
        desk->results[job.ticket % RESULTS_MAX] =
            (struct result){.ticket = job.ticket, .row = row, .err = err};
        (void)pthread_mutex_unlock(&desk->lock);
        if (written && !desk->send)
            see_to_answer(desk, job.run, row);
    }
    return NULL;
}

static struct control_desk *make_desk(void)
{
    struct control_desk *desk = xcalloc(1, sizeof(*desk));
    desk->log = (struct desk_log){.turns = {.gate_fd = -1, .write_fd = -1}, .bell = {.fd = -1}};
    (void)pthread_mutex_init(&desk->lock, NULL); /* cannot fail without attributes */
    (void)pthread_cond_init(&desk->news, NULL);
    return desk;
}

static bool start_thread(struct control_desk *desk, struct err *err)
{
    const int code = quiet_thread_start(&desk->thread, run_desk, desk);
    desk->has_thread = code == 0;
    return code == 0 || err_set_errno(err, code, "cannot start the thread for actions");
}

bool control_desk_start_far(struct control_desk **out, control_desk_send_fn *send, void *ctx,
                            struct err *err)
{
    struct control_desk *desk = make_desk();
    desk->send = send;
    desk->send_ctx = ctx;
    if (!start_thread(desk, err)) {
        control_desk_stop(desk);
        return false;
    }
    *out = desk;
    return true;
}

bool control_desk_start(struct control_desk **out, const struct place *place, struct err *err)
{
    struct control_desk *desk = make_desk();
    desk->place = *place;
    const bool ok = open_log(&desk->log, place, err) && start_thread(desk, err);
    if (ok)
        *out = desk;
    else
        control_desk_stop(desk);
    return ok;
}

void control_desk_stop(struct control_desk *desk)
{
    if (!desk)
        return;
    (void)pthread_mutex_lock(&desk->lock);
    desk->stopping = true;
    (void)pthread_cond_signal(&desk->news);
    (void)pthread_mutex_unlock(&desk->lock);
    if (desk->has_thread)
        (void)pthread_join(desk->thread, NULL);
    close_log(&desk->log);
    (void)pthread_cond_destroy(&desk->news);
    (void)pthread_mutex_destroy(&desk->lock);
    free(desk);
}

bool control_desk_ask(struct control_desk *desk, int64_t run, const struct control *control,
                      int64_t *ticket_out, struct err *err)
{
    assert(control->verb > 0 && control->verb < CONTROL_VERB_COUNT);
    (void)pthread_mutex_lock(&desk->lock);
    bool has_room = desk->count < CONTROL_DESK_QUEUE_MAX;
    if (has_room) {
        desk->last_ticket++;
        size_t at = (desk->first + desk->count) % CONTROL_DESK_QUEUE_MAX;
        desk->jobs[at] = (struct job){.ticket = desk->last_ticket, .run = run, .control = *control};
        desk->count++;
        (void)pthread_cond_signal(&desk->news);
    }
    (void)pthread_mutex_unlock(&desk->lock);
    if (!has_room)
        return err_set(err, ERR_LIMIT, "%d actions are already waiting", CONTROL_DESK_QUEUE_MAX);
    *ticket_out = desk->last_ticket;
    return true;
}

bool control_desk_row(struct control_desk *desk, int64_t ticket, int64_t *row_out, struct err *err)
{
    if (ticket < 1 || ticket > desk->last_ticket)
        return err_set(err, ERR_NOT_FOUND, "unknown ticket %lld", (long long)ticket);
    (void)pthread_mutex_lock(&desk->lock);
    struct result result = desk->results[ticket % RESULTS_MAX];
    (void)pthread_mutex_unlock(&desk->lock);

    if (result.ticket > ticket)
        return err_set(err, ERR_NOT_FOUND, "ticket %lld is too old", (long long)ticket);
    bool is_written = result.ticket == ticket;
    if (is_written && result.row == 0)
        return err_set(err, result.err.code, "%s", result.err.message);
    *row_out = is_written ? result.row : 0;
    return true;
}
