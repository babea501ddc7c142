/*
 * cgroup.h - a control group for one attempt: limits, evidence, and an end that is proven.
 *
 * Each hierarchy that we may write in gives what it can: memory and pids of
 * version 1, or version 2 with what was delegated to us; version 2 without
 * controllers still tracks and kills. The group is <place>/devs-<uid>/<name>:
 * what a dead run left is found by its uid. Where places are is looked up once
 * per process. Any thread, a group one at a time.
 */
#ifndef DEVS_CGROUP_H
#define DEVS_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "spawn.h"
#include "str.h"

enum {
    CGROUP_END_MS = 2000,  /* how long killed processes may take to go */
    CGROUP_FOUND_MAX = 64, /* folders of one dead run that one sweep ends */
};

/* What groups can do on this machine. */
struct cgroup_means {
    bool memory;   /* limit and count kills */
    bool pids;     /* limit */
    bool track;    /* know every process of a group */
    char why[200]; /* why not all of it; empty if all */
};
/* Fill in *out; the first call looks. Any thread. */
void cgroup_means(struct cgroup_means *out);

struct cgroup_limits {
    int64_t memory_bytes; /* swap counts as memory; 0 = no limit */
    int64_t pids;         /* 0 = no limit */
    bool at_top;          /* not below our own group: for an engine that makes groups in it */
};

/* What the counters say. */
struct cgroup_facts {
    int memory_killed; /* 1 a process was killed for memory; 0 none was; -1 not known */
    int64_t peak_kib;  /* 0 = not known */
};

struct cgroup;

/* Fails also where no hierarchy can give one of the limits. */
ATTR_MUST_USE bool cgroup_open(struct cgroup **out, const char *uid, const char *name,
                               const struct cgroup_limits *limits, struct err *err);

/* Fills in what a new process has to enter; the descriptors stay the group's. */
void cgroup_enter(const struct cgroup *cgroup, struct spawn_limits *limits);

/* Of one that is at the top: "/devs-<uid>/<name>", in each hierarchy; else NULL. */
const char *cgroup_path(const struct cgroup *cgroup);

/* What its files say at this moment; -1 for what cannot be known. */
void cgroup_read(const struct cgroup *cgroup, struct cgroup_facts *out);

/* Kills the processes in it and in the groups below. Returns how many there were; *left_out is how
 * many are still there after CGROUP_END_MS. */
size_t cgroup_end(struct cgroup *cgroup, size_t *left_out);

/* Ends its processes and removes it. NULL is allowed. */
void cgroup_close(struct cgroup *cgroup);

/* Ends and removes every group of that run, in every hierarchy. Names the processes that were ended
 * in `ended` ("pid 12 (make)"), and those that could not be ended in `left`; either may be NULL.
 * False: something is left. */
bool cgroup_sweep(const char *uid, struct str *ended, struct str *left);

/* The kernel's log (/dev/kmsg): did it kill a process for lack of memory? Any thread. */

/* From now on; never blocks. -1 where it may not be read. */
ATTR_MUST_USE int kernel_log_open(void);
/* -1 is none. */
void kernel_log_close(int fd);

/* Was a process of a control group killed since, whose path holds one of these words?
 * NULL is no word. */
ATTR_MUST_USE bool kernel_log_tells_kill(int fd, const char *word, const char *other_word);

#endif
