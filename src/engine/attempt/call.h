/*
 * call.h - a plan's step as the call that is made: folder, files, environment.
 *
 * The same for every attempt of a step, but that an agent's attempts are mutually exclusive to it
 * (agent_run.h). Any thread.
 */
#ifndef DEVS_CALL_H
#define DEVS_CALL_H

#include "launch.h"
#include "plan.h"

/* What calls of one run share. All borrowed; outlives the calls. */
struct call_setting {
    const struct plan *plan;
    const char *run_dir;      /* absolute */
    char *const *environment; /* NULL-terminated */
    const char *run_mark;     /* "DEVS_RUN=..." */
};

struct call {
    char *const *argv;                /* borrowed from the plan, or whoever put it here */
    char *cwd;                        /* owned; absolute */
    char *stdin_path;                 /* owned; absolute, NULL = /dev/null */
    bool is_fed;                      /* it reads PLAN_STDIN_OURS; stdin_path is NULL then */
    const struct launch_input *input; /* borrowed; bytes for stdin in place of a path; NULL = none:
                                         call_init() leaves it so */
    char *step_mark;                  /* owned; "DEVS_STEP=task/1" */
    char **own; /* owned array of borrowed texts, NULL-terminated: the entries of the step itself */
    char **environment; /* owned array of borrowed texts, NULL-terminated */
};

/* The call of this step: argv, folder, environment and stdin as the plan has them. */
void call_init(struct call *call, const struct call_setting *setting, int task, int step);
void call_done(struct call *call);

/* "task/1": the step, for people. */
const char *call_name(const struct call *call);

#endif
