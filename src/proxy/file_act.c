#define _GNU_SOURCE /* openat2's numbers, O_PATH */

#include "file_act.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attr.h"
#include "str.h"
#include "xalloc.h"

enum { BLOCK_BYTES = 64 * 1024, MODE_NEW = 0666, MODE_FOLDER = 0777, MODE_ALL = 07777 };

/* What another try would find again: there is no such file. */
static bool is_no_file(int number)
{
    static const int numbers[] = {ENOENT, ENOTDIR, EISDIR, EINVAL, EXDEV, ELOOP, ENAMETOOLONG};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        if (numbers[i] == number)
            return true;
    }
    return false;
}

static int fail(const char *path, int number)
{
    const char *why = number == EXDEV    ? "it leads out of the project"
                      : number == EINVAL ? "it is no regular file"
                                         : strerror(number);
    (void)fprintf(stderr, "%s: %s\n", path, why);
    return is_no_file(number) ? FILE_ACT_NO_FILE : EXIT_FAILURE;
}

static int open_beneath(int folder, const char *path, int flags, mode_t mode)
{
    const struct open_how how = {.flags = (unsigned)flags | (unsigned)O_CLOEXEC,
                                 .mode = mode,
                                 .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

/* A pipe or a device may be waited for for ever. */
static bool open_file(const char *path, int flags, int *fd_out, struct stat *info)
{
    int fd = open_beneath(AT_FDCWD, path, flags | O_NONBLOCK, 0);
    if (fd < 0)
        return false;
    if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode)) {
        (void)close(fd);
        errno = S_ISDIR(info->st_mode) ? EISDIR : EINVAL;
        return false;
    }
    *fd_out = fd;
    return true;
}

static bool put(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        const ssize_t done = write(fd, bytes, len);
        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            bytes += done;
            len -= (size_t)done;
        }
    }
    return true;
}

static bool copy_out(int fd, int64_t offset, int64_t length, int64_t *done)
{
    char block[BLOCK_BYTES];
    for (*done = 0; *done < length;) {
        const int64_t left = length - *done;
        const size_t want = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
        const ssize_t got = pread(fd, block, want, (off_t)(offset + *done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            return true;
        if (got < 0 || !put(STDOUT_FILENO, block, (size_t)got))
            return false;
        *done += got;
    }
    return true;
}

int file_act_read(const char *path, int64_t offset, int64_t length)
{
    int fd = -1;
    struct stat info = {0};
    int64_t done = 0;
    if (!open_file(path, O_RDONLY, &fd, &info))
        return fail(path, errno);
    const bool ok = copy_out(fd, offset, length, &done);
    const int number = errno;
    (void)close(fd);
    if (!ok)
        return fail(path, number);
    if (offset + done < (int64_t)info.st_size || offset > 0)
        (void)fprintf(stderr, "bytes %" PRId64 " to %" PRId64 " of %" PRId64 "\n", offset,
                      offset + done, (int64_t)info.st_size);
    return EXIT_SUCCESS;
}

static bool read_stdin(struct str *out)
{
    char block[BLOCK_BYTES];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, block, sizeof(block));
        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (out->len + (size_t)got > FILE_ACT_BYTES_MAX) {
            errno = EFBIG;
            return false;
        }
        str_add_n(out, block, (size_t)got);
    }
}

/* The folder that the file is to be in, made where it is missing; its name in *name. */
static int open_folder(const char *path, const char **name)
{
    char *part = xstrdup(path);
    int folder = open_beneath(AT_FDCWD, ".", O_PATH | O_DIRECTORY, 0);
    char *at = part;
    for (char *slash = strchr(at, '/'); folder >= 0 && slash; slash = strchr(at, '/')) {
        *slash = '\0';
        if (*at != '\0' && mkdirat(folder, at, MODE_FOLDER) != 0 && errno != EEXIST) {
            const int number = errno;
            (void)close(folder);
            errno = number;
            folder = -1;
            break;
        }
        (void)close(folder);
        folder = open_beneath(AT_FDCWD, part, O_PATH | O_DIRECTORY, 0);
        *slash = '/';
        at = slash + 1;
    }
    const char *last = strrchr(path, '/');
    *name = last ? last + 1 : path;
    const int number = errno;
    free(part);
    errno = number;
    return folder;
}

/* Beside the file and then in its place, so that nobody sees a part of it. */
static bool replace(int folder, const char *name, const struct str *text, mode_t mode)
{
    struct str temporary = {0};
    str_addf(&temporary, ".devs-%ld.part", (long)getpid());
    int fd = open_beneath(folder, str_text(&temporary), O_WRONLY | O_CREAT | O_EXCL, MODE_NEW);
    bool ok = fd >= 0 && put(fd, str_text(text), text->len) && (mode == 0 || fchmod(fd, mode) == 0);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && renameat(folder, str_text(&temporary), folder, name) == 0;
    if (!ok && fd >= 0) {
        const int number = errno;
        (void)unlinkat(folder, str_text(&temporary), 0);
        errno = number;
    }
    str_done(&temporary);
    return ok;
}

/* What a link within the project leads to is written itself. */
static bool write_through(const char *path, const struct str *text)
{
    int fd = -1;
    struct stat info = {0};
    if (!open_file(path, O_WRONLY, &fd, &info))
        return false;
    bool ok = ftruncate(fd, 0) == 0 && put(fd, str_text(text), text->len);
    return close(fd) == 0 && ok;
}

static bool write_file(const char *path, const struct str *text)
{
    const char *name = path;
    struct stat info = {0};
    int folder = open_folder(path, &name);
    if (folder < 0)
        return false;
    const bool is_there = fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    bool ok = false;
    if (is_there && S_ISLNK(info.st_mode)) {
        ok = write_through(path, text);
    } else if (is_there && !S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    } else {
        ok = replace(folder, name, text, is_there ? info.st_mode & MODE_ALL : 0);
    }
    const int number = errno;
    (void)close(folder);
    errno = number;
    return ok;
}

int file_act_write(const char *path)
{
    struct str text = {0};
    const bool ok = read_stdin(&text) && write_file(path, &text);
    const int number = errno;
    const size_t len = text.len;
    str_done(&text);
    if (!ok)
        return fail(path, number);
    (void)printf("wrote %zu bytes to %s\n", len, path);
    return EXIT_SUCCESS;
}
