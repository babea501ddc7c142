/*
 * proc.h - what /proc says about processes and the machine. Any thread.
 *
 * All of it may be out of date when the caller looks at it.
 */
#ifndef DEVS_PROC_H
#define DEVS_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attr.h"

enum {
    PROC_NAME_MAX = 16,             /* the kernel keeps no more of a name */
    PROC_ENVIRON_MAX = 1024 * 1024, /* bytes of an environment that are looked at */
};

struct proc_facts {
    pid_t pid, parent, group, session;
    char state;    /* 'Z' and 'X' are over */
    int64_t start; /* clock ticks since boot */
    char name[PROC_NAME_MAX];
};

/* False if there is no such process, or it cannot be read. */
ATTR_MUST_USE bool proc_read(pid_t pid, struct proc_facts *out);
/* Has it ended, and only waits to be awaited? */
bool proc_is_over(const struct proc_facts *facts);

/* When a process began that was made between these two times of clock_mono_us(), in the ticks of
 * proc_facts.start; -1 where a tick passed between them (or a kernel counts others): then
 * proc_read() tells. No call into the kernel. */
ATTR_MUST_USE int64_t proc_start_between(int64_t before_us, int64_t after_us);

enum proc_answer {
    PROC_NO,
    PROC_YES,
    PROC_UNTOLD, /* it executes a program, and had no memory yet as long as we looked (20 ms) */
};

/* Does its initial environment hold all of these "NAME=value"? NULL-terminated. */
ATTR_MUST_USE enum proc_answer proc_has_environment(pid_t pid, const char *const *wanted);

/* Every process there is. Stops early when `each` says false. */
typedef bool proc_each_fn(void *ctx, const struct proc_facts *facts);
/* Call `each` for them, in no order. */
void proc_each(proc_each_fn *each, void *ctx);

/* The machine, for forensics; -1 for what cannot be read. */
struct proc_machine {
    double load[3];
    int64_t memory_available_kib;
    int64_t disk_free_kib; /* where `path` is */
};
/* Fill in *out, for the file system of `path`. */
void proc_machine(const char *path, struct proc_machine *out);

#endif
