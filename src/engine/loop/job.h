/*
 * job.h - blocking work of the engine that is done beside its loop.
 *
 * Workspaces and sandboxes take their time: files are copied, programs run to
 * their end. Such work is a job on one of a few threads (workers.h); that it is
 * done is told on the loop's thread. Jobs of one line (a task) run one after the other,
 * in the order in which they were added; lines run side by side. All functions
 * here belong to the loop's thread.
 */
#ifndef DEVS_JOB_H
#define DEVS_JOB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "workers.h"

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
    /* On a worker. *stop becomes true when nobody wants the work any more: look
     * now and then. */
    void (*work)(void *ctx, const atomic_bool *stop);
    /* On the loop's thread, once. has_run false: it was stopped before it began. The job is
     * gone after it. */
    void (*done)(void *ctx, bool has_run);
    void *ctx;   /* borrowed until `done` returns */
    bool always; /* it takes away what would be left: stopped or not, it runs */
};

/* No job yet; the threads begin with the first ones. */
ATTR_MUST_USE bool jobs_open(struct jobs **out, struct uv_loop_s *loop, struct err *err);
/* None may be left. The memory goes once the loop has closed the handle. */
void jobs_close(struct jobs *jobs);

/* Valid until `done` was told. NULL: JOBS_MAX are there already, nothing will be told. */
ATTR_MUST_USE struct job *jobs_add(struct jobs *jobs, const struct job_call *call);

/* Nobody wants it any more. `done` is told all the same, never from within this call. */
void job_stop(struct job *job);
/* The same of all there are. */
void jobs_stop(struct jobs *jobs);

/* Active and waiting. */
size_t jobs_count(const struct jobs *jobs);

#endif
