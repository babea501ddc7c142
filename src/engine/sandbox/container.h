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
    bool takes_groups; /* may be told to make its groups in one of ours */
    char why[200];     /* why it does not work */
    char version[48];
};

/* For a kind of spec (SANDBOX_CONTAINER: podman, or docker where that alone works). One that
 * works is asked once per process; another again, at most once in CONTAINER_AGAIN_MS. */
void container_tool(enum sandbox_kind kind, struct container_tool *out);

struct sandbox;
struct sandbox_end;

/* Create the container, not started yet. False: *start_code says in what class. */
ATTR_MUST_USE bool container_prepare(struct sandbox *sandbox, const atomic_bool *stop,
                                     int *start_code, struct err *err);
/* Ask the program how it ended, correct *end by that, and remove it. *oom_told becomes whether it
 * says that memory ran out; untouched where it does not answer. */
void container_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end,
                      bool *oom_told);
/* Remove it, whatever it does. False: it may be there still. */
bool container_remove(struct sandbox *sandbox);

/* End and remove one, by its name, whatever it does; up to three questions. False: it may be there
 * still. */
ATTR_MUST_USE bool container_end(const char *program, bool is_podman, const char *name,
                                 char *const *environment);

/* End and remove every container with the run's label. */
bool container_sweep(const char *uid, struct str *ended, struct str *left);

#endif
