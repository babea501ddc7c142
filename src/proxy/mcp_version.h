/*
 * mcp_version.h - the versions of the Model Context Protocol that are served, and what differs
 * between them. Facts from the specifications of these dates (modelcontextprotocol.io).
 *
 * Up to 2025-11-25 a session begins with `initialize`, which settles the version. From
 * 2026-07-28 on there is no session: each request names its version and what the client can do
 * in `_meta`, and `server/discover` says what there is.
 */
#ifndef DEVS_MCP_VERSION_H
#define DEVS_MCP_VERSION_H

#include <stdbool.h>

#include "str.h"

enum mcp_version {
    MCP_2024_11_05,
    MCP_2025_03_26, /* the only one with batches */
    MCP_2025_06_18,
    MCP_2025_11_25,
    MCP_2026_07_28,
    MCP_VERSION_COUNT,
    /* What `initialize` is answered with where it asks for what is not known. */
    MCP_NEWEST_LEGACY = MCP_2025_11_25,
};

enum mcp_era {
    MCP_ERA_LEGACY,    /* initialize */
    MCP_ERA_STATELESS, /* _meta with each request */
};

/* "2025-11-25". */
const char *mcp_version_name(enum mcp_version version);
/* The inverse; false for one that is not served. */
bool mcp_version_parse(const char *name, enum mcp_version *out);
enum mcp_era mcp_version_era(enum mcp_version version);
/* May a line hold several messages in an array? */
bool mcp_version_has_batches(enum mcp_version version);

/* The served versions as a JSON array, the newest first. */
void mcp_version_list(struct str *out);

#endif
