/*
 * spawn_way.h - a new process that goes to its program while its caller goes on.
 *
 * spawn_process() waits until the program is executed, as long as the disk takes for that, and the
 * scheduler; here nobody waits, and nothing that may take long is done by the caller: folders and
 * programs are looked at by the new process. Any thread.
 */
#ifndef DEVS_SPAWN_WAY_H
#define DEVS_SPAWN_WAY_H

#include <sys/types.h>

#include "attr.h"
#include "spawn.h"

struct spawn_way;

/* What the caller owns: the process is its to await, even one that failed. */
struct spawn_gone {
    struct spawn_way *way; /* spawn_way_end() */
    pid_t pid;
    int pidfd; /* close-on-exec */
};

/* As spawn_process(), where call->program is NULL and the one of argv[0] is looked for in `dirs`, a
 * PATH, unless it is a path itself. All that the call points to stays as it is while the process is
 * on its way; the descriptors may be closed. Calls with limits are not made so. 0, or the errno;
 * ENOSYS where this processor or kernel has no way for it. */
ATTR_MUST_USE int spawn_begin(const struct spawn_call *call, const char *dirs,
                              struct spawn_gone *out);

enum spawn_news {
    SPAWN_GOES,       /* nothing to tell yet */
    SPAWN_ARRIVED,    /* it executes its program, or something ended it */
    SPAWN_HAS_FAILED, /* it is over: spawn_process() says why, if it cannot do better */
};

/* A look at the process's word; no call into the kernel. Whatever the process is heard by, from its
 * end on or from the first byte that its program wrote, this is no SPAWN_GOES any more. */
enum spawn_news spawn_way_look(const struct spawn_way *way);

/* Once it is no SPAWN_GOES. NULL is allowed. */
void spawn_way_end(struct spawn_way *way);

#endif
