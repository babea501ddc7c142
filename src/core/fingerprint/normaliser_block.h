/*
 * normaliser_block.h - eight bytes of a line looked at together. Private to the normaliser.
 */
#ifndef DEVS_NORMALISER_BLOCK_H
#define DEVS_NORMALISER_BLOCK_H

#include <stdint.h>
#include <string.h>

enum { BLOCK_BYTES = 8, BLOCK_TOP = 0x80 };

/* What the bytes are: the bit 0x80 of each, the first byte lowest. */
struct block {
    uint64_t triggers; /* '/', figures, ':', '=' (and ';' and '<', which lie between), '\\' */
    uint64_t blanks;
    uint64_t noise; /* bytes over 127, controls, DEL */
};

/* The same value in each byte. */
static inline uint64_t block_of(unsigned value)
{
    return UINT64_C(0x0101010101010101) * value;
}

/* The next bytes, the first one lowest; past the end there are letters. */
static inline uint64_t block_load(const char *at, const char *end)
{
    unsigned char b[BLOCK_BYTES] = {'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'};
    if (end - at >= BLOCK_BYTES)
        memcpy(b, at, BLOCK_BYTES);
    else
        memcpy(b, at, (size_t)(end - at));
    /* Written out, this is one load for the compiler. */
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* Which bytes are at least `least`; `low` has none over 127, so nothing carries. */
static inline uint64_t block_at_least(uint64_t low, unsigned least)
{
    return low + block_of(BLOCK_TOP - least);
}

/* Which bytes are from `least` to `most`, both 127 at most. */
static inline uint64_t block_between(uint64_t low, unsigned least, unsigned most)
{
    return block_at_least(low, least) & ~block_at_least(low, most + 1);
}

/* What stands in eight bytes: what may begin a token, blanks, and what is no plain text. */
static inline struct block block_look(uint64_t bytes)
{
    const uint64_t top = block_of(BLOCK_TOP);
    const uint64_t low = bytes & ~top;
    const uint64_t plain = ~bytes & top;
    return (struct block){
        .triggers = (block_between(low, '/', '=') | block_between(low, '\\', '\\')) & plain,
        .blanks = block_between(low, ' ', ' ') & plain,
        .noise = (bytes | ~block_at_least(low, ' ') | block_at_least(low, 0x7f)) & top,
    };
}

/* Blanks that follow one; `before`: is the byte before the block one? */
static inline uint64_t block_blank_pairs(const struct block *block, unsigned before)
{
    return block->blanks & (block->blanks << 8 | (before ? BLOCK_TOP : 0));
}

#endif
