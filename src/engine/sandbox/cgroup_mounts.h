/*
 * cgroup_mounts.h - the hierarchies of control groups there are, and where we may write in them.
 *
 * Looked up once per process. Any thread.
 */
#ifndef DEVS_CGROUP_MOUNTS_H
#define DEVS_CGROUP_MOUNTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { CGROUP_MOUNTS_MAX = 24 };

struct cgroup_mount {
    bool is_v2;
    bool has_memory, has_pids; /* groups made in `own` get these limits */
    bool own_is_writable, top_is_writable;
    char top[PATH_MAX]; /* where it is mounted */
    char own[PATH_MAX]; /* the folder where groups of ours are made */
};

/* All of them; static. */
const struct cgroup_mount *cgroup_mounts(size_t *count_out);

#endif
