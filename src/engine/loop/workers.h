/*
 * workers.h - the threads on which blocking work is done beside a loop.
 *
 * libuv's own pool ends the process where its threads cannot be made, and makes
 * them when the first work comes: after programs of ours may have taken what the
 * user's limit of processes leaves. Here one thread is made at once, and others
 * when there is work for them; where none can be had the first one does it all.
 * All functions belong to the loop's thread.
 */
#ifndef DEVS_WORKERS_H
#define DEVS_WORKERS_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

enum { WORKERS_MAX = 4 };

struct workers;
struct uv_loop_s;

/* Part of what is to be done; its memory is the caller's until `done`. */
struct worker_task {
    void (*work)(struct worker_task *task); /* on a worker */
    void (*done)(struct worker_task *task); /* on the loop's thread, never from within a call */
    struct worker_task *next;               /* of the workers */
};

/* Fails where not even one thread can be made (ERR_IO or as errno says). */
ATTR_MUST_USE bool workers_open(struct workers **out, struct uv_loop_s *loop, struct err *err);
/* Nothing may be left to do. The memory goes once the loop has closed the handle. */
void workers_close(struct workers *workers);

/* In the order in which they come, as soon as a worker is free. */
void workers_add(struct workers *workers, struct worker_task *task);

#endif
