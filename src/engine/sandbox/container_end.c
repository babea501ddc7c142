/* container_end.c - a container ended and removed, by its name. */
#include <string.h>

#include "container.h"
#include "sandbox.h"
#include "tool_run.h"

static bool ask(const char *const *words, char *const *environment, struct tool_result *out)
{
    return tool_ask(words, environment, SANDBOX_CALL_MS, out, NULL);
}

/* Only its own word for it: a client that breaks or a daemon that is away knows nothing. */
static bool is_gone(const char *program, const char *name, char *const *environment)
{
    const char *const words[] = {program,   "container", "inspect", "--format",
                                 "{{.Id}}", name,        NULL};
    struct tool_result result = {0};
    bool is_there = ask(words, environment, &result);
    bool gone = !is_there && strstr(str_text(&result.err), "o such container");
    tool_result_done(&result);
    return gone;
}

bool container_end(const char *program, bool is_podman, const char *name, char *const *environment)
{
    const char *const at_once[] = {program, "rm", "--force", "--time", "0", name, NULL};
    const char *const plainly[] = {program, "rm", "--force", name, NULL};
    struct tool_result result = {0};

    bool removed = ask(is_podman ? at_once : plainly, environment, &result);
    bool may_ask_again = is_podman && !removed && !result.timed_out;
    tool_result_done(&result);
    if (may_ask_again) { /* podman before 4.0 has no --time */
        result = (struct tool_result){0};
        removed = ask(plainly, environment, &result);
        tool_result_done(&result);
    }
    return removed || is_gone(program, name, environment);
}
