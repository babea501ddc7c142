/*
 * recovery.h - what a run's dead engine left running: found, ended, and proven gone
 * before anything of the run is started again.
 *
 * A process belongs to the run if its environment carries the run's mark, if it is in the
 * session of an attempt's process whose start time is the recorded one (a pid that was given
 * anew has another), or if a process that belongs to it is its parent. Whoever owns the run's
 * lock has no child of the dead engine still to come: until it executes its program such a
 * child holds the lock itself. Blocks; belongs to one thread.
 */
#ifndef DEVS_RECOVERY_H
#define DEVS_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"
#include "proc.h"
#include "run_state.h"
#include "str.h"

enum {
    RECOVERY_TERM_MS = 2000,        /* from TERM to KILL */
    RECOVERY_KILL_MS = 5000,        /* how long what was killed may take to go */
    RECOVERY_PROCESSES_MAX = 65536, /* processes of the machine that are looked at */
    RECOVERY_ENDED_MAX = 4096,      /* told TERM, each once; more are killed at once */
    RECOVERY_LEFT_MAX = 64,         /* that cannot be ended and are remembered */
    RECOVERY_NAMED_MAX = 8,         /* that a note names */
    RECOVERY_ANYBODYS = -1,         /* left of nobody knows which task */
};

/* The process of a task's latest attempt, as attempt_running has it. */
struct recovery_leader {
    int64_t pid; /* 0 = none */
    int64_t start;
};

/* What could not be ended. */
struct recovery_left {
    struct proc_facts facts;
    int task;       /* RECOVERY_ANYBODYS */
    bool forbidden; /* we may not signal it */
};

struct recovery {
    struct recovery_leader *leaders; /* owned; by task */
    size_t leader_cap;
    int task_count; /* of the plan, and more as events name them */
    struct recovery_left left[RECOVERY_LEFT_MAX];
    size_t left_count;
};

/* Nothing seen yet, room for so many tasks; more are taken as they come. */
void recovery_init(struct recovery *recovery, int task_count);
void recovery_done(struct recovery *recovery);

struct event;

/* Told of each event of the log, it remembers who leads each task's latest attempt; `ctx` is the
 * recovery. For log_writer_continue(). */
void recovery_see(void *ctx, const struct event *event);

/* End what is there: TERM, after RECOVERY_TERM_MS KILL. Returns when two looks in a row find
 * nothing, or when what is left does not go. `run_mark` is "DEVS_RUN=..."; `state` the fold
 * before anything is recovered. Appended to *ended: the names of what is gone; to *left: of
 * what is not. */
void recovery_sweep(struct recovery *recovery, const struct run_state *state, const char *run_mark,
                    struct str *ended, struct str *left);

/* Is something of this task alive that could not be ended? *err names it. Asked before each
 * start, since it may go by and by. */
bool recovery_refuses(const struct recovery *recovery, int task, struct err *err);

#endif
