#include "mcp_version.h"

#include <assert.h>
#include <string.h>

#include "attr.h"

static const char *const names[] = {
    [MCP_2024_11_05] = "2024-11-05", [MCP_2025_03_26] = "2025-03-26",
    [MCP_2025_06_18] = "2025-06-18", [MCP_2025_11_25] = "2025-11-25",
    [MCP_2026_07_28] = "2026-07-28",
};
static_assert(ARRAY_LEN(names) == MCP_VERSION_COUNT, "every version has a name");

const char *mcp_version_name(enum mcp_version version)
{
    return names[version];
}

bool mcp_version_parse(const char *name, enum mcp_version *out)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        *out = (enum mcp_version)i;
        return true;
    }
    return false;
}

enum mcp_era mcp_version_era(enum mcp_version version)
{
    return version <= MCP_NEWEST_LEGACY ? MCP_ERA_LEGACY : MCP_ERA_STATELESS;
}

bool mcp_version_has_batches(enum mcp_version version)
{
    return version == MCP_2025_03_26;
}

void mcp_version_list(struct str *out)
{
    str_add_char(out, '[');
    for (int i = MCP_VERSION_COUNT - 1; i >= 0; i--)
        str_addf(out, "\"%s\"%s", names[i], i > 0 ? "," : "]");
}
