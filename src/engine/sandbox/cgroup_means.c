/* cgroup_means.c - what control groups can do here: looked up once. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "cgroup.h"
#include "cgroup_mounts.h"

static struct {
    pthread_once_t once;
    struct cgroup_means means;
} known = {.once = PTHREAD_ONCE_INIT};

/* Really make one: what may be written and what may be done are two things. */
static bool can(int64_t memory_bytes, int64_t pids, struct err *err)
{
    struct cgroup *cgroup;
    char uid[32];
    const struct cgroup_limits limits = {.memory_bytes = memory_bytes, .pids = pids};

    (void)snprintf(uid, sizeof(uid), "probe-%d", (int)getpid());
    if (!cgroup_open(&cgroup, uid, "probe", &limits, err))
        return false;
    cgroup_close(cgroup);
    return true;
}

static void look_up(void)
{
    enum { PROBE_MEMORY = 64 * 1024 * 1024, PROBE_PIDS = 64 };
    struct err err = {0};
    struct cgroup_means *means = &known.means;
    size_t mounts;

    (void)cgroup_mounts(&mounts);
    means->track = can(0, 0, &err);
    if (means->track) {
        means->memory = can(PROBE_MEMORY, 0, &err);
        means->pids = can(0, PROBE_PIDS, &err);
    }
    if (mounts == 0)
        (void)snprintf(means->why, sizeof(means->why), "no control groups are mounted");
    else
        (void)snprintf(means->why, sizeof(means->why), "%.199s", err.message);
}

void cgroup_means(struct cgroup_means *out)
{
    (void)pthread_once(&known.once, look_up);
    *out = known.means;
}
