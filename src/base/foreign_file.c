/* foreign_file.c - examines, opens and reads files that someone else may have planted.
 *
 * O_PATH does not really open the file: it is examined first, and then the same file is opened
 * through /proc, so it cannot be replaced in between. A FIFO does not block, and a terminal does
 * not become the controlling one. */
#define _GNU_SOURCE /* O_PATH */

#include "foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { CHUNK_BYTES = 4096 };

/* Closes the descriptor and returns -1 with errno unchanged. */
static int give_up(int fd)
{
    const int number = errno;
    (void)close(fd); /* read only, so close() cannot lose data */
    errno = number;
    return -1;
}

int foreign_file_look(const char *path, int flags, struct stat *info)
{
    const int fd = open(path, O_PATH | O_CLOEXEC | flags);
    return fd < 0 || fstat(fd, info) == 0 ? fd : give_up(fd);
}

int foreign_file_open(int look)
{
    char path[32];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", look);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const int flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;
    if (fd < 0 || (flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0))
        return fd;
    return give_up(fd);
}

bool foreign_file_read(const char *path, size_t max, struct str *out)
{
    struct stat info;
    char chunk[CHUNK_BYTES];
    const int look = foreign_file_look(path, O_NOFOLLOW, &info);
    if (look < 0)
        return false;
    str_clear(out);
    const bool fits = S_ISREG(info.st_mode) && info.st_size <= (off_t)max;
    const int fd = fits ? foreign_file_open(look) : -1;
    (void)close(look); /* an O_PATH descriptor; nothing to lose */
    while (fd >= 0 && out->len < max) {
        const size_t room = max - out->len; /* the file may have grown */
        const ssize_t got = read(fd, chunk, room < sizeof(chunk) ? room : sizeof(chunk));
        if (got <= 0)
            break;
        str_add_n(out, chunk, (size_t)got);
    }
    if (fd >= 0)
        (void)close(fd); /* read only, so close() cannot lose data */
    return fd >= 0 && out->len > 0;
}
