/*
 * this_process.h - what a run's row says of the process that owns it. Private to
 * store; any thread.
 */
#ifndef DEVS_THIS_PROCESS_H
#define DEVS_THIS_PROCESS_H

#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_writer.h"

struct this_process {
    char boot[LOG_UID_MAX]; /* id of this boot; "" where it is not told */
    int64_t pid;
    int64_t pid_start; /* clock ticks since boot; 0 where it is not told */
};

/* Fill in *out: boot, pid and start time. */
void this_process_read(struct this_process *out);

/* 128 random bits as hex digits: the name of a run in all the world. */
ATTR_MUST_USE bool this_process_uid(char out[LOG_UID_MAX], struct err *err);

#endif
