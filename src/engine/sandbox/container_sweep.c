/* container_sweep.c - containers that an earlier devs left behind. */
#define _GNU_SOURCE /* environ */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "container.h"
#include "program_find.h"
#include "sandbox.h"
#include "tool_run.h"

enum { SWEEP_NAMES_MAX = 1000 };

static void add_name(struct str *out, const char *tool, const char *name)
{
    if (out)
        str_addf(out, "%s%s container %s", out->len > 0 ? ", " : "", tool, name);
}

/* What does not answer has nothing that runs: a daemon that is down took its containers along,
 * podman's are processes that the groups and the marks find. */
static bool sweep_tool(const char *tool, const char *uid, struct str *ended, struct str *left)
{
    char program[PATH_MAX];
    char filter[128];
    const char *const words[] = {program, "ps",       "--all",      "--filter",
                                 filter,  "--format", "{{.Names}}", NULL};
    struct tool_result result = {0};
    bool is_podman = strcmp(tool, "podman") == 0;
    bool clean = true;

    if (!program_find_absolute(tool, program))
        return true;
    (void)snprintf(filter, sizeof(filter), "label=%s=%.80s", CONTAINER_LABEL, uid);
    bool ok = tool_ask(words, environ, SANDBOX_CALL_MS, &result, NULL);
    char *rest = ok ? result.out.data : NULL;
    for (int i = 0; rest && *rest && i < SWEEP_NAMES_MAX; i++) {
        char *name = rest;
        size_t len = strcspn(name, "\n");
        rest = name[len] ? name + len + 1 : name + len;
        name[len] = '\0';
        if (!name[0])
            continue;
        bool removed = container_end(program, is_podman, name, environ);
        add_name(removed ? ended : left, tool, name);
        clean = clean && removed;
    }
    tool_result_done(&result);
    return clean;
}

bool container_sweep(const char *uid, struct str *ended, struct str *left)
{
    bool podman = sweep_tool("podman", uid, ended, left);
    bool docker = sweep_tool("docker", uid, ended, left);
    return podman && docker;
}
