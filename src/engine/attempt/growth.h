/*
 * growth.h - the tasks of a run whose plan grows, as they are really started.
 *
 * In the log and in the folded state, such a task is redacted and truncated (task_record.h). Its
 * real call is kept here until it is over. Thread: engine.
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

/* What a task has besides its entry in the plan. */
struct growth_call {
    struct launch_input input; /* owns its bytes; NULL = no input */
    struct redactor *redactor; /* owned; redacts the task's own variables; NULL if it has none */
};

/* All zero if the plan does not grow. */
struct growth {
    struct plan *plan; /* owned; a copy that grows, with the same numbers as the folded state */
    struct growth_call **calls; /* owned, each; by task; NULL once it is over */
    size_t call_cap;
    struct mail_task *asked;   /* borrowed from their senders; not handled yet, oldest first */
    struct mail_task *settled; /* borrowed from their senders; answered once the turn is recorded */
};

/* `plan` is borrowed until growth_done(). */
void growth_init(struct growth *growth, const struct plan *plan);
void growth_done(struct growth *growth);

/* Adds the task to the plan and copies its input. `own` redacts the secrets of its own variables,
 * NULL if it has none. Takes ownership of `own` unless this fails, like plan_grow(). */
ATTR_MUST_USE bool growth_add(struct growth *growth, const struct engine_task *task,
                              struct redactor *own, struct err *err);
/* Frees the task's real call. */
void growth_forget(struct growth *growth, int task);

/* Returns the task's stdin; NULL = nothing, or what its steps say. */
const struct launch_input *growth_input(const struct growth *growth, int task);
/* Returns the redactor for the task's own variables, which runs before the run's redactor; NULL if
 * it has none. */
const struct redactor *growth_redactor(const struct growth *growth, int task);
/* Appends the text without the secrets of the task's own variables (task -1 has none) and without
 * those that `run` knows (may be NULL). */
void growth_redact(const struct growth *growth, int task, const struct redactor *run,
                   const char *text, size_t len, struct str *out);

#endif
