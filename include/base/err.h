/*
 * err.h - how functions report errors.
 *
 * A function that can fail returns bool and takes `struct err *err` last. On false, *err is set; on
 * true, it is unchanged. Callers that do not need the reason may pass NULL. Outputs are unchanged
 * on failure. The first error wins: a second err_set() on the same value is ignored.
 */
#ifndef DEVS_ERR_H
#define DEVS_ERR_H

#include <stdbool.h>

#include "attr.h"

/* One code for each way a caller can react. */
enum err_code {
    ERR_NONE,
    ERR_INVALID,   /* invalid input; retrying will not help */
    ERR_NOT_FOUND, /* the named object does not exist */
    ERR_LIMIT,     /* a limit of devs was reached */
    ERR_BUSY,      /* in use by another process or thread */
    ERR_DAMAGED,   /* the log is corrupt or not a devs log */
    ERR_IO,        /* the system or a library reported an error; see the message */
    ERR_CODE_COUNT,
};

enum { ERR_MESSAGE_MAX = 400, ERR_HINT_MAX = 200 };

struct err {
    enum err_code code;
    char message[ERR_MESSAGE_MAX]; /* "what: why", lower case, no full stop */
    char hint[ERR_HINT_MAX];       /* what the user can do; empty if unknown */
};

/* Records an error and returns false, so that a caller can `return err_set(...)`. */
ATTR_PRINTF(3, 4) bool err_set(struct err *err, enum err_code code, const char *fmt, ...);

/* Like err_set() with ERR_IO. Appends ": " and the message of errno `number`, and adds a hint if
 * the disk is full. */
ATTR_PRINTF(3, 4) bool err_set_errno(struct err *err, int number, const char *fmt, ...);

/* Adds a hint to an error that is set and has none yet. Returns false. */
ATTR_PRINTF(2, 3) bool err_hint(struct err *err, const char *fmt, ...);

#endif
