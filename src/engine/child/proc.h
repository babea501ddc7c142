/*
 * proc.h - reads information about processes and the machine from /proc. Any thread.
 *
 * All results may be out of date by the time the caller uses them.
 */
#ifndef DEVS_PROC_H
#define DEVS_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"

enum {
    PROC_NAME_MAX = 16,             /* the kernel truncates longer names */
    PROC_ENVIRON_MAX = 1024 * 1024, /* bytes of an environment that are searched */
};

struct proc_facts {
    pid_t pid, parent, group, session;
    char state;    /* 'Z' and 'X' mean that it has ended */
    int64_t start; /* clock ticks since boot */
    char name[PROC_NAME_MAX];
};

/* Returns false if the process does not exist or cannot be read. */
ATTR_MUST_USE bool proc_read(pid_t pid, struct proc_facts *out);
/* Returns whether the process has ended and only waits to be reaped. */
bool proc_is_over(const struct proc_facts *facts);

/* Returns the start time of a process that was created between two times of clock_mono_us(). The
 * unit is ticks, as in proc_facts.start. Returns -1 if a tick passed between them, or if the kernel
 * counts different ticks; use proc_read() then. Makes no system call. */
ATTR_MUST_USE int64_t proc_start_between(int64_t before_us, int64_t after_us);

enum proc_answer {
    PROC_NO,
    PROC_YES,
    PROC_UNTOLD, /* the process was in execve() and had no memory during our checks (20 ms) */
};

/* Checks whether the initial environment of the process has all of these "NAME=value" entries (a
 * NULL-terminated array). */
ATTR_MUST_USE enum proc_answer proc_has_environment(pid_t pid, const char *const *wanted);

/* Called for every process. Returns false to stop early. */
typedef bool proc_each_fn(void *ctx, const struct proc_facts *facts);
/* Calls `each` for all processes, in no particular order. */
void proc_each(proc_each_fn *each, void *ctx);

/* State of the machine, for forensics; -1 for values that cannot be read. */
struct proc_machine {
    double load[3];
    int64_t memory_available_kib;
    int64_t disk_free_kib; /* free space of the file system with `path` */
};
/* Fills in *out. */
void proc_machine(const char *path, struct proc_machine *out);

#endif
