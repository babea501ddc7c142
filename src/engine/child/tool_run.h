/*
 * tool_run.h - a program that helps us (git, podman), run to its end.
 *
 * Blocks: for worker threads. The program is in a group of its own within our session, so that
 * the sweep takes it for no attempt's; the whole group is ended with it. Any thread.
 */
#ifndef DEVS_TOOL_RUN_H
#define DEVS_TOOL_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum {
    TOOL_OUT_BYTES = 16 * 1024 * 1024, /* of stdout that are kept where nothing is said */
    TOOL_ERR_BYTES = 64 * 1024,        /* of stderr, likewise */
    TOOL_TIMEOUT_MS = 120 * 1000,      /* where nothing is said */
    TOOL_GRACE_MS = 2000,              /* from TERM to KILL */
    TOOL_LATE_MS = 1000, /* a wake-up so late: we stood still ourselves, and that counts not */
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
};

/* All zero is an empty value; end with tool_result_done(). */
struct tool_result {
    int exit_code;       /* 128 + n where signal n ended it */
    struct str out, err; /* the first out_max and err_max bytes */
    bool out_cut, err_cut;
    bool timed_out, stopped; /* by us */
};

/* True: it ran and is over, whatever its exit code; *out is filled in. False: it could not be
 * started, *number_out (may be NULL) is the errno. */
ATTR_MUST_USE bool tool_run(const struct tool_call *call, struct tool_result *out, int *number_out,
                            struct err *err);
void tool_result_done(struct tool_result *result);

/* True if it ended by itself with exit code 0 and nothing was cut; else *err says, in one line,
 * what went wrong: the limit, or the last line that it wrote to stderr. */
ATTR_MUST_USE bool tool_succeeded(const struct tool_result *result, const char *what,
                                  struct err *err);

#endif
