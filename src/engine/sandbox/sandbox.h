/*
 * sandbox.h - the surroundings of one attempt: none, bwrap, podman or docker.
 *
 * A sandbox is made before the attempt's process, which is then started with
 * sandbox_launch()'s argv, environment, folder and limits, by a thread that lives
 * until it is over (bwrap dies with the thread that started it). When the process has ended,
 * sandbox_finish() says what that end means: it looks into the container,
 * reads the counters, ends what is left and removes what was made.
 *
 * prepare, signal of a container, finish, sweep and check block: worker threads.
 * One sandbox, one call at a time; only sandbox_signal() may come beside others.
 */
#ifndef DEVS_SANDBOX_H
#define DEVS_SANDBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "outcome.h"
#include "sandbox_spec.h"
#include "spawn.h"
#include "str.h"
#include "tool_run.h"

enum {
    SANDBOX_CALL_MS = 30000, /* one question to podman or docker */
    SANDBOX_EVIDENCE_MAX = 240,
};

/* All borrowed until sandbox_close(). */
struct sandbox_call {
    const struct sandbox_spec *spec;
    const char *uid;        /* of the run */
    const char *name;       /* unique: devs-<uid>-<task>-<step>-<attempt>; any bytes */
    const char *cwd;        /* absolute; within the workspace, or visible in the sandbox */
    const char *workspace;  /* absolute: top of the tree that may be written */
    const char *run_dir;    /* absolute: the folder of the run, whose settings govern it; NULL: the
                               workspace. Another one than the workspace: a tree that devs made */
    const char *plan_path;  /* absolute: the plan's file; NULL = there is none */
    const char *log_dir;    /* absolute: masked; NULL = nothing to mask */
    const char *log_db;     /* the log in it; NULL = all of the folder is the log's */
    bool has_stdin;         /* its stdin is more than /dev/null */
    const char *stdin_path; /* absolute: the file that it reads; NULL = none */
    int64_t processes;      /* the plan's limit beside the spec's; 0 = none */
    char *const *argv;
    char *const *environment;     /* what sandbox_environment() let through */
    char *const *our_environment; /* devs' own: of podman and docker themselves */
};

/* What the attempt's process is started with. Borrowed from the sandbox. */
struct sandbox_launch {
    char *const *argv;
    char *const *environment;
    const char *cwd;
    const struct spawn_limits *limits; /* NULL = none */
    const char *stdin_within; /* where a file for stdin must be if its path says that it is there:
                                 the workspace; NULL = anywhere */
    bool signals_apart;       /* a signal for the group would end the keeper of the sandbox first:
                                 TERM goes by sandbox_signal(), KILL to the group as always */
};

struct sandbox_end {
    struct outcome outcome; /* put right: the inner exit code, or that nothing was started */
    int memory_killed;      /* 1 killed for memory; 0 not, a counter says so; -1 not known */
    int64_t peak_kib;       /* memory of all its processes together; 0 = not known */
    char evidence[SANDBOX_EVIDENCE_MAX]; /* for people: what says so */
    char start_why[ERR_MESSAGE_MAX];     /* of OUTCOME_NOT_STARTED: the one line */
};

struct sandbox;

/* Can this machine enforce it? True: yes, or best_effort and `lacks` names the keys
 * that are left out ("memory_mb, network"), `why` says why. False: *err is the line
 * that refuses the plan. Probes are made once per process and are bounded in time. */
ATTR_MUST_USE bool sandbox_check(const struct sandbox_spec *spec, struct str *lacks,
                                 struct str *why, struct err *err);

/* Does an attempt in it need a prepare and a finish at all? Without a sandbox,
 * limits it is started as ever. `processes`: the plan's limit, 0 = none. */
bool sandbox_is_plain(const struct sandbox_spec *spec, int64_t processes);

/* The entries that may enter: docs/sandboxes.md. `own`: the step's own entries, which
 * always do. An array for the caller to free, of borrowed texts. */
ATTR_MUST_USE char **sandbox_environment(const struct sandbox_spec *spec, char *const *own,
                                         char *const *environment);

/* False: *start_code is one of START_... or an errno. `stop` set makes it give up soon;
 * then the code is ECANCELED. */
ATTR_MUST_USE bool sandbox_prepare(struct sandbox **out, const struct sandbox_call *call,
                                   const atomic_bool *stop, int *start_code, struct err *err);

/* How its program is started, once it is prepared; borrowed until sandbox_close(). */
void sandbox_launch(const struct sandbox *sandbox, struct sandbox_launch *out);

/* Right after the start of its process, whose pid it is: closes what only the child needs. */
void sandbox_started(struct sandbox *sandbox, int pid);

/* Where signals_apart: TERM and the like for all that runs inside. Does not block. */
void sandbox_signal(struct sandbox *sandbox, int signal_number);

/* The process has ended as `raw` says; `err_tail`: the end of its stderr (a sandbox that
 * breaks says why there). Nothing of the attempt is left inside when it returns, else
 * outcome.left counts it. */
void sandbox_finish(struct sandbox *sandbox, const struct outcome *raw, const char *err_tail,
                    struct sandbox_end *out);

/* Also of one that was never started. NULL is allowed. */
void sandbox_close(struct sandbox *sandbox);

/* Recovery: end and remove containers and groups of that run; each is named in `ended`, what
 * could not be ended in `left` (comma separated; NULL = not asked). False: something is left. */
bool sandbox_sweep(const char *uid, struct str *ended, struct str *left);

/* A helper program that has run to its end in a sandbox: the setup of a workspace. */
struct sandbox_ran {
    struct tool_result tool; /* its own exit code and output; end it with tool_result_done() */
    struct sandbox_end end;
    int start_code; /* 0: it was started; else a start code or an errno, as for an attempt */
};

/* Prepares the sandbox, runs call->argv in it, and removes it. Blocks: for worker threads. The
 * calling thread must live until it returns, since bwrap dies with the thread that started it.
 * True: the program ran and nothing of it is left. False: it could not be started, or what it left
 * cannot be ended. *out is filled in both cases. */
ATTR_MUST_USE bool sandbox_run(const struct sandbox_call *call, int64_t timeout_ms,
                               const atomic_bool *stop, struct sandbox_ran *out, struct err *err);

#endif
