/*
 * mcp_request.h - what one call of a tool asks for: its arguments, checked. Pure.
 */
#ifndef DEVS_MCP_REQUEST_H
#define DEVS_MCP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "json.h"
#include "mcp_tool.h"
#include "phase.h"

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

#endif
