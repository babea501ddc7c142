/*
 * cgroup_file.h - the small files of a control group, and the tree of groups below one.
 * Any thread.
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
    CGROUP_DEPTH_MAX = 8, /* groups within groups that are looked into */
};

/* "dir/name"; false if it is too long. */
ATTR_MUST_USE bool cgroup_file_path(char out[PATH_MAX], const char *dir, const char *name);

/* 0, or the errno. */
int cgroup_file_write(const char *dir, const char *name, const char *text);

/* The number after "key " at the start of a line, or the whole file's where key is "";
 * -1 if there is none. */
int64_t cgroup_file_number(const char *dir, const char *name, const char *key);

/* Every process in the group and in those below it; stops when `each` says false. */
typedef bool cgroup_pid_fn(void *ctx, pid_t pid);
/* Call `each` for them; a group that is gone has none. */
void cgroup_each_pid(const char *dir, cgroup_pid_fn *each, void *ctx);

/* Every folder `name` in the hierarchy below `top`, within limits. */
typedef void cgroup_dir_fn(void *ctx, const char *dir);
/* Call `each` with the path of each. */
void cgroup_find(const char *top, const char *name, cgroup_dir_fn *each, void *ctx);

/* Remove the group and all below it, which hold no processes. 0, or the errno. */
int cgroup_remove(const char *dir);

/* The hierarchies of control groups that exist, and where we may write in them. Looked up once per
 * process. Any thread. */
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
