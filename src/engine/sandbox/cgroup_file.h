/*
 * cgroup_file.h - the small files of a control group, and the tree of groups below one.
 * Any thread.
 */
#ifndef DEVS_CGROUP_FILE_H
#define DEVS_CGROUP_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"

enum {
    CGROUP_FILE_MAX = 4096,
    CGROUP_DEPTH_MAX = 8, /* groups within groups that are looked into */
};

/* "dir/name"; false if it is too long. */
ATTR_MUST_USE bool cgroup_file_path(char out[PATH_MAX], const char *dir, const char *name);

/* Its text, "" if it cannot be read; then false. */
bool cgroup_file_read(const char *dir, const char *name, char out[CGROUP_FILE_MAX]);
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

#endif
