/*
 * owner_state.h - this process and the one that owns a run, as the kernel shows them, and a run
 * whose owner is gone. Private to store; any thread.
 */
#ifndef DEVS_OWNER_STATE_H
#define DEVS_OWNER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_writer.h"
#include "place.h"

/* Does it stand still, stopped by ^Z, a signal or a debugger? False where /proc does not say:
 * what is known of a process is out of date as soon as it is read. */
bool owner_is_stopped(int64_t pid);

/* Is there a process of this number that started at that time (clock ticks since boot, not 0), has
 * not ended and has a lock file of that uid open, wherever the file has been moved? False where
 * /proc does not show another user's files. */
bool owner_process_holds(int64_t pid, int64_t start, const char *uid);

struct this_process {
    char boot[LOG_UID_MAX]; /* id of this boot; "" where it is not told */
    int64_t pid;
    int64_t pid_start; /* clock ticks since boot; 0 where it is not told */
};

/* Fill in *out: boot, pid and start time. */
void this_process_read(struct this_process *out);

/* 128 random bits as hex digits: the name of a run in all the world. */
ATTR_MUST_USE bool this_process_uid(char out[LOG_UID_MAX], struct err *err);

/* Take the run's owner lock and answer every control that is open. ERR_BUSY: it
 * has an owner after all, who will. */
ATTR_MUST_USE bool orphan_answer(const struct place *place, int64_t run, struct err *err);

#endif
