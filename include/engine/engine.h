/*
 * engine.h - runs a plan: one thread, one loop, the children, the appending.
 *
 * Everything a run does happens on the engine's thread. The functions here may
 * be called from the thread that started it.
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
    ENGINE_KILL_GRACE_MS = 10000, /* from TERM to KILL */
    ENGINE_QUIET_MS = 60000,      /* no output for so long is called quiet */
    ENGINE_TURN_EVENTS_MAX = 256, /* inputs taken in one loop turn */
};

/* What becomes of the engine when nothing can go on. */
enum engine_at_end {
    ENGINE_LEAVE,  /* its thread ends: scripts, --plain */
    ENGINE_LINGER, /* it stays, so that a person can retry; engine_stop() ends it */
};

struct run_state;

struct engine_options {
    const struct place *place; /* borrowed until engine_stop() */
    const struct plan *plan;   /* as it is in the log; borrowed until engine_stop() */
    const struct plan *calls;  /* the same, with the secrets that its steps are called with;
                                  likewise; NULL = plan */
    const char *plan_text;     /* borrowed for engine_start() */
    const char *rules;         /* borrowed for engine_start(); as for classifier_open() */
    const char *kind;          /* "plan", "exec" or another word for people; static */
    const char *name;          /* borrowed for engine_start() */
    const char *command;       /* the command line, for people; likewise */
    const char *run_dir;       /* absolute; borrowed until engine_stop() */
    const char *plan_path;     /* absolute: the plan's file, which sandboxes keep read-only; NULL =
                                  there is none; likewise */
    char *const *environment;  /* borrowed until engine_stop() */
    const char *by;            /* who started it; borrowed until engine_stop() */
    int jobs;                  /* attempts that run at a time; at least 1 */
    uint64_t seed;
    const struct redactor *redactor; /* borrowed until engine_stop(); NULL = nothing is cut */
    int64_t resume; /* number of a run in the log to go on with; 0 = a new one. `plan` and `seed`
                       are that run's then; text, rules, kind, name and command are in the log. */
    enum take_up take_up; /* beside `resume`: what is run of a run that has ended; TAKE_UP_OPEN: it
                             was interrupted */
    const struct control *asked; /* TAKE_UP_ASKED: acts that are done first; borrowed for
                                    engine_start() */
    size_t asked_count;
    enum engine_at_end at_end;
    /* A person's command that is run for these events (enum ui_notify); NULL = none. Both borrowed
     * until engine_stop(), which waits for the last one, some seconds at most. */
    char *const *notify_command;
    unsigned notify;
    /* Opens what a step with PLAN_STDIN_OURS reads, from its beginning, for each attempt; the
     * engine closes *fd_out. False: it cannot be read again, and the step needs a person. On the
     * engine's thread; NULL = there is nothing to read. */
    bool (*open_stdin)(void *ctx, int *fd_out, struct err *err);
    void *stdin_ctx; /* borrowed until engine_stop() */
    /* Told of all output as it is read, on the engine's thread (stream 0 out, 1 err);
     * NULL = nobody. May block: then everything waits, timers too. */
    void (*tee)(void *ctx, int stream, const char *bytes, size_t len);
    void *tee_ctx; /* borrowed until engine_stop() */
    /* Shown the state after each turn whose events are committed, on the engine's thread: tests
     * compare it with what the log gives. NULL = nobody. */
    void (*look)(void *ctx, const struct run_state *state);
    void *look_ctx;        /* borrowed until engine_stop() */
    int64_t kill_grace_ms; /* 0 = ENGINE_KILL_GRACE_MS */
    int64_t quiet_ms;      /* 0 = ENGINE_QUIET_MS */
};

struct engine;

/* Open the log, enter the run, start the thread. The run's first event is
 * committed when this returns; *number_out is the run's #41. With `resume`: what is left of the
 * run's processes has been ended by then, which may take some seconds, and it is recorded what
 * was. ERR_BUSY: another process has that run; ERR_INVALID: it has ended, or has not, against
 * take_up, or the plan asks for what cannot be had on this machine (nothing is in the log then).
 * May take some seconds where sandboxes are tried out. The caller ends *out with engine_stop(). */
ATTR_MUST_USE bool engine_start(struct engine **out, const struct engine_options *options,
                                int64_t *number_out, struct err *err);

/* The run's uid. Owned by the engine. */
const char *engine_uid(const struct engine *engine);

