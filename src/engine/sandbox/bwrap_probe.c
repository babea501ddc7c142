/* bwrap_probe.c - what bubblewrap can do here: tried out, once. */
#define _GNU_SOURCE /* environ */

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bwrap.h"
#include "program_find.h"
#include "tool_run.h"

static struct {
    pthread_once_t once;
    struct bwrap_means means;
} known = {.once = PTHREAD_ONCE_INIT};

/* Run it once as the attempts will run it; true if `true` ran inside. */
static bool probe(const char *extra, struct bwrap_means *means)
{
    const char *const words[] = {means->program,
                                 "--unshare-pid",
                                 "--unshare-ipc",
                                 "--unshare-uts",
                                 "--die-with-parent",
                                 "--ro-bind",
                                 "/",
                                 "/",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc",
                                 "--tmpfs",
                                 "/tmp",
                                 extra,
                                 "--",
                                 "true",
                                 NULL};
    struct tool_result result = {0};
    struct err err = {0};
    bool ok = tool_ask(words, environ, BWRAP_PROBE_MS, &result, &err);
    if (!ok)
        (void)snprintf(means->why, sizeof(means->why), "%.199s", err.message);
    tool_result_done(&result);
    return ok;
}

static void read_version(struct bwrap_means *means)
{
    const char *const words[] = {means->program, "--version", NULL};
    struct tool_result result = {0};
    if (tool_ask(words, environ, BWRAP_PROBE_MS, &result, NULL)) {
        const char *said = str_text(&result.out);
        const char *number = said + strcspn(said, "0123456789");
        (void)snprintf(means->version, sizeof(means->version), "%.*s", (int)strcspn(number, "\n"),
                       number);
    }
    tool_result_done(&result);
}

static void look_up(void)
{
    struct bwrap_means *means = &known.means;

    means->is_there = program_find_absolute("bwrap", means->program);
    if (!means->is_there) {
        (void)snprintf(means->why, sizeof(means->why), "bwrap is not installed");
        return;
    }
    read_version(means);
    means->works = probe("--unshare-uts", means);
    means->network = means->works && probe("--unshare-net", means);
}

void bwrap_means(struct bwrap_means *out)
{
    (void)pthread_once(&known.once, look_up);
    *out = known.means;
}
