/*
 * cgroup_file.h - reads and writes the small files of a control group, and walks the tree of groups
 * below one. Any thread.
 */
#ifndef DEVS_CGROUP_FILE_H
#define DEVS_CGROUP_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"

enum {
    CGROUP_FILE_MAX = 4096,
    CGROUP_DEPTH_MAX = 8, /* levels of nested groups that are searched */
};

/* Writes "dir/name". Returns false if it is too long. */
ATTR_MUST_USE bool cgroup_file_path(char out[PATH_MAX], const char *dir, const char *name);

/* Returns 0 or an errno. */
int cgroup_file_write(const char *dir, const char *name, const char *text);

/* Returns the number after "key " at the start of a line, or the number in the whole file if key is
 * ""; -1 if there is none. */
int64_t cgroup_file_number(const char *dir, const char *name, const char *key);

/* Called for each process. Returns false to stop. */
typedef bool cgroup_pid_fn(void *ctx, pid_t pid);
/* Calls `each` for every process in the group and in those below it. Does nothing if the group is
 * gone. */
void cgroup_each_pid(const char *dir, cgroup_pid_fn *each, void *ctx);

/* Called with the path of each folder found. */
typedef void cgroup_dir_fn(void *ctx, const char *dir);
/* Finds every folder called `name` below `top`, within limits. */
void cgroup_find(const char *top, const char *name, cgroup_dir_fn *each, void *ctx);

/* Removes a group and all groups below it, which must have no processes. Returns 0 or an errno. */
int cgroup_remove(const char *dir);

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

/* Returns all hierarchies; static. */
const struct cgroup_mount *cgroup_mounts(size_t *count_out);

#endif
