/*
 * mcp_failing.h - the names of the tests that failed, as test programs print them. Pure.
 *
 * Only lines that name a failed test by their form are taken: pytest ("FAILED path::name"),
 * unittest ("FAIL: name (case)"), TAP ("not ok 3 - name"), cargo ("test name ... FAILED"), Go
 * ("--- FAIL: Name"), GoogleTest ("[  FAILED  ] Case.Name"), CTest ("3 - name (Failed)"), jest
 * ("● suite › name").
 */
#ifndef DEVS_MCP_FAILING_H
#define DEVS_MCP_FAILING_H

#include <stddef.h>

#include "str.h"

enum {
    MCP_FAILING_MAX = 50,       /* names that are listed */
    MCP_FAILING_NAME_MAX = 200, /* bytes of one */
};

/* The names in the text as elements of a JSON array (no brackets), each once; returns how many
 * there are, at most MCP_FAILING_MAX. */
int mcp_failing_find(const char *bytes, size_t len, struct str *out);

#endif
