/*
 * gains.h - what the attempts of each task have written so far, so that news can be told
 * from what was there before; and the rows of the log that keep it.
 *
 * A task has a memory (entropy_memory.h) from its first output on until it is over; one that
 * failed keeps it, since a person may retry it. Of the tasks whose memories are in
 * the log and that do not run only the last GAINS_KEPT_MAX are kept here, the others come
 * back from the log when their next attempt writes. Belongs to the loop's thread.
 */
#ifndef DEVS_GAINS_H
#define DEVS_GAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "entropy_memory.h"
#include "log_writer.h"
#include "run_state.h"
#include "scheduler.h"

enum { GAINS_KEPT_MAX = 64 }; /* tasks with memories that wait, or failed */

struct gains {
    const struct run_state *state; /* borrowed */
    struct log_writer *writer;     /* borrowed; NULL: what is not kept is lost */
    struct gain *tasks;            /* owned; by task number */
    size_t task_cap;               /* there is room for so many */
    int task_count;                /* and so many there are */
    struct log_gain *rows;         /* owned, the bytes too; of this turn */
    size_t row_count, row_cap;
    int oldest, newest; /* of the tasks whose memories were saved and are kept; -1 = none */
    int kept;           /* how many they are */
    bool lost;          /* a memory could not be had back; whoever tells it sets this to false */
};

/* Nothing kept yet; both are borrowed until gains_done(). */
void gains_init(struct gains *gains, const struct run_state *state, struct log_writer *writer);
void gains_done(struct gains *gains);
/* There are so many tasks now: the plan grows. */
void gains_make_room(struct gains *gains, int task_count);
/* The state is that of a run which another engine began: what its attempts left in the log is
 * had back when it is wanted. Before anything else. */
void gains_resume(struct gains *gains);

/* The task's memory, had back from the log or made if there is none. */
struct entropy_memory *gains_memory(struct gains *gains, int task);
/* What the task's agent has called and seen, apart from that: had back or made likewise. */
struct entropy_memory *gains_calls(struct gains *gains, int task);
/* A new session of the agent knows nothing of it. */
void gains_forget_calls(struct gains *gains, int task);
/* The memory of the task's attempts where there is one, else NULL. */
struct entropy_memory *gains_find(const struct gains *gains, int task);

/* Does it know the task's output from its beginning? What comes back from the log has no
 * lines to show. */
bool gains_has_samples(const struct gains *gains, int task);

/* After a step of the scheduler: rows for the tasks whose attempts have ended, as the log
 * is to have them beside the turn's events. What is over is forgotten. */
void gains_collect(struct gains *gains, const struct turn *turn);
/* The rows are written. */
void gains_clear(struct gains *gains);

#endif
