/*
 * recovery.h - finds and ends the processes that a dead engine of a run left behind, and makes sure
 * that they are gone before anything of the run is started again.
 *
 * A process belongs to the run if its environment has the run's mark, if it is in the session of an
 * attempt's process with the recorded start time (a reused pid has another), or if its parent
 * belongs to the run. Once we hold the run's lock, no more children of the dead engine can appear:
 * such a child holds the lock itself until it executes its program. Blocks. One thread.
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
    RECOVERY_KILL_MS = 5000,        /* how long killed processes may take to disappear */
    RECOVERY_PROCESSES_MAX = 65536, /* processes of the machine that are checked */
    RECOVERY_ENDED_MAX = 4096,      /* processes that are sent TERM, once each; further ones
                                       get KILL at once */
    RECOVERY_LEFT_MAX = 64,         /* remembered processes that could not be ended */
    RECOVERY_NAMED_MAX = 8,         /* processes that a note names */
    RECOVERY_ANYBODYS = -1,         /* a leftover whose task is unknown */
};

/* The process of a task's latest attempt, see EVENT_ATTEMPT_RUNNING. */
struct recovery_leader {
    int64_t pid; /* 0 = none */
    int64_t start;
};

/* A process that could not be ended. */
struct recovery_left {
    struct proc_facts facts;
    int task;       /* or RECOVERY_ANYBODYS */
    bool forbidden; /* we may not signal it */
};

struct recovery {
    struct recovery_leader *leaders; /* owned; indexed by task */
    size_t leader_cap;
    int task_count; /* tasks of the plan, plus those that events name */
    struct recovery_left left[RECOVERY_LEFT_MAX];
    size_t left_count;
};

/* Starts empty, with room for the given number of tasks; grows as needed. */
void recovery_init(struct recovery *recovery, int task_count);
void recovery_done(struct recovery *recovery);

struct event;

/* Takes each event of the log and remembers the leader of each task's latest attempt. `ctx` is the
 * recovery. For log_writer_continue(). */
void recovery_see(void *ctx, const struct event *event);

/* Ends the leftover processes: TERM, then KILL after RECOVERY_TERM_MS. Returns when two looks in a
 * row find nothing, or when some processes do not go away. `run_mark` is "DEVS_RUN=..."; `state` is
 * the folded state before recovery. Appends the names of ended processes to *ended, and of
 * surviving ones to *left. */
void recovery_sweep(struct recovery *recovery, const struct run_state *state, const char *run_mark,
                    struct str *ended, struct str *left);

/* Returns whether a leftover process of this task is still alive; *err names it. Called before each
 * start, since it may disappear in time. */
bool recovery_refuses(const struct recovery *recovery, int task, struct err *err);

#endif
