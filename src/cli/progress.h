/*
 * progress.h - how far something long has come, on a terminal's stderr. Main thread.
 */
#ifndef DEVS_PROGRESS_H
#define DEVS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A value of the caller's: begun by progress_new(), ended by progress_done(). */
struct progress {
    int64_t began_us; /* clock_mono_us() */
    int64_t told_us;  /* when it was said last; 0 = never */
};

struct progress progress_new(void);
/* So much of so much of `what` is done: said once it has taken a second, ten times a second. */
void progress_tell(struct progress *progress, const char *what, int64_t done, int64_t all);
/* Take the line away. */
void progress_done(struct progress *progress);

#endif
