#include "fingerprint.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include <openssl/evp.h>

#include "xalloc.h"

enum { STREAMS = 2, SHA256_BYTES = 32, NUMBER_BYTES = 8 };

struct fingerprint {
    EVP_MD_CTX *streams[STREAMS]; /* owned */
};

/* SHA-256 of this library fails only where memory is out. */
static void must(int ok)
{
    if (ok != 1) /* not covered: memory is out */
        abort();
}

static EVP_MD_CTX *start_hash(void)
{
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    if (!hash) /* not covered: memory is out */
        abort();
    must(EVP_DigestInit_ex(hash, EVP_sha256(), NULL));
    return hash;
}

void fingerprint_open(struct fingerprint **out)
{
    struct fingerprint *fingerprint = xcalloc(1, sizeof(*fingerprint));
    for (int i = 0; i < STREAMS; i++)
        fingerprint->streams[i] = start_hash();
    *out = fingerprint;
}

void fingerprint_close(struct fingerprint *fingerprint)
{
    if (!fingerprint)
        return;
    for (int i = 0; i < STREAMS; i++)
        EVP_MD_CTX_free(fingerprint->streams[i]);
    free(fingerprint);
}

void fingerprint_add(struct fingerprint *fingerprint, int stream, const char *bytes, size_t len)
{
    assert(stream >= 0 && stream < STREAMS);
    must(EVP_DigestUpdate(fingerprint->streams[stream], bytes, len));
}

static void add_number(EVP_MD_CTX *hash, int value)
{
    unsigned char bytes[NUMBER_BYTES];
    uint64_t rest = (uint64_t)(int64_t)value;
    for (int i = 0; i < NUMBER_BYTES; i++, rest >>= 8)
        bytes[i] = (unsigned char)rest;
    must(EVP_DigestUpdate(hash, bytes, sizeof(bytes)));
}

struct digest fingerprint_finish(struct fingerprint *fingerprint, enum outcome_kind kind, int code)
{
    unsigned char sum[SHA256_BYTES];
    EVP_MD_CTX *whole = start_hash();

    add_number(whole, (int)kind);
    add_number(whole, code);
    for (int i = 0; i < STREAMS; i++) {
        must(EVP_DigestFinal_ex(fingerprint->streams[i], sum, NULL));
        must(EVP_DigestUpdate(whole, sum, sizeof(sum)));
    }
    must(EVP_DigestFinal_ex(whole, sum, NULL));
    EVP_MD_CTX_free(whole);
    struct digest digest = digest_from_bytes(sum);
    if (!digest_is_known(digest)) /* not covered: one in 2^128 */
        digest.lo = 1;
    return digest;
}
