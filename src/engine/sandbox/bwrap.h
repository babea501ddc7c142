/*
 * bwrap.h - the namespace sandbox: runs the attempt's program in bubblewrap.
 *
 * The sandbox has its own processes, network (unless shared), IPC, host name, /tmp and /dev. It
 * sees the machine's files as they are, or read-only; the log and well-known secrets are masked. It
 * runs as the user who runs devs. See docs/sandboxes.md for what it keeps in and what it does not.
 */
#ifndef DEVS_BWRAP_H
#define DEVS_BWRAP_H

#include <limits.h>
#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "sandbox_parts.h"
#include "tool_run.h"

/* What bubblewrap can do on this machine. The first call runs it once or twice, for at most
 * BWRAP_PROBE_MS each. */
struct bwrap_means {
    bool is_there, works, network; /* network: it can create a namespace without a network */
    char program[PATH_MAX];        /* absolute */
    char version[32];
    char why[200]; /* why it does not work, in bwrap's own words */
};
enum { BWRAP_PROBE_MS = 5000 };
/* Fills in *out. Any thread. */
void bwrap_means(struct bwrap_means *out);

/* Appends the seccomp program of a step in the kernel's format. It rejects what namespaces do not
 * isolate: the kernel's keyrings, where the user's programs keep tickets and passwords, and,
 * without a network, sockets of virtual machines. */
void bwrap_filter_write(bool network, struct str *out);
/* Returns whether the kernel supports such filters. */
bool bwrap_filter_works(void);

/* Sets up argv and the status pipe. */
ATTR_MUST_USE bool bwrap_prepare(struct sandbox *sandbox, int *start_code, struct err *err);

/* Signals everything that runs inside, except bwrap's own two processes: if they exited, the
 * program would lose its grace period. */
void bwrap_signal(struct sandbox *sandbox, int signal_number);

/* Call after its end: corrects *end from bwrap's status, or from its last line on stderr. */
void bwrap_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end);

/* Paths of the machine that a step in bubblewrap does not see, or sees differently. All exist and
 * are absolute, without symlinks. All zero is a valid empty value. */
struct bwrap_paths {
    struct arg_list sealed;  /* logs and state of devs: look empty, and cannot be written */
    struct arg_list hidden;  /* keys, tokens, data of services: look empty */
    struct arg_list sockets; /* sockets of services outside of /run */
    struct arg_list empty;   /* folders that the sandbox replaces with its own: /tmp and /run */
    struct arg_list shown;   /* paths in those that programs need */
};
/* Finds these paths. `areas`: the paths that the sandbox may write. The caller ends *out with
 * bwrap_paths_done(). */
void bwrap_paths_find(const struct sandbox_call *call, const struct arg_list *areas,
                      struct bwrap_paths *out);
void bwrap_paths_done(struct bwrap_paths *paths);

/* Returns the paths in /proc and /sys to mount read-only, and those to hide. Looked up once; both
 * lists live as long as the process. Any thread. */
void bwrap_kernel_paths(const struct arg_list **read_only, const struct arg_list **hidden);

#endif
