#include "sha256.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include <nettle/sha2.h>

#include "xalloc.h"

static_assert((int)SHA256_BYTES == SHA256_DIGEST_SIZE, "as long as the library's");

struct sha256 {
    struct sha256_ctx state;
};

void sha256_open(struct sha256 **out)
{
    *out = xcalloc(1, sizeof(**out));
    sha256_init(&(*out)->state);
}

void sha256_add(struct sha256 *sha256, const void *bytes, size_t len)
{
    if (len > 0) /* the library copies from nowhere, too */
        sha256_update(&sha256->state, len, bytes);
}

void sha256_finish(struct sha256 *sha256, unsigned char out[SHA256_BYTES])
{
    sha256_digest(&sha256->state, SHA256_BYTES, out);
    sha256_close(sha256);
}

void sha256_close(struct sha256 *sha256)
{
    free(sha256);
}

void sha256_of(const void *bytes, size_t len, unsigned char out[SHA256_BYTES])
{
    struct sha256 sha256;
    sha256_init(&sha256.state);
    sha256_add(&sha256, bytes, len);
    sha256_digest(&sha256.state, SHA256_BYTES, out);
}

void sha256_hex(const unsigned char hash[SHA256_BYTES], char out[SHA256_HEX_MAX])
{
    for (size_t i = 0; i < SHA256_BYTES; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", hash[i]);
}
