/* sandbox.h - the sandbox of one attempt: none, bwrap, podman or docker.
 *
 * A sandbox is prepared before the attempt's process. That process is then started with the argv,
 * environment, folder and limits of sandbox_launch(), by a thread that lives until the process has
 * ended (bwrap dies when the thread that started it exits). After that, sandbox_finish() determines
 * how it ended: it inspects and removes the container, reads the counters, and ends leftover
 * processes.
 *
 * Preparing, finishing, sweeping and checking block, so use worker threads. One call at a time for
 * each sandbox; only sandbox_signal() may run in parallel with other calls. */
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
    SANDBOX_CALL_MS = 30000, /* time limit of a podman or docker command */
    SANDBOX_EVIDENCE_MAX = 240,
};

/* Describes the attempt and its sandbox. All borrowed until sandbox_close(). */
struct sandbox_call {
    const struct sandbox_spec *spec;
    const char *uid; /* the run's uid */
    const char
        *name; /* unique name: devs-<uid>-<task>-<step>-<attempt>; may contain any characters */
    const char *cwd;        /* absolute; in the workspace or visible in the sandbox */
    const char *workspace;  /* absolute: root of the writable tree */
    const char *run_dir;    /* absolute: the folder of the run, whose settings apply; NULL =
                               the workspace. If it differs from the workspace, the workspace
                               is a tree that devs made */
    const char *plan_path;  /* absolute path of the plan file; NULL if there is none */
    const char *log_dir;    /* absolute: hidden from the step; NULL = hide nothing */
    const char *log_db;     /* the database in log_dir; NULL = the folder contains only the log */
    bool has_stdin;         /* stdin is not just /dev/null */
    const char *stdin_path; /* absolute path of the file for stdin; NULL = none */
    int64_t processes;      /* the plan's limit in addition to the spec's; 0 = none */
    char *const *argv;
    char *const *environment;     /* result of sandbox_environment() */
    char *const *our_environment; /* the environment of devs, for podman and docker themselves */
};

/* How to start the attempt's process. Borrowed from the sandbox. */
struct sandbox_launch {
    char *const *argv;
    char *const *environment;
    const char *cwd;
    const struct spawn_limits *limits; /* NULL = none */
    const char *stdin_within; /* if the path for stdin is in the workspace: the workspace, which
                                 must then contain the opened file; NULL = anywhere */
    bool signals_apart; /* a signal to the group would end the sandbox's own process first: send
                           TERM with sandbox_signal(), but KILL to the group as usual */
};

struct sandbox_end {
    struct outcome
        outcome; /* corrected: the exit code from inside the sandbox, or that nothing was started */
    int memory_killed; /* 1 = a process was killed because memory ran out; 0 = no process was,
                          according to a counter; -1 = unknown */
    int64_t peak_kib;  /* peak memory of all processes together; 0 = unknown */
    char evidence[SANDBOX_EVIDENCE_MAX]; /* evidence for memory_killed, as text for users */
    char start_why[ERR_MESSAGE_MAX];     /* message for OUTCOME_NOT_STARTED */
};

struct sandbox;

/* Checks whether this machine can enforce the sandbox. Returns true if it can, or if best_effort is
 * set; `lacks` then lists the keys that cannot be enforced ("memory_mb, network"), and `why`
 * contains the reasons. Otherwise returns false, and *err is the message that rejects the plan.
 * Probes run once per process, with time limits. */
ATTR_MUST_USE bool sandbox_check(const struct sandbox_spec *spec, struct str *lacks,
                                 struct str *why, struct err *err);

/* Returns whether an attempt has neither a sandbox nor limits, so that it needs no
 * sandbox_prepare() and sandbox_finish(). `processes` is the plan's limit; 0 = none. */
bool sandbox_is_plain(const struct sandbox_spec *spec, int64_t processes);

/* Returns the environment entries to pass into the sandbox (see docs/sandboxes.md). `own` are the
 * step's own entries, which are always passed. The caller frees the array; its strings are
 * borrowed. */
ATTR_MUST_USE char **sandbox_environment(const struct sandbox_spec *spec, char *const *own,
                                         char *const *environment);

/* Prepares a sandbox. On failure *start_code is one of START_... or an errno. Gives up soon if
 * `stop` is set; *start_code is then ECANCELED. */
ATTR_MUST_USE bool sandbox_prepare(struct sandbox **out, const struct sandbox_call *call,
                                   const atomic_bool *stop, int *start_code, struct err *err);

/* Fills in how to start the program of a prepared sandbox. Borrowed until sandbox_close(). */
void sandbox_launch(const struct sandbox *sandbox, struct sandbox_launch *out);

/* Call right after the process has started: closes descriptors that only the child needs. */
void sandbox_started(struct sandbox *sandbox, int pid);

/* For signals_apart: sends a signal such as TERM to everything that runs inside. Does not block. */
void sandbox_signal(struct sandbox *sandbox, int signal_number);

/* Call when the process has ended. `raw` says how it ended; `err_tail` is the end of its stderr,
 * which contains the error if the sandbox failed. Ends all processes of the attempt inside; sets
 * outcome.processes_left to the number of processes that remain. */
void sandbox_finish(struct sandbox *sandbox, const struct outcome *raw, const char *err_tail,
                    struct sandbox_end *out);

/* Frees the sandbox, and removes the container if it still exists. Works for a sandbox that was
 * never started. `sandbox` may be NULL. */
void sandbox_close(struct sandbox *sandbox);

/* For recovery: ends and removes the containers and groups of a run. Appends the names of ended
 * processes and containers to `ended`, and the names of those that could not be ended to `left`
 * (comma separated; either may be NULL). Returns false if something is left. */
bool sandbox_sweep(const char *uid, struct str *ended, struct str *left);

/* The result of a helper program that ran in a sandbox: the setup of a workspace. */
struct sandbox_ran {
    struct tool_result tool; /* the program's exit code and output; free with tool_result_done() */
    struct sandbox_end end;
    int start_code; /* 0 = it was started; otherwise a start code or an errno, as for an attempt */
};

/* Prepares the sandbox, runs call->argv in it, and removes it. Blocks, so use worker threads.
 * Returns true if the program ran and none of its processes are left. Returns false if it could not
 * be started, or if its leftovers could not be ended. Fills in *out in both cases. */
ATTR_MUST_USE bool sandbox_run(const struct sandbox_call *call, int64_t timeout_ms,
                               const atomic_bool *stop, struct sandbox_ran *out, struct err *err);

/* Returns whether the path is below the folder, and not the folder itself. Compares texts. */
bool sandbox_path_is_below(const char *path, const char *folder);

#endif
