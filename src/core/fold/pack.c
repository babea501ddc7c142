/* pack.c - stores parts of a state without their zero bytes. */
#include "pack.h"

#include <assert.h>
#include <string.h>

#include "xalloc.h"

enum { WORD_BYTES = 8, ZEROS_MAX = 255, WORDS_AT_ONCE = 32 };

static uint64_t word_at(const unsigned char *words, size_t at)
{
    uint64_t word;
    memcpy(&word, words + at, sizeof(word));
    return word;
}

void pack_words(struct str *out, const void *words, size_t size)
{
    const unsigned char *bytes = words;
    unsigned char packed[WORDS_AT_ONCE * (1 + WORD_BYTES)];
    size_t len = 0;
    assert(size % WORD_BYTES == 0);
    for (size_t at = 0; at < size;) {
        size_t zeros = 0;
        while (at + zeros * WORD_BYTES < size && zeros < ZEROS_MAX &&
               word_at(bytes, at + zeros * WORD_BYTES) == 0)
            zeros++;
        if (zeros > 0) {
            packed[len++] = 0;
            packed[len++] = (unsigned char)zeros;
            at += zeros * WORD_BYTES;
        } else {
            uint64_t word = word_at(bytes, at);
            unsigned char *head = &packed[len++];
            for (*head = 0; word != 0; word >>= 8) {
                packed[len++] = (unsigned char)word;
                ++*head;
            }
            at += WORD_BYTES;
        }
        if (len > sizeof(packed) - (1 + WORD_BYTES)) {
            str_add_n(out, (const char *)packed, len);
            len = 0;
        }
    }
    str_add_n(out, (const char *)packed, len);
}

void unpack_words(struct unpack *from, void *words, size_t size)
{
    unsigned char *bytes = words;
    const unsigned char *packed = from->at;
    size_t at = 0;
    while (at < size) {
        const unsigned len = *packed++;
        if (len == 0) {
            const size_t zeros = (size_t)*packed++ * WORD_BYTES;
            memset(bytes + at, 0, zeros);
            at += zeros;
            continue;
        }
        uint64_t word = 0;
        for (int i = 0; i < WORD_BYTES; i++)
            word |= (uint64_t)packed[i] << 8 * i;
        word &= UINT64_MAX >> 8 * (WORD_BYTES - len);
        memcpy(bytes + at, &word, sizeof(word));
        packed += len;
        at += WORD_BYTES;
    }
    from->at = packed;
}

size_t packed_size(const struct packed *packed)
{
    return sizeof(*packed) + packed->len + PACK_SLACK;
}

struct packed *packed_new(const void *words, size_t size)
{
    struct str bytes = {0};
    pack_words(&bytes, words, size);
    struct packed *packed = xcalloc(1, sizeof(*packed) + bytes.len + PACK_SLACK);
    packed->len = (uint32_t)bytes.len;
    memcpy(packed->bytes, str_text(&bytes), bytes.len);
    str_done(&bytes);
    return packed;
}

struct packed *packed_copy(const struct packed *packed)
{
    if (!packed)
        return NULL;
    struct packed *copy = xcalloc(1, packed_size(packed));
    memcpy(copy, packed, packed_size(packed));
    return copy;
}

void packed_read(const struct packed *packed, void *words, size_t size)
{
    struct unpack from = {.at = packed->bytes};
    unpack_words(&from, words, size);
}
