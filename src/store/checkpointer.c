#include "checkpointer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "db.h"
#include "log_writer.h"
#include "quiet_thread.h"
#include "turns.h"
#include "wal_check.h"
#include "xalloc.h"

enum { NS_PER_MS = 1000 * 1000, MS_PER_S = 1000, NS_PER_S = 1000 * 1000 * 1000 };

enum job { JOB_NONE, JOB_SYNC, JOB_RESTART, JOB_CUT_OFF, JOB_STOP };

struct checkpointer {
    /* Its own thread only (once it runs). */
    struct db db;
    struct turns turns;

    /* A reading connection: while its statement is under way nobody resets the WAL. */
    struct db pin_db;
    sqlite3_stmt *pin; /* owned */

    /* Starting thread only. */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t news;
    pthread_cond_t copied; /* not pinned any more */
    bool stopping;
    enum job asked; /* a checkpoint, or none */
    bool pinned;    /* `pin` is under way, for the next checkpoint */
    bool unsynced;
    struct timespec sync_at; /* CLOCK_MONOTONIC, while unsynced */
    struct err failed;       /* a sync that went wrong, until it is told */
    struct err lost;         /* why nothing is copied any more; no code: it is */
};

static struct timespec in_ms(int ms)
{
    struct timespec at = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &at); /* always there */
    at.tv_sec += ms / MS_PER_S;
    at.tv_nsec += (long)(ms % MS_PER_S) * NS_PER_MS;
    if (at.tv_nsec >= NS_PER_S) {
        at.tv_sec++;
        at.tv_nsec -= NS_PER_S;
    }
    return at;
}

static bool take_pinned(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    const bool pinned = self->pinned;
    (void)pthread_mutex_unlock(&self->lock);
    return pinned;
}

static void unpin(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    (void)sqlite3_reset(self->pin);
    self->pinned = false;
    (void)pthread_cond_signal(&self->copied);
    (void)pthread_mutex_unlock(&self->lock);
}

/* Before each copy: else what is wrong with the WAL goes into the database. */
static bool may_copy(struct checkpointer *self)
{
    struct err err = {0};
    const bool ok = checkpointer_check(self, NULL) && wal_is_whole(&self->db, &err);
    if (err.code != ERR_NONE) {
        (void)pthread_mutex_lock(&self->lock);
        self->lost = err;
        (void)pthread_mutex_unlock(&self->lock);
    }
    return ok;
}

/* Most of it, both syncs too, while others commit: a checkpoint of this kind keeps nobody waiting.
 * SQLite up to 3.51.2 may take new frames for copied ones if somebody begins the WAL anew just when
 * it starts (sqlite.org/wal.html, "The WAL-Reset Bug"): what is pinned keeps everybody from that.
 */
static void copy_pinned(struct checkpointer *self)
{
    if (!take_pinned(self))
        return;
    if (may_copy(self))
        (void)sqlite3_wal_checkpoint_v2(self->db.handle, "main", SQLITE_CHECKPOINT_PASSIVE, NULL,
                                        NULL);
    unpin(self);
}

/* A reader in the way means less is done this time: the next one does the rest. */
static void checkpoint(struct checkpointer *self, bool cut_off)
{
    copy_pinned(self);
    if (!turns_take(&self->turns, NULL))
        return;
    if (may_copy(self))
        (void)sqlite3_wal_checkpoint_v2(
            self->db.handle, "main",
            cut_off ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART, NULL, NULL);
    turns_give(&self->turns);
}

static void sync_now(struct checkpointer *self)
{
    struct err err = {0};
    if (db_sync(&self->db, &err))
        return;
    (void)pthread_mutex_lock(&self->lock);
    if (self->failed.code == ERR_NONE)
        self->failed = err;
    (void)pthread_mutex_unlock(&self->lock);
}

/* Under the lock: wait until there is something to do. */
static enum job next_job(struct checkpointer *self)
{
    for (;;) {
        const enum job asked = self->asked;
        self->asked = JOB_NONE;
        if (asked != JOB_NONE)
            return asked;
        if (self->stopping)
            return JOB_STOP;
        int code = 0;
        if (self->unsynced)
            code = pthread_cond_timedwait(&self->news, &self->lock, &self->sync_at);
        else
            (void)pthread_cond_wait(&self->news, &self->lock);
        if (code == ETIMEDOUT && self->unsynced) {
            self->unsynced = false;
            return JOB_SYNC;
        }
    }
}

