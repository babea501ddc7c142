/*
 * sha256.h - SHA-256, at once or in pieces. Any thread. The only user of nettle. Fails only when
 * memory runs out, which ends the process.
 */
#ifndef DEVS_SHA256_H
#define DEVS_SHA256_H

#include <stddef.h>

enum { SHA256_BYTES = 32, SHA256_HEX_MAX = 2 * SHA256_BYTES + 1 };

struct sha256;

/* Begins a hash. The caller calls sha256_finish(). */
void sha256_open(struct sha256 **out);
/* Adds bytes; may be NULL if `len` is 0. */
void sha256_add(struct sha256 *sha256, const void *bytes, size_t len);
/* Returns the hash and frees *sha256. */
void sha256_finish(struct sha256 *sha256, unsigned char out[SHA256_BYTES]);

/* Hashes a buffer. Allocates nothing. */
void sha256_of(const void *bytes, size_t len, unsigned char out[SHA256_BYTES]);

/* Writes the hash as 64 lower-case digits and a NUL. */
void sha256_hex(const unsigned char hash[SHA256_BYTES], char out[SHA256_HEX_MAX]);

#endif
