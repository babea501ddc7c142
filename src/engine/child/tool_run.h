/*
 * tool_run.h - runs a helper program (git, podman) until it exits.
 *
 * Blocks, so use it on worker threads. The program has its own process group, which is killed when
 * the program has ended. It is in our session unless own_session is set; in both cases the sweep of
 * an attempt ignores it. Any thread.
 *
 * Relative folders are removed from the PATH that is used to find the program and that it receives:
 * they could lead into an untrusted tree.
 */
#ifndef DEVS_TOOL_RUN_H
#define DEVS_TOOL_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "spawn.h"
#include "str.h"

enum {
    TOOL_OUT_BYTES = 16 * 1024 * 1024, /* default maximum of stdout that is kept */
    TOOL_ERR_BYTES = 64 * 1024,        /* default maximum of stderr that is kept */
    TOOL_TIMEOUT_MS = 120 * 1000,      /* default time limit */
    TOOL_GRACE_MS = 2000,              /* time from TERM to KILL */
    TOOL_LATE_MS = 1000, /* if we wake up too late by more than this, devs was suspended, and the
                            time does not count toward the limit */
};

/* All borrowed for the call. */
struct tool_call {
    char *const *argv; /* NULL-terminated; argv[0] is searched for in the PATH of `environment` */
    char *const *environment; /* NULL-terminated; replaces the whole environment */
    const char *cwd;          /* absolute */
    const char *input;        /* stdin; NULL = none */
    size_t input_len;
    const char *input_path; /* absolute path of a file for stdin, instead of `input`; NULL = none */
    int64_t timeout_ms;     /* 0 = TOOL_TIMEOUT_MS */
    size_t out_max, err_max; /* 0 = TOOL_OUT_BYTES, TOOL_ERR_BYTES */
    bool ends_when_full;     /* ends the program when stdout exceeds out_max */
    const atomic_bool *stop; /* may be NULL; checked every 50 ms */

    /* For a program that handles files written by others (sandbox_run()). */
    const struct spawn_limits *limits;     /* NULL = none */
    bool keeps_path;                       /* passes PATH unchanged; for a command of a plan */
    bool own_session;                      /* in its own session, without our terminal */
    void (*started)(void *ctx, pid_t pid); /* called on this thread; may be NULL */
    void (*terminate)(void *ctx, int signal_number); /* sends TERM; NULL = signal its group */
    void *ctx;
};

/* All zero is a valid empty value. Free with tool_result_done(). */
struct tool_result {
    int exit_code;       /* 128 + n if signal n ended it */
    int signal_number;   /* the signal n; 0 = it exited */
    struct str out, err; /* the first out_max and err_max bytes */
    bool out_cut, err_cut;
    bool timed_out, stopped; /* we ended it because of its time limit or the stop flag */
};

/* Runs the program until it exits. Returns true and fills in *out if it ran, whatever its exit
 * code. Returns false if it could not be started; *number_out (may be NULL) is then the errno. */
ATTR_MUST_USE bool tool_run(const struct tool_call *call, struct tool_result *out, int *number_out,
                            struct err *err);
void tool_result_done(struct tool_result *result);

/* Returns whether the program exited on its own with code 0 and without truncated stdout. If not,
 * sets *err to one line with the problem: the limit, or the last line of its stderr. */
ATTR_MUST_USE bool tool_succeeded(const struct tool_result *result, const char *what,
                                  struct err *err);

/* Runs a program of this machine for its output, with a time limit. Blocks. `words` is its argv,
 * NULL-terminated. Returns true if it exited with code 0 in time; otherwise *err (may be NULL) says
 * why. In both cases the caller frees *out with tool_result_done(). */
ATTR_MUST_USE bool tool_ask(const char *const *words, char *const *environment, int64_t timeout_ms,
                            struct tool_result *out, struct err *err);

#endif
