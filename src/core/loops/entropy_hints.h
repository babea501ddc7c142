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

    /* Why something was refused, whichever program says so. */
    CAUSE_REFUSED = 1 << 9,      /* nothing listens there */
    CAUSE_NAME = 1 << 10,        /* no such host */
    CAUSE_DENIED = 1 << 11,      /* the user may not */
    CAUSE_FORBIDDEN = 1 << 12,   /* the server or a proxy does not let it through */
    CAUSE_READ_ONLY = 1 << 13,   /* of a file system */
    CAUSE_FULL = 1 << 14,        /* no space left */
    CAUSE_CERTIFICATE = 1 << 15, /* the other side's is not trusted */
    CAUSE_UNREACHABLE = 1 << 16, /* no way leads there */
    CAUSES = CAUSE_REFUSED | CAUSE_NAME | CAUSE_DENIED | CAUSE_FORBIDDEN | CAUSE_READ_ONLY |
             CAUSE_FULL | CAUSE_CERTIFICATE | CAUSE_UNREACHABLE,

    HINT_MISSING = 1 << 17, /* the program is not installed */
};

/* The hints in the words of a line; its first 256 bytes are read. */
unsigned entropy_hints(const char *line, size_t len);

#endif
