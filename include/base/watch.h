/*
 * watch.h - notices writes to files, with one inotify descriptor.
 *
 * Belongs to one thread. Watches files for modification (a write, not a close). If inotify is not
 * available, watch_open() fails with ERR_IO and the caller polls every WATCH_POLL_MS instead.
 */
#ifndef DEVS_WATCH_H
#define DEVS_WATCH_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"

enum { WATCH_POLL_MS = 250 };

struct watch;

/* Opens a watch without files. Fails with ERR_IO if inotify is not available or there are no
 * descriptors left. The caller closes *out with watch_close(). */
ATTR_MUST_USE bool watch_open(struct watch **out, struct err *err);
/* Frees the watch, which may be NULL. */
void watch_close(struct watch *watch);

/* Watches an existing file. Fails with ERR_IO if it does not exist or there are too many
 * watches. */
ATTR_MUST_USE bool watch_file(struct watch *watch, const char *path, struct err *err);

/* Returns a descriptor for poll(), readable after a write. */
int watch_fd(const struct watch *watch);

/* Consumes all pending notifications; returns true if there were any. Never blocks. */
bool watch_drain(struct watch *watch);

#endif