/* ERR_INVALID if a task that needs no other wants a worktree, and the repository of run_dir
 * (absolute) allows none: there is none, it has no commit, or it has submodules. A task that needs
 * others is not checked: they may make the repository. Runs git; for dry runs. */
ATTR_MUST_USE bool engine_check_worktrees(const struct plan *plan, const char *run_dir,
                                          struct err *err);

/* Readable once the thread has ended by itself. */
int engine_done_fd(const struct engine *engine);

/* Cancel the whole run as a person would (TERM, KILL after the grace); the
 * engine ends by itself when all children are gone. Any thread. */
void engine_cancel(struct engine *engine, const char *by);

/* Start nothing more; end, without an end of the run in the log, when what runs now
 * has ended. The run's owner lock is then free. Any thread. */
void engine_leave(struct engine *engine);

/* A call that is added to a run whose plan grows (plan_grow.h). All borrowed for engine_add(). */
struct engine_task {
    /* A task as in a plan, as it is called: {"id","title","steps":[{"run","cwd","env","timeout_s",
     * "phase","idempotent","policy","sandbox"}]}. Ids that come in ascending order (with leading
     * zeros) cost least. */
    const char *json;
    size_t json_len;         /* at most ENGINE_TASK_MAX */
    const char *stdin_bytes; /* what its steps read on stdin; NULL = nothing, or the step's file */
    size_t stdin_len;        /* at most ENGINE_STDIN_MAX */
};

enum {
    ENGINE_ADDS_MAX = 256,               /* calls of engine_add() that wait at a time */
    ENGINE_STDIN_MAX = 16 * 1024 * 1024, /* bytes of one task's stdin */
    ENGINE_TASK_MAX = 8 * 1024 * 1024,   /* bytes of its JSON; the system takes fewer arguments */
};

/* Add a task to the run; *task_out is its number. Returns once EVENT_TASK_ADDED is in the log
 * (or in the run's spill); the task may have started by then. What is recorded is made of the
 * JSON: without secrets, long arguments cut, so that it fits an event; how it really is called is
 * known to this engine only, until the task is over.
 *
 * A step that is not declared idempotent gets one attempt in every phase, whatever its policy:
 * calls work in one folder, side by side, which cannot be restored. A start that failed never
 * ran; it is tried again under "infrastructure". A person's retry of a call that is over is
 * refused, since its answer was given. run_state_tries() of such a step is 1.
 *
 * ERR_INVALID: the plan does not grow, the JSON is no such task, or its id is taken;
 * ERR_NOT_FOUND: the run is being cancelled, has ended, or engine_close_plan() was called;
 * ERR_LIMIT: PLAN_TASKS_MAX, ENGINE_TASK_MAX, ENGINE_STDIN_MAX, or so many parts that even cut
 * they do not fit an event; ERR_BUSY: ENGINE_ADDS_MAX. Any thread. */
ATTR_MUST_USE bool engine_add(struct engine *engine, const struct engine_task *task, int *task_out,
                              struct err *err);

/* No more tasks come: the run ends when all that there are have ended. Without it a run whose
 * plan grows goes on until it is cancelled. Any thread. */
void engine_close_plan(struct engine *engine);

enum { ENGINE_NOTE_MAX = 1000 }; /* bytes */
/* A note for the person, of a task (a number) or of the run (-1). Cut to ENGINE_NOTE_MAX; of more
 * than ENGINE_ADDS_MAX that wait the rest is dropped. Any thread. */
void engine_note(struct engine *engine, int task, const char *note);

/* Nobody watches any more: the engine ends by itself when nothing can go on, and `why` is
 * noted in the log; NULL: lines of it are read, nothing is noted. Any thread. */
void engine_detach(struct engine *engine, const char *why);

/* What the engine has to say once it has ended. */
struct engine_result {
    int exit_code;         /* of the run (README, exit codes); 130 if it was left before its end */
    int last_attempt_code; /* exit code of the last attempt that ended; for `exec`:
                              125..127 if nothing could be started, 128+n by signal;
                              0 also if a rule denies the success: see exit_code */
    bool recording_failed; /* the log could not be written to the end */
    struct err err;        /* why, if so */
    struct err notify_err; /* the last notification failed, which is not in the log */
};

/* Make the thread end (children still alive are killed, and that is recorded as
 * a cancel), join it and free everything. `result` may be NULL. */
void engine_stop(struct engine *engine, struct engine_result *result);

#endif
