#include "mcp_tool.h"

#include <assert.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "mcp_tools.h"

static const struct {
    const char *name;
    enum phase phase; /* where the call says nothing */
    bool idempotent;  /* likewise */
} tools[] = {
    [MCP_TOOL_EXECUTE] = {"execute_command", PHASE_GREEN, false},
    [MCP_TOOL_TESTS] = {"run_tests", PHASE_VERIFY, true},
    [MCP_TOOL_WRITE] = {"write_file", PHASE_GREEN, true},
    [MCP_TOOL_READ] = {"read_file", PHASE_GREEN, true},
};
static_assert(ARRAY_LEN(tools) == MCP_TOOL_COUNT, "every tool is named");

const char *mcp_tool_name(enum mcp_tool tool)
{
    return tools[tool].name;
}

enum phase mcp_tool_phase(enum mcp_tool tool)
{
    return tools[tool].phase;
}

bool mcp_tool_is_idempotent(enum mcp_tool tool)
{
    return tools[tool].idempotent;
}

bool mcp_tool_parse(const char *name, enum mcp_tool *out)
{
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        if (strcmp(tools[i].name, name) != 0)
            continue;
        *out = (enum mcp_tool)i;
        return true;
    }
    return false;
}

void mcp_tool_list(struct str *out)
{
    struct json *list = NULL;
    bool ok = json_parse(mcp_tools, strlen(mcp_tools), &list, NULL, NULL);
    assert(ok); /* it is ours */
    (void)ok;
    json_write(out, list);
    json_free(list);
}
