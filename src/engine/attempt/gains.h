/*
 * gains.h - remembers what the attempts of each task have written, to tell new output from repeated
 * output, and saves that in the log.
 *
 * A task has a memory (entropy_memory.h) from its first output until it is over. A failed task
 * keeps it, since a person may retry it. Of the tasks that are not running and whose memories are
 * in the log, only the last GAINS_KEPT_MAX are kept in RAM; the others are reloaded from the log
 * when their next attempt writes. Thread: engine.
 */
#ifndef DEVS_GAINS_H
#define DEVS_GAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "entropy_memory.h"
#include "log_writer.h"
#include "run_state.h"
#include "scheduler.h"

enum { GAINS_KEPT_MAX = 64 }; /* memories of tasks that are waiting or failed */

struct gains {
    const struct run_state *state; /* borrowed */
    struct log_writer *writer;     /* borrowed; NULL: memories that are not kept are lost */
    struct gain *tasks;            /* owned; by task number */
    size_t task_cap;               /* capacity of `tasks` */
    int task_count;                /* number of tasks */
    struct log_gain *rows;         /* owned, including their bytes; rows of this turn */
    size_t row_count, row_cap;
    int oldest, newest; /* ends of the list of saved memories that are kept; -1 = none */
    int kept;           /* length of that list */
    bool lost; /* a memory could not be reloaded; whoever reports that sets this to false */
};

/* Starts empty. Borrows both until gains_done(). */
void gains_init(struct gains *gains, const struct run_state *state, struct log_writer *writer);
void gains_done(struct gains *gains);
/* Makes room for this many tasks, because the plan has grown. */
void gains_make_room(struct gains *gains, int task_count);
/* Call this first if another engine started the run: memories that it saved are then loaded from
 * the log on demand. */
void gains_resume(struct gains *gains);

/* Returns the memory of the task's output, after loading it from the log or creating it. */
struct entropy_memory *gains_memory(struct gains *gains, int task);
/* Returns the memory of the calls and messages of the task's agent, which is separate. Loaded or
 * created like gains_memory(). */
struct entropy_memory *gains_calls(struct gains *gains, int task);
/* Forgets the agent's calls: its new session knows nothing of them. */
void gains_forget_calls(struct gains *gains, int task);
/* Returns the memory of the task's output; NULL if it has none. */
struct entropy_memory *gains_find(const struct gains *gains, int task);

/* Returns whether the memory has seen the task's output from its beginning. A memory loaded from
 * the log has no sample lines to show. */
bool gains_has_samples(const struct gains *gains, int task);

/* Call this after each step of the scheduler. Makes rows for the tasks whose attempts have ended,
 * to be logged with the events of the turn, and forgets tasks that are over. */
void gains_collect(struct gains *gains, const struct turn *turn);
/* Drops the rows once they are written. */
void gains_clear(struct gains *gains);

#endif
