/*
 * plan_secrets.h - a plan out of the log, in which marks stand where secrets were. Pure.
 */
#ifndef DEVS_PLAN_SECRETS_H
#define DEVS_PLAN_SECRETS_H

#include <stdbool.h>

#include "plan.h"
#include "redact.h"

/* In what steps are called with (argv, env, cwd, stdin, what an agent is told, and the variables of
 * its adapter), and in `setup`, each mark becomes the value that the variable of its name has in
 * `environment` ("NAME=value", ends with NULL). A text stays as it is if a variable is missing, or
 * if `redactor` would not cut the new text to the old one: then something else was cut, a part of
 * the value or another form of it. The plan is not shared with anybody yet. */
void plan_restore_secrets(struct plan *plan, const struct redactor *redactor,
                          char *const *environment);

/* Is the step called with something that is still cut? The first such name goes to name[]. */
bool plan_step_lacks(const struct plan_step *step, char name[REDACT_NAME_MAX + 1]);
/* The same of the command that sets up the task's workspace. */
bool plan_setup_lacks(const struct plan_task *task, char name[REDACT_NAME_MAX + 1]);

#endif
