/* The plain functions: those of EVP, which are recommended instead, lead to all of libcrypto, whose
 * 21,000 relocations were most of the time that a command takes to start. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "sha256.h"

#include <assert.h>
#include <stdlib.h>

#include <openssl/sha.h>

#include "xalloc.h"

static_assert((int)SHA256_BYTES == SHA256_DIGEST_LENGTH, "as long as libcrypto's");

struct sha256 {
    SHA256_CTX state; /* of libcrypto */
};

/* What libcrypto does here cannot fail: it allocates nothing. */
void sha256_open(struct sha256 **out)
{
    *out = xcalloc(1, sizeof(**out));
    SHA256_Init(&(*out)->state);
}

void sha256_add(struct sha256 *sha256, const void *bytes, size_t len)
{
    SHA256_Update(&sha256->state, bytes, len);
}

void sha256_finish(struct sha256 *sha256, unsigned char out[SHA256_BYTES])
{
    SHA256_Final(out, &sha256->state);
    sha256_close(sha256);
}

void sha256_close(struct sha256 *sha256)
{
    free(sha256);
}

void sha256_of(const void *bytes, size_t len, unsigned char out[SHA256_BYTES])
{
    struct sha256 sha256; /* libcrypto's SHA256() is one of EVP */
    SHA256_Init(&sha256.state);
    sha256_add(&sha256, bytes, len);
    SHA256_Final(out, &sha256.state);
}
