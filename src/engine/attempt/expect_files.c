#define _GNU_SOURCE /* memmem */

#include "expect_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree_folder.h"
#include "xalloc.h"

/* Words for what is in the way of the file; NULL of an error that only errno names. */
static const char *obstacle(int number)
{
    switch (number) {
    case ENOENT:
        return "missing";
    case ELOOP:
    case ENOTDIR:
        return "it is a link, or below something that is not a folder";
    case ENXIO: /* a socket, or a FIFO that nobody writes to */
        return "not a regular file";
    default:
        return NULL;
    }
}

static void add_fault(struct str *out, const struct plan_expected_file *file, const char *why)
{
    str_addf(out, "%s: %s\n", file->path, why);
}

/* Opened without waiting for anybody. -1: the fault is in `out`. */
static int open_file(struct tree_folder *folder, const struct plan_expected_file *file,
                     struct stat *info, struct str *out)
{
    const char *name = NULL;
    int parent = -1;
    errno = 0;
    int fd = -1;
    if (tree_folder_reach(folder, file->path, &parent, &name, NULL))
        fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        const int number = errno;
        const char *why = obstacle(number);
        add_fault(out, file, why ? why : strerror(number));
        return -1;
    }
    if (fstat(fd, info) == 0 && S_ISREG(info->st_mode))
        return fd;
    add_fault(out, file, S_ISDIR(info->st_mode) ? "it is a folder" : "not a regular file");
    (void)close(fd); /* only read */
    return -1;
}

/* All of it, but no more than EXPECT_FILES_BYTES_MAX + 1 bytes. */
static bool read_all(int fd, char *bytes, size_t *len)
{
    *len = 0;
    while (*len <= EXPECT_FILES_BYTES_MAX) {
        const ssize_t got = read(fd, bytes + *len, EXPECT_FILES_BYTES_MAX + 1 - *len);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return false;
        *len += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* A last line without its line feed counts. */
static int64_t count_lines(const char *bytes, size_t len)
{
    int64_t lines = 0;
    for (size_t i = 0; i < len; i++)
        lines += bytes[i] == '\n';
    return lines + (len > 0 && bytes[len - 1] != '\n');
}

static void check_content(const struct plan_expected_file *file, const char *bytes, size_t len,
                          struct str *out)
{
    const int64_t lines = count_lines(bytes, len);
    if (len > EXPECT_FILES_BYTES_MAX)
        str_addf(out, "%s: too large to be checked, more than %d MiB\n", file->path,
                 EXPECT_FILES_BYTES_MAX / (1024 * 1024));
    else if (lines < file->min_lines)
        str_addf(out, "%s: %" PRId64 " line%s, expected at least %" PRId64 "\n", file->path, lines,
                 lines == 1 ? "" : "s", file->min_lines);
    else if (file->contains && !memmem(bytes, len, file->contains, strlen(file->contains)))
        str_addf(out, "%s: does not contain '%.80s'\n", file->path, file->contains);
}

static void check_file(struct tree_folder *folder, const struct plan_expected_file *file,
                       struct str *out)
{
    struct stat info = {0};
    size_t len = 0;
    const int fd = open_file(folder, file, &info, out);
    if (fd < 0)
        return;
    if (file->min_lines > 0 || file->contains) {
        char *bytes = xcalloc(EXPECT_FILES_BYTES_MAX + 1, 1);
        if (read_all(fd, bytes, &len))
            check_content(file, bytes, len, out);
        else
            add_fault(out, file, strerror(errno));
        free(bytes);
    }
    (void)close(fd); /* only read */
}

void expect_files_check(const char *dir, const struct plan_step *step, struct str *out)
{
    struct tree_folder folder;
    const int top = tree_folder_open(AT_FDCWD, dir);
    if (top < 0) {
        str_addf(out, "%s: %s\n", dir, strerror(errno));
        return;
    }
    tree_folder_init(&folder, top);
    for (int i = 0; i < step->file_count; i++)
        check_file(&folder, &step->files[i], out);
    tree_folder_done(&folder);
    (void)close(top); /* a folder: nothing was written to it */
}
