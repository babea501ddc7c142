/*
 * mcp_tool.h - the tools that an agent may call, and the arguments of one call. Pure.
 *
 * What the tools are called, what they take and what they say of themselves is data:
 * assets/mcp-tools.json.
 */
#ifndef DEVS_MCP_TOOL_H
#define DEVS_MCP_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "json.h"
#include "phase.h"

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
    char *path;             /* owned; file tools only: relative, without ".." */
    int64_t offset, length; /* bytes; read_file only */
};

/* "execute_command". */
const char *mcp_tool_name(enum mcp_tool tool);
/* The inverse; false where no tool is called so. */
bool mcp_tool_parse(const char *name, enum mcp_tool *out);

/* The array of tools as one line of JSON. */
void mcp_tool_list(struct str *out);

/* Read the arguments (NULL = none). ERR_INVALID for what is no argument of this tool, lacks or
 * is of a wrong kind; ERR_LIMIT. `root` is the run's folder: paths below it may be given as
 * absolute ones. The caller ends *out with mcp_request_done() in both cases. */
ATTR_MUST_USE bool mcp_request_read(enum mcp_tool tool, const struct json *args, const char *root,
                                    struct mcp_request *out, struct err *err);
void mcp_request_done(struct mcp_request *request);

#endif
