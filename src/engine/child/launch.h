/*
 * launch.h - one process of a call: own session and group, three descriptors.
 *
 * Without a copy of our memory (spawn.h), so that a start costs the same whatever our
 * own size. Any thread; nothing here waits for the process's end.
 */
#ifndef DEVS_LAUNCH_H
#define DEVS_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "spawn.h"

/* A program that somebody has open for writing is tried again after 1, 2, 4 ms and so on up to
 * this wait (127 ms in all), as when an attempt has just built it: another start may hold it. */
enum { LAUNCH_BUSY_MS_MAX = 64 };

/* Bytes for stdin. They lie in memory without a name, which nobody else can open; all are there
 * from the first instruction on, and then comes the end. */
struct launch_input {
    const char *bytes; /* borrowed for the call */
    size_t len;
};

/* Everything that the new process gets. All borrowed for the call. */
struct launch_call {
    char *const *argv;        /* NULL-terminated, at least one */
    char *const *environment; /* NULL-terminated; its PATH finds argv[0] */
    const char *cwd;          /* absolute */
    const char *stdin_path;   /* absolute, a file or character device; NULL = /dev/null */
    /* The file of stdin_path, links followed, must be below this folder, and not below the next
     * one; absolute, without links; NULL = anywhere. */
    const char *stdin_within, *stdin_not_within;
    const struct launch_input *input; /* what it reads on stdin, in place of a path; NULL = none */
    const int *feed;     /* the descriptor that it reads on stdin, in place of both; NULL = none */
    bool in_our_session; /* a group of its own only: for what helps us, not for attempts */
    const struct spawn_limits *limits; /* from its first instruction on; NULL = none */
    /* It has been seen that the clock and /proc agree when a process began: where no tick passed,
     * /proc need not be looked into. */
    bool clock_tells;
};

/* What the caller owns afterwards. */
struct launched {
    pid_t pid;     /* also the number of its group, and of its session if it has its own */
    int pidfd;     /* readable once it has ended */
    int pipes[2];  /* our ends of its stdout and stderr; they do not block */
    int64_t start; /* its start time in clock ticks since boot, as /proc has it, */
    bool by_clock; /* and as the clock has it, too; false where a tick passed */
};

/* False: nothing runs, *number_out is the errno that says why. */
ATTR_MUST_USE bool launch_process(const struct launch_call *call, struct launched *out,
                                  int *number_out, struct err *err);

/* The same without a wait: the process is on its way to its program, `way` tells how that went on,
 * and what the call points to stays as it is until then. False: not so, but launch_process() may
 * do it, or says why not. Nothing here takes longer than making pipes and a process does. */
ATTR_MUST_USE bool launch_begin(const struct launch_call *call, struct launched *out,
                                struct spawn_way **way_out);

#endif
