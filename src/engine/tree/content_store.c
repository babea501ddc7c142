/* content_store.c - stores file contents by their hash, and copies files.
 *
 * A small file is read once, hashed and stored from memory. A large file is copied first, because
 * the hash must be that of the copy even if the file changes meanwhile. A shared lock prevents the
 * removal of the folder while it is open. */
#define _GNU_SOURCE /* copy_file_range */

#include "content_store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xalloc.h"

enum {
    READ_BYTES = 256 * 1024, /* bytes per read; files up to this size are read only once */
    NAME_MAX_BYTES = 2 * SHA256_BYTES + 8, /* size of the name "ab/cdef...", including the NUL */
    NEW_NAME_MAX = 64,
    OPEN_TRIES = 100,
};
static const size_t range_max = (size_t)1024 * 1024 * 1024;

bool content_open(struct content_store *store, const char *path, struct err *err)
{
    struct stat held;
    struct stat named;
    *store = (struct content_store){.fd = -1};
    for (int i = 0; i < OPEN_TRIES; i++) {
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return err_set_errno(err, errno, "cannot create '%s'", path);
        const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return err_set_errno(err, errno, "cannot open '%s'", path);
        /* Takes a shared lock, as all users of the folder do. Removing the folder requires an
         * exclusive lock. */
        if (flock(fd, LOCK_SH) == 0 && fstat(fd, &held) == 0 && stat(path, &named) == 0 &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
            store->fd = fd;
            return true;
        }
        (void)close(fd); /* the folder was removed in the meantime */
    }
    return err_set(err, ERR_BUSY, "'%s' keeps being removed", path);
}

void content_close(struct content_store *store)
{
    if (store && store->fd >= 0) {
        (void)close(store->fd); /* a folder opened for reading; nothing to flush */
        store->fd = -1;
    }
}

/* Makes the file name of a hash: "ab/cdef...". */
static void name_of_hash(const unsigned char hash[SHA256_BYTES], char out[NAME_MAX_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        out[at++] = digits[hash[i] >> 4];
        out[at++] = digits[hash[i] & 15];
        if (i == 0)
            out[at++] = '/';
    }
    out[at] = '\0';
}

/* Reads like read(2), but again after EINTR. Returns -1 with errno on failure. */
static ssize_t read_some(int fd, char *bytes, size_t len)
{
    ssize_t got;
    do
        got = read(fd, bytes, len);
    while (got < 0 && errno == EINTR);
    return got;
}

/* Writes all bytes. Returns 0 or an errno. */
static int write_all(int fd, const char *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        const ssize_t wrote = write(fd, bytes + done, len - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return wrote < 0 ? errno : EIO;
        done += (size_t)wrote;
    }
    return 0;
}

