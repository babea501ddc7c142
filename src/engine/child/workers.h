/*
 * workers.h - the threads on which blocking work is done beside a loop.
 *
 * libuv's own pool ends the process where its threads cannot be made, and makes
 * them when the first work comes: after programs of ours may have taken what the
 * user's limit of processes leaves. Here one thread is made at once, and others
 * when there is work for them; where none can be had the first one does it all.
 * All functions belong to the loop's thread.
 */
#ifndef DEVS_WORKERS_H
#define DEVS_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"

enum { WORKERS_MAX = 4 };

struct workers;
struct uv_loop_s;

/* Embedded in the caller's own struct, which must stay until `done` is called. */
struct worker_task {
    void (*work)(struct worker_task *task); /* on a worker */
    void (*done)(struct worker_task *task); /* on the loop's thread, never from within a call */
    struct worker_task *next;               /* of the workers */
};

/* Fails where not even one thread can be made (ERR_IO or as errno says). */
ATTR_MUST_USE bool workers_open(struct workers **out, struct uv_loop_s *loop, struct err *err);
/* Nothing may be left to do. The memory goes once the loop has closed the handle. */
void workers_close(struct workers *workers);

/* Queues the task. Tasks start in the order in which they were added, each as soon as a worker is
 * free. */
void workers_add(struct workers *workers, struct worker_task *task);

/*
 * Jobs: blocking work of the engine, on workers of its own.
 *
 * Workspaces and sandboxes take their time: files are copied, programs run to their end. `done` is
 * called on the loop's thread. Jobs of one line (a task) run one after the other, in the order in
 * which they were added; lines run side by side. All functions belong to the loop's thread.
 */

enum {
    JOBS_ACTIVE_MAX = WORKERS_MAX,       /* at a time */
    JOBS_LONG_MAX = JOBS_ACTIVE_MAX - 1, /* of these: what must run finds a thread */
    JOBS_MAX = 4096,                     /* active and waiting */
};

struct jobs;
struct job;
struct uv_loop_s;

struct job_call {
    int line; /* task number */
    /* On a worker. *stop becomes true when the work is not wanted any more: look at it now and
     * then. */
    void (*work)(void *ctx, const atomic_bool *stop);
    /* On the loop's thread, once. has_run is false if it was stopped before it began. The job is
     * freed afterwards. */
    void (*done)(void *ctx, bool has_run);
    void *ctx;   /* borrowed until `done` returns */
    bool always; /* it cleans up: it runs even if it was stopped */
};

/* There is no job yet; more threads are started when there are jobs for them. */
ATTR_MUST_USE bool jobs_open(struct jobs **out, struct uv_loop_s *loop, struct err *err);
/* None may be left. The memory goes once the loop has closed the handle. */
void jobs_close(struct jobs *jobs);

/* The job is valid until `done` is called. NULL if there are JOBS_MAX already; `done` is not called
 * then. */
ATTR_MUST_USE struct job *jobs_add(struct jobs *jobs, const struct job_call *call);

/* The job is not wanted any more. `done` is called all the same, never from within this call. */
void job_stop(struct job *job);
/* job_stop() for all jobs. */
void jobs_stop(struct jobs *jobs);

/* The number of jobs, active and waiting. */
size_t jobs_count(const struct jobs *jobs);

#endif
