#define _GNU_SOURCE /* O_PATH */

#include "open_looked_at.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int open_to_look(const char *path, int flags, struct stat *info)
{
    const int fd = open(path, O_PATH | O_CLOEXEC | flags);
    if (fd < 0 || fstat(fd, info) == 0)
        return fd;
    const int number = errno;
    (void)close(fd); /* it was only looked at */
    errno = number;
    return -1;
}

int open_looked_at(int looked_at)
{
    char path[32];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", looked_at);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}
