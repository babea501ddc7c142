/*
 * child.h - one execution of a call, from its start until none of its processes are left.
 *
 * Thread: engine, including the callbacks. A child reports its start, its output as it arrives and,
 * once, its end; or else that it could not be started. After that it frees itself. It ends when the
 * process that was started has ended, even if other processes still hold its pipes. The remaining
 * processes of its session get TERM, then KILL, before the end is reported. Processes that survive
 * KILL are given up and reported by name.
 */
#ifndef DEVS_CHILD_H
#define DEVS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "launch.h"
#include "outcome.h"
#include "proc.h"

enum {
    CHILD_PIECE_BYTES = 64 * 1024, /* most bytes passed to a watcher at once; the size of a pipe, */
    CHILD_PIPE_BYTES = 256 * 1024, /* and its size after it was found full */
    CHILD_READ_BYTES = 128 * 1024, /* read from one stream in one turn of the loop */
    /* After this much output only a little of the rest is looked at (FINGERPRINT_BYTES_MAX), so it
     * pays to wake the writer less often: */
    CHILD_MUCH_BYTES = 64 * 1024 * 1024,
    CHILD_MUCH_PIPE_BYTES = 1024 * 1024,
    CHILD_MUCH_READ_BYTES = 512 * 1024,
    CHILD_DRAIN_BYTES = 1024 * 1024, /* the most that is read after the end */
    CHILD_AFTER_KILL_MS = 2000,      /* how long killed processes may take to disappear */
    CHILD_LEFT_MAX = 8,              /* processes that are named */
};

/* What all children of one loop share. Opening it makes this process a subreaper and allows it to
 * wait for children even if SIGCHLD was ignored. */
struct nursery;
struct uv_loop_s;

/* No child may be alive when it is closed. The loop must run once more afterwards, to close a
 * handle. */
ATTR_MUST_USE bool nursery_open(struct nursery **out, struct uv_loop_s *loop, struct err *err);
void nursery_close(struct nursery *nursery);

/* Reaps orphans of attempts that have ended since the last call. Call it now and then. */
void nursery_reap(struct nursery *nursery);

struct child_end {
    struct outcome outcome;                 /* without byte and line counts */
    struct proc_facts left[CHILD_LEFT_MAX]; /* the first of the outcome.left processes */
    bool left_denied[CHILD_LEFT_MAX];       /* of these, the ones that we may not signal */
    int seen;                               /* the most processes seen at once while ending them */
    struct proc_facts ran[CHILD_LEFT_MAX];  /* alive before we ended the child, or found after
                                               its end: */
    int ran_count;                          /* number of these, first ones only; 0 = not checked */
};

struct str;

/* Appends what is left and why, for display: "1 of 4 processes ignores KILL (state D, pid
 * 48220)". */
void child_left_words(const struct child_end *end, struct str *out);

struct child_watcher {
    void *ctx;                  /* borrowed until `failed` or `ended` returns */
    void (*started)(void *ctx); /* it has started; see child_pid() */
    /* It could not be started, and nothing else will be reported. `number` is the errno. */
    void (*failed)(void *ctx, int number, const struct err *err);
    void (*output)(void *ctx, int stream, const char *bytes, size_t len); /* 0 stdout, 1 stderr */
    void (*ended)(void *ctx, const struct child_end *end);
    /* Sends TERM to all of its processes; NULL = signal its group. */
    void (*tell)(void *ctx, int signal_number);
};

struct child_call {
    struct launch_call spawn; /* borrowed until `started` or `failed` was called */
    const char *run_mark;     /* "DEVS_RUN=...", "DEVS_STEP=...": part of the environment, */
    const char *step_mark;    /* borrowed until the end is reported */
    int64_t timeout_ms;       /* 0 = none */
    int64_t grace_ms;         /* from TERM to KILL */
};

struct child;

/* Starts the child without waiting until it executes its program: either it gets there on its
 * own, or a starter thread waits for it. Calls `started` or `failed` later, never from within
 * this call. */
struct child *child_start(struct nursery *nursery, const struct child_call *call,
                          const struct child_watcher *watcher);

/* Valid once it has started. */
int64_t child_pid(const struct child *child);
/* Its start time, as in proc.h. Together with the pid it identifies a process uniquely. */
int64_t child_pid_start(const struct child *child);

/* Cancels the child for a person. If it is still starting, it is ended as soon as it has started.
 * May be called again with a harder mode. */
void child_cancel(struct child *child, enum cancel_mode mode);

/* Ends the child as if its own timeout had expired. Does nothing if it is over. */
void child_time_out(struct child *child);

/* devs itself was suspended for this long; the child's limits do not count that time. */
void child_stood_still(struct child *child, int64_t still_ms);

#endif
