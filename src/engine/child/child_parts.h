/*
 * child_parts.h - a child from the inside, for child_start.c and child.c only.
 *
 * child_start.c has it started; child.c has the process that runs, and once that is over, or cannot
 * be ended, ends what is left of it.
 */
#ifndef DEVS_CHILD_PARTS_H
#define DEVS_CHILD_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "child.h"
#include "sweep.h"
#include "workers.h"

enum {
    NURSERY_LOST_MAX = 64, /* processes that were given up and are reaped later */
    NURSERY_WAYS_MAX = 8,  /* that go to their programs by themselves; more are for the starters */
};

struct child_start;

struct nursery {
    uv_loop_t *loop; /* borrowed */
    struct sweep *sweep;
    struct workers *starters; /* owned; they live as long as what they have started */
    int epoll_fd;             /* owned: what children are heard by, in the loop as one handle */
    uv_poll_t on_news;
    bool clock_tells;             /* of starts: launch.h */
    int ways;                     /* processes that go to their programs by themselves */
    bool ways_are_vain;           /* a starter could what such a one could not: no more of them */
    int children;                 /* alive, or with a timer that is still closing */
    pid_t lost[NURSERY_LOST_MAX]; /* started here, and no signal ended them */
    size_t lost_count;
    char bytes[CHILD_MUCH_READ_BYTES];
};

enum child_stage {
    CHILD_STARTS, /* a starter has it, or it is on its way: it is not known to be there */
    CHILD_RUNS,
    CHILD_IS_SWEPT, /* the process is over; what it left is being ended */
    CHILD_IS_OVER,  /* told; only its timer is still closing */
};

/* A descriptor of a child that is heard: what the kernel's news of it points to. */
struct child_ear {
    struct child *child;
    void (*hear)(struct child *child);
};

enum { CHILD_OUT, CHILD_ERR, CHILD_EXIT, CHILD_EARS };

struct child {
    struct nursery *nursery; /* borrowed */
    struct child_watcher watcher;
    enum child_stage stage;
    struct child_start *start; /* owned: while it goes to its program by itself, or is given up */
    pid_t pid;
    int64_t pid_start;
    int64_t grace_ms;
    int64_t started_ms;
    int64_t kill_due_ms;  /* one grace after the first TERM; in a sweep 0 = KILL has been sent */
    int64_t sweep_due_ms; /* when we stop looking; INT64_MAX before KILL */
    int64_t sweep_poll_ms;
    pid_t told[SWEEP_FOUND_MAX]; /* escaped processes that were told TERM */
    size_t told_count;
    bool told_term, told_kill; /* the group */
    bool looked;               /* at what of it was alive */
    bool ended_by_us;
    bool end_asked; /* while it was being started: */
    enum cancel_mode asked_mode;
    struct child_end end;
    int pidfd, pipes[2];
    int64_t read_bytes[2];
    int pipe_bytes[2]; /* that were asked for; 0 = the kernel's default */
    struct child_ear ears[CHILD_EARS];
    uv_timer_t timer;     /* timeout, then grace, then the looks of the sweep */
    uv_timer_cb rings;    /* what the timer does, */
    int64_t timer_due_ms; /* and when */
};

/* child_start.c: does it execute its program by now? Then it is told. */
void child_look_at_start(struct child *child);

/* child.c: its process, pidfd and pipes are there: hear them. 0, or the errno: the kernel has no
 * room for one more. */
int child_watch(struct child *child);
/* Let it run no longer than so; 0 = as long as it likes. */
void child_limit(struct child *child, int64_t timeout_ms);
/* Of what child_watch() was told nothing stays but the child, until its timer is `closed`. */
void child_abandon(struct child *child, uv_close_cb closed);
/* The timer of a child that is over is closed. */
void child_free(uv_handle_t *timer);

/* So many children more; the loop goes on while there are any. */
void nursery_count(struct nursery *nursery, int more);

/* Let the child's one timer ring once, so much later. */
void child_set_timer(struct child *child, uv_timer_cb rings, int64_t wait_ms);

#endif
