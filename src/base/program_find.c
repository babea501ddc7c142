/* program_find.c - finds programs in PATH, optionally only outside the projects where steps may
 * write.
 *
 * program_avoid() remembers such projects. program_find_absolute() skips relative folders of PATH,
 * and programs that are in such a project, directly or through a link. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "program_find.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xalloc.h"

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* The projects whose directories in PATH are skipped. */
static struct {
    pthread_mutex_t lock;
    char **projects; /* never freed: needed until the process exits */
    size_t count, cap;
} avoided = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool has_entry(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    const int len = snprintf(path, sizeof(path), "%s/%s", folder, name);
    return len < PATH_MAX && lstat(path, &info) == 0;
}

void program_avoid(const char *folder)
{
    char path[PATH_MAX];
    char at[PATH_MAX];
    if (!realpath(folder, path) || strcmp(path, "/") == 0)
        return;
    /* Truncates the path to the project that contains it, if any; "/" does not count as a
     * project. */
    (void)snprintf(at, sizeof(at), "%s", path);
    while (at[0] != '\0' && !has_entry(at, ".git") && !has_entry(at, ".devs"))
        *strrchr(at, '/') = '\0';
    if (at[0] != '\0')
        (void)snprintf(path, sizeof(path), "%s", at);
    (void)pthread_mutex_lock(&avoided.lock);
    bool is_known = false;
    for (size_t i = 0; i < avoided.count; i++)
        is_known = is_known || strcmp(avoided.projects[i], path) == 0;
    if (!is_known) {
        avoided.projects =
            xgrow(avoided.projects, &avoided.cap, avoided.count + 1, sizeof(*avoided.projects));
        avoided.projects[avoided.count++] = xstrdup(path);
    }
    (void)pthread_mutex_unlock(&avoided.lock);
}

static bool is_in_project(const char *path)
{
    bool found = false;
    (void)pthread_mutex_lock(&avoided.lock);
    for (size_t i = 0; i < avoided.count; i++) {
        const size_t len = strlen(avoided.projects[i]);
        found = found || (strncmp(path, avoided.projects[i], len) == 0 &&
                          (path[len] == '/' || path[len] == '\0'));
    }
    (void)pthread_mutex_unlock(&avoided.lock);
    return found;
}

/* Returns true if the program is in a project, either through its directory in PATH or through a
 * link. */
static bool is_avoided(const char *program)
{
    char real[PATH_MAX];
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", program);
    *strrchr(folder, '/') = '\0';
    return !realpath(folder, real) || is_in_project(real) || !realpath(program, real) ||
           is_in_project(real);
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
        if (is_meant && wrote > 0 && wrote < PATH_MAX && is_program(out) &&
            !(absolute_only && is_avoided(out)))
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
