/*
 * pack.h - stores parts of a state without their zero bytes.
 *
 * The bytes never leave this process, as their layout is the compiler's. Private to core.
 */
#ifndef DEVS_PACK_H
#define DEVS_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "str.h"

/* Where the next part begins. */
struct unpack {
    const unsigned char *at; /* borrowed */
};

/* Packed bytes need this much space after their end, as they are read word by word. */
enum { PACK_SLACK = 8 };

/* Packs words of 8 bytes; `size` is a multiple of 8. A word becomes the number of its nonzero low
 * bytes, then those bytes, low bytes first on every machine. Consecutive zero words become a 0 and
 * their number. */
void pack_words(struct str *out, const void *words, size_t size);
/* The inverse, for the same size. */
void unpack_words(struct unpack *from, void *words, size_t size);

/* A block of words on its own, without pointers. */
struct packed {
    uint32_t len; /* bytes; PACK_SLACK more follow */
    unsigned char bytes[];
};

/* The caller frees it with free(). */
ATTR_MUST_USE struct packed *packed_new(const void *words, size_t size);
/* Returns NULL for NULL. The caller frees it with free(). */
ATTR_MUST_USE struct packed *packed_copy(const struct packed *packed);
/* Returns the bytes of the whole block. */
size_t packed_size(const struct packed *packed);
/* Unpacks a block that was made of `size` bytes. */
void packed_read(const struct packed *packed, void *words, size_t size);

#endif
