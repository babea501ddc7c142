#include "owner_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STAT_MAX = 256, PATH_TEXT_MAX = 64 }; /* the state follows the name, of at most 16 bytes */

bool owner_is_stopped(int64_t pid)
{
    char path[PATH_TEXT_MAX];
    char stat[STAT_MAX];
    if (pid <= 0)
        return false;
    (void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t count = read(fd, stat, sizeof(stat) - 1);
    (void)close(fd); /* only read */
    if (count <= 0)
        return false;
    stat[count] = '\0';
    /* "4711 (name) T 1 ...": the name may hold anything, also ") ". */
    const char *name_end = strrchr(stat, ')');
    if (!name_end || name_end[1] != ' ')
        return false;
    return name_end[2] == 'T' || name_end[2] == 't';
}
