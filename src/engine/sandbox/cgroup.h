/* cgroup.h - a control group for one attempt: enforces limits, provides evidence, and makes sure
 * that all of its processes have ended.
 *
 * Uses every hierarchy that we may write to: memory and pids of version 1, and version 2 with the
 * controllers that were delegated to us. Version 2 without controllers can still track and kill.
 * The group is <parent>/devs-<uid>/<name>, so that the groups of a dead run can be found by its
 * uid. The parents are looked up once per process. Any thread; each group belongs to one thread at
 * a time. */
#ifndef DEVS_CGROUP_H
#define DEVS_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "spawn.h"
#include "str.h"

enum {
    CGROUP_END_MS = 2000,  /* how long killed processes may take to disappear */
    CGROUP_FOUND_MAX = 64, /* maximum number of folders of one dead run that a sweep handles */
};

/* What control groups can do on this machine. */
struct cgroup_means {
    bool memory;   /* can limit memory and count kills */
    bool pids;     /* can limit processes */
    bool track;    /* can find every process of a group */
    char why[200]; /* the reason if one of these is not available; "" = all are */
};
/* Fills in *out. The first call looks it up. Any thread. */
void cgroup_means(struct cgroup_means *out);

struct cgroup_limits {
    int64_t memory_bytes; /* includes swap; 0 = no limit */
    int64_t pids;         /* 0 = no limit */
    bool at_top; /* at the top of each hierarchy instead of below our own group; for a container
                    engine that makes its own groups in it */
};

/* Current values of the counters. */
struct cgroup_facts {
    int memory_killed; /* 1 = a process was killed because memory ran out; 0 = no process was; -1 =
                          unknown */
    int64_t peak_kib;  /* 0 = unknown */
};

struct cgroup;

/* Makes a group with these limits. Fails if no hierarchy can enforce one of the limits. */
ATTR_MUST_USE bool cgroup_open(struct cgroup **out, const char *uid, const char *name,
                               const struct cgroup_limits *limits, struct err *err);

/* Fills in the groups that a new process must enter. The group still owns the descriptors. */
void cgroup_enter(const struct cgroup *cgroup, struct spawn_limits *limits);

/* Returns "/devs-<uid>/<name>", the path below the top of each hierarchy, if the group was opened
 * with at_top. Otherwise returns NULL. */
const char *cgroup_path(const struct cgroup *cgroup);

/* Reads the counters; -1 for unknown values. */
void cgroup_read(const struct cgroup *cgroup, struct cgroup_facts *out);

/* Kills the processes in the group and in the groups below it. Returns how many there were, and
 * sets *left_out to how many remain after CGROUP_END_MS. */
size_t cgroup_end(struct cgroup *cgroup, size_t *left_out);

/* Ends the processes of the group, removes it and frees it. `cgroup` may be NULL. */
void cgroup_close(struct cgroup *cgroup);

/* Ends and removes all groups of the run in all hierarchies. Appends the processes that were ended
 * to `ended` ("pid 12 (make)"), and processes that could not be ended to `left`; either may be
 * NULL. Returns false if processes are left. */
bool cgroup_sweep(const char *uid, struct str *ended, struct str *left);

/* The kernel log (/dev/kmsg), which shows whether a process was killed because memory ran out. Any
 * thread. */

/* Opens the log for new messages only. Never blocks. Returns -1 if we may not read it. */
ATTR_MUST_USE int kernel_log_open(void);
/* Closes the log. Accepts -1. */
void kernel_log_close(int fd);

/* Returns whether, since the previous call or kernel_log_open(), a process was killed in a control
 * group whose path has a folder that ends with one of these words. Either may be NULL. */
ATTR_MUST_USE bool kernel_log_tells_kill(int fd, const char *word, const char *other_word);

/* Called with the path of each folder found. */
typedef void cgroup_dir_fn(void *ctx, const char *dir);
/* Calls `each` for every folder named `name` below `top`, within limits. */
void cgroup_find(const char *top, const char *name, cgroup_dir_fn *each, void *ctx);

/* The hierarchies of control groups that exist, and where we may write to them. Looked up once per
 * process. Any thread. */
enum { CGROUP_MOUNTS_MAX = 24 };

struct cgroup_mount {
    bool is_v2;
    bool has_memory, has_pids; /* groups made in `own` can have these limits */
    bool own_is_writable, top_is_writable;
    char top[PATH_MAX]; /* its mount point */
    char own[PATH_MAX]; /* the folder for our groups */
};

/* Returns all hierarchies. The array is static. */
const struct cgroup_mount *cgroup_mounts(size_t *count_out);

#endif
