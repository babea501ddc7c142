/*
 * state_pack.h - parts of a run's state as bytes, without the zeros that most of them are. Only
 * for memory of this process: the layout is the compiler's. Private to core.
 */
#ifndef DEVS_STATE_PACK_H
#define DEVS_STATE_PACK_H

#include <stddef.h>

#include "run_state.h"
#include "str.h"

/* Where in the bytes the next part is. */
struct unpack {
    const unsigned char *at; /* borrowed */
};

/* Who keeps packed bytes keeps room for so many more behind them: they are read word by word. */
enum { PACK_SLACK = 8 };

/* A task and its steps with all that they own, but the steps' attempts: of these nothing is
 * packed, and the number of a step's attempts is 0 when it is unpacked. */
void pack_task(struct str *out, const struct task_state *task, int steps);
/* Into memory that owns nothing; `steps` of the task are where they stay. */
void unpack_task(struct unpack *from, struct task_state *task, int steps);

/* Attempts with what they own. */
void pack_attempts(struct str *out, const struct attempt_state *attempts, size_t count);
/* The inverse, into attempts that lie where they are to be. */
void unpack_attempts(struct unpack *from, struct attempt_state *attempts, size_t count);

/* What is true of the run apart from its tasks: numbers, gates, lines. */
void pack_run(struct str *out, const struct run_state *state);
/* The state's plan, tasks and memory stay; what is in them makes way. */
void unpack_run(struct unpack *from, struct run_state *state);

#endif
