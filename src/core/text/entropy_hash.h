/*
 * entropy_hash.h - XXH3 hashes of calls and lines, for loop detection. Private to core.
 */
#ifndef DEVS_ENTROPY_HASH_H
#define DEVS_ENTROPY_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "digest.h"

/* Never returns 0,0. */
struct digest entropy_digest(const void *bytes, size_t len);

/* Returns the XXH3 hash with seed 0. These numbers are stored in the log. */
uint64_t entropy_hash(const void *bytes, size_t len);
/* Combines two hashes; the order matters. */
uint64_t entropy_hash_pair(uint64_t a, uint64_t b);

#endif
