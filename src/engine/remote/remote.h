/*
 * remote.h - one execution of a call on another machine, by devs-hand (docs/hand.md).
 *
 * Thread: engine, including the callbacks. Reports like a child (child.h): its start, its output
 * and its end once, or that it could not be started; then it frees itself. Each channel to the
 * machine is a child that runs ssh, or a command of a cluster. Its exit code is never taken for the
 * end of the execution: only the end that devs-hand has recorded counts. On a cluster, the first
 * channel waits until the task's job runs; an end that the cluster has caused gets its cause.
 *
 * If a channel breaks, the execution continues there. It is attached again with growing delays
 * until the fence: by then, devs-hand has ended it because nothing arrived. Only then is it
 * reported as lost, so that two copies of it never work at the same time.
 */
#ifndef DEVS_REMOTE_H
#define DEVS_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "child.h"
#include "control.h"
#include "err.h"
#include "event.h"
#include "plan.h"
#include "str.h"
#include "tool_run.h"

enum {
    REMOTE_INPUT_MAX = 64 * 1024 * 1024, /* maximum bytes of stdin, which are kept in memory */
    REMOTE_RETRY_MS_MIN = 500,           /* delay before the first new channel; doubles each time */
    REMOTE_RETRY_MS_MAX = 15 * 1000,
    REMOTE_STABLE_MS = 10 * 1000, /* after a channel that lasted this long, delays begin again */
    REMOTE_CONNECT_S = 20,        /* how long ssh may take to connect */
    REMOTE_HELLO_MS = 60 * 1000,  /* how long devs-hand may take to report that it runs */
    REMOTE_SILENT_MS = 60 * 1000, /* how long a channel may be silent; ticks come every 10 s */
    REMOTE_KILL_MS = 12 * 1000,   /* how long devs-hand may take to kill what ignores TERM */
    REMOTE_KILLED_MS = REMOTE_KILL_MS + 3 * 1000, /* how long the end after KILL is waited for */
    REMOTE_CONNECTING_MS = 3 * 1000, /* the same without contact, while a channel is connecting */
    REMOTE_BACK_MS = 60 * 1000, /* how long a machine that was suspended may need for its network */
    REMOTE_ERRORS_MAX = 4096,   /* bytes of ssh's stderr that are kept */
    REMOTE_WORDS_MAX = 120 * 1024, /* maximum bytes of a program's arguments; ssh sends them as one
                                      argument, and Linux limits that to 128 KiB */
};

/* An entry of the environment of everything that runs on another machine. */
#define REMOTE_MARK "DEVS_HAND=1"

struct uv_loop_s;
struct cluster_job;

/* Where something runs on another machine. All borrowed. */
struct remote_place {
    const struct plan_executor *executor;
    const char *host;
    struct cluster_job *job;  /* on a cluster: the task's job; NULL = the host of ssh */
    const char *control;      /* remote_share_path() of the host; NULL = no connection is shared */
    char *const *environment; /* for ssh itself, NULL-terminated */
    const char *run_mark, *step_mark; /* see child_call */
};

/* A connection that everything on a host shares, if the host allows it. Ends with devs, even if
 * devs is killed; ssh removes its socket then. */
struct remote_share;
/* Starts nothing yet. Copies *place, and borrows what it points to until remote_share_close().
 * `name` is unique among all runs and hosts of the user, and short. */
struct remote_share *remote_share_open(struct nursery *nursery, const struct remote_place *place,
                                       const char *name);
/* Starts the connection, unless it exists or has ended only a while ago. */
void remote_share_want(struct remote_share *share);
/* Returns the path of its socket, valid until remote_share_close(); NULL if there is none. */
const char *remote_share_path(const struct remote_share *share);
/* Ends the connection soon. */
void remote_share_leave(struct remote_share *share);
/* Frees it; the connection must have ended. `share` may be NULL. */
void remote_share_close(struct remote_share *share);

