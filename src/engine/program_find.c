#include "program_find.h"

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

bool program_find(const char *name, char out[PATH_MAX])
{
    const char *path = getenv("PATH");
    for (const char *dir = path ? path : ""; *dir;) {
        size_t len = strcspn(dir, ":");
        int wrote = snprintf(out, PATH_MAX, "%.*s/%s", (int)len, dir, name);
        if (dir[0] == '/' && wrote > 0 && wrote < PATH_MAX && is_program(out))
            return true;
        dir += len + (dir[len] == ':');
    }
    out[0] = '\0';
    return false;
}
