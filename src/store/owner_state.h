/*
 * owner_state.h - what the kernel says of the process that has a run. Any thread.
 */
#ifndef DEVS_OWNER_STATE_H
#define DEVS_OWNER_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* Does it stand still, stopped by ^Z, a signal or a debugger? False where /proc does not say:
 * what is known of a process is out of date as soon as it is read. */
bool owner_is_stopped(int64_t pid);

/* Is there a process of this number that started at that time (clock ticks since boot, not 0), has
 * not ended and has a lock file of that uid open, wherever the file has been moved? False where
 * /proc does not show another user's files. */
bool owner_process_holds(int64_t pid, int64_t start, const char *uid);

#endif
