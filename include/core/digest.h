/* digest.h - 128 bits that identify a call, a result, a line and so on. Pure.
 *
 * A plain value; any thread. All zero means "unknown"; code that computes a digest must not produce
 * that value. */
#ifndef DEVS_DIGEST_H
#define DEVS_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"

enum {
    DIGEST_BYTES = 16,
    DIGEST_HEX_MAX = 2 * DIGEST_BYTES + 1
}; /* size of the hexadecimal form, including the NUL */

struct digest {
    uint64_t hi, lo;
};

/* Returns whether the digest is known. */
static inline bool digest_is_known(struct digest digest)
{
    return digest.hi != 0 || digest.lo != 0;
}

/* Compares the bits; two unknown digests are equal. */
static inline bool digest_equal(struct digest a, struct digest b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

/* Returns whether both are known and equal. */
static inline bool digest_is_same(struct digest a, struct digest b)
{
    return digest_is_known(a) && digest_equal(a, b);
}

/* Adds both modulo 2^128, so the order of a sum does not matter. */
struct digest digest_sum(struct digest a, struct digest b);

/* Takes the first half of a longer hash, highest byte first. */
struct digest digest_from_bytes(const unsigned char bytes[DIGEST_BYTES]);

/* Writes 32 lower-case hex digits, `hi` first, and a NUL. */
void digest_to_hex(struct digest digest, char out[DIGEST_HEX_MAX]);
/* The inverse of digest_to_hex(). Returns false and leaves *out alone if `hex` is not 32 lower-case
 * hex digits. */
ATTR_MUST_USE bool digest_from_hex(const char *hex, struct digest *out);

#endif
