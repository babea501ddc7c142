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
#include "err.h"
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

struct engine_options {
    const struct place *place; /* borrowed until engine_stop() */
    const struct plan *plan;   /* as it is in the log; borrowed until engine_stop() */
    const struct plan *calls;  /* the same, with the secrets that its steps are called with;
                                  likewise; NULL = plan */
    const char *plan_text;     /* borrowed for engine_start() */
    const char *rules;         /* borrowed for engine_start(); as for classifier_open() */
    const char *kind;          /* "plan" or "exec"; static */
    const char *name;          /* borrowed for engine_start() */
    const char *command;       /* the command line, for people; likewise */
    const char *run_dir;       /* absolute; borrowed until engine_stop() */
    char *const *environment;  /* borrowed until engine_stop() */
    const char *by;            /* who started it; borrowed until engine_stop() */
    int jobs;
    uint64_t seed;
    const struct redactor *redactor; /* borrowed until engine_stop(); NULL = nothing is cut */
    int64_t resume; /* number of a run in the log to go on with; 0 = a new one. `plan` and `seed`
                       are that run's then; text, rules, kind, name and command are in the log. */
    enum engine_at_end at_end;
    /* Told of all output as it is read, on the engine's thread (stream 0 out, 1 err);
     * NULL = nobody. May block: then everything waits, timers too. */
    void (*tee)(void *ctx, int stream, const char *bytes, size_t len);
    void *tee_ctx;         /* borrowed until engine_stop() */
    int64_t kill_grace_ms; /* 0 = ENGINE_KILL_GRACE_MS */
    int64_t quiet_ms;      /* 0 = ENGINE_QUIET_MS */
};

struct engine;

/* Open the log, enter the run, start the thread. The run's first event is
 * committed when this returns; *number_out is the run's #41. With `resume`: what is left of the
 * run's processes has been ended by then, which may take some seconds, and it is recorded what
 * was. ERR_BUSY: another process has that run; ERR_INVALID: it has ended, or the plan asks for
 * what cannot be had on this machine (nothing is in the log then). May take some seconds where
 * sandboxes are tried out. */
ATTR_MUST_USE bool engine_start(struct engine **out, const struct engine_options *options,
                                int64_t *number_out, struct err *err);

/* Readable once the thread has ended by itself. */
int engine_done_fd(const struct engine *engine);

/* Cancel the whole run as a person would (TERM, KILL after the grace); the
 * engine ends by itself when all children are gone. Any thread. */
void engine_cancel(struct engine *engine, const char *by);

/* Start nothing more; end, without an end of the run in the log, when what runs now
 * has ended. The run's owner lock is then free. Any thread. */
void engine_leave(struct engine *engine);

/* Nobody watches any more: the engine ends by itself when nothing can go on, and `why` is
 * noted in the log. Any thread. */
void engine_detach(struct engine *engine, const char *why);

/* What the engine has to say once it has ended. */
struct engine_result {
    int exit_code;         /* of the run (README, exit codes); 130 if it was left before its end */
    int last_attempt_code; /* exit code of the last attempt that ended; for `exec`:
                              125..127 if nothing could be started, 128+n by signal */
    bool recording_failed; /* the log could not be written to the end */
    struct err err;        /* why, if so */
};

/* Make the thread end (children still alive are killed, and that is recorded as
 * a cancel), join it and free everything. `result` may be NULL. */
void engine_stop(struct engine *engine, struct engine_result *result);

#endif
