#include "read_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shown.h"

static bool set_too_large(size_t max_bytes, struct err *err)
{
    struct str size = {0};
    shown_size((int64_t)max_bytes, &size);
    (void)err_set(err, ERR_LIMIT, "it is larger than %s", str_text(&size));
    str_done(&size);
    return false;
}

bool read_text(FILE *from, size_t max_bytes, struct str *out, struct err *err)
{
    char buffer[16384];
    size_t got = 0;
    while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0) {
        str_add_n(out, buffer, got);
        if (out->len > max_bytes)
            return set_too_large(max_bytes, err);
    }
    return ferror(from) == 0 || err_set_errno(err, errno, "it cannot be read");
}

static bool set_not_opened(int number, struct err *err)
{
    const bool is_absent = number == ENOENT || number == ENOTDIR;
    return err_set(err, is_absent ? ERR_NOT_FOUND : ERR_INVALID, "%s", strerror(number));
}

/* A descriptor that somebody handed over by name, as shells do for <(...). */
static bool names_descriptor(const char *path)
{
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

/* Opening a FIFO does not wait for its writer. */
static bool open_regular(const char *path, bool allows_descriptor, int *fd_out, struct err *err)
{
    struct stat info;
    const bool is_handed_over = allows_descriptor && names_descriptor(path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int flags = -1;
    if (fd < 0 || fstat(fd, &info) != 0 || (flags = fcntl(fd, F_GETFL)) < 0 ||
        fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
        (void)set_not_opened(errno, err);
    else if (S_ISDIR(info.st_mode))
        (void)set_not_opened(EISDIR, err);
    else if (!S_ISREG(info.st_mode) && !is_handed_over)
        (void)err_set(err, ERR_INVALID, "not a regular file");
    else
        *fd_out = fd;
    if (fd >= 0 && *fd_out != fd)
        (void)close(fd); /* only read */
    return *fd_out >= 0;
}

FILE *read_text_open(const char *path, struct err *err)
{
    int fd = -1;
    if (!open_regular(path, false, &fd, err))
        return NULL;
    FILE *file = fdopen(fd, "r");
    if (!file) {
        (void)set_not_opened(errno, err);
        (void)close(fd); /* only read */
    }
    return file;
}

int read_text_input_fd(const char *path, struct err *err)
{
    int fd = -1;
    struct err why = {0};
    if (!open_regular(path, true, &fd, &why))
        (void)err_set(err, ERR_NOT_FOUND, "%s", why.message);
    return fd;
}

bool read_text_file(const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    FILE *file = read_text_open(path, err);
    bool ok = file && read_text(file, max_bytes, out, err);
    if (file)
        (void)fclose(file); /* only read */
    return ok;
}

bool read_text_input(const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? -1 : read_text_input_fd(path, err);
    struct err why = {0};
    if (!is_stdin && fd < 0)
        return false;
    FILE *file = is_stdin ? stdin : fdopen(fd, "r");
    if (!file) {
        const int number = errno;
        (void)close(fd); /* only read */
        return err_set(err, ERR_NOT_FOUND, "%s", strerror(number));
    }
    const bool ok = read_text(file, max_bytes, out, &why);
    if (!is_stdin)
        (void)fclose(file); /* only read */
    return ok || err_set(err, why.code == ERR_LIMIT ? ERR_LIMIT : ERR_NOT_FOUND, "%s", why.message);
}
