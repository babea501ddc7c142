#define _GNU_SOURCE /* clone, CLONE_PIDFD */

#include "spawn_way.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "raw_call.h"
#include "spawn_child.h"
#include "xalloc.h"

enum {
    WAY_STACK_BYTES = 8 * 1024,    /* for functions that keep a few words each */
    WAY_PROGRAMS_BYTES = 4 * 1024, /* all paths that the program may have */
};

struct spawn_way {
    _Alignas(max_align_t) char stack[WAY_STACK_BYTES];
    char programs[WAY_PROGRAMS_BYTES];
    struct spawn_call call;
    struct spawn_child child;
    /* The kernel writes 0 here (set_tid_address(2)) as the process leaves our memory, by its exec
     * or by its end. */
    atomic_int is_here;
};

/* The paths are made here, where the C library may be called; the process tries them. */
static bool list_programs(struct spawn_way *way, const char *name, const char *dirs)
{
    const size_t name_bytes = strlen(name) + 1;
    size_t len = 0;
    if (name[0] == '\0' || name_bytes > sizeof(way->programs))
        return false;
    if (strchr(name, '/')) {
        memcpy(way->programs, name, name_bytes);
        len = name_bytes;
        dirs = NULL;
    }
    while (dirs) {
        const size_t dir_bytes = strcspn(dirs, ":");
        if (sizeof(way->programs) - len < dir_bytes + 2 + name_bytes)
            return false;
        memcpy(way->programs + len, dirs, dir_bytes);
        len += dir_bytes;
        if (dir_bytes == 0)
            way->programs[len++] = '.';
        way->programs[len++] = '/';
        memcpy(way->programs + len, name, name_bytes);
        len += name_bytes;
        dirs = dirs[dir_bytes] == ':' ? dirs + dir_bytes + 1 : NULL;
    }
    way->child.programs = way->programs;
    way->child.programs_end = way->programs + len;
    return true;
}

static int begin(struct spawn_way *way, struct spawn_gone *out)
{
    const int flags = CLONE_VM | CLONE_PIDFD | CLONE_CHILD_CLEARTID | SIGCHLD;
    sigset_t all;
    sigset_t before;
    atomic_init(&way->is_here, 1);
    /* A handler of ours must not run in the child: it has our memory. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = CLONE(spawn_child_run, way->stack + WAY_STACK_BYTES, flags, &way->child,
                            &out->pidfd, NULL, &way->is_here);
    const int number = pid < 0 ? errno : 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    out->pid = pid;
    return number;
}

int spawn_begin(const struct spawn_call *call, const char *dirs, struct spawn_gone *out)
{
    assert(call->cwd[0] == '/' && !call->program && !call->limits);
    for (int i = 0; i < 3; i++)
        assert(call->fds[i] > 2);
    if (!RAW_CALL_IS_RAW)
        return ENOSYS;
    spawn_child_prepare();

    struct spawn_way *way = xcheck(malloc(sizeof(*way))); /* its stack need not be cleared */
    way->call = *call;
    way->child = (struct spawn_child){.call = &way->call};
    struct spawn_gone gone = {.way = way, .pidfd = -1};
    int number = list_programs(way, call->argv[0], dirs) ? begin(way, &gone) : ENAMETOOLONG;
    if (number == 0)
        *out = gone;
    else
        free(way);
    return number;
}

enum spawn_news spawn_way_look(const struct spawn_way *way)
{
    if (atomic_load(&way->is_here) != 0)
        return SPAWN_GOES;
    return way->child.number == 0 ? SPAWN_ARRIVED : SPAWN_HAS_FAILED;
}

void spawn_way_end(struct spawn_way *way)
{
    assert(!way || spawn_way_look(way) != SPAWN_GOES);
    free(way);
}