static void *run(void *arg)
{
    struct checkpointer *self = arg;
    for (;;) {
        (void)pthread_mutex_lock(&self->lock);
        const enum job job = next_job(self);
        (void)pthread_mutex_unlock(&self->lock);
        if (job == JOB_STOP)
            return NULL;
        if (job == JOB_SYNC)
            sync_now(self);
        else
            checkpoint(self, job == JOB_CUT_OFF);
    }
}

static void init_locks(struct checkpointer *self)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&self->news, &attributes);
    (void)pthread_cond_init(&self->copied, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&self->lock, NULL);
}

static bool open_connection(struct checkpointer *self, const struct place *place, struct err *err)
{
    static const char *const pin_sql = "SELECT 1 FROM sqlite_schema";
    int64_t tables = 0;
    /* Readers keep it waiting: while it holds the turn it must not. */
    return turns_init(&self->turns, place, err) && db_init(&self->db, place->db, DB_WRITE, err) &&
           db_exec(&self->db, "PRAGMA busy_timeout=0", err) &&
           db_number(&self->db, "SELECT count(*) FROM sqlite_schema", &tables, err) &&
           db_init(&self->pin_db, place->db, DB_READ, err) &&
           db_prepare(&self->pin_db, &pin_sql, 1, &self->pin, err);
}

bool checkpointer_start(struct checkpointer **out, const struct place *place, struct err *err)
{
    struct checkpointer *self = xcalloc(1, sizeof(*self));
    self->turns = (struct turns){.gate_fd = -1, .write_fd = -1};
    init_locks(self);
    bool ok = open_connection(self, place, err);
    if (ok) {
        wal_learn(&self->db);
        int code = quiet_thread_start(&self->thread, run, self);
        self->has_thread = code == 0;
        ok = code == 0 || err_set_errno(err, code, "cannot start the log's thread");
    }
    if (ok)
        *out = self;
    else
        checkpointer_stop(self);
    return ok;
}

void checkpointer_stop(struct checkpointer *self)
{
    if (!self)
        return;
    (void)pthread_mutex_lock(&self->lock);
    self->stopping = true;
    (void)pthread_cond_signal(&self->news);
    (void)pthread_mutex_unlock(&self->lock);
    if (self->has_thread)
        (void)pthread_join(self->thread, NULL);
    db_finalize(&self->pin, 1);
    db_done(&self->pin_db);
    db_done(&self->db);
    turns_done(&self->turns);
    (void)pthread_cond_destroy(&self->news);
    (void)pthread_cond_destroy(&self->copied);
    (void)pthread_mutex_destroy(&self->lock);
    free(self);
}

void checkpointer_news(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    if (!self->unsynced) {
        self->unsynced = true;
        self->sync_at = in_ms(LOG_FULL_SYNC_MS);
        (void)pthread_cond_signal(&self->news);
    }
    (void)pthread_mutex_unlock(&self->lock);
}

void checkpointer_take_error(struct checkpointer *self, struct err *err)
{
    (void)pthread_mutex_lock(&self->lock);
    if (self->failed.code != ERR_NONE)
        (void)err_set(err, self->failed.code, "%s", self->failed.message);
    self->failed = (struct err){0};
    (void)pthread_mutex_unlock(&self->lock);
}

bool checkpointer_check(struct checkpointer *self, struct err *err)
{
    (void)pthread_mutex_lock(&self->lock);
    const struct err lost = self->lost;
    (void)pthread_mutex_unlock(&self->lock);
    return lost.code == ERR_NONE || err_set(err, lost.code, "%s", lost.message);
}

void checkpointer_synced(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->unsynced = false;
    (void)pthread_mutex_unlock(&self->lock);
}

/* Under the lock. Where one is under way it stays: what it holds back was not copied then. */
static void pin_here(struct checkpointer *self)
{
    if (self->pinned)
        return;
    bool row = false;
    self->pinned = db_next(&self->pin_db, self->pin, &row, NULL) && row;
    if (!self->pinned)
        (void)sqlite3_reset(self->pin); /* then all of it is done in turn */
}

void checkpointer_ask(struct checkpointer *self, bool cut_off)
{
    (void)pthread_mutex_lock(&self->lock);
    pin_here(self);
    if (self->asked != JOB_CUT_OFF) /* that does all that the other does */
        self->asked = cut_off ? JOB_CUT_OFF : JOB_RESTART;
    (void)pthread_cond_signal(&self->news);
    (void)pthread_mutex_unlock(&self->lock);
}

void checkpointer_await(struct checkpointer *self, int wait_ms)
{
    const struct timespec until = in_ms(wait_ms);
    int code = 0;
    (void)pthread_mutex_lock(&self->lock);
    while (self->pinned && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&self->copied, &self->lock, &until);
    (void)pthread_mutex_unlock(&self->lock);
}
