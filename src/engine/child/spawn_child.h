/*
 * spawn_child.h - what a new process does until it executes its program. Private to spawn.c and
 * spawn_way.c.
 *
 * It is in our memory, on a stack of its own, while our thread waits (spawn.c) or goes on
 * (spawn_way.c): nothing here calls the C library.
 */
#ifndef DEVS_SPAWN_CHILD_H
#define DEVS_SPAWN_CHILD_H

#include <stddef.h>

#include "spawn.h"

struct spawn_child {
    const struct spawn_call *call; /* borrowed until its exec, as is all that it points to */
    /* Paths that are tried one after the other where call->program is NULL; each with its NUL. */
    const char *programs, *programs_end;
    volatile int number; /* the errno of what went wrong; then it is over */
};

/* Before a start: which signals may not be as by default. Any thread. */
void spawn_child_prepare(void);

/* For clone(): its argument is the struct spawn_child. Does not return. */
int spawn_child_run(void *arg);

/* The name of clone() for a process that stays in our memory. */
#ifdef __SANITIZE_THREAD__
/* The sanitizer takes every clone() for a fork into memory of its own, and sees no more of this
 * thread's locks; the C library's other name for it is not looked at. */
int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...); /* NOLINT(*-identifier) */
#define CLONE __clone
#else
#define CLONE clone
#endif

#endif
