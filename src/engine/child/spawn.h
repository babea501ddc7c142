/*
 * spawn.h - a new process that is inside its limits before its first instruction.
 *
 * What posix_spawn() cannot do is done between vfork() and exec: the process
 * enters its cgroups and takes its limits itself, so nothing of it was ever
 * outside. A start costs the same whatever our own size. Any thread; but a
 * program that asks to die with its parent (bwrap) dies with the thread that
 * started it.
 */
#ifndef DEVS_SPAWN_H
#define DEVS_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"

enum {
    SPAWN_ENTER_MAX = 4, /* cgroup hierarchies */
    SPAWN_KEEP_MAX = 3,
    SPAWN_CPU_GRACE_S = 2, /* from SIGXCPU to SIGKILL, seconds of CPU time */
};

/* The limits. All zero: none. */
struct spawn_limits {
    int enter[SPAWN_ENTER_MAX]; /* cgroup.procs files, open for writing; borrowed */
    size_t enter_count;
    int keep[SPAWN_KEEP_MAX]; /* descriptors that stay open in it, same numbers; 0 = none */
    int64_t cpu_s;            /* RLIMIT_CPU: of each process for itself; 0 = none */
};

/* All borrowed for the call. */
struct spawn_call {
    const char *program;               /* a path, absolute or as seen from cwd */
    char *const *argv;                 /* NULL-terminated */
    char *const *environment;          /* NULL-terminated */
    const char *cwd;                   /* absolute */
    int fds[3];                        /* become 0, 1, 2; each 3 or higher, close-on-exec */
    const struct spawn_limits *limits; /* NULL = none */
    bool in_our_session;               /* a group of its own, but no session */
};

/* Starts a process in a group (and mostly a session) of its own, with default signal handling,
 * nothing blocked, and no descriptors but 0, 1, 2 and limits->keep: none that devs inherited.
 * Returns 0 and its pid, or an errno; then nothing is left of it. */
ATTR_MUST_USE int spawn_process(const struct spawn_call *call, pid_t *pid_out);

/*
 * A new process that executes its program while its caller goes on.
 *
 * spawn_process() waits until the program is executed, which takes as long as the disk and the
 * scheduler need. spawn_begin() does not wait, and leaves to the new process whatever may take
 * long: looking for folders and programs. Any thread.
 */
struct spawn_way;

/* Owned by the caller, which also has to await the process, even one that failed. */
struct spawn_gone {
    struct spawn_way *way; /* spawn_way_end() */
    pid_t pid;
    int pidfd; /* close-on-exec */
};

/* Like spawn_process(), but does not wait until the program is executed. call->program is NULL;
 * argv[0] is looked up in `dirs`, a PATH, unless it is a path itself. All that the call points to
 * must stay as it is until spawn_way_look() returns something else than SPAWN_GOES; the descriptors
 * may be closed. The call has no limits. Returns 0, or an errno: ENOSYS where this processor or
 * kernel does not support it. */
ATTR_MUST_USE int spawn_begin(const struct spawn_call *call, const char *dirs,
                              struct spawn_gone *out);

enum spawn_news {
    SPAWN_GOES,       /* it has not executed its program yet */
    SPAWN_ARRIVED,    /* it executes its program, or was ended by something else */
    SPAWN_HAS_FAILED, /* it has exited: try spawn_process(), which says why if it fails, too */
};

/* Looks at memory only, makes no system call. Never SPAWN_GOES once the process has ended or its
 * program has written something. */
enum spawn_news spawn_way_look(const struct spawn_way *way);

/* Frees it; not while it is SPAWN_GOES. NULL is allowed. */
void spawn_way_end(struct spawn_way *way);

#endif
