/*
 * owner_state.h - reads from the kernel the state of this process and of a run's owner, and answers
 * controls of runs without an owner. Private to store; any thread.
 */
#ifndef DEVS_OWNER_STATE_H
#define DEVS_OWNER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_writer.h"
#include "place.h"

/* Returns true if the process is suspended by ^Z, a signal or a debugger. Returns false if /proc
 * does not say. The answer may be out of date immediately. */
bool owner_is_stopped(int64_t pid);

/* Returns true if a process with this number that started at that time (clock ticks since boot, not
 * 0) is alive and has a lock file of that uid open, even if the file was moved. Returns false if
 * /proc hides another user's files. */
bool owner_process_holds(int64_t pid, int64_t start, const char *uid);

struct this_process {
    char boot[LOG_UID_MAX]; /* id of this boot; "" if unknown */
    int64_t pid;
    int64_t pid_start; /* clock ticks since boot; 0 if unknown */
};

/* Sets *out to the boot, pid and start time of this process. */
void this_process_read(struct this_process *out);

/* Makes a globally unique run uid: 128 random bits as hex digits. */
ATTR_MUST_USE bool this_process_uid(char out[LOG_UID_MAX], struct err *err);

/* Takes the run's owner lock and answers all pending controls. Fails with ERR_BUSY if the run has
 * an owner, which will answer them. */
ATTR_MUST_USE bool orphan_answer(const struct place *place, int64_t run, struct err *err);

#endif
