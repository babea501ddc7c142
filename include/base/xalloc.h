/*
 * xalloc.h - allocation that does not return NULL: out of memory aborts.
 * Any thread. Memory is freed with free().
 */
#ifndef DEVS_XALLOC_H
#define DEVS_XALLOC_H

#include <stddef.h>

#include "attr.h"

/* What all of these do when there is none: one line on stderr, then abort(). For libraries that
 * say it by an error of theirs. */
_Noreturn void xalloc_fail(void);

/* What a library or malloc() gave, as it is; NULL is out of memory. */
ATTR_MUST_USE void *xcheck(void *memory);

/* Cleared memory for `count` elements of `size` bytes; the caller frees. */
ATTR_MUST_USE void *xcalloc(size_t count, size_t size);

/* Grow an array to hold at least `want` elements of `size` bytes: *cap (in
 * elements) at least doubles. New elements are not cleared. */
ATTR_MUST_USE void *xgrow(void *array, size_t *cap, size_t want, size_t size);

/* A copy of the text; the caller frees. */
ATTR_MUST_USE char *xstrdup(const char *text);
/* The same of its first `len` bytes, or of all where it is shorter. */
ATTR_MUST_USE char *xstrndup(const char *text, size_t len);

#endif
