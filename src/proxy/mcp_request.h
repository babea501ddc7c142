/*
 * mcp_request.h - the tools; checks the arguments of a call, and turns the call into a task. Pure.
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
    MCP_TIMEOUT_MS = 600 * 1000,     /* default for one try */
    MCP_READ_BYTES_MAX = 192 * 1024, /* limit for one read_file: the head that the log keeps */
    MCP_PATH_MAX = 4095,             /* bytes of a path */
};

/* A checked call. */
struct mcp_request {
    enum mcp_tool tool;
    struct json *args; /* owned; the original arguments, NULL = none */
    char **argv; /* owned, NULL-terminated; NULL for file tools, and for run_tests if it uses the
                    project's own command */
    char *cwd;   /* owned; NULL = the run's directory */
    char **env;  /* owned, NULL-terminated "NAME=value"; NULL = none */
    char *input; /* owned; stdin, or the file's new content; NULL = none */
    size_t input_len; /* bytes */
    int64_t timeout_ms;
    enum phase phase;
    bool idempotent;
    bool says_idempotent; /* the call specifies `idempotent`; otherwise it is the tool's default */
    char *path;           /* owned; only file tools: relative, without ".." */
    int64_t offset, length; /* bytes; only read_file */
};

/* Reads the arguments (NULL = none). Fails with ERR_INVALID if an argument is unknown, missing or
 * has the wrong type, ERR_LIMIT if it is too large. `root` is the run's directory: paths below it
 * may be absolute. The caller frees *out with mcp_request_done() in either case. */
ATTR_MUST_USE bool mcp_request_read(enum mcp_tool tool, const struct json *args, const char *root,
                                    struct mcp_request *out, struct err *err);
void mcp_request_done(struct mcp_request *request);

/* Returns a name such as "execute_command". */
const char *mcp_tool_name(enum mcp_tool tool);

/* Finds the tool with that name; returns false if there is none. */
bool mcp_tool_parse(const char *name, enum mcp_tool *out);

/* Appends the array of tools as one line of JSON. */
void mcp_tool_list(struct str *out);

enum { MCP_TITLE_BYTES = 160 /* of a task's title */ };

/* The environment for calls. Everything is borrowed. */
struct mcp_setting {
    char *const *tests;     /* command of run_tests; NULL = not set */
    const char *program;    /* devs, which reads and writes files outside of sandboxes */
    enum sandbox_kind kept; /* the sandbox of the run's steps */
};

/* Appends the task as JSON, in the form of a plan. Fails with ERR_NOT_FOUND for run_tests without a
 * command. */
ATTR_MUST_USE bool mcp_task_write(const struct mcp_request *request, const struct mcp_setting *set,
                                  int64_t number, struct str *out, struct err *err);

#endif
