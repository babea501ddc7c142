/*
 * container.h - podman or docker: one dialect, asked by running the client.
 *
 * A container is made (create) before the attempt, started and attached to as the attempt's
 * process, looked at (inspect) and removed after its end. All of it blocks.
 */
#ifndef DEVS_CONTAINER_H
#define DEVS_CONTAINER_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "sandbox_spec.h"
#include "str.h"

#define CONTAINER_LABEL "devs.run" /* of each of our containers: the uid of its run */

enum { CONTAINER_ID_MAX = 80, CONTAINER_PROBE_MS = 10000, CONTAINER_AGAIN_MS = 5000 };

struct container_tool {
    char program[PATH_MAX]; /* absolute; "" = not installed */
    const char *name;       /* "podman", "docker" */
    bool is_podman;
    bool works; /* it answered the probe */
    bool limits_memory, limits_pids;
    bool takes_groups;     /* may be told to make its groups in one of ours */
    char filter[PATH_MAX]; /* its file of refused system calls, absolute; "" = none, or not here */
    char why[200];         /* why it does not work */
    char version[48];
};

/* Looks up the program for a kind of spec (SANDBOX_CONTAINER: podman, or docker where only that
 * works). A program that works is probed once per process, another again after
 * CONTAINER_AGAIN_MS. */
void container_tool(enum sandbox_kind kind, struct container_tool *out);

/* Makes a file of system calls that a container is refused: the tool's own, and those that devs
 * refuses in every sandbox (bwrap_filter.c has the same). Podman alone lets a container of root use
 * root's kernel keyrings, and reach the host of a virtual machine without a network. Only `create`
 * reads the file; `path` is "" if the tool has none that can be changed here, and the container
 * gets the tool's own. False: it cannot be read or made. */
ATTR_MUST_USE bool container_filter_make(const struct container_tool *tool, bool network,
                                         char path[PATH_MAX], struct err *err);
/* Removes the file; "" is allowed. */
void container_filter_remove(const char *path);

struct sandbox;
struct sandbox_end;

/* Creates the container, but does not start it. On failure *start_code is one of outcome.h's start
 * codes, or ECANCELED. */
ATTR_MUST_USE bool container_prepare(struct sandbox *sandbox, const atomic_bool *stop,
                                     int *start_code, struct err *err);
/* Asks the program how the container ended, corrects *end accordingly, and removes it. *oom_told is
 * set to whether it says that memory ran out; unchanged where it does not answer. */
void container_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end,
                      bool *oom_told);
/* Removes it, even while it runs. False: it may still be there. */
bool container_remove(struct sandbox *sandbox);

/* Ends and removes a container by its name, even while it runs; calls the program up to three
 * times. False: it may still be there. */
ATTR_MUST_USE bool container_end(const char *program, bool is_podman, const char *name,
                                 char *const *environment);

/* Ends and removes every container with the run's label, as cgroup_sweep() does for groups. */
bool container_sweep(const char *uid, struct str *ended, struct str *left);

#endif
