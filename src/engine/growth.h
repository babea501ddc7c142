/*
 * growth.h - the tasks of a run whose plan grows, as they are really called.
 *
 * The log keeps a task without secrets and cut (task_record.h), and so does the fold; what it is
 * called with is here until it is over. Belongs to the loop's thread.
 */
#ifndef DEVS_GROWTH_H
#define DEVS_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

#include "launch.h"
#include "mailbox.h"
#include "plan.h"

/* All zero: the plan does not grow. */
struct growth {
    struct plan *plan;            /* owned; a growing copy; its numbers are those of the fold */
    struct launch_input **inputs; /* owned, each with its bytes; by task, NULL = nothing */
    size_t input_cap;
    struct mail_task *asked;   /* borrowed from their senders; not looked at yet, in order */
    struct mail_task *settled; /* likewise; to be answered once the turn is recorded */
    bool is_closed;            /* no more tasks come */
};

/* `plan` is borrowed until growth_done(). */
void growth_init(struct growth *growth, const struct plan *plan);
void growth_done(struct growth *growth);

/* Add what the task is called with; its bytes are copied. As plan_grow(). */
ATTR_MUST_USE bool growth_add(struct growth *growth, const struct engine_task *task,
                              struct err *err);
/* Take the last one back. */
void growth_take_back(struct growth *growth);

/* What the task reads on stdin, NULL = nothing, or what its steps say. */
const struct launch_input *growth_input(const struct growth *growth, int task);
/* The task is over, and nothing of it is alive: what it was called with is freed. */
void growth_forget(struct growth *growth, int task);

#endif
