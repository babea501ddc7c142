/* workers.h - threads that do blocking work next to an event loop.
 *
 * libuv's own thread pool aborts the process if its threads cannot be created, and creates them
 * when the first work arrives: by then the programs that we run may have used up the user's process
 * limit. Here, one thread is created at once, and more when there is work for them. If no more can
 * be created, the first one does all the work. Thread: the loop's. */
#ifndef DEVS_WORKERS_H
#define DEVS_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

enum {
    WORKERS_MAX = 16
}; /* maximum number of threads; a start blocks a thread for as long as the file server of its
      folder hangs */

struct workers;
struct uv_loop_s;

/* Embedded in the caller's own struct, which must exist until `done` is called. */
struct worker_task {
    void (*work)(struct worker_task *task); /* called on a worker */
    void (*done)(struct worker_task *task); /* called on the loop's thread, never from within
                                               workers_add() */
    struct worker_task *next;               /* used by the workers */
};

/* Creates one thread now, and up to `most` (at most WORKERS_MAX) when there is work for them. Fails
 * if not even one can be created (ERR_IO, or as errno says). */
ATTR_MUST_USE bool workers_open(struct workers **out, struct uv_loop_s *loop, int most,
                                struct err *err);
/* No tasks may be left. The memory is freed once the loop has closed the handle. */
void workers_close(struct workers *workers);

/* Queues the task. Tasks start in the order in which they were added, each as soon as a worker is
 * free. */
void workers_add(struct workers *workers, struct worker_task *task);

/*
 * Jobs: blocking work of the engine, on its own workers.
 *
 * Workspaces and sandboxes take time: files are copied, programs run until they exit. Jobs of one
 * line (a task) run one after the other, in the order in which they were added; different lines run
 * in parallel. Thread: the loop's.
 */

enum {
    JOBS_ACTIVE_MAX = 4,                 /* maximum number of jobs that run at the same time */
    JOBS_LONG_MAX = JOBS_ACTIVE_MAX - 1, /* maximum number of running jobs that are not `always`;
                                            leaves a thread for `always` jobs */
    JOBS_MAX = 4096,                     /* maximum number of jobs, running and waiting */
};

struct jobs;
struct job;

struct job_call {
    int line; /* task number */
    /* Called on a worker. *stop becomes true when the work is not needed any more; check it
     * regularly. */
    void (*work)(void *ctx, const atomic_bool *stop);
    /* Called once, on the loop's thread. has_run is false if the job was stopped before it began.
     * The job is freed afterwards. */
    void (*done)(void *ctx, bool has_run);
    void *ctx;   /* borrowed until `done` returns */
    bool always; /* runs even if it was stopped, because it cleans up */
};

/* Opens an empty list of jobs. More threads are started when there are jobs for them. */
ATTR_MUST_USE bool jobs_open(struct jobs **out, struct uv_loop_s *loop, struct err *err);
/* No jobs may be left. The memory is freed once the loop has closed the handle. */
void jobs_close(struct jobs *jobs);

/* Adds a job. The result is valid until `done` is called. Returns NULL, and never calls `done`, if
 * there are JOBS_MAX jobs already. */
ATTR_MUST_USE struct job *jobs_add(struct jobs *jobs, const struct job_call *call);

/* Stops a job that is not needed any more. `done` is still called, but never from within this
 * call. */
void job_stop(struct job *job);
/* Calls job_stop() for all jobs. */
void jobs_stop(struct jobs *jobs);

/* Returns the number of active and waiting jobs. */
size_t jobs_count(const struct jobs *jobs);

#endif
