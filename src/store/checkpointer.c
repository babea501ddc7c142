#include "checkpointer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "db.h"
#include "log_writer.h"
#include "quiet_thread.h"
#include "turns.h"
#include "xalloc.h"

enum { NS_PER_MS = 1000 * 1000, MS_PER_S = 1000, NS_PER_S = 1000 * 1000 * 1000 };

struct checkpointer {
    /* Its own thread only (once it runs). */
    struct db db;
    struct turns turns;

    /* Starting thread only. */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t news;
    bool stopping;
    bool asked;
    bool unsynced;
    struct timespec sync_at; /* CLOCK_MONOTONIC, while unsynced */
    struct err failed;       /* a sync that went wrong, until it is told */
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

/* A reader in the way means less is done this time: the next one does the rest. */
static void checkpoint(struct checkpointer *self)
{
    if (!turns_take(&self->turns, NULL))
        return;
    (void)sqlite3_wal_checkpoint_v2(self->db.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                    NULL);
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

enum job { JOB_NONE, JOB_SYNC, JOB_CHECKPOINT, JOB_STOP };

/* Under the lock: wait until there is something to do. */
static enum job next_job(struct checkpointer *self)
{
    for (;;) {
        if (self->asked) {
            self->asked = false;
            return JOB_CHECKPOINT;
        }
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
        enum job job = next_job(self);
        (void)pthread_mutex_unlock(&self->lock);
        if (job == JOB_STOP)
            return NULL;
        if (job == JOB_SYNC)
            sync_now(self);
        else
            checkpoint(self);
    }
}

static void init_locks(struct checkpointer *self)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&self->news, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&self->lock, NULL);
}

static bool open_connection(struct checkpointer *self, const struct place *place, struct err *err)
{
    int64_t tables = 0;
    /* Readers keep it waiting: while it holds the turn it must not. */
    return turns_init(&self->turns, place, err) && db_init(&self->db, place->db, DB_WRITE, err) &&
           db_exec(&self->db, "PRAGMA busy_timeout=0", err) &&
           db_number(&self->db, "SELECT count(*) FROM sqlite_schema", &tables, err);
}

bool checkpointer_start(struct checkpointer **out, const struct place *place, struct err *err)
{
    struct checkpointer *self = xcalloc(1, sizeof(*self));
    self->turns = (struct turns){.gate_fd = -1, .write_fd = -1};
    init_locks(self);
    bool ok = open_connection(self, place, err);
    if (ok) {
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
    db_done(&self->db);
    turns_done(&self->turns);
    (void)pthread_cond_destroy(&self->news);
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

void checkpointer_synced(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->unsynced = false;
    (void)pthread_mutex_unlock(&self->lock);
}

void checkpointer_ask(struct checkpointer *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->asked = true;
    (void)pthread_cond_signal(&self->news);
    (void)pthread_mutex_unlock(&self->lock);
}
