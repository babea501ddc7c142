/*
 * entropy_hash.h - digests of calls and lines for the detector of looping
 * (XXH3). Private to core.
 */
#ifndef DEVS_ENTROPY_HASH_H
#define DEVS_ENTROPY_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "digest.h"

/* Never 0,0. */
struct digest entropy_digest(const void *bytes, size_t len);

/* XXH3 of the bytes, seed 0; the log keeps these numbers. */
uint64_t entropy_hash(const void *bytes, size_t len);
/* Two hashes to one; the order counts. */
uint64_t entropy_hash_pair(uint64_t a, uint64_t b);

#endif
