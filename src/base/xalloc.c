/*
 * xalloc.c - allocation that aborts when out of memory, and arrays that double.
 */
#include "xalloc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 16 };

void xalloc_fail(void)
{
    (void)fputs("devs: out of memory; everything recorded so far is kept\n", stderr);
    abort();
}

void *xcheck(void *memory)
{
    if (!memory)
        xalloc_fail();
    return memory;
}

void *xcalloc(size_t count, size_t size)
{
    bool nothing = count == 0 || size == 0;
    return xcheck(nothing ? calloc(1, 1) : calloc(count, size));
}

void *xgrow(void *array, size_t *cap, size_t want, size_t size)
{
    assert(size > 0);
    if (want <= *cap)
        return array;

    size_t limit = SIZE_MAX / size;
    size_t grown = *cap <= limit / 2 ? *cap * 2 : limit;
    if (grown < FIRST_CAP && FIRST_CAP <= limit)
        grown = FIRST_CAP;
    if (grown < want)
        grown = want;
    void *bigger = xcheck(grown <= limit ? realloc(array, grown * size) : NULL);
    *cap = grown;
    return bigger;
}

char *xstrdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(xcheck(malloc(size)), text, size);
}

char *xstrndup(const char *text, size_t len)
{
    size_t used = strnlen(text, len);
    char *copy = xcheck(malloc(used + 1));
    memcpy(copy, text, used);
    copy[used] = '\0';
    return copy;
}
