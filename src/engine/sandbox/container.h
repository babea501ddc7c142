/*
 * container.h - controls podman and docker, which share most of their syntax, by running the
 * client.
 *
 * A container is created before the attempt, started and attached to as the attempt's process, and
 * inspected and removed after its end. All functions block.
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

#define CONTAINER_LABEL "devs.run" /* on each of our containers; its value is the run's uid */

enum { CONTAINER_ID_MAX = 80, CONTAINER_PROBE_MS = 10000, CONTAINER_AGAIN_MS = 5000 };

struct container_tool {
    char program[PATH_MAX]; /* absolute; "" = not installed */
    const char *name;       /* "podman", "docker" */
    bool is_podman;
    bool works; /* it answered the probe */
    bool limits_memory, limits_pids;
    bool takes_groups;     /* can make its groups inside one of ours */
    char filter[PATH_MAX]; /* absolute path of its seccomp profile; "" = none, or not on this
                              machine */
    char why[200];         /* why it does not work */
    char version[48];
};

/* Looks up the program for a kind of spec (SANDBOX_CONTAINER: podman, or docker if only that
 * works). A working program is probed once per process; others are probed again after
 * CONTAINER_AGAIN_MS. */
void container_tool(enum sandbox_kind kind, struct container_tool *out);

/* Makes a seccomp profile that rejects the system calls that the tool rejects, and those that devs
 * rejects in every sandbox (see bwrap_filter.c). Without it, podman lets a container of root use
 * root's kernel keyrings, and reach the host of a virtual machine without a network. Only `create`
 * reads the file. `path` is "" if the tool has no profile that can be changed here; the container
 * then uses the tool's own. Returns false if the profile cannot be read or made. */
ATTR_MUST_USE bool container_filter_make(const struct container_tool *tool, bool network,
                                         char path[PATH_MAX], struct err *err);
/* Removes the file. `path` may be "". */
void container_filter_remove(const char *path);

struct sandbox;
struct sandbox_end;

/* Creates the container, but does not start it. On failure *start_code is one of outcome.h's start
 * codes, or ECANCELED. */
ATTR_MUST_USE bool container_prepare(struct sandbox *sandbox, const atomic_bool *stop,
                                     int *start_code, struct err *err);
/* Asks the program how the container ended, corrects *end accordingly, and removes it. Sets
 * *oom_told to whether it reports that memory ran out; leaves it unchanged if there is no
 * answer. */
void container_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end,
                      bool *oom_told);
/* Removes the container, even if it is running. Returns false if it may still exist. */
bool container_remove(struct sandbox *sandbox);

/* Ends and removes a container by its name, even if it is running. Runs the program up to three
 * times. Returns false if the container may still exist. */
ATTR_MUST_USE bool container_end(const char *program, bool is_podman, const char *name,
                                 char *const *environment);

/* Ends and removes every container with the run's label, like cgroup_sweep() for groups. */
bool container_sweep(const char *uid, struct str *ended, struct str *left);

#endif
