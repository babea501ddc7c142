#include "find_program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

bool find_program(const char *name)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return is_program(name);
    while (folders && *name != '\0') {
        char path[PATH_MAX];
        size_t len = strcspn(folders, ":");
        int room = len < PATH_MAX ? (int)len : 0;
        int got = snprintf(path, sizeof(path), "%.*s%s%s", room, folders, len > 0 ? "/" : "", name);
        if (got > 0 && got < PATH_MAX && is_program(path))
            return true;
        folders = folders[len] == ':' ? folders + len + 1 : NULL;
    }
    return false;
}
