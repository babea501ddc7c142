/*
 * mcp_task.h - a tool's call as a task of the run: what is executed for it. Pure.
 */
#ifndef DEVS_MCP_TASK_H
#define DEVS_MCP_TASK_H

#include "attr.h"
#include "err.h"
#include "mcp_request.h"
#include "sandbox_spec.h"

enum { MCP_TITLE_BYTES = 160 /* of a task's title */ };

/* What calls are executed with. All borrowed. */
struct mcp_setting {
    char *const *tests;     /* command of run_tests; NULL = none is set */
    const char *program;    /* devs, which reads and writes files where there is no sandbox */
    enum sandbox_kind kept; /* what the run's steps are kept in */
};

/* Append the task as JSON, as in a plan. ERR_NOT_FOUND: run_tests without a command. */
ATTR_MUST_USE bool mcp_task_write(const struct mcp_request *request, const struct mcp_setting *set,
                                  int64_t number, struct str *out, struct err *err);

#endif
