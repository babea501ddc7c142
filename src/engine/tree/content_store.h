/* content_store.h - stores file contents under their SHA-256, in a folder.
 *
 * Contents are written to a temporary name and renamed, so they are complete unless the power
 * failed (nothing is synced, so readers must check the hash). Files share their blocks with the
 * source if the file system supports it (FICLONE) and are copied otherwise; mode 0600. Any thread,
 * one at a time. Several stores may use the same folder, even in several processes. */
#ifndef DEVS_CONTENT_STORE_H
#define DEVS_CONTENT_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "sha256.h"

struct content_store {
    int fd;                    /* owned; descriptor of the folder; -1 = none */
    bool cannot_clone;         /* cloning was tried and failed */
    unsigned made;             /* counter for temporary names */
    unsigned char folders[32]; /* bitmap of the 256 subfolders: set if known to exist */
};

/* Creates the folder (its parent must exist) and opens it. The caller closes it with
 * content_close(). */
ATTR_MUST_USE bool content_open(struct content_store *store, const char *path, struct err *err);
void content_close(struct content_store *store);

/* Reads a file from its beginning and returns its hash and its size in bytes. If `store` is not
 * NULL, also stores the content. */
ATTR_MUST_USE bool content_read(struct content_store *store, int fd,
                                unsigned char hash_out[SHA256_BYTES], int64_t *size_out,
                                struct err *err);

/* Opens stored content for reading. Fails with ERR_NOT_FOUND if it does not exist. */
ATTR_MUST_USE bool content_get(const struct content_store *store,
                               const unsigned char hash[SHA256_BYTES], int *fd_out,
                               struct err *err);

/* Copies a whole file into an empty one. Clones it unless *cannot_clone is set; if cloning fails,
 * sets *cannot_clone. Otherwise copies within the kernel or, if that fails, by reading and
 * writing. */
ATTR_MUST_USE bool content_copy(int from, int to, bool *cannot_clone, int64_t *bytes_out,
                                struct err *err);

#endif
