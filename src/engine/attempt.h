/*
 * attempt.h - one attempt alive: its child, its two streams, when it was heard.
 *
 * Belongs to the loop's thread. An attempt that has ended stays until
 * attempt_close(), so that its last output and its evidence can be taken.
 */
#ifndef DEVS_ATTEMPT_H
#define DEVS_ATTEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call.h"
#include "child.h"
#include "classify.h"
#include "fingerprint.h"
#include "gains.h"
#include "output.h"
#include "scheduler.h"

struct attempt;
struct attempt_setting;

/* Told from within the loop's callbacks. */
struct attempt_watcher {
    void *ctx;                                         /* borrowed until the attempt is closed */
    void (*heard)(void *ctx, struct attempt *attempt); /* output came */
    void (*ended)(void *ctx, struct attempt *attempt); /* nothing of it is left */
};

struct attempt {
    int task, step, number;
    const struct plan_step *plan; /* borrowed */
    struct call call;
    struct child *child; /* NULL once it has ended */
    struct child_end end;
    struct output streams[2];
    struct fingerprint *fingerprint; /* owned; NULL before the first output or the end */
    bool remembered;                 /* the task's memory knows of it */
    int64_t heard_ms;                /* start, or last output */
    bool quiet;                      /* it was called so */
    size_t slot;                     /* where the owner keeps it */
    struct attempt_watcher watcher;
    const struct attempt_setting *setting; /* borrowed */
};

struct attempt_setting {
    struct call_setting call;
    struct nursery *nursery;
    const struct classifier *classifier;
    const struct run_state *state; /* borrowed; what the log has so far */
    struct gains *gains;           /* borrowed */
    int64_t grace_ms;
    void (*tee)(void *ctx, int stream, const char *bytes, size_t len); /* NULL = nobody */
    void *tee_ctx;                                                     /* borrowed */
};

/* Start what `action` says. An attempt that could not be started has ended with
 * OUTCOME_NOT_STARTED when this returns, its child is NULL and `ended` is not
 * told; *err says why. */
struct attempt *attempt_open(const struct attempt_setting *setting, const struct action *action,
                             const struct attempt_watcher *watcher, struct err *err);
void attempt_close(struct attempt *attempt);

/* Fill outcome, verdict, fingerprint, fact, masks and expectation_met from how it ended, as
 * judged at input->now. Once. */
void attempt_judge(struct attempt *attempt, const struct attempt_setting *setting,
                   struct input *input);

/* What an outcome is as an exit code: 125..127 if nothing could be started. */
int attempt_exit_code(const struct outcome *outcome);

#endif
