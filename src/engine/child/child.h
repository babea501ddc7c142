/* child.h - one execution of a call, from its start until none of its processes are left.
 *
 * Thread: engine, including the callbacks. A child reports its start, its output as it arrives and,
 * once, its end; or that it could not be started. Then it frees itself. It ends when its first
 * process has exited, even if other processes still hold its pipes. The remaining processes of its
 * session get TERM, then KILL, before the end is reported. Processes that survive KILL are
 * abandoned and reported by name. */
#ifndef DEVS_CHILD_H
#define DEVS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "outcome.h"
#include "proc.h"
#include "spawn.h"

/* Starts the process of a call, with its own session, group and three descriptors.
 *
 * Does not copy our memory (spawn.h), so the time of a start does not depend on our size. Any
 * thread. No function waits for the end of the process. */

/* If a program is open for writing somewhere, its start is retried after 1, 2, 4 ms and so on up to
 * this delay (127 ms in all). This happens when an attempt has just built the program: another
 * process that is being started may still hold it open. */
enum { LAUNCH_BUSY_MS_MAX = 64 };

/* Bytes for stdin, in an anonymous memory file that nobody else can open. All bytes are there from
 * the first instruction on, followed by end of file. */
struct launch_input {
    const char *bytes; /* borrowed for the call */
    size_t len;
};

/* Everything that the new process gets. All borrowed for the call. */
struct launch_call {
    char *const *argv;        /* NULL-terminated, at least one */
    char *const *environment; /* NULL-terminated; its PATH is used to find argv[0] */
    const char *cwd;          /* absolute */
    const char *stdin_path;   /* absolute path of a file or character device; NULL = /dev/null */
    /* After resolving links, the file of stdin_path must be below the first folder and not below
     * the second. Absolute, without links; NULL = anywhere. */
    const char *stdin_within, *stdin_not_within;
    const struct launch_input *input; /* bytes for stdin, used instead of a path; NULL = none */
    const int *feed;     /* a descriptor for stdin, used instead of both; NULL = none */
    bool in_our_session; /* with its own group, but not its own session; for helpers of devs, not
                            for attempts */
    const struct spawn_limits *limits; /* apply from its first instruction on; NULL = none */
    /* The clock and /proc agreed about the start time of an earlier process, so /proc need not be
     * read if no tick passed. */
    bool clock_tells;
};

/* A started process. The caller owns the descriptors. */
struct launched {
    pid_t pid;     /* also the number of its group, and of its session if it has its own */
    int pidfd;     /* readable once the process has ended */
    int pipes[2];  /* our ends of the process's stdout and stderr; non-blocking */
    int64_t start; /* start time of the process in clock ticks since boot, as in /proc */
    bool by_clock; /* the clock gave the same start time; false if a tick passed */
};

/* Returns false if nothing was started; *number_out is then the errno. */
ATTR_MUST_USE bool launch_process(const struct launch_call *call, struct launched *out,
                                  int *number_out, struct err *err);

enum {
    CHILD_PIECE_BYTES = 64 * 1024, /* maximum bytes per output() call; initial size of a pipe */
    CHILD_PIPE_BYTES = 256 * 1024, /* size of a pipe that was found full */
    CHILD_READ_BYTES = 128 * 1024, /* maximum bytes read from a stream in one turn of the loop */
    /* After CHILD_MUCH_BYTES of output, only a few more bytes are examined (FINGERPRINT_BYTES_MAX),
     * so it pays to wake the writer less often. */
    CHILD_MUCH_BYTES = 64 * 1024 * 1024,
    CHILD_MUCH_PIPE_BYTES = 1024 * 1024,
    CHILD_MUCH_READ_BYTES = 512 * 1024,
    CHILD_DRAIN_BYTES = 1024 * 1024, /* maximum bytes read after the end */
    CHILD_AFTER_KILL_MS = 2000,      /* how long killed processes may take to disappear */
    CHILD_LEFT_MAX = 8,              /* maximum remaining processes listed by name */
};

/* The state shared by all children of a loop. Opening it makes this process a subreaper and allows
 * it to wait for children even if SIGCHLD was ignored. */
struct nursery;
struct uv_loop_s;

/* Opens or closes a nursery. When it is closed, no child may be alive; the loop must run once more
 * afterwards to close a handle. */
ATTR_MUST_USE bool nursery_open(struct nursery **out, struct uv_loop_s *loop, struct err *err);
void nursery_close(struct nursery *nursery);

/* Reaps orphans of attempts that have ended since the last call. Call it regularly. */
void nursery_reap(struct nursery *nursery);

struct child_end {
    struct outcome outcome;                 /* without byte and line counts */
    struct proc_facts left[CHILD_LEFT_MAX]; /* the first of the outcome.processes_left processes */
    bool left_denied[CHILD_LEFT_MAX];       /* true if we may not signal left[i] */
    int seen;                               /* largest number of processes found by one search */
    struct proc_facts ran[CHILD_LEFT_MAX];  /* processes that were alive before we ended the child,
                                               or were found after its end */
    int ran_count;                          /* length of `ran`; 0 = not checked */
    char canceller[96]; /* CAUSE_CANCELLED: the user who cancelled its job; "" = not known */
};

struct str;

/* Appends which processes are left and why, for users: "1 of 4 processes ignores KILL (state D, pid
 * 48220)". */
void child_left_words(const struct child_end *end, struct str *out);

struct child_watcher {
    void *ctx;                  /* borrowed until `failed` or `ended` returns */
    void (*started)(void *ctx); /* the child has started; see child_pid() */
    /* The child could not be started; nothing else will be reported. `number` is the errno. */
    void (*failed)(void *ctx, int number, const struct err *err);
    void (*output)(void *ctx, int stream, const char *bytes, size_t len); /* 0 stdout, 1 stderr */
    void (*ended)(void *ctx, const struct child_end *end);
    /* Sends the signal to all processes of the child; NULL = signal its group. */
    void (*tell)(void *ctx, int signal_number);
};

struct child_call {
    struct launch_call spawn; /* borrowed until `started` or `failed` was called */
    const char *run_mark;  /* "DEVS_RUN=...", an entry of the environment; borrowed until the end is
                              reported */
    const char *step_mark; /* "DEVS_STEP=...", an entry of the environment; borrowed until the end
                              is reported */
    int64_t timeout_ms;    /* 0 = none */
    int64_t grace_ms;      /* time from TERM to KILL */
};

struct child;

/* Starts the child on another thread, which waits for its exec. Calls `started` or `failed` later,
 * never from within this call. */
struct child *child_start(struct nursery *nursery, const struct child_call *call,
                          const struct child_watcher *watcher);

/* Returns the pid of the child's process. Valid once the child has started. */
int64_t child_pid(const struct child *child);
/* Returns the start time of the child's process, as in proc.h. Together with the pid, it identifies
 * the process uniquely. */
int64_t child_pid_start(const struct child *child);

/* Cancels the child because a user requested it. A child that is still starting is ended as soon as
 * it has started. May be called again with a harder mode. */
void child_cancel(struct child *child, enum cancel_mode mode);

/* Ends the child as if its own timeout had expired. Does nothing if it is over. */
void child_time_out(struct child *child);

/* Reports that devs itself was suspended for this long, which does not count toward the child's
 * limits. */
void child_stood_still(struct child *child, int64_t still_ms);

#endif
