/*
 * call.h - how a step of a plan is started: folder, files, environment.
 *
 * The same for every attempt of a step, except that an agent's attempts have an argv of their own
 * (agent_run.h). Any thread.
 */
#ifndef DEVS_CALL_H
#define DEVS_CALL_H

#include "launch.h"
#include "plan.h"

/* What all calls of a run share. All borrowed; must outlive the calls. */
struct call_setting {
    const struct plan *plan;
    const char *run_dir;      /* absolute */
    char *const *environment; /* NULL-terminated */
    const char *run_mark;     /* "DEVS_RUN=..." */
};

struct call {
    char *const *argv;                /* borrowed from the plan, or from whoever replaced it */
    char *cwd;                        /* owned; absolute */
    char *stdin_path;                 /* owned; absolute, NULL = /dev/null */
    bool is_fed;                      /* its stdin is PLAN_STDIN_OURS; stdin_path is NULL then */
    const struct launch_input *input; /* borrowed; bytes for stdin instead of a path; NULL =
                                         none, as after call_init() */
    char *step_mark;                  /* owned; "DEVS_STEP=task/1" */
    char **own; /* owned array of borrowed strings, NULL-terminated: the step's own entries */
    char **environment; /* owned array of borrowed strings, NULL-terminated */
};

/* Fills in argv, folder, environment and stdin from the step in the plan. */
void call_init(struct call *call, const struct call_setting *setting, int task, int step);
void call_done(struct call *call);

/* Returns "task/1", the step's name for display. */
const char *call_name(const struct call *call);

#endif
