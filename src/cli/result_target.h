/*
 * result_target.h - the result of a task, from the words of a command line: for devs diff and
 * devs apply.
 */
#ifndef DEVS_RESULT_TARGET_H
#define DEVS_RESULT_TARGET_H

#include "attr.h"
#include "command.h"
#include "err.h"
#include "target.h"
#include "workspace_result.h"

/* What the task changed. A value of the caller's; end with result_target_done(). */
struct result_target {
    struct target target; /* which task is meant */
    char *run_dir;        /* owned; the folder that its run was started in */
    struct workspace_result *result;
    struct workspace_changes changes;
};

/* "41/tax" or "tax". `applies`: the result will be written somewhere, so the log must be ours
 * (log_own.h). */
ATTR_MUST_USE bool result_target_open(struct result_target *out, const struct globals *globals,
                                      const char *word, bool applies, struct err *err);
void result_target_done(struct result_target *value);

/* {"v":1,"run":41,"task":"tax",...: what both commands say of it, without the last brace. */
void result_target_json(const struct result_target *value, struct str *out);
/* "3 paths changed, 12 lines added, 4 removed" */
void result_target_sum(const struct workspace_changes *changes, struct str *out);

#endif
