/*
 * gain_bytes.h - what a task's attempts have written and what its agent has called, as the bytes
 * of one row of the log. Any thread.
 */
#ifndef DEVS_GAIN_BYTES_H
#define DEVS_GAIN_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "entropy_memory.h"
#include "err.h"
#include "str.h"

enum { GAIN_HEAD_BYTES = 8 }; /* before the two, where there are two */

/* Append both; `calls` may be NULL: then these are the bytes of `attempts` alone. */
void gain_bytes_write(const struct entropy_memory *attempts, const struct entropy_memory *calls,
                      struct str *out);
/* Load them. *calls is made if there is anything for it, and is NULL before. ERR_INVALID for bytes
 * that gain_bytes_write() did not write; what was loaded by then stays. */
ATTR_MUST_USE bool gain_bytes_read(const char *bytes, size_t len,
                                   const struct entropy_limits *limits,
                                   struct entropy_memory *attempts, struct entropy_memory **calls,
                                   struct err *err);

#endif
