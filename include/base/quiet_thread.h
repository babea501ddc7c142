/*
 * quiet_thread.h - a thread that signals leave alone.
 */
#ifndef DEVS_QUIET_THREAD_H
#define DEVS_QUIET_THREAD_H

#include <pthread.h>

/* pthread_create(), and its result. Signals that are sent to the process are for the thread that
 * has the terminal: the new thread, and what it starts, has all blocked but those of its own
 * faults, which end the process with a handler (the terminal is put back) only where they are not.
 * Any thread; the caller joins it. */
int quiet_thread_start(pthread_t *out, void *(*run)(void *arg), void *arg);

#endif
