/*
 * continue_secrets.h - does a run that is to be gone on with lack a secret? Main thread.
 */
#ifndef DEVS_CONTINUE_SECRETS_H
#define DEVS_CONTINUE_SECRETS_H

#include "log_reader.h"
#include "place.h"
#include "plan.h"

/* Looked at before the run is taken over: one that then ends for want of a secret has ended, and
 * cannot be gone on with. `plan` is that of the log, with its marks. EXIT_NEEDS_YOU, with the
 * variable printed, if a task that is not over has a step with the value of one that is not set
 * here; what no variable holds is left to the run, which says so at the step. Returns an exit
 * code. */
int continue_secrets_check(const struct place *place, const struct log_run_info *run,
                           const struct plan *plan);

#endif
