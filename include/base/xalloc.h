/*
 * xalloc.h - allocation that never returns NULL: aborts when out of memory. Any thread. Memory is
 * freed with free().
 */
#ifndef DEVS_XALLOC_H
#define DEVS_XALLOC_H

#include <stddef.h>

#include "attr.h"

/* Reports on stderr that memory ran out, then aborts. The functions below call it; call it directly
 * for libraries that report this with an error code. */
_Noreturn void xalloc_fail(void);

/* Returns memory that a library or malloc() returned; NULL means out of memory. */
ATTR_MUST_USE void *xcheck(void *memory);

/* Returns zeroed memory for `count` elements of `size` bytes. The caller frees. */
ATTR_MUST_USE void *xcalloc(size_t count, size_t size);

/* Grows an array to at least `want` elements of `size` bytes. *cap (in elements) at least doubles
 * when it grows. New elements are not initialized. */
ATTR_MUST_USE void *xgrow(void *array, size_t *cap, size_t want, size_t size);

/* Returns a copy of the text. The caller frees. */
ATTR_MUST_USE char *xstrdup(const char *text);
/* Like xstrdup(), but copies at most `len` bytes. */
ATTR_MUST_USE char *xstrndup(const char *text, size_t len);

#endif
