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
    struct arg_list argv;                /* empty: the call's own */
    struct container_tool tool;          /* of containers only */
    char container_id[CONTAINER_ID_MAX]; /* "" = none was made */
    bool container_is_there;             /* and was not removed */
    struct arg_list options;  /* bwrap: its own arguments, which it reads from options_fd */
    int options_fd;           /* -1 = closed */
    int filter_fd;            /* bwrap: the seccomp program; -1 = closed */
    int status_fds[2];        /* bwrap: where it says what became of the program; -1 = closed */
    struct arg_list unwanted; /* files that are removed when the attempt has ended */
    int pid;                  /* of the attempt's process; 0 = not started */
    int kernel_log;           /* -1 = cannot be read */
};

/* What its limits come to, together with the plan's. */
struct cgroup_limits sandbox_limits(const struct sandbox_call *call);

/* The last line of a text, without what a terminal would take for commands. */
void sandbox_last_line(const char *text, char *out, size_t size);

/* Did the attempt end by itself (so that its exit code means something)? */
bool sandbox_ended_itself(const struct outcome *outcome);

/* It never was started: put the outcome right. */
void sandbox_was_not_started(struct sandbox_end *end, int start_code, const char *why);

#endif
