/*
 * doctor.h - checks what this machine can do for a run, by trying it.
 *
 * Blocks for up to a few seconds; each command that it runs has its own time limit. Leaves nothing
 * behind. Any thread, one call at a time.
 */
#ifndef DEVS_DOCTOR_H
#define DEVS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "workspace_spec.h"

enum { DOCTOR_WORDS_MAX = 320, DOCTOR_HINT_MAX = 200 };

enum doctor_state {
    DOCTOR_WORKS,
    DOCTOR_LACKS,  /* not available here; plans that need it are rejected */
    DOCTOR_BREAKS, /* every run needs it, and it does not work */
};

/* The result of one check. A plain value. */
struct doctor_line {
    const char *name; /* static: "git", "sandbox bwrap" */
    enum doctor_state state;
    char words[DOCTOR_WORDS_MAX]; /* what was found, or what is wrong */
    char hint[DOCTOR_HINT_MAX];   /* what the user can do about it; may be empty */
};

/* Called on the checking thread for each line as soon as it is known. */
typedef void doctor_line_fn(void *ctx, const struct doctor_line *line);

/* Checks programs (git, bwrap, podman, docker), control groups, the kernel log, reflink copies in
 * `dir` (absolute; where workspaces would be made), and each kind of sandbox. `spec` is the
 * project's own sandbox; its extra arguments are used when podman is tried. Passes each line to
 * `tell` as soon as it is known. */
void doctor_look(const char *dir, const struct sandbox_spec *spec, doctor_line_fn *tell, void *ctx);

struct adapters;
/* Reports in one line which agents are installed, with their versions, and which are missing.
 * `adapters` are the project's; NULL means the built-in ones. Does not run programs that only the
 * project names, so that checking a project does not require trusting it. */
void doctor_look_at_agents(const struct adapters *adapters, doctor_line_fn *tell, void *ctx);

/* Hosts of executors (remote/doctor_hosts.c). */

enum {
    DOCTOR_HOSTS_AT_ONCE = 16,
    DOCTOR_HOST_MS = 30 * 1000, /* time limit of the attempt on each host */
    DOCTOR_HAND_MAX = 64 + 1,   /* bytes of the version of devs-hand, with the NUL */
};

/* What is wrong with a host. */
enum doctor_fault {
    DOCTOR_HOST_WORKS,
    DOCTOR_HOST_DOWN,    /* it does not answer, or the connection broke */
    DOCTOR_HOST_REFUSED, /* ssh was refused */
    DOCTOR_HOST_HAND,    /* devs-hand is missing, or has another version of the protocol */
    DOCTOR_HOST_DIR,     /* the folder for attempts cannot be used */
    DOCTOR_HOST_HERE,    /* the shared folder cannot be used on this machine */
    DOCTOR_HOST_SHARED,  /* the shared folder there is not the one of this machine */
    DOCTOR_HOST_QUEUE,   /* its job waits in the queue of the cluster for too long */
    DOCTOR_HOST_ATTEMPT, /* the attempt did not end with exit code 0 and a proof */
    DOCTOR_HOST_GIT,     /* without a shared folder: a program that worktrees need is missing */
    DOCTOR_FAULT_COUNT,
};

struct doctor_host {
    const char *executor, *host; /* borrowed */
    enum doctor_fault fault;
    char hand[DOCTOR_HAND_MAX];   /* version of devs-hand there; "" = it did not answer */
    int64_t connect_ms;           /* until devs-hand answered; 0 = it did not */
    char words[DOCTOR_WORDS_MAX]; /* what is wrong; may be empty if it works */
};

/* Called for each host, in the order of the executors. */
typedef void doctor_host_fn(void *ctx, const struct doctor_host *host);

struct plan_executor;
/* Tries all hosts of the executors, several at a time: starts an attempt on each that reads a file
 * written into the shared folder here or, without one, looks for git, and removes what was made for
 * it. `environment` is for ssh,
 * NULL-terminated. Makes this process a subreaper. Blocks; only one call at a time. Returns false
 * if nothing was tried. */
ATTR_MUST_USE bool doctor_look_at_hosts(const struct plan_executor *const *executors, size_t count,
                                        char *const *environment, doctor_host_fn *tell, void *ctx,
                                        struct err *err);

#endif
