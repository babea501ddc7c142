/* content_store.h - stores file contents under their SHA-256, in a folder of its own.
 *
 * Contents are written to a temporary name and renamed, so they are complete unless the power
 * failed (nothing is synced, so readers must check the hash). Blocks are shared with the source
 * file if the file system can (FICLONE), otherwise copied; mode 0600. Any thread, one at a time.
 * Several stores may use the same folder, even in several processes. */
#ifndef DEVS_CONTENT_STORE_H
#define DEVS_CONTENT_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "sha256.h"

struct content_store {
    int fd;                    /* owned; the folder; -1 = none */
    bool cannot_clone;         /* cloning was tried and failed */
    unsigned made;             /* counter for temporary names */
    unsigned char folders[32]; /* bitmap of the 256 subfolders that are known to exist */
};

/* Creates the folder (its parent must exist) and opens it. End with content_close(). */
ATTR_MUST_USE bool content_open(struct content_store *store, const char *path, struct err *err);
void content_close(struct content_store *store);

/* Reads a file from its beginning and returns its hash and size in bytes. If there is a store (may
 * be NULL), stores the content in it. */
ATTR_MUST_USE bool content_read(struct content_store *store, int fd,
                                unsigned char hash_out[SHA256_BYTES], int64_t *size_out,
                                struct err *err);

/* Opens a content for reading. Fails with ERR_NOT_FOUND if it does not exist. */
ATTR_MUST_USE bool content_get(const struct content_store *store,
                               const unsigned char hash[SHA256_BYTES], int *fd_out,
                               struct err *err);

/* Copies a whole file into an empty one: cloned unless *cannot_clone is set (which this sets if
 * cloning fails), else copied within the kernel, else by reading and writing. */
ATTR_MUST_USE bool content_copy(int from, int to, bool *cannot_clone, int64_t *bytes_out,
                                struct err *err);

#endif
