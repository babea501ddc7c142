/* mcp_result_tests.c - what a test program says of itself, in a call's result. */
#include "mcp_failing.h"
#include "mcp_result_parts.h"
#include "mcp_tool.h"

bool mcp_find_report(const struct mcp_ended *ended, struct test_report *out)
{
    if (ended->request->tool != MCP_TOOL_TESTS)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct str *kept = &ended->output->streams[i].kept;
        const struct classify_text text = {.bytes = kept->data, .len = kept->len};
        if (kept->len > 0 && test_report_find(&text, out))
            return true;
    }
    return false;
}

int mcp_find_failing(const struct mcp_ended *ended, struct str *out)
{
    int count = 0;
    for (int i = 0; i < 2 && count == 0 && ended->request->tool == MCP_TOOL_TESTS; i++) {
        const struct str *kept = &ended->output->streams[i].kept;
        count = mcp_failing_find(str_text(kept), kept->len, out);
    }
    return count;
}
