/*
 * sha256.h - SHA-256 of bytes, at once or as they come. Any thread. The one place that
 * asks nettle. It fails only where memory is out, and then the process ends.
 */
#ifndef DEVS_SHA256_H
#define DEVS_SHA256_H

#include <stddef.h>

enum { SHA256_BYTES = 32, SHA256_HEX_MAX = 2 * SHA256_BYTES + 1 };

struct sha256;

/* The caller ends *out with sha256_finish(), or with sha256_close(). */
void sha256_open(struct sha256 **out);
/* The next bytes; NULL where `len` is 0. */
void sha256_add(struct sha256 *sha256, const void *bytes, size_t len);
/* The hash of all that was added; frees *sha256. */
void sha256_finish(struct sha256 *sha256, unsigned char out[SHA256_BYTES]);

/* Free without a hash. NULL is allowed. */
void sha256_close(struct sha256 *sha256);

/* All at once; allocates nothing. */
void sha256_of(const void *bytes, size_t len, unsigned char out[SHA256_BYTES]);

/* The hash as 64 lower-case digits and a NUL. */
void sha256_hex(const unsigned char hash[SHA256_BYTES], char out[SHA256_HEX_MAX]);

#endif
