#include "agent.h"

#include <assert.h>
#include <string.h>

#include "attr.h"

static const char *const names[] = {
    [AGENT_NONE] = NULL,       [AGENT_CLAUDE] = "claude",     [AGENT_CODEX] = "codex",
    [AGENT_GEMINI] = "gemini", [AGENT_OPENCODE] = "opencode", [AGENT_QWEN] = "qwen",
    [AGENT_PI] = "pi",
};
static_assert(ARRAY_LEN(names) == AGENT_COUNT, "every agent has a name");

const char *agent_program(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum agent agent_find(const char *program)
{
    for (int i = AGENT_NONE + 1; program && i < AGENT_COUNT; i++) {
        if (strcmp(names[i], program) == 0)
            return (enum agent)i;
    }
    return AGENT_NONE;
}

const char *agent_name(enum agent agent)
{
    assert(agent < AGENT_COUNT);
    return names[agent];
}
