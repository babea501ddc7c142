/* memory.c - whether the kernel has killed processes because there was no memory. */
#define _GNU_SOURCE /* O_CLOEXEC of open() */

#include "hand_internal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 8192 };

/* Reads the beginning of a file as a string. Returns false if there is nothing to read. */
static bool read_text(const char *path, char out[FILE_BYTES_MAX])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, out, FILE_BYTES_MAX - 1) : -1;
    if (fd >= 0)
        (void)close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Finds "oom_kill N" in a file of the control group at `path`. */
static bool read_kills(const char *root, const char *path, size_t len, const char *name,
                       uint64_t *out)
{
    char file[PATH_MAX];
    char text[FILE_BYTES_MAX];
    const int wrote = snprintf(file, sizeof(file), "%s%.*s/%s", root, (int)len, path, name);
    if (wrote < 0 || (size_t)wrote >= sizeof(file) || !read_text(file, text))
        return false;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "oom_kill ", 9) == 0) {
            *out = strtoull(line + 9, NULL, 10);
            return true;
        }
    }
    return false;
}

/* Returns whether the list of controllers, with commas between them, has that of memory. */
static bool has_memory(const char *list, const char *end)
{
    static const char name[] = "memory";
    while (list < end) {
        const size_t len = strcspn(list, ",:");
        if (len == sizeof(name) - 1 && memcmp(list, name, len) == 0)
            return true;
        list += len + 1;
    }
    return false;
}

uint64_t memory_kills(void)
{
    char text[FILE_BYTES_MAX];
    uint64_t kills = 0;
    if (!read_text("/proc/self/cgroup", text))
        return 0;
    /* Lines such as "4:memory:/job" (version 1), or "0::/job" (version 2). */
    for (const char *line = text; line && *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        const char *list = strchr(line, ':');
        const char *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            return 0;
        path++;
        const size_t len = strcspn(path, "\n");
        const bool found =
            path == list + 2
                ? read_kills("/sys/fs/cgroup", path, len, "memory.events", &kills)
                : has_memory(list + 1, path - 1) &&
                      read_kills("/sys/fs/cgroup/memory", path, len, "memory.oom_control", &kills);
        if (found)
            return kills;
    }
    return 0;
}
