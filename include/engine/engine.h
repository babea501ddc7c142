/*
 * engine.h - runs a plan: one thread with one event loop, which manages the child processes and
 * appends to the log.
 *
 * Everything a run does happens on the engine's thread. Call the functions below from the thread
 * that started the engine, unless they say "Any thread".
 */
#ifndef DEVS_ENGINE_H
#define DEVS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "event.h"
#include "place.h"
#include "plan.h"

enum {
    ENGINE_KILL_GRACE_MS = 10000, /* time from TERM to KILL */
    ENGINE_QUIET_MS = 60000,      /* an attempt without output for this long is called quiet */
    ENGINE_TURN_EVENTS_MAX = 256, /* maximum inputs handled in one turn of the event loop */
};

/* What the engine does when nothing more can run. */
enum engine_at_end {
    ENGINE_LEAVE,  /* the engine's thread exits: scripts, --plain */
    ENGINE_LINGER, /* the engine keeps running so that a person can retry, until engine_stop() */
};

struct run_state;

struct engine_options {
    const struct place *place; /* borrowed until engine_stop() */
    const struct plan *plan;   /* the plan as recorded in the log; borrowed until engine_stop() */
    const struct plan *calls;  /* the same plan, including the secrets that its steps are started
                                  with; borrowed until engine_stop(); NULL = plan */
    const char *plan_text;     /* borrowed for engine_start() */
    const char *rules;         /* borrowed for engine_start(); see classifier_open() */
    const char *kind;          /* "plan", "exec" or another word to display; static */
    const char *name;          /* borrowed for engine_start() */
    const char *command;       /* the command line, for display; borrowed for engine_start() */
    const char *run_dir;       /* absolute; borrowed until engine_stop() */
    const char *plan_path; /* absolute path of the plan file, which sandboxes keep read-only; NULL
                              if there is none; borrowed until engine_stop() */
    char *const *environment; /* borrowed until engine_stop() */
    const char *by;           /* the person who started the run; borrowed until engine_stop() */
    int jobs;                 /* attempts that run at the same time; at least 1 */
    uint64_t seed;
    const struct redactor *redactor; /* borrowed until engine_stop(); NULL = redact nothing */
    int64_t resume; /* number of the run to resume; 0 = start a new one. When resuming, `plan` and
                       `seed` must be that run's; text, rules, kind, name and command come from the
                       log. */
    enum take_up take_up; /* with `resume`: what to run of a run that has ended; TAKE_UP_OPEN: the
                             run was interrupted */
    const struct control *asked; /* TAKE_UP_ASKED: actions to perform first; borrowed for
                                    engine_start() */
    size_t asked_count;
    enum engine_at_end at_end;
    /* The user's command to run on these events (enum ui_notify); NULL = none. Both are borrowed
     * until engine_stop(), which waits a few seconds at most for the last command. */
    char *const *notify_command;
    unsigned notify;
    /* Opens the input of a step with PLAN_STDIN_OURS from its beginning, once per attempt; the
     * engine closes *fd_out. Returns false if the input cannot be read again; the step then needs a
     * person. Called on the engine's thread. NULL = there is no input. */
    bool (*open_stdin)(void *ctx, int *fd_out, struct err *err);
    void *stdin_ctx; /* borrowed until engine_stop() */
    /* Receives all output as it is read, on the engine's thread (stream 0 is stdout, 1 is stderr);
     * may be NULL. If it blocks, everything waits, including timers. */
    void (*tee)(void *ctx, int stream, const char *bytes, size_t len);
    void *tee_ctx; /* borrowed until engine_stop() */
    /* Receives the state after each turn whose events are committed, on the engine's thread; tests
     * compare it with the state rebuilt from the log. May be NULL. */
    void (*look)(void *ctx, const struct run_state *state);
    void *look_ctx;        /* borrowed until engine_stop() */
    int64_t kill_grace_ms; /* 0 = ENGINE_KILL_GRACE_MS */
    int64_t quiet_ms;      /* 0 = ENGINE_QUIET_MS */
};

struct engine;

/* Opens the log, records the run and starts the thread. When this returns, the run's first event is
 * committed and *number_out is the run's number (#41). With `resume`, it first kills the run's
 * leftover processes and records which ones, which may take a few seconds. Trying out sandboxes may
 * also take a few seconds. The caller ends *out with engine_stop().
 *
 * Fails with ERR_BUSY if another process owns the run; ERR_INVALID if take_up does not match
 * whether the run has ended, or if the plan needs something that is not available on this machine
 * (nothing is logged then). */
ATTR_MUST_USE bool engine_start(struct engine **out, const struct engine_options *options,
                                int64_t *number_out, struct err *err);

