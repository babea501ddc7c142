#include "cgroup_end.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "cgroup_file.h"
#include "cgroup_mounts.h"
#include "clock.h"
#include "proc.h"
#include "xalloc.h"

enum {
    POLL_MS_MAX = 50, /* looks come 1, 2, 4 ... ms apart */
    NAMED_MAX = 8,
    MS_NS = 1000 * 1000,
};

struct ending {
    struct str *ended; /* NULL = not asked */
    size_t named;
    size_t count; /* found in this look */
};

/* Once: a process is in the same group of several hierarchies. */
static bool add_name(struct str *out, pid_t pid)
{
    struct proc_facts facts;
    char mark[32];
    (void)snprintf(mark, sizeof(mark), "pid %d (", (int)pid);
    if (strstr(str_text(out), mark))
        return false;
    bool known = proc_read(pid, &facts);
    str_addf(out, "%s%s%s)", out->len > 0 ? ", " : "", mark, known ? facts.name : "?");
    return true;
}

static bool kill_one(void *ctx, pid_t pid)
{
    struct ending *ending = ctx;
    if (ending->ended && ending->named < NAMED_MAX && add_name(ending->ended, pid))
        ending->named++;
    ending->count++;
    (void)kill(pid, SIGKILL);
    return true;
}

/* One look at all of them; how many processes there were. */
static size_t kill_all(const char *const *dirs, size_t count, struct ending *ending)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        ending->count = 0;
        cgroup_each_pid(dirs[i], kill_one, ending);
        if (ending->count > most)
            most = ending->count;
        if (ending->count > 0)
            (void)cgroup_file_write(dirs[i], "cgroup.kill", "1"); /* version 2, from 5.14 on */
    }
    return most;
}

static void pause_ms(int64_t ms)
{
    const struct timespec time = {.tv_nsec = (long)(ms * MS_NS)};
    (void)nanosleep(&time, NULL);
}

size_t cgroup_end_all(const char *const *dirs, size_t count, struct str *ended, size_t *left_out)
{
    struct ending ending = {.ended = ended};
    int64_t end_ms = clock_now().mono_ms + CGROUP_END_MS;
    size_t first = kill_all(dirs, count, &ending);

    *left_out = first;
    if (first == 0)
        return 0;
    ending.ended = NULL;
    for (size_t i = 0; i < count; i++) /* what is not born need not be killed */
        (void)cgroup_file_write(dirs[i], "pids.max", "0");
    for (int64_t wait_ms = 1; *left_out > 0 && clock_now().mono_ms < end_ms; wait_ms *= 2) {
        if (wait_ms > POLL_MS_MAX)
            wait_ms = POLL_MS_MAX;
        pause_ms(wait_ms);
        *left_out = kill_all(dirs, count, &ending);
    }
    return first;
}

void cgroup_remove_with_run(const char *dir)
{
    int64_t end_ms = clock_now().mono_ms + CGROUP_END_MS;
    /* A process that has ended, and that its parent has not awaited, may hold it for a moment. */
    while (cgroup_remove(dir) == EBUSY && clock_now().mono_ms < end_ms)
        pause_ms(1);
    char *parent = xstrndup(dir, (size_t)(strrchr(dir, '/') - dir));
    (void)rmdir(parent); /* others may be in it */
    free(parent);
}

void cgroup_remove_everywhere(const char *path)
{
    size_t count;
    const struct cgroup_mount *mounts = cgroup_mounts(&count);

    for (size_t i = 0; i < count; i++) {
        struct str dir = {0};
        str_addf(&dir, "%s%s", mounts[i].top, path);
        if (access(dir.data, F_OK) == 0)
            cgroup_remove_with_run(dir.data);
        str_done(&dir);
    }
}

struct sweep_list {
    char *dirs[CGROUP_FOUND_MAX]; /* owned */
    size_t count;
};

static void add_dir(void *ctx, const char *dir)
{
    struct sweep_list *list = ctx;
    if (list->count < CGROUP_FOUND_MAX)
        list->dirs[list->count++] = xstrdup(dir);
}

static bool name_left(void *ctx, pid_t pid)
{
    (void)add_name(ctx, pid);
    return true;
}

bool cgroup_sweep(const char *uid, struct str *ended, struct str *left)
{
    struct sweep_list list = {.count = 0};
    struct str name = {0};
    size_t mount_count;
    size_t left_count = 0;
    const struct cgroup_mount *mounts = cgroup_mounts(&mount_count);

    str_addf(&name, CGROUP_RUN_PREFIX "%s", uid);
    for (size_t i = 0; i < mount_count; i++)
        cgroup_find(mounts[i].top, name.data, add_dir, &list);
    str_done(&name);
    (void)cgroup_end_all((const char *const *)list.dirs, list.count, ended, &left_count);
    for (size_t i = 0; i < list.count; i++) {
        if (left_count > 0 && left)
            cgroup_each_pid(list.dirs[i], name_left, left);
        (void)cgroup_remove(list.dirs[i]);
        free(list.dirs[i]);
    }
    return left_count == 0;
}
