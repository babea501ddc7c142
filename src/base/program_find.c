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

static bool find_in_folders(const char *name, bool absolute_only, char out[PATH_MAX])
{
    const char *folders = getenv("PATH");
    while (folders && *name != '\0') {
        const size_t len = strcspn(folders, ":");
        const int room = len < PATH_MAX ? (int)len : 0;
        const int wrote =
            snprintf(out, PATH_MAX, "%.*s%s%s", room, folders, len > 0 ? "/" : "", name);
        const bool is_meant = !absolute_only || folders[0] == '/';
        if (is_meant && wrote > 0 && wrote < PATH_MAX && is_program(out))
            return true;
        folders = folders[len] == ':' ? folders + len + 1 : NULL;
    }
    out[0] = '\0';
    return false;
}

bool program_find(const char *name, char out[PATH_MAX])
{
    if (!strchr(name, '/'))
        return find_in_folders(name, false, out);
    const int wrote = snprintf(out, PATH_MAX, "%s", name);
    const bool found = wrote < PATH_MAX && is_program(name);
    if (!found)
        out[0] = '\0';
    return found;
}

bool program_find_absolute(const char *name, char out[PATH_MAX])
{
    return find_in_folders(name, true, out);
}
