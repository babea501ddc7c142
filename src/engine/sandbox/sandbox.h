/* sandbox.h - the sandbox of one attempt: none, bwrap, podman or docker.
 *
 * A sandbox is prepared before the attempt's process. That process is then started with the argv,
 * environment, folder and limits of sandbox_launch(), by a thread that lives until the process has
 * ended (bwrap dies with the thread that started it). After its end, sandbox_finish() interprets
 * the end: it inspects the container, reads the counters, ends leftover processes and removes what
 * was prepared.
 *
 * prepare, signal of a container, finish, sweep and check block, so use worker threads. One call at
 * a time for each sandbox; only sandbox_signal() may run in parallel with others. */
#ifndef DEVS_SANDBOX_H
#define DEVS_SANDBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "outcome.h"
#include "spawn.h"
#include "str.h"
#include "tool_run.h"
#include "workspace_spec.h"

enum {
    SANDBOX_CALL_MS = 30000, /* limit of one command of podman or docker */
    SANDBOX_EVIDENCE_MAX = 240,
};

/* All borrowed until sandbox_close(). */
struct sandbox_call {
    const struct sandbox_spec *spec;
    const char *uid;        /* the run's uid */
    const char *name;       /* unique: devs-<uid>-<task>-<step>-<attempt>; any bytes */
    const char *cwd;        /* absolute; in the workspace, or else visible in the sandbox */
    const char *workspace;  /* absolute: root of the writable tree */
    const char *run_dir;    /* absolute: the folder of the run, whose settings apply; NULL =
                               the workspace. If it differs from the workspace, the workspace
                               is a tree that devs made */
    const char *plan_path;  /* absolute path of the plan file; NULL if there is none */
    const char *log_dir;    /* absolute: masked; NULL = mask nothing */
    const char *log_db;     /* the database in log_dir; NULL = the folder is the log's own */
    bool has_stdin;         /* its stdin is not just /dev/null */
    const char *stdin_path; /* absolute path of its stdin; NULL = none */
    int64_t processes;      /* the plan's limit in addition to the spec's; 0 = none */
    char *const *argv;
    char *const *environment;     /* result of sandbox_environment() */
    char *const *our_environment; /* devs' own environment, for podman and docker themselves */
};

/* How to start the attempt's process. Borrowed from the sandbox. */
struct sandbox_launch {
    char *const *argv;
    char *const *environment;
    const char *cwd;
    const struct spawn_limits *limits; /* NULL = none */
    const char *stdin_within; /* folder that must contain the file for stdin, if its path is in
                                 there: the workspace; NULL = anywhere */
    bool signals_apart; /* a signal to the group would end the sandbox's own process first: send
                           TERM with sandbox_signal(), but KILL to the group as usual */
};

struct sandbox_end {
    struct outcome outcome; /* corrected: the inner exit code, or that nothing was started */
    int memory_killed; /* 1 = killed because memory ran out; 0 = not killed, according to a counter;
                          -1 = unknown */
    int64_t peak_kib;  /* memory of all its processes together; 0 = unknown */
    char evidence[SANDBOX_EVIDENCE_MAX]; /* for display: the evidence for it */
    char start_why[ERR_MESSAGE_MAX];     /* for OUTCOME_NOT_STARTED: the message */
};

struct sandbox;

/* Checks whether this machine can enforce the sandbox. Returns true if it can, or if best_effort is
 * set; `lacks` then names the keys that are left out ("memory_mb, network"), and `why` the reason.
 * Otherwise returns false, and *err is the message that rejects the plan. Probes run once per
 * process, with time limits. */
ATTR_MUST_USE bool sandbox_check(const struct sandbox_spec *spec, struct str *lacks,
                                 struct str *why, struct err *err);

/* Returns whether an attempt has neither a sandbox nor limits, and thus starts without prepare and
 * finish. `processes`: the plan's limit; 0 = none. */
bool sandbox_is_plain(const struct sandbox_spec *spec, int64_t processes);

/* Returns the environment entries that are passed into the sandbox, see docs/sandboxes.md. `own`:
 * the step's own entries, always passed. The caller frees the array; its strings are borrowed. */
ATTR_MUST_USE char **sandbox_environment(const struct sandbox_spec *spec, char *const *own,
                                         char *const *environment);

/* On failure *start_code is one of START_... or an errno. Setting `stop` makes it give up soon,
 * with the code ECANCELED. */
ATTR_MUST_USE bool sandbox_prepare(struct sandbox **out, const struct sandbox_call *call,
                                   const atomic_bool *stop, int *start_code, struct err *err);

/* Says how to start the program, once prepared. Borrowed until sandbox_close(). */
void sandbox_launch(const struct sandbox *sandbox, struct sandbox_launch *out);

/* Call right after the process has started: closes descriptors that only the child needs. */
void sandbox_started(struct sandbox *sandbox, int pid);

/* For signals_apart: sends TERM and the like to everything that runs inside. Does not block. */
void sandbox_signal(struct sandbox *sandbox, int signal_number);

/* Call when the process has ended. `raw` is how it ended; `err_tail` is the end of its stderr,
 * where a failing sandbox reports its problem. When this returns, nothing of the attempt is left
 * inside; otherwise outcome.processes_left has the number of remaining processes. */
void sandbox_finish(struct sandbox *sandbox, const struct outcome *raw, const char *err_tail,
                    struct sandbox_end *out);

/* Also for a sandbox that was never started. May be NULL. */
void sandbox_close(struct sandbox *sandbox);

/* For recovery: ends and removes containers and groups of that run. Appends names to `ended`, and
 * those that could not be ended to `left` (comma separated; NULL = not requested). Returns false if
 * something is left. */
bool sandbox_sweep(const char *uid, struct str *ended, struct str *left);

/* The result of a helper program that ran in a sandbox: the setup of a workspace. */
struct sandbox_ran {
    struct tool_result tool; /* the program's exit code and output; free with tool_result_done() */
    struct sandbox_end end;
    int start_code; /* 0 = it was started; else a start code or an errno, as for an attempt */
};

/* Prepares the sandbox, runs call->argv in it, and removes it. Blocks, so use worker threads. The
 * calling thread must live until this returns, since bwrap dies with the thread that started it.
 * Returns true if the program ran and nothing of it is left. Returns false if it could not be
 * started, or if its leftovers could not be ended. Fills in *out in both cases. */
ATTR_MUST_USE bool sandbox_run(const struct sandbox_call *call, int64_t timeout_ms,
                               const atomic_bool *stop, struct sandbox_ran *out, struct err *err);

#endif
