/*
 * proxy.h - a server of tools for a coding agent: the Model Context Protocol on two
 * descriptors, each call of a tool a task of one run.
 *
 * The run begins with the first call and ends when the client goes. There is no retry, no
 * waiting and no judging here: each call goes through the engine, and what the client is told
 * is read from the log (requirement A10).
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
    PROXY_JOBS = 8,             /* calls that are executed at a time */
    PROXY_GRACE_MS = 2000,      /* for calls that are under way when the client's stream ends */
    PROXY_KILL_GRACE_MS = 1000, /* for their processes after that, from TERM to KILL */
    PROXY_LOOK_MS = 1000,       /* between two looks at what waits: progress is told then */
    PROXY_RUNS_MS = 5000,       /* between two words of progress on what runs */
};

struct proxy_options {
    int in_fd, out_fd; /* of the protocol; borrowed */
    int signal_fd;     /* readable once a signal says to end; borrowed */
    const char *db;    /* as for place_find() */
    /* What the engine is started with; `plan` grows and has no tasks. Place, name and `by` are
     * the proxy's. Its texts are borrowed until proxy_run() returns. */
    struct engine_options engine;
    const struct workspace_spec *workspace; /* borrowed; where calls work; NULL = in place */
    const char *name;                       /* of the run; NULL = the client's own */
    char *const *tests;                     /* command of run_tests, borrowed; NULL = none is set */
    const char *program; /* absolute path of devs itself, for the file tools; borrowed */
};

/* What was done, for a last line. */
struct proxy_result {
    int64_t run; /* its number; 0 = no tool was called */
    int64_t calls;
    int signal_number; /* that ended it; 0 = the client went */
    struct str kept;   /* where what was made in a workspace is: the caller's; "" = in place */
    bool recording_failed;
    struct err err;        /* why; or why what was made could not be kept */
    struct err notify_err; /* as in struct engine_result */
};

/* Serve until the client's stream ends or signal_fd is readable; then what runs is ended and the
 * run closed. On one thread; SIGPIPE must be blocked or ignored. False: nothing could be
 * served. */
ATTR_MUST_USE bool proxy_run(const struct proxy_options *options, struct proxy_result *result,
                             struct err *err);

#endif
