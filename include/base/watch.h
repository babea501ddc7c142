/*
 * watch.h - "this file was written": one inotify descriptor.
 *
 * Belongs to one thread. Files are watched for modification (a write, not a
 * close). Where inotify cannot be had watch_open() fails with ERR_IO and the
 * caller looks by time instead (WATCH_POLL_MS).
 */
#ifndef DEVS_WATCH_H
#define DEVS_WATCH_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

enum { WATCH_POLL_MS = 250 };

struct watch;

/* The caller ends *out with watch_close(). ERR_IO: there is no inotify, or no descriptor left. */
ATTR_MUST_USE bool watch_open(struct watch **out, struct err *err);
/* NULL is allowed. */
void watch_close(struct watch *watch);

/* Watch an existing file. ERR_IO: it is not there, or there are too many watches. */
ATTR_MUST_USE bool watch_file(struct watch *watch, const char *path, struct err *err);

/* Readable when something was written; for poll(). */
int watch_fd(const struct watch *watch);

/* Take all news; true if there was any. Never blocks. */
bool watch_drain(struct watch *watch);

#endif
