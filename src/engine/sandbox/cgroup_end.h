/*
 * cgroup_end.h - the end of control groups: their processes killed, their folders removed.
 * Any thread. Waits up to CGROUP_END_MS.
 */
#ifndef DEVS_CGROUP_END_H
#define DEVS_CGROUP_END_H

#include <stddef.h>

#include "str.h"

#define CGROUP_RUN_PREFIX "devs-" /* and a run's uid: its folder */

/* The same group in several hierarchies. How many processes were killed, named in `ended`
 * (NULL = not asked); *left_out: how many would not go. */
size_t cgroup_end_all(const char *const *dirs, size_t count, struct str *ended, size_t *left_out);

/* Remove a group, and its run's folder if that was the last one in it. */
void cgroup_remove_with_run(const char *dir);

/* Remove what an engine made of the same path in hierarchies that are not ours. */
void cgroup_remove_everywhere(const char *path);

#endif
