/* pack.h - stores parts of a state without their zero bytes.
 *
 * The bytes must not leave this process, because their layout depends on the compiler. Private to
 * core. */
#ifndef DEVS_PACK_H
#define DEVS_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "str.h"

/* Position of the next packed part. */
struct unpack {
    const unsigned char *at; /* borrowed */
};

/* Packed bytes need this much space after their end, because they are read word by word. */
enum { PACK_SLACK = 8 };

/* Packs words of 8 bytes; `size` is a multiple of 8. A word is stored as the number of bytes up to
 * its highest nonzero byte, then these bytes, lowest first on every machine. Consecutive zero words
 * are stored as a 0 and their number. */
void pack_words(struct str *out, const void *words, size_t size);
/* The inverse of pack_words(), for the same size. */
void unpack_words(struct unpack *from, void *words, size_t size);

/* A block of words on its own, without pointers. */
struct packed {
    uint32_t len; /* bytes; followed by PACK_SLACK more */
    unsigned char bytes[];
};

/* Packs words like pack_words(). The caller frees the block with free(). */
ATTR_MUST_USE struct packed *packed_new(const void *words, size_t size);
/* Copies a block; NULL for NULL. The caller frees the copy with free(). */
ATTR_MUST_USE struct packed *packed_copy(const struct packed *packed);
/* Returns the size of the whole block in bytes. */
size_t packed_size(const struct packed *packed);
/* Unpacks a block that packed_new() made from `size` bytes. */
void packed_read(const struct packed *packed, void *words, size_t size);

#endif
