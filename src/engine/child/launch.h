/*
 * launch.h - starts the process of a call, with its own session, group and three descriptors.
 *
 * Does not copy our memory (spawn.h), so that a start takes the same time however large we are. Any
 * thread. No function waits for the end of the process.
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

/* A program that is open for writing somewhere is retried after 1, 2, 4 ms and so on up to this
 * delay (127 ms in all). This happens when an attempt has just built it: another process that is
 * being started may still hold it. */
enum { LAUNCH_BUSY_MS_MAX = 64 };

/* Bytes for stdin. They are in an anonymous memory file that nobody else can open, complete from
 * the first instruction on and followed by end of file. */
struct launch_input {
    const char *bytes; /* borrowed for the call */
    size_t len;
};

/* Everything that the new process gets. All borrowed for the call. */
struct launch_call {
    char *const *argv;        /* NULL-terminated, at least one */
    char *const *environment; /* NULL-terminated; argv[0] is searched in its PATH */
    const char *cwd;          /* absolute */
    const char *stdin_path;   /* absolute path of a file or character device; NULL = /dev/null */
    /* After resolving links, the file of stdin_path must be below the first folder and not below
     * the second. Absolute, without links; NULL = anywhere. */
    const char *stdin_within, *stdin_not_within;
    const struct launch_input *input; /* its stdin, instead of a path; NULL = none */
    const int *feed;     /* the descriptor of its stdin, instead of both; NULL = none */
    bool in_our_session; /* with its own group, but not its own session: for our helpers, not
                            for attempts */
    const struct spawn_limits *limits; /* in force from its first instruction; NULL = none */
    /* The clock and /proc were seen to agree about the start of a process, so /proc need not be
     * read if no tick passed. */
    bool clock_tells;
};

/* Owned by the caller afterwards. */
struct launched {
    pid_t pid;     /* also the number of its group, and of its session if it has its own */
    int pidfd;     /* readable once it has ended */
    int pipes[2];  /* our ends of its stdout and stderr; non-blocking */
    int64_t start; /* its start time in clock ticks since boot, as in /proc */
    bool by_clock; /* the clock gave the same start time; false if a tick passed */
};

/* Returns false if nothing was started; *number_out is then the errno. */
ATTR_MUST_USE bool launch_process(const struct launch_call *call, struct launched *out,
                                  int *number_out, struct err *err);

/* Starts a process without waiting: it reaches its program on its own, and `way` reports its
 * progress. Everything that the call points to must stay unchanged until then. If this returns
 * false, try launch_process(), which may succeed or says why not. Takes no longer than creating the
 * pipes and the process. */
ATTR_MUST_USE bool launch_begin(const struct launch_call *call, struct launched *out,
                                struct spawn_way **way_out);

#endif
