/*
 * tool_run.h - a program that helps us (git, podman), run to its end.
 *
 * Blocks: for worker threads. The program has a process group of its own, which is killed when the
 * program has ended. It is in our session unless own_session is set; either way the sweep of an
 * attempt leaves it alone. Any thread.
 *
 * The program is ours to choose (git, podman), so relative folders are dropped from the PATH that
 * finds it and that it is given: they would lead into a tree that others wrote.
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
    TOOL_OUT_BYTES = 16 * 1024 * 1024, /* of stdout that are kept, by default */
    TOOL_ERR_BYTES = 64 * 1024,        /* the same of stderr */
    TOOL_TIMEOUT_MS = 120 * 1000,      /* by default */
    TOOL_GRACE_MS = 2000,              /* from TERM to KILL */
    TOOL_LATE_MS = 1000, /* a later wake-up: devs was suspended, and that time does not count */
};

/* All borrowed for the call. */
struct tool_call {
    char *const *argv;        /* NULL-terminated; its PATH finds argv[0] */
    char *const *environment; /* NULL-terminated, the whole of it */
    const char *cwd;          /* absolute */
    const char *input;        /* stdin; NULL = none */
    size_t input_len;
    int64_t timeout_ms;      /* 0 = TOOL_TIMEOUT_MS */
    size_t out_max, err_max; /* 0 = TOOL_OUT_BYTES, TOOL_ERR_BYTES */
    const atomic_bool *stop; /* NULL = none; looked at every 50 ms */

    /* For a program over files that somebody else wrote (sandbox_run()). */
    const struct spawn_limits *limits;               /* NULL = none */
    bool keeps_path;                                 /* a plan's command: its PATH stays as it is */
    bool own_session;                                /* without our terminal */
    void (*started)(void *ctx, pid_t pid);           /* on this thread; NULL = not called */
    void (*terminate)(void *ctx, int signal_number); /* sends TERM; NULL = to the group */
    void *ctx;
};

/* All zero is an empty value; end with tool_result_done(). */
struct tool_result {
    int exit_code;       /* 128 + n where signal n ended it */
    int signal_number;   /* that n; 0 = it exited */
    struct str out, err; /* the first out_max and err_max bytes */
    bool out_cut, err_cut;
    bool timed_out, stopped; /* by us */
};

/* Runs the program to its end. True: it has run, whatever its exit code; *out is filled in. False:
 * it could not be started, and *number_out (may be NULL) is the errno. */
ATTR_MUST_USE bool tool_run(const struct tool_call *call, struct tool_result *out, int *number_out,
                            struct err *err);
void tool_result_done(struct tool_result *result);

/* True if it exited on its own with code 0 and its stdout was not truncated. Otherwise *err says in
 * one line what went wrong: the limit, or the last line that it wrote to stderr. */
ATTR_MUST_USE bool tool_succeeded(const struct tool_result *result, const char *what,
                                  struct err *err);

/* Asks a program of the machine a question and takes its answer, within limits. Blocks.
 * `words`: NULL-terminated, the first one the program. True if it ended with exit code 0 in
 * time; else *err (may be NULL) says why not. The caller ends *out with tool_result_done()
 * either way. */
ATTR_MUST_USE bool tool_ask(const char *const *words, char *const *environment, int64_t timeout_ms,
                            struct tool_result *out, struct err *err);

/* A growing argv: owned texts, always NULL-terminated. All zero is an empty list. Any thread, one
 * at a time. */
struct arg_list {
    char **items; /* owned, each; NULL while empty */
    size_t count, cap;
};

/* Appends a copy of the text; `items` stays NULL-terminated. */
void arg_list_add(struct arg_list *list, const char *text);
/* Appends one text, formatted as by printf(), of any length. */
ATTR_PRINTF(2, 3) void arg_list_addf(struct arg_list *list, const char *fmt, ...);
/* Appends copies of a NULL-terminated array; NULL is an empty one. */
void arg_list_add_all(struct arg_list *list, char *const *texts);
/* Is the text in it? */
bool arg_list_has(const struct arg_list *list, const char *text);
void arg_list_done(struct arg_list *list);

#endif
