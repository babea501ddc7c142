/*
 * digest.h - 128 bits that stand for something: a call, a result, a line. Pure.
 *
 * A plain value; any thread. 0,0 means "not taken": who makes a digest sees to
 * it that it never comes out so.
 */
#ifndef DEVS_DIGEST_H
#define DEVS_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"

enum { DIGEST_BYTES = 16, DIGEST_HEX_MAX = 2 * DIGEST_BYTES + 1 }; /* the NUL counted */

struct digest {
    uint64_t hi, lo;
};

/* Was it taken at all? */
static inline bool digest_is_known(struct digest digest)
{
    return digest.hi != 0 || digest.lo != 0;
}

/* The same bits; two that were not taken are equal, too. */
static inline bool digest_equal(struct digest a, struct digest b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

/* Do both stand for the same? What was not taken is the same as nothing. */
static inline bool digest_is_same(struct digest a, struct digest b)
{
    return digest_is_known(a) && digest_equal(a, b);
}

/* Modulo 2^128, so the order of what is summed does not count. */
struct digest digest_sum(struct digest a, struct digest b);

/* The first half of a longer hash, highest byte first. */
struct digest digest_from_bytes(const unsigned char bytes[DIGEST_BYTES]);

/* 32 lower-case hex digits, `hi` first, NUL-terminated. */
void digest_to_hex(struct digest digest, char out[DIGEST_HEX_MAX]);
/* The way back. False, and *out untouched, unless it is 32 lower-case hex digits. */
ATTR_MUST_USE bool digest_from_hex(const char *hex, struct digest *out);

#endif
