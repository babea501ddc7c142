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

#include "attr.h"
#include "err.h"
#include "launch.h"
#include "plan.h"
#include "redact.h"

struct engine_task;
struct mail_task;

/* What a task has beside its plan. */
struct growth_call {
    struct launch_input input; /* its bytes owned; NULL = nothing */
    struct redactor *redactor; /* owned; of its own variables, NULL = it has none */
};

/* All zero: the plan does not grow. */
struct growth {
    struct plan *plan;          /* owned; a growing copy; its numbers are those of the fold */
    struct growth_call **calls; /* owned, each; by task, NULL once it is over */
    size_t call_cap;
    struct mail_task *asked;   /* borrowed from their senders; not looked at yet, in order */
    struct mail_task *settled; /* likewise; to be answered once the turn is recorded */
};

/* `plan` is borrowed until growth_done(). */
void growth_init(struct growth *growth, const struct plan *plan);
void growth_done(struct growth *growth);

/* Add the task to the plan, and what it is called with: its bytes are copied. `own` cuts the
 * secrets of its own variables, NULL if it has none; it is taken over unless this fails, as
 * plan_grow() does. */
ATTR_MUST_USE bool growth_add(struct growth *growth, const struct engine_task *task,
                              struct redactor *own, struct err *err);
/* Free what the task was called with. */
void growth_forget(struct growth *growth, int task);

/* What the task reads on stdin, NULL = nothing, or what its steps say. */
const struct launch_input *growth_input(const struct growth *growth, int task);
/* What cuts the secrets of its own variables from what the task writes, before that of the run;
 * NULL = it has none. */
const struct redactor *growth_redactor(const struct growth *growth, int task);
/* Append the text without secrets: those of the task's own variables (a task of -1 has none), then
 * those that `run` knows (NULL: none). */
void growth_redact(const struct growth *growth, int task, const struct redactor *run,
                   const char *text, size_t len, struct str *out);

#endif