/* Returns the run's uid, owned by the engine. */
const char *engine_uid(const struct engine *engine);

/* Fails with ERR_INVALID if a task without dependencies wants a worktree and run_dir (absolute)
 * cannot provide one: no repository, no commit, or submodules. Tasks with dependencies are not
 * checked, because those may create the repository. Runs git; for dry runs. */
ATTR_MUST_USE bool engine_check_worktrees(const struct plan *plan, const char *run_dir,
                                          struct err *err);

/* Returns a file descriptor that becomes readable once the thread has exited on its own. */
int engine_done_fd(const struct engine *engine);

/* Cancels the whole run as a user would (TERM, then KILL after the grace period). The engine exits
 * on its own when all children have ended. Any thread. */
void engine_cancel(struct engine *engine, const char *by);

/* Starts nothing more. When the current attempts have ended, the engine exits without recording the
 * end of the run, and releases the run's owner lock. Any thread. */
void engine_leave(struct engine *engine);

/* A call to add to a run whose plan grows (plan.h). All borrowed for engine_add(). */
struct engine_task {
    /* A task as in a plan, unredacted: {"id","title","steps":[{"run","cwd","env","timeout_s",
     * "phase","idempotent","policy","sandbox"}]}. Ids that arrive in ascending order (with leading
     * zeros) are cheapest. */
    const char *json;
    size_t json_len;         /* at most ENGINE_TASK_MAX */
    const char *stdin_bytes; /* stdin of its steps; NULL = empty, or the file in the step */
    size_t stdin_len;        /* at most ENGINE_STDIN_MAX */
};

enum {
    ENGINE_ADDS_MAX = 256, /* maximum calls of engine_add() that may wait at the same time */
    ENGINE_STDIN_MAX = 16 * 1024 * 1024, /* maximum bytes of one task's stdin */
    ENGINE_TASK_MAX =
        8 * 1024 * 1024, /* maximum bytes of one task's JSON; the system limit on argv is lower */
};

/* Adds a task to the run; *task_out is its number. Returns once EVENT_TASK_ADDED is in the log (or
 * in the run's spill log); the task may already have started. The event holds the JSON without
 * secrets and with long arguments truncated, so that it fits. Only this engine knows the real
 * arguments, until the task has ended.
 *
 * A step that is not declared idempotent gets one attempt in every phase, whatever its policy:
 * calls run side by side in one folder, which cannot be restored. If it failed to start, it never
 * ran, so it is retried under "infrastructure". A person cannot retry a call that is over, because
 * its result has already been returned. run_state_tries() of such a step is 1.
 *
 * Fails with ERR_INVALID if the plan does not grow, the JSON is not a valid task, or its id is
 * taken; ERR_NOT_FOUND if the run is being canceled, has ended, or engine_close_plan() was called;
 * ERR_LIMIT if PLAN_TASKS_MAX, ENGINE_TASK_MAX or ENGINE_STDIN_MAX is exceeded, or if the task has
 * so many parts that it does not fit an event even when truncated; ERR_BUSY if ENGINE_ADDS_MAX
 * calls are waiting. Any thread. */
ATTR_MUST_USE bool engine_add(struct engine *engine, const struct engine_task *task, int *task_out,
                              struct err *err);

/* Declares that no more tasks will be added: the run ends when all of its tasks have ended. Without
 * this call, a run whose plan grows continues until it is canceled. Any thread. */
void engine_close_plan(struct engine *engine);

enum { ENGINE_NOTE_MAX = 1000 }; /* maximum bytes of a note */
/* Records a note for the user, on a task (its number) or on the run (-1). Truncated to
 * ENGINE_NOTE_MAX bytes; dropped if ENGINE_ADDS_MAX notes are already waiting. Any thread. */
void engine_note(struct engine *engine, int task, const char *note);

/* Tells the engine that nobody is watching any more: it exits on its own when nothing more can run.
 * Logs `why`; if it is NULL because the output is still being read, logs nothing. Any thread. */
void engine_detach(struct engine *engine, const char *why);

/* The outcome, once the engine has ended. */
struct engine_result {
    int exit_code; /* exit code of the run (README, exit codes); 130 if the engine left it before
                      its end */
    int last_attempt_code; /* exit code of the last attempt that ended; for `exec`: 125..127 if
                              nothing could be started, 128+n for a signal; also 0 if a rule rejects
                              the success: see exit_code */
    bool recording_failed; /* the log could not be written completely */
    struct err err;        /* the reason, if recording_failed */
    struct err notify_err; /* why the last notification failed; not logged */
};

/* Stops the thread, joins it and frees everything. Kills children that are still running, which is
 * recorded as a cancel. `result` may be NULL. */
void engine_stop(struct engine *engine, struct engine_result *result);

#endif
