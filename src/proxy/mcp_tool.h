/*
 * mcp_tool.h - the tools that an agent may call. Pure.
 *
 * What the tools are called, what they take and what they say of themselves is data:
 * assets/mcp-tools.json.
 */
#ifndef DEVS_MCP_TOOL_H
#define DEVS_MCP_TOOL_H

#include <stdbool.h>

#include "phase.h"
#include "str.h"

enum mcp_tool {
    MCP_TOOL_EXECUTE,
    MCP_TOOL_TESTS,
    MCP_TOOL_WRITE,
    MCP_TOOL_READ,
    MCP_TOOL_COUNT,
};

/* "execute_command". */
const char *mcp_tool_name(enum mcp_tool tool);
/* The phase of a call that names none. */
enum phase mcp_tool_phase(enum mcp_tool tool);
/* May a call that does not say so be made again when its end is not known? */
bool mcp_tool_is_idempotent(enum mcp_tool tool);

/* The tool of that name; false where no tool is called so. */
bool mcp_tool_parse(const char *name, enum mcp_tool *out);

/* The array of tools as one line of JSON. */
void mcp_tool_list(struct str *out);

#endif
