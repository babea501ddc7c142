/*
 * child.h - one execution of a call, from its start until nothing of it is left.
 *
 * Belongs to the loop's thread, as do the callbacks. A child tells that it has
 * started, its output as it comes, and once that it has ended; or else that it
 * could not be started. After that it is gone, so nobody frees it. Its end is the end of the
 * process that was started, whoever still holds the pipes; what is left of its session is told
 * TERM, then KILL, before the end is told. What no signal ends is given up and named.
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
    CHILD_PIECE_BYTES = 64 * 1024, /* that a watcher is told at once; a pipe holds as many, */
    CHILD_PIPE_BYTES = 256 * 1024, /* but so many once it was found full */
    CHILD_READ_BYTES = 128 * 1024, /* of one stream in one turn of the loop */
    /* Of a stream that so much came of little is looked at (FINGERPRINT_BYTES_MAX), and it pays to
     * wake its writer less often: */
    CHILD_MUCH_BYTES = 64 * 1024 * 1024,
    CHILD_MUCH_PIPE_BYTES = 1024 * 1024,
    CHILD_MUCH_READ_BYTES = 512 * 1024,
    CHILD_DRAIN_BYTES = 1024 * 1024, /* read at most after the end */
    CHILD_AFTER_KILL_MS = 2000,      /* how long what was killed may take to go */
    CHILD_LEFT_MAX = 8,              /* processes that are named */
};

/* What all children of one loop share. Opening it makes this process a subreaper
 * and lets it await children even where SIGCHLD was ignored. */
struct nursery;
struct uv_loop_s;

/* No child may be alive when it closes; the loop has a handle to close then, and runs once more. */
ATTR_MUST_USE bool nursery_open(struct nursery **out, struct uv_loop_s *loop, struct err *err);
void nursery_close(struct nursery *nursery);

/* Reap what attempts left to us and what has ended since; now and then. */
void nursery_reap(struct nursery *nursery);

struct child_end {
    struct outcome outcome;                 /* without bytes and lines */
    struct proc_facts left[CHILD_LEFT_MAX]; /* the first of outcome.left */
    bool left_denied[CHILD_LEFT_MAX];       /* likewise: we may not signal it */
    int seen;                               /* most processes seen at once while ending them */
    struct proc_facts ran[CHILD_LEFT_MAX];  /* alive before we ended it, or found after its end; */
    int ran_count;                          /* of these, the first; 0 = nobody looked */
};

struct str;

/* Append what is left and why, for people: "1 of 4 processes ignores KILL (state D, pid 48220)". */
void child_left_words(const struct child_end *end, struct str *out);

struct child_watcher {
    void *ctx;                  /* borrowed until `failed` or `ended` returns */
    void (*started)(void *ctx); /* its process is there: child_pid() */
    /* Nothing runs, and nothing else is told; the errno, and what to say. */
    void (*failed)(void *ctx, int number, const struct err *err);
    void (*output)(void *ctx, int stream, const char *bytes, size_t len); /* 0 out, 1 err */
    void (*ended)(void *ctx, const struct child_end *end);
    /* TERM for all of it goes this way; NULL: to its group. */
    void (*tell)(void *ctx, int signal_number);
};

struct child_call {
    struct launch_call spawn; /* borrowed until the start was told */
    const char *run_mark;     /* "DEVS_RUN=...", "DEVS_STEP=...": in the environment, */
    const char *step_mark;    /* borrowed until the end was told */
    int64_t timeout_ms;       /* 0 = none */
    int64_t grace_ms;         /* from TERM to KILL */
};

struct child;

/* Nothing here waits until the process executes its program: it goes there by itself, or a thread
 * beside the loop waits for it. `started` or `failed` comes later, never from within the call. */
struct child *child_start(struct nursery *nursery, const struct child_call *call,
                          const struct child_watcher *watcher);

/* Once it has started. */
int64_t child_pid(const struct child *child);
/* Its start time, as in proc.h: pid and start name a process for good. */
int64_t child_pid_start(const struct child *child);

/* End it because a person asked; one that is being started, as soon as it is there. May be asked
 * again, harder. */
void child_cancel(struct child *child, enum cancel_mode mode);

/* End it because its time is used up, as a timeout of its own would. Nothing where it is over. */
void child_time_out(struct child *child);

/* So much time has passed in which we stood still ourselves: its limits do not count it. */
void child_stood_still(struct child *child, int64_t still_ms);

#endif
