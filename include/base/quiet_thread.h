/*
 * quiet_thread.h - starts threads that do not receive signals.
 */
#ifndef DEVS_QUIET_THREAD_H
#define DEVS_QUIET_THREAD_H

#include <pthread.h>

/* Calls pthread_create() and returns its result. The new thread and its children block all signals,
 * so that signals to the process reach the thread that has the terminal. Only the signals of
 * faults, such as SIGSEGV, stay unblocked, so that their handler can restore the terminal before
 * the process ends. Any thread; the caller joins the new thread. */
int quiet_thread_start(pthread_t *out, void *(*run)(void *arg), void *arg);

#endif
