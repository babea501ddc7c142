/*
 * bwrap.h - the sandbox of namespaces: bubblewrap around the attempt's program.
 *
 * Its own processes, network (unless shared), IPC, host name, /tmp and /dev; the machine's
 * files as they are, or read-only; the log and well-known secrets masked. Runs as whoever
 * runs devs. docs/sandboxes.md says what is kept in and what is not.
 */
#ifndef DEVS_BWRAP_H
#define DEVS_BWRAP_H

#include <limits.h>
#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "sandbox_parts.h"
#include "tool_run.h"

/* What it can do here; the first call runs it once or twice, each at most BWRAP_PROBE_MS. */
struct bwrap_means {
    bool is_there, works, network; /* network: a namespace without one can be made */
    char program[PATH_MAX];        /* absolute */
    char version[32];
    char why[200]; /* why it does not work, in its own words */
};
enum { BWRAP_PROBE_MS = 5000 };
/* Fill in *out. Any thread. */
void bwrap_means(struct bwrap_means *out);

/* Appends the seccomp program of a step, as the kernel reads it. What namespaces do not separate is
 * refused: the kernel's keyrings, where the person's programs keep tickets and passwords, and,
 * without a network, sockets of virtual machines. */
void bwrap_filter_write(bool network, struct str *out);
/* Does the kernel have such filters? */
bool bwrap_filter_works(void);

/* argv and the status pipe. */
ATTR_MUST_USE bool bwrap_prepare(struct sandbox *sandbox, int *start_code, struct err *err);

/* A signal for what runs inside, but not for bwrap's own two processes: both would be gone
 * before the program had its grace. */
void bwrap_signal(struct sandbox *sandbox, int signal_number);

/* After its end: what bwrap wrote of it, or its last words on stderr, correct *end. */
void bwrap_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end);

/* What the machine has that a step in it does not see, or sees in another way. All that exists,
 * absolute and without links. All zero is empty. */
struct bwrap_paths {
    struct arg_list sealed;  /* logs and the state of devs: empty, and cannot be written */
    struct arg_list hidden;  /* keys, tokens, the data of services: empty */
    struct arg_list sockets; /* that a service listens at outside /run */
    struct arg_list empty;   /* folders that the sandbox has for itself: /tmp and /run */
    struct arg_list shown;   /* what a program needs of those */
};
/* Finds them. `areas`: what the sandbox may write. The caller ends *out with bwrap_paths_done(). */
void bwrap_paths_find(const struct sandbox_call *call, const struct arg_list *areas,
                      struct bwrap_paths *out);
void bwrap_paths_done(struct bwrap_paths *paths);

/* Of /proc and /sys: what is mounted read-only, and what is hidden. Looked up once; both live as
 * long as the process. Any thread. */
void bwrap_kernel_paths(const struct arg_list **read_only, const struct arg_list **hidden);

#endif
