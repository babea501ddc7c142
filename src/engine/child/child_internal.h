/*
 * child_internal.h - the internals of a child, and the sweep of what attempts leave behind. Private
 * to engine/child.
 *
 * child_start.c starts it. child.c handles the running process and, once that has ended or cannot
 * be ended, ends what is left of it.
 */
#ifndef DEVS_CHILD_INTERNAL_H
#define DEVS_CHILD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "attr.h"
#include "child.h"
#include "err.h"
#include "proc.h"
#include "workers.h"

/*
 * Finds, counts and reaps the processes that attempts leave behind.
 *
 * Opening a sweep makes this process a subreaper: orphaned descendants become our children. So an
 * empty group and no adopted children mean that nothing is left, which is cheap to check. All of
 * /proc is searched only if one of the two suggests that something is left.
 *
 * A process belongs to an attempt by its session, or else by DEVS_RUN and DEVS_STEP in its
 * environment. An adopted child with neither belongs to the only remaining attempt, if no other is
 * being started. One thread.
 */

enum {
    SWEEP_FOUND_MAX = 64, /* processes returned by one search; the next search returns others */
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

/* Adds `more` to the number of starts in progress. Processes that are being started are not
 * registered yet, so they are treated as belonging to no attempt. */
void sweep_expect(struct sweep *sweep, int more);

/* Registers an attempt, from its start until it is over. */
void sweep_enter(struct sweep *sweep, const struct sweep_mark *mark);
/* Unregisters an attempt that is over and was reaped. `session` must be registered. */
void sweep_leave(struct sweep *sweep, pid_t session);

/* Returns true if no process of this attempt seems to be left. Its leader must have been reaped.
 * Also reaps adopted children that have ended. */
bool sweep_is_clean(struct sweep *sweep, pid_t session);

/* Announces that a helper (tool_run.h) is about to start in its own session, so that it is not
 * treated as a leftover. Any thread, even if no sweep is open. The same applies to the next two
 * functions. */
void sweep_helper_starts(void);
/* Reports the pid of that helper; 0 if its start failed. */
void sweep_helper_started(pid_t pid);

/* Reports that the helper has ended and was reaped. */
void sweep_helper_ended(pid_t pid);

/* Reaps adopted children that have ended, whichever attempt they belonged to. */
void sweep_reap(struct sweep *sweep);

/* Writes the living processes of this attempt to `out` and returns their number. */
size_t sweep_find(struct sweep *sweep, pid_t session, struct proc_facts out[SWEEP_FOUND_MAX]);

enum {
    NURSERY_LOST_MAX = 64, /* maximum abandoned processes that are kept for reaping */
};

struct nursery {
    uv_loop_t *loop; /* borrowed */
    struct sweep *sweep;
    struct workers
        *starters; /* owned; these threads must live as long as the processes that they started */
    int epoll_fd; /* owned; one epoll descriptor for all children, so the loop watches only this one
                   */
    uv_poll_t on_news;
    bool clock_tells;             /* for starts, see launch_call */
    int children;                 /* alive, or with a timer that is still closing; the loop
                                     runs while there are any */
    pid_t lost[NURSERY_LOST_MAX]; /* processes started here that KILL did not end */
    size_t lost_count;
    char bytes[CHILD_MUCH_READ_BYTES];
};

enum child_stage {
    CHILD_STARTS, /* has not been reported as running */
    CHILD_RUNS,
    CHILD_IS_SWEPT, /* the process has ended; its leftovers are being ended */
    CHILD_IS_OVER,  /* its end was reported; only its timer is still closing */
};

/* A watched descriptor of a child; epoll events point to this. */
struct child_ear {
    struct child *child;
    int which; /* CHILD_OUT, CHILD_ERR or CHILD_EXIT */
};

enum { CHILD_OUT, CHILD_ERR, CHILD_EXIT, CHILD_EARS };

struct child {
    struct nursery *nursery; /* borrowed */
    struct child_watcher watcher;
    enum child_stage stage;
    pid_t pid;
    int64_t pid_start;
    int64_t grace_ms;
    int64_t started_ms;
    int64_t kill_due_ms;  /* one grace period after the first TERM; in a sweep, 0 = KILL was sent */
    int64_t sweep_due_ms; /* when we stop checking; INT64_MAX before KILL */
    int64_t sweep_poll_ms;
    pid_t signaled[SWEEP_FOUND_MAX]; /* escaped processes that have been sent TERM */
    size_t signaled_count;
    bool sent_term, sent_kill; /* the group has been sent TERM or KILL */
    bool looked;               /* the living processes have been searched for */
    bool ended_by_us;
    bool end_asked; /* the end was requested during the start, with asked_mode */
    enum cancel_mode asked_mode;
    struct child_end end;
    int pidfd, pipes[2];
    int64_t read_bytes[2];
    int pipe_bytes[2]; /* sizes that were requested; 0 = the kernel's default */
    struct child_ear ears[CHILD_EARS];
    uv_timer_t timer;     /* for the timeout, then the grace period, then the checks of the sweep */
    uv_timer_cb rings;    /* the timer's callback */
    int64_t timer_due_ms; /* when the timer is due */
};

/* child.c: starts watching the process, its pidfd and its pipes. If `timeout_ms` is 0, there is no
 * timeout. Returns 0. If the kernel cannot watch another descriptor, kills and reaps the process
 * and returns the errno. */
int child_watch(struct child *child, int64_t timeout_ms);

#endif
