/*
 * content_store.h - contents of files by their SHA-256, in a folder of their own.
 *
 * A content is written beside its place and renamed, so what is there is whole unless the power
 * went (nothing is synced: whoever takes a content out looks whether it is still the one). Files
 * are shared with their source where the file system can (FICLONE), else copied; 0600. Any thread,
 * one at a time; several stores may have the same folder, in several processes too.
 */
#ifndef DEVS_CONTENT_STORE_H
#define DEVS_CONTENT_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "sha256.h"

struct content_store {
    int fd;                    /* owned; the folder, -1 = none */
    bool cannot_clone;         /* tried, in vain */
    unsigned made;             /* for the names of what is written */
    unsigned char folders[32]; /* bits of those of the 256 that are known to be there */
};

/* Make the folder (its parent is there) and open it. End with content_close(). */
ATTR_MUST_USE bool content_open(struct content_store *store, const char *path, struct err *err);
void content_close(struct content_store *store);

/* Read a file from its beginning: its hash and how many bytes it has. With a store (may be NULL)
 * the content is kept. */
ATTR_MUST_USE bool content_read(struct content_store *store, int fd,
                                unsigned char hash_out[SHA256_BYTES], int64_t *size_out,
                                struct err *err);

/* A descriptor of the content, for reading. ERR_NOT_FOUND if it is not there. */
ATTR_MUST_USE bool content_get(const struct content_store *store,
                               const unsigned char hash[SHA256_BYTES], int *fd_out,
                               struct err *err);

/* Copy all of one file into another that is empty: cloned if *cannot_clone is not set yet (it is
 * set where that fails), else copied within the kernel, else by reading and writing. */
ATTR_MUST_USE bool content_copy(int from, int to, bool *cannot_clone, int64_t *bytes_out,
                                struct err *err);

#endif
