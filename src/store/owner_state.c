#include "owner_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAT_MAX = 512, PATH_TEXT_MAX = 64 }; /* field 22 is within it */

/* What follows "4711 (name) " in /proc/PID/stat, from the state on; the name may hold anything,
 * also
 * ") ". False where there is no such process. */
static bool read_state(int64_t pid, char out[STAT_MAX])
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
    const char *name_end = strrchr(stat, ')');
    if (!name_end || name_end[1] != ' ')
        return false;
    (void)snprintf(out, STAT_MAX, "%s", name_end + 2);
    return true;
}

bool owner_is_stopped(int64_t pid)
{
    char state[STAT_MAX];
    return read_state(pid, state) && (state[0] == 'T' || state[0] == 't');
}

static bool process_lives(int64_t pid, int64_t start)
{
    enum { STATE_FIELD = 3, START_FIELD = 22 };
    char state[STAT_MAX];
    if (start == 0 || !read_state(pid, state) || state[0] == 'Z' || state[0] == 'X')
        return false;
    const char *at = state;
    for (int field = STATE_FIELD; at && field < START_FIELD; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at && strtoll(at, NULL, 10) == start;
}

bool owner_process_holds(int64_t pid, int64_t start, const char *uid)
{
    char path[PATH_TEXT_MAX];
    if (!process_lives(pid, start))
        return false;
    (void)snprintf(path, sizeof(path), "/proc/%lld/fd", (long long)pid);
    DIR *dir = opendir(path);
    const struct dirent *entry = dir ? readdir(dir) : NULL;
    bool found = false;
    while (entry && !found) {
        char target[PATH_MAX];
        const ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
        target[len > 0 ? len : 0] = '\0';
        const char *name = strrchr(target, '/'); /* "/.../UID", or "/.../UID (deleted)" */
        found = name && strncmp(name + 1, uid, strlen(uid)) == 0 &&
                (name[1 + strlen(uid)] == '\0' || name[1 + strlen(uid)] == ' ');
        entry = readdir(dir);
    }
    if (dir)
        (void)closedir(dir); /* only read */
    return found;
}