static bool has_content(const struct content_store *store, const char *name)
{
    return faccessat(store->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Creates a file under a temporary name and opens it. */
static bool open_new(struct content_store *store, char name[NEW_NAME_MAX], int *fd_out,
                     struct err *err)
{
    (void)snprintf(name, NEW_NAME_MAX, ".new-%d-%p-%u", (int)getpid(), (void *)store,
                   store->made++);
    (void)unlinkat(store->fd, name, 0); /* left by a killed process with the same pid */
    const int fd =
        openat(store->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot store a file");
    *fd_out = fd;
    return true;
}

/* Renames the file to its final name. Another process may have stored the same bytes already.
 * Closes the file. */
static bool put_in_place(struct content_store *store, int fd, const char *new_name,
                         const unsigned char hash[SHA256_BYTES], struct err *err)
{
    char name[NAME_MAX_BYTES];
    char folder[3] = "";
    name_of_hash(hash, name);
    memcpy(folder, name, 2);
    const unsigned char bit = (unsigned char)(1U << (hash[0] & 7));
    int number = close(fd) == 0 ? 0 : errno;
    if (number == 0 && !(store->folders[hash[0] >> 3] & bit)) {
        if (mkdirat(store->fd, folder, 0700) != 0 && errno != EEXIST)
            number = errno;
        else
            store->folders[hash[0] >> 3] |= bit;
    }
    if (number == 0 && renameat(store->fd, new_name, store->fd, name) != 0)
        number = errno;
    if (number == 0)
        return true;
    (void)unlinkat(store->fd, new_name, 0); /* not needed any more */
    return err_set_errno(err, number, "cannot store a file");
}

static bool keep_bytes(struct content_store *store, const char *bytes, size_t len,
                       const unsigned char hash[SHA256_BYTES], struct err *err)
{
    char name[NAME_MAX_BYTES];
    char new_name[NEW_NAME_MAX];
    int fd = -1;
    name_of_hash(hash, name);
    if (has_content(store, name))
        return true;
    if (!open_new(store, new_name, &fd, err))
        return false;
    const int number = write_all(fd, bytes, len);
    if (number == 0)
        return put_in_place(store, fd, new_name, hash, err);
    (void)close(fd); /* an error has been reported already */
    (void)unlinkat(store->fd, new_name, 0);
    return err_set_errno(err, number, "cannot store a file");
}

/* Hashes the rest of a file. */
static bool hash_rest(int fd, struct sha256 *sha256, char *bytes, int64_t *size, struct err *err)
{
    for (;;) {
        const ssize_t got = read_some(fd, bytes, READ_BYTES);
        if (got < 0)
            return err_set_errno(err, errno, "cannot read a file");
        if (got == 0)
            return true;
        sha256_add(sha256, bytes, (size_t)got);
        *size += got;
    }
}

/* Stores a large file: copies it first, because the hash must be that of the stored copy. */
static bool keep_large(struct content_store *store, int fd, char *bytes,
                       unsigned char hash[SHA256_BYTES], int64_t *size_out, struct err *err)
{
    char new_name[NEW_NAME_MAX];
    char name[NAME_MAX_BYTES];
    int copy = -1;
    int64_t size = 0;
    struct sha256 *sha256;
    if (!open_new(store, new_name, &copy, err))
        return false;
    bool ok = lseek(fd, 0, SEEK_SET) == 0 &&
              content_copy(fd, copy, &store->cannot_clone, &size, err) &&
              lseek(copy, 0, SEEK_SET) == 0;
    size = 0;
    sha256_open(&sha256);
    ok = ok && hash_rest(copy, sha256, bytes, &size, err);
    sha256_finish(sha256, hash);
    name_of_hash(hash, name);
    if (ok && !has_content(store, name)) {
        *size_out = size;
        return put_in_place(store, copy, new_name, hash, err);
    }
    (void)close(copy); /* an error has already been reported, or the copy is not needed */
    (void)unlinkat(store->fd, new_name, 0);
    if (ok)
        *size_out = size;
    return ok;
}

bool content_read(struct content_store *store, int fd, unsigned char hash_out[SHA256_BYTES],
                  int64_t *size_out, struct err *err)
{
    char *bytes = xcalloc(READ_BYTES, 1);
    size_t len = 0;
    ssize_t got = 1;
    while (got > 0 && len < READ_BYTES) {
        got = read_some(fd, bytes + len, READ_BYTES - len);
        if (got > 0)
            len += (size_t)got;
    }
    bool ok = true;
    int64_t size = (int64_t)len;
    if (got < 0) {
        ok = err_set_errno(err, errno, "cannot read a file");
    } else if (got == 0) {
        sha256_of(bytes, len, hash_out);
        ok = !store || keep_bytes(store, bytes, len, hash_out, err);
    } else if (store) {
        ok = keep_large(store, fd, bytes, hash_out, &size, err);
    } else {
        struct sha256 *sha256;
        sha256_open(&sha256);
        sha256_add(sha256, bytes, len);
        ok = hash_rest(fd, sha256, bytes, &size, err);
        sha256_finish(sha256, hash_out);
    }
    free(bytes);
    if (ok)
        *size_out = size;
    return ok;
}

bool content_get(const struct content_store *store, const unsigned char hash[SHA256_BYTES],
                 int *fd_out, struct err *err)
{
    char name[NAME_MAX_BYTES];
    name_of_hash(hash, name);
    const int fd = openat(store->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, "the stored content %s is missing", name);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot read the stored content %s", name);
    *fd_out = fd;
    return true;
}

/* Copies in the kernel. Returns 0, an errno, or -1 if this file system does not support it. */
static int copy_in_kernel(int from, int to, int64_t *bytes)
{
    for (;;) {
        const ssize_t got = copy_file_range(from, NULL, to, NULL, range_max, 0);
        if (got == 0)
            return 0;
        if (got > 0) {
            *bytes += got;
            continue;
        }
        if (errno == EINTR)
            continue;
        const bool cannot = errno == EXDEV || errno == EINVAL || errno == ENOSYS ||
                            errno == EOPNOTSUPP || errno == EPERM;
        return cannot && *bytes == 0 ? -1 : errno;
    }
}

/* Copies by reading and writing. Returns 0 or an errno. */
static int copy_by_hand(int from, int to, int64_t *bytes)
{
    char *buffer = xcalloc(READ_BYTES, 1);
    int number = 0;
    for (;;) {
        const ssize_t got = read_some(from, buffer, READ_BYTES);
        if (got < 0)
            number = errno;
        if (got <= 0)
            break;
        number = write_all(to, buffer, (size_t)got);
        if (number != 0)
            break;
        *bytes += got;
    }
    free(buffer);
    return number;
}

bool content_copy(int from, int to, bool *cannot_clone, int64_t *bytes_out, struct err *err)
{
    int64_t bytes = 0;
    struct stat info;
    if (!*cannot_clone) {
        if (ioctl(to, FICLONE, from) == 0 && fstat(to, &info) == 0) {
            *bytes_out = (int64_t)info.st_size;
            return true;
        }
        *cannot_clone = true;
    }
    int number = copy_in_kernel(from, to, &bytes);
    if (number < 0 || (number == 0 && bytes == 0))
        number = copy_by_hand(from, to,
                              &bytes); /* files in /proc also claim to be empty, so try to read */
    if (number != 0)
        return err_set_errno(err, number, "cannot copy a file");
    *bytes_out = bytes;
    return true;
}
