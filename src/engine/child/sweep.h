/*
 * sweep.h - what attempts leave behind: found, counted, reaped.
 *
 * Opening a sweep makes this process a subreaper: whatever a descendant leaves
 * without a parent becomes our child. So a group without members and no adopted
 * child mean that nothing is left, and that is cheap to ask; the whole of /proc
 * is searched only where one of the two hints at something.
 *
 * A process belongs to an attempt by its session, or else by the DEVS_RUN and
 * DEVS_STEP in its environment. An adopted child with neither belongs to the
 * last attempt there is, where no other is being started. Belongs to one thread.
 */
#ifndef DEVS_SWEEP_H
#define DEVS_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "proc.h"

enum {
    SWEEP_FOUND_MAX = 64, /* processes taken in one look; more come in the next */
};

/* How a process is known as an attempt's: a plain value, its texts are borrowed
 * until sweep_leave(). */
struct sweep_mark {
    pid_t session;
    int64_t start;    /* ticks since boot: nothing older can be the attempt's */
    const char *run;  /* "DEVS_RUN=..." */
    const char *step; /* "DEVS_STEP=..." */
};

struct sweep;

/* Make the process the parent of orphans, and know its own. Of one process only one. */
ATTR_MUST_USE bool sweep_open(struct sweep **out, struct err *err);
void sweep_close(struct sweep *sweep);

/* So many starts more, or fewer, are on their way: what they bring is not known here yet, and is
 * taken for nobody's. */
void sweep_expect(struct sweep *sweep, int more);

/* From its start until it is over an attempt is known here. */
void sweep_enter(struct sweep *sweep, const struct sweep_mark *mark);
/* It is over and awaited: forget it. `session` is known here. */
void sweep_leave(struct sweep *sweep, pid_t session);

/* Nothing hints at a process of this attempt, whose leader has been reaped.
 * Adopted children that have ended are reaped on the way. */
bool sweep_is_clean(struct sweep *sweep, pid_t session);

/* A helper (tool_run.h) is about to start in a session of its own: it is nobody's leftover. Any
 * thread, also without a sweep; so are the next two. */
void sweep_helper_starts(void);
/* The helper that was about to start has this pid; 0: its start failed. */
void sweep_helper_started(pid_t pid);

/* The helper has ended and was reaped. */
void sweep_helper_ended(pid_t pid);

/* Reap adopted children that have ended, whosever they were. */
void sweep_reap(struct sweep *sweep);

/* Living processes of this attempt; how many of them are in `out`. */
size_t sweep_find(struct sweep *sweep, pid_t session, struct proc_facts out[SWEEP_FOUND_MAX]);

#endif
