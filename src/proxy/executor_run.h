/*
 * executor_run.h - the run that an executor's calls are tasks of: its folder, engine, follower and
 * desk. Begun with the first call, ended with the executor; on its thread.
 */
#ifndef DEVS_EXECUTOR_RUN_H
#define DEVS_EXECUTOR_RUN_H

#include "executor.h"

/* Begin it. On failure nothing of it is left, and it can be begun again. */
ATTR_MUST_USE bool executor_run_begin(struct executor *executor, struct err *err);
/* End what runs, keep what the calls made in a folder of their own, and free all of it; `result`
 * gets what the engine said. Also where none was begun. */
void executor_run_end(struct executor *executor, struct proxy_result *result);

#endif
