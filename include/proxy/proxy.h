/*
 * proxy.h - serves tools to a coding agent: the Model Context Protocol on two descriptors, with one
 * run that has a task for each tool call.
 *
 * The run begins with the first call and ends when the client disconnects. The proxy does not
 * retry, wait or judge: each call goes through the engine, and replies to the client come from the
 * log (requirement A10).
 */
#ifndef DEVS_PROXY_H
#define DEVS_PROXY_H

#include <stdint.h>

#include "attr.h"
#include "engine.h"
#include "err.h"
#include "str.h"
#include "workspace_spec.h"

enum {
    PROXY_JOBS = 8,        /* maximum concurrent calls */
    PROXY_GRACE_MS = 2000, /* time for active calls to end after the client's stream has ended */
    PROXY_KILL_GRACE_MS =
        1000, /* time between SIGTERM and SIGKILL for processes that are still running after that */
    PROXY_LOOK_MS = 1000, /* how often waiting calls are checked, and their progress reported */
    PROXY_RUNS_MS = 5000, /* how often progress of running calls is reported */
};

struct proxy_options {
    int in_fd, out_fd; /* the protocol's descriptors; borrowed */
    int signal_fd;     /* readable when a signal requests shutdown; borrowed */
    const char *db;    /* path of the log, as for place_find() */
    /* Options for the engine; `plan` grows and has no tasks. The proxy sets place, name and `by`.
     * Strings are borrowed until proxy_run() returns. */
    struct engine_options engine;
    const struct workspace_spec *workspace; /* borrowed; where calls run; NULL = in place */
    const char *name;                       /* name of the run; NULL = the client's name */
    char *const *tests;                     /* command of run_tests, borrowed; NULL = not set */
    const char *program; /* absolute path of devs itself, for the file tools; borrowed */
};

/* Summary for the last line of output. */
struct proxy_result {
    int64_t run; /* run number; 0 = no tool was called */
    int64_t calls;
    int signal_number; /* the signal that ended the session; 0 = the client disconnected */
    struct str kept; /* where the files of a workspace were kept; "" = in place. The caller frees */
    bool recording_failed;
    struct err err;        /* why recording failed, or why the files could not be kept */
    struct err notify_err; /* why the last notification failed, as in struct engine_result */
};

/* Serves until the client's stream ends or signal_fd is readable, then stops running calls and ends
 * the run. Runs on the calling thread; SIGPIPE must be blocked or ignored. Returns false if serving
 * was not possible. */
ATTR_MUST_USE bool proxy_run(const struct proxy_options *options, struct proxy_result *result,
                             struct err *err);

#endif
