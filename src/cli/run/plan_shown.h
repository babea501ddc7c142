/*
 * plan_shown.h - a plan in words: what `devs run --dry-run` says. Main thread.
 */
#ifndef DEVS_PLAN_SHOWN_H
#define DEVS_PLAN_SHOWN_H

#include "plan_file.h"

/* Print what would run, `jobs` at a time; nothing is started and no log is touched. Secrets that
 * the plan or the environment has are cut. Returns the exit code. */
int plan_shown(const struct plan_file *file, int jobs);
/* The same as JSON: the plan as the log would have it. */
int plan_shown_json(const struct plan_file *file);

#endif
