/*
 * sweep.h - finds, counts and reaps the processes that attempts leave behind.
 *
 * Opening a sweep makes this process a subreaper: orphaned descendants become our children. So an
 * empty group and no adopted children mean that nothing is left, which is cheap to check. All of
 * /proc is searched only if one of the two suggests that something is left.
 *
 * A process belongs to an attempt by its session, or else by DEVS_RUN and DEVS_STEP in its
 * environment. An adopted child with neither belongs to the only remaining attempt, if no other is
 * being started. One thread.
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
    SWEEP_FOUND_MAX = 64, /* processes returned by one search; the next one returns more */
};

/* Identifies the processes of an attempt. A plain value; its strings are borrowed until
 * sweep_leave(). */
struct sweep_mark {
    pid_t session;
    int64_t start;    /* ticks since boot; older processes cannot belong to it */
    const char *run;  /* "DEVS_RUN=..." */
    const char *step; /* "DEVS_STEP=..." */
};

struct sweep;

/* Makes this process the parent of orphans. At most one sweep per process. */
ATTR_MUST_USE bool sweep_open(struct sweep **out, struct err *err);
void sweep_close(struct sweep *sweep);

/* Adds `more` to the number of starts in progress. Their processes are not known here yet, and are
 * treated as belonging to no attempt. */
void sweep_expect(struct sweep *sweep, int more);

/* Registers an attempt, from its start until it is over. */
void sweep_enter(struct sweep *sweep, const struct sweep_mark *mark);
/* Unregisters an attempt that is over and was reaped. `session` must be registered. */
void sweep_leave(struct sweep *sweep, pid_t session);

/* Returns whether nothing suggests that processes of this attempt are left. Its leader must have
 * been reaped. Also reaps adopted children that have ended. */
bool sweep_is_clean(struct sweep *sweep, pid_t session);

/* Announces that a helper (tool_run.h) is about to start in its own session, so that it is not
 * treated as a leftover. Any thread, even without a sweep, like the next two. */
void sweep_helper_starts(void);
/* Reports the pid of that helper; 0 if its start failed. */
void sweep_helper_started(pid_t pid);

/* Reports that the helper has ended and was reaped. */
void sweep_helper_ended(pid_t pid);

/* Reaps adopted children that have ended, whichever attempt they belonged to. */
void sweep_reap(struct sweep *sweep);

/* Writes the living processes of this attempt to `out` and returns their number. */
size_t sweep_find(struct sweep *sweep, pid_t session, struct proc_facts out[SWEEP_FOUND_MAX]);

#endif
