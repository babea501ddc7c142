/*
 * entropy_hints.h - words in a result that say what sort of result it is. Private to core.
 */
#ifndef DEVS_ENTROPY_HINTS_H
#define DEVS_ENTROPY_HINTS_H

#include <stddef.h>

enum {
    HINT_PENDING = 1 << 0,   /* it goes on: "running", "queued" */
    HINT_OVER = 1 << 1,      /* it has ended: "completed", "exited" */
    HINT_NO_CHANGE = 1 << 2, /* nothing was changed: "already", "no changes" */
    HINT_EMPTY = 1 << 3,     /* nothing was found: "no matches" */
    HINT_HOPELESS = 1 << 4,  /* waiting will not help: "permission denied" */
    HINT_PASSES = 1 << 5,    /* it may pass by itself: "connection refused" */
    HINT_BUSY = 1 << 6,      /* something is at work: "starting", "running 5 tests" */
    HINT_TROUBLE = 1 << 7,   /* something is wrong, whatever the exit code: "error" */
    HINT_ACK = 1 << 8,       /* it was done: "ok", "saved" */
};

/* The hints in the words of a line; its first 256 bytes are read. */
unsigned entropy_hints(const char *line, size_t len);

#endif
