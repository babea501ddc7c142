/* container_probe.c - what podman or docker can do here: asked of the program, once for each. */
#define _GNU_SOURCE /* environ */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "container.h"

#include "clock.h"
#include "program_find.h"
#include "tool_run.h"

static const char podman_format[] =
    "{{.Version.Version}}|{{.Host.CgroupManager}}|{{.Host.CgroupControllers}}|"
    "{{.Host.Security.Rootless}}|";
static const char docker_format[] =
    "{{.ServerVersion}}|{{.CgroupDriver}}|{{if .MemoryLimit}}memory{{end}} "
    "{{if .PidsLimit}}pids{{end}}|false|";

enum { PODMAN, DOCKER, TOOL_COUNT };

/* The lock guards the rest. */
static struct {
    pthread_mutex_t lock;
    int64_t next_ms[TOOL_COUNT]; /* when to look again */
    struct container_tool tools[TOOL_COUNT];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The next field of a line separated by '|'. */
static char *take_field(char **rest)
{
    char *field = *rest;
    char *end = field + strcspn(field, "|");
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return field;
}

static void take_answer(struct container_tool *tool, char *line)
{
    char *rest = line;
    const char *version = take_field(&rest);
    const char *manager = take_field(&rest);
    const char *controllers = take_field(&rest);
    bool is_rootless = strcmp(take_field(&rest), "true") == 0;

    (void)snprintf(tool->version, sizeof(tool->version), "%.47s", version);
    tool->limits_memory = strstr(controllers, "memory") != NULL;
    tool->limits_pids = strstr(controllers, "pids") != NULL;
    bool is_here = tool->is_podman || !getenv("DOCKER_HOST");
    tool->takes_groups = strcmp(manager, "cgroupfs") == 0 && !is_rootless && is_here;
    tool->works = true;
}

/* docker answers with exit code 0 and an empty version where its daemon is away. */
static void probe(struct container_tool *tool)
{
    const char *const words[] = {tool->program, "info", "--format",
                                 tool->is_podman ? podman_format : docker_format, NULL};
    struct tool_result result = {0};
    struct err err = {0};

    bool ok = tool_ask(words, environ, CONTAINER_PROBE_MS, &result, &err);
    if (ok && result.out.len > 0 && result.out.data[0] != '|')
        take_answer(tool, result.out.data);
    else if (ok)
        (void)snprintf(tool->why, sizeof(tool->why), "%s: the daemon does not answer", tool->name);
    else
        (void)snprintf(tool->why, sizeof(tool->why), "%.199s", err.message);
    tool_result_done(&result);
}

/* Under the lock. */
static void look_up(int which, struct container_tool *tool)
{
    *tool = (struct container_tool){.is_podman = which == PODMAN};
    tool->name = which == PODMAN ? "podman" : "docker";
    if (program_find_absolute(tool->name, tool->program))
        probe(tool);
    else
        (void)snprintf(tool->why, sizeof(tool->why), "%s is not installed", tool->name);
}

static void get(int which, struct container_tool *out)
{
    (void)pthread_mutex_lock(&known.lock);
    if (clock_now().mono_ms >= known.next_ms[which]) {
        look_up(which, &known.tools[which]);
        bool works = known.tools[which].works;
        known.next_ms[which] = works ? INT64_MAX : clock_now().mono_ms + CONTAINER_AGAIN_MS;
    }
    *out = known.tools[which];
    (void)pthread_mutex_unlock(&known.lock);
}

void container_tool(enum sandbox_kind kind, struct container_tool *out)
{
    struct container_tool docker;

    if (kind == SANDBOX_DOCKER) {
        get(DOCKER, out);
        return;
    }
    get(PODMAN, out);
    if (kind == SANDBOX_PODMAN || out->works)
        return;
    get(DOCKER, &docker);
    if (docker.program[0] && (docker.works || !out->program[0]))
        *out = docker;
}
