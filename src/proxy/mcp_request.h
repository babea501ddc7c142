/*
 * mcp_request.h - the tools, what one call of a tool asks for, with its arguments checked, and the
 * task that it becomes. Pure.
 */
#ifndef DEVS_MCP_REQUEST_H
#define DEVS_MCP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "json.h"
#include "phase.h"
#include "sandbox_spec.h"
#include "str.h"

enum mcp_tool {
    MCP_TOOL_EXECUTE,
    MCP_TOOL_TESTS,
    MCP_TOOL_WRITE,
    MCP_TOOL_READ,
    MCP_TOOL_COUNT,
};

enum {
    MCP_TIMEOUT_MS = 600 * 1000,     /* of a try where the call says nothing */
    MCP_READ_BYTES_MAX = 192 * 1024, /* of one read_file: the log keeps so much of a head */
    MCP_PATH_MAX = 4095,             /* bytes of a path */
};

/* What one call asks for. */
struct mcp_request {
    enum mcp_tool tool;
    struct json *args; /* owned; all of them as they came, NULL = none */
    char **argv;       /* owned, NULL-terminated; of a file tool NULL, of run_tests NULL = the
                          project's own command */
    char *cwd;         /* owned; NULL = the run's folder */
    char **env;        /* owned, NULL-terminated "NAME=value"; NULL = none */
    char *input;       /* owned; stdin, or the content of a file; NULL = none */
    size_t input_len;  /* bytes */
    int64_t timeout_ms;
    enum phase phase;
    bool idempotent;
    bool says_idempotent;   /* the call does; else it is the tool's own value */
    char *path;             /* owned; file tools only: relative, without ".." */
    int64_t offset, length; /* bytes; read_file only */
};

/* Read the arguments (NULL = none). ERR_INVALID for what is no argument of this tool, lacks or
 * is of a wrong kind; ERR_LIMIT. `root` is the run's folder: paths below it may be given as
 * absolute ones. The caller ends *out with mcp_request_done() in both cases. */
ATTR_MUST_USE bool mcp_request_read(enum mcp_tool tool, const struct json *args, const char *root,
                                    struct mcp_request *out, struct err *err);
void mcp_request_done(struct mcp_request *request);

/* "execute_command". */
const char *mcp_tool_name(enum mcp_tool tool);

/* The tool of that name; false where no tool is called so. */
bool mcp_tool_parse(const char *name, enum mcp_tool *out);

/* The array of tools as one line of JSON. */
void mcp_tool_list(struct str *out);

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
