/*
 * sandbox_parts.h - what the kinds of sandboxes share. Private to sandbox*.c, bwrap*.c and
 * container*.c.
 */
#ifndef DEVS_SANDBOX_PARTS_H
#define DEVS_SANDBOX_PARTS_H

#include "cgroup.h"
#include "container.h"
#include "sandbox.h"
#include "tool_run.h"

enum { SANDBOX_NAME_MAX = 200, SANDBOX_MIB = 1024 * 1024 };

struct sandbox {
    struct sandbox_call call; /* its pointers are borrowed */
    char name[SANDBOX_NAME_MAX];
    struct cgroup *cgroup; /* NULL = none */
    struct spawn_limits limits;
    struct arg_list argv;                /* empty = use the call's own */
    struct container_tool tool;          /* only for containers */
    char container_id[CONTAINER_ID_MAX]; /* "" = none was created */
    bool container_is_there;             /* it was created, and not removed yet */
    struct arg_list options;  /* bwrap: its own arguments, which it reads from options_fd */
    int options_fd;           /* -1 = closed */
    int filter_fd;            /* bwrap: the seccomp program; -1 = closed */
    int status_fds[2];        /* bwrap: pipe for its status reports; -1 = closed */
    struct arg_list unwanted; /* files to remove when the attempt has ended */
    int pid;                  /* of the attempt's process; 0 = not started */
    int kernel_log;           /* -1 = cannot be read */
};

/* Returns the sandbox's limits combined with the plan's. */
struct cgroup_limits sandbox_limits(const struct sandbox_call *call);

/* Copies the last line of a text, without control characters for a terminal. */
void sandbox_last_line(const char *text, char *out, size_t size);

/* Returns whether the attempt ended on its own, so that its exit code is meaningful. */
bool sandbox_ended_itself(const struct outcome *outcome);

/* Corrects the outcome of an attempt that was never started. */
void sandbox_was_not_started(struct sandbox_end *end, int start_code, const char *why);

#endif