struct remote_call {
    struct remote_place place;
    const char *name; /* the attempt's folder below the executor's `dir`: unique for all time */
    /* Borrowed until the start was reported. The environment is added to that of the login on the
     * other machine. */
    char *const *argv;
    char *const *environment;
    const char *cwd;                  /* absolute, there */
    const char *stdin_path;           /* a file here, whose bytes are sent; NULL = none */
    const struct launch_input *input; /* bytes for stdin instead; NULL = none */
    int64_t timeout_ms;               /* from the start of the command; 0 = none */
    int64_t grace_ms;                 /* time from TERM to KILL */
    bool is_attach; /* an earlier devs has started it; only `place` and `name` are used */
};

struct remote_watcher {
    struct child_watcher on; /* without `tell`; of an end, only the outcome is known */
    /* Contact was lost or found again, or the state of the job is known, perhaps unchanged:
     * EVENT_CONTACT_LOST, EVENT_CONTACT_FOUND, EVENT_JOB_STATE. */
    void (*contact)(void *ctx, const struct event *fact);
    /* devs-hand answered in a new channel; `build` is its version. May be NULL. */
    void (*hello)(void *ctx, const char *build);
};

struct remote;

/* Starts the execution, or attaches to it. Calls `started` or `failed` later, never from within
 * this call. */
struct remote *remote_start(struct nursery *nursery, struct uv_loop_s *loop,
                            const struct remote_call *call, const struct remote_watcher *watcher);

/* Ends the execution on a person's request, or as if its timeout had expired. Without contact, the
 * request is sent with the next channel; with CANCEL_KILL, the execution is reported as canceled
 * without a proof, and ends there by its lease. */
void remote_cancel(struct remote *remote, enum cancel_mode mode);
/* See remote_cancel(). Does nothing before the command has started. */
void remote_time_out(struct remote *remote);

/* Ends the contact without a report, and frees it. If the execution has begun, it is left to its
 * lease. Not from within a callback. */
void remote_leave(struct remote *remote);

/* Reports that devs was suspended for this long: see child_stood_still(). */
void remote_stood_still(struct remote *remote, int64_t still_ms);

enum { REMOTE_CLEAN_MAX = 200 }; /* folders that one connection removes */

/* A program on another machine, without devs-hand: for what may be repeated. All borrowed. */
struct remote_program {
    const char *const *argv; /* NULL-terminated; at most REMOTE_WORDS_MAX bytes */
    const char *input_path;  /* file of this machine for stdin; NULL = none */
    size_t out_max;          /* 0 = TOOL_OUT_BYTES; what prints more is ended */
    int64_t timeout_ms;      /* 0 = TOOL_TIMEOUT_MS */
    const atomic_bool *stop; /* see tool_run() */
};

/* Runs the program until it exits. Blocks; any thread. Returns true if it has run, whatever its
 * exit code; the caller frees *out with tool_result_done(). Otherwise sets *start_code to a start
 * code of outcome.h, or to ECANCELED if it was stopped; it may still run there then. */
ATTR_MUST_USE bool remote_run(const struct remote_place *place,
                              const struct remote_program *program, struct tool_result *out,
                              int *start_code, struct err *err);

/* Called once, with the exit code of ssh, or -1, and the last line that it wrote to stderr. */
typedef void remote_done_fn(void *ctx, int code, const char *error);

/* Finds out whether the machine answers and has devs-hand, or whether the cluster answers: exit
 * code 0. Until `done` is called, the
 * returned child may be canceled. */
struct child *remote_probe(struct nursery *nursery, const struct remote_place *place, void *ctx,
                           remote_done_fn *done);
/* Removes the folders of ended attempts, and ends the job if there is one; `names` as in struct
 * remote_call, at most REMOTE_CLEAN_MAX. The returned child as in remote_probe(). */
struct child *remote_clean(struct nursery *nursery, const struct remote_place *place,
                           const struct str *names, size_t count, void *ctx, remote_done_fn *done);

#endif
