/*
 * err.h - the one error idiom of the tree.
 *
 * A function that can fail returns bool and takes `struct err *err` last:
 * false means *err is set, true means it is untouched, NULL means the caller
 * does not care why. Outputs are untouched on failure. The first error wins:
 * a second err_set() on the same value is ignored.
 */
#ifndef DEVS_ERR_H
#define DEVS_ERR_H

#include <stdbool.h>

#include "attr.h"

/* One code for each thing that a caller can do about it. */
enum err_code {
    ERR_NONE,
    ERR_INVALID,   /* the input is wrong; trying again will not help */
    ERR_NOT_FOUND, /* the thing named does not exist */
    ERR_LIMIT,     /* a named limit of devs was reached */
    ERR_BUSY,      /* another process or thread has it */
    ERR_DAMAGED,   /* a log that is not what it should be */
    ERR_IO,        /* the system or a library said no; see the message */
    ERR_CODE_COUNT,
};

enum { ERR_MESSAGE_MAX = 400, ERR_HINT_MAX = 200 };

struct err {
    enum err_code code;
    char message[ERR_MESSAGE_MAX]; /* "what: why", lower case, no full stop */
    char hint[ERR_HINT_MAX];       /* what the person may do; empty for none */
};

/* Record an error and return false, so that a caller can `return err_set(...)`. */
ATTR_PRINTF(3, 4) bool err_set(struct err *err, enum err_code code, const char *fmt, ...);

/* As err_set() with ERR_IO; appends ": " and the text of errno value `number`, and a
 * hint where that says that a disk is full. */
ATTR_PRINTF(3, 4) bool err_set_errno(struct err *err, int number, const char *fmt, ...);

/* Add a hint to an error that is set and has none yet. Returns false. */
ATTR_PRINTF(2, 3) bool err_hint(struct err *err, const char *fmt, ...);

#endif
