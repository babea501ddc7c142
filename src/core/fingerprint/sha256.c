#include "sha256.h"

#include <stdlib.h>

#include <openssl/evp.h>

#include "xalloc.h"

struct sha256 {
    EVP_MD_CTX *context; /* owned */
};

static void must(int ok)
{
    if (ok != 1)
        xalloc_fail(); /* nothing else can fail here */
}

void sha256_open(struct sha256 **out)
{
    struct sha256 *sha256 = xcalloc(1, sizeof(*sha256));
    sha256->context = xcheck(EVP_MD_CTX_new());
    must(EVP_DigestInit_ex(sha256->context, EVP_sha256(), NULL));
    *out = sha256;
}

void sha256_add(struct sha256 *sha256, const void *bytes, size_t len)
{
    must(EVP_DigestUpdate(sha256->context, bytes, len));
}

void sha256_finish(struct sha256 *sha256, unsigned char out[SHA256_BYTES])
{
    must(EVP_DigestFinal_ex(sha256->context, out, NULL));
    sha256_close(sha256);
}

void sha256_close(struct sha256 *sha256)
{
    if (!sha256)
        return;
    EVP_MD_CTX_free(sha256->context);
    free(sha256);
}

void sha256_again(struct sha256 *sha256, const void *bytes, size_t len,
                  unsigned char out[SHA256_BYTES])
{
    must(EVP_DigestInit_ex(sha256->context, NULL, NULL));
    must(EVP_DigestUpdate(sha256->context, bytes, len));
    must(EVP_DigestFinal_ex(sha256->context, out, NULL));
}

void sha256_of(const void *bytes, size_t len, unsigned char out[SHA256_BYTES])
{
    must(EVP_Digest(bytes, len, out, NULL, EVP_sha256(), NULL));
}
