/*
 * progress.h - shows the progress of long work on a terminal's stderr, and whether a signal asked
 * to stop it. Main thread.
 */
#ifndef DEVS_PROGRESS_H
#define DEVS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

/* A value of the caller's: begun by progress_new(), ended by progress_done(). */
struct progress {
    int64_t began_us; /* clock_mono_us() */
    int64_t told_us;  /* when it was said last; 0 = never */
};

/* Begin to measure now; nothing has been said yet. */
struct progress progress_new(void);
/* So much of so much of `what` is done: said once it has taken a second, ten times a second, and
 * only to a terminal. */
void progress_say(struct progress *progress, const char *what, int64_t done, int64_t all);
/* The same of what can be stopped. False and *err set: somebody wants it to end (stop_signal()). */
ATTR_MUST_USE bool progress_tell(struct progress *progress, const char *what, int64_t done,
                                 int64_t all, struct err *err);
/* Take the line away. */
void progress_done(struct progress *progress);

/* From now on; a call that waits is interrupted. One that was ignored stays so. */
void stop_signal_watch(void);
/* The first that came, 0 = none. */
int stop_signal(void);

#endif
