/* spawn.h - starts a process whose limits apply from its first instruction on.
 *
 * Unlike with posix_spawn(), the process enters its cgroups and sets its limits itself, before the
 * exec, so that none of its instructions run without them. The time that a start takes does not
 * depend on how much memory we use. Any thread; but a program that requests to die with its parent
 * (bwrap) dies when the thread that started it exits. */
#ifndef DEVS_SPAWN_H
#define DEVS_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"

enum {
    SPAWN_ENTER_MAX = 4, /* maximum number of cgroup hierarchies */
    SPAWN_KEEP_MAX = 3,
    SPAWN_CPU_GRACE_S = 2, /* seconds of CPU time from SIGXCPU to SIGKILL */
};

/* The limits of a process. All zero = none. */
struct spawn_limits {
    int enter[SPAWN_ENTER_MAX]; /* cgroup.procs files, open for writing; borrowed */
    size_t enter_count;
    int keep[SPAWN_KEEP_MAX]; /* descriptors to keep open, under the same numbers; 0 = none */
    int64_t cpu_s;            /* RLIMIT_CPU, which applies to each process separately; 0 = none */
};

/* All borrowed for the call. */
struct spawn_call {
    const char *program;               /* a path, absolute or relative to cwd */
    char *const *argv;                 /* NULL-terminated */
    char *const *environment;          /* NULL-terminated */
    const char *cwd;                   /* absolute */
    int fds[3];                        /* become 0, 1, 2; each must be 3 or higher and
                                          close-on-exec */
    const struct spawn_limits *limits; /* NULL = none */
    bool in_our_session;               /* starts in our session, but in its own process group */
};

/* Starts a process in its own group (and usually its own session), with default signal handling,
 * nothing blocked, and no descriptors except 0, 1, 2 and limits->keep, so that it inherits none
 * from devs' parent. Returns 0 and sets *pid_out. If the start fails, returns an errno and leaves
 * no process behind. */
ATTR_MUST_USE int spawn_process(const struct spawn_call *call, pid_t *pid_out);

#endif
