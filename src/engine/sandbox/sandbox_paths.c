/* sandbox_paths.c - the paths of a sandbox: the log, the writable areas, and folders that must not
 * be moved.
 *
 * A writable path in the workspace must not lead through a link, which an attempt may have made.
 * Pins are the folders between a writable area and a protected path: if they could be renamed,
 * another folder could take their place. */
#define _GNU_SOURCE /* realpath */

#include "sandbox_internal.h"

#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_own.h"
#include "place.h"

bool sandbox_path_is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    while (len > 0 && folder[len - 1] == '/')
        len--;
    return strncmp(path, folder, len) == 0 && path[len] == '/' && path[len + 1] != '\0';
}

static void add_existing_file(struct arg_list *list, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    int wrote = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (wrote > 0 && wrote < PATH_MAX && lstat(path, &info) == 0 && !S_ISLNK(info.st_mode))
        arg_list_add(list, path);
}

void sandbox_log_find(const struct sandbox_call *call, struct sandbox_log *out)
{
    char name[PATH_MAX];
    const char *folder = call->log_dir;
    const char *log = call->log_db ? strrchr(call->log_db, '/') : NULL;

    *out = (struct sandbox_log){.folders = {0}};
    if (!folder)
        return;
    /* Always true for a plan with a sandbox: its run is rejected unless the log has its own
     * folder. */
    struct place place;
    if (!log || (place_of_file(call->log_db, &place, NULL) && log_own_folder_check(&place, NULL))) {
        if (access(folder, F_OK) == 0)
            arg_list_add(&out->folders, folder);
        return;
    }
    (void)snprintf(name, sizeof(name), "work/%s", call->uid);
    add_existing_file(&out->folders, folder, name);
    (void)snprintf(name, sizeof(name), "owner/%s", call->uid);
    add_existing_file(&out->files, folder, name);
    /* The log and the files next to it: "run.db", "run.db-wal", ... */
    const char *log_name = log + 1;
    const size_t len = strlen(log_name);
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL;
         entry && out->files.count < SANDBOX_LOG_FILES_MAX; entry = readdir(dir)) {
        char after = strncmp(entry->d_name, log_name, len) == 0 ? entry->d_name[len] : '?';
        if (after == '\0' || after == '-')
            add_existing_file(&out->files, folder, entry->d_name);
    }
    if (dir)
        (void)closedir(dir); /* nothing was written */
}

void sandbox_log_done(struct sandbox_log *log)
{
    arg_list_done(&log->folders);
    arg_list_done(&log->files);
}

bool sandbox_writable_path(const struct sandbox_call *call, const char *path, char out[PATH_MAX],
                           struct err *err)
{
    char whole[PATH_MAX];
    char workspace[PATH_MAX];
    bool is_absolute = path[0] == '/';
    int wrote = snprintf(whole, sizeof(whole), "%s%s%s", is_absolute ? "" : call->workspace,
                         is_absolute ? "" : "/", path);
    if (wrote < 0 || wrote >= PATH_MAX)
        return err_set_errno(err, ENAMETOOLONG, "sandbox: writable '%.100s...'", path);
    if (!realpath(whole, out) || !realpath(call->workspace, workspace))
        return err_set_errno(err, errno, "sandbox: writable '%s'", path);
    if (!sandbox_path_is_below(whole, call->workspace))
        return true;
    /* In the workspace, the path must not contain a symlink. */
    const char *below = whole + strlen(call->workspace);
    const size_t len = strlen(workspace);
    size_t below_len = strlen(below);
    while (below_len > 0 && below[below_len - 1] == '/')
        below_len--;
    if (strncmp(out, workspace, len) == 0 && strlen(out + len) == below_len &&
        memcmp(out + len, below, below_len) == 0)
        return true;
    return err_set(err, ERR_INVALID, "sandbox: writable '%s' is a link that leads to '%s'", path,
                   out);
}

bool sandbox_areas_find(const struct sandbox_call *call, struct arg_list *out, struct err *err)
{
    char real[PATH_MAX];
    char **writable = call->spec->writable;
    *out = (struct arg_list){0};
    if (call->spec->kind == SANDBOX_BWRAP && !sandbox_spec_is_read_only(call->spec))
        arg_list_add(out, "/");
    arg_list_add(out, realpath(call->workspace, real) ? real : call->workspace);
    for (size_t i = 0; writable && writable[i]; i++) {
        if (!sandbox_writable_path(call, writable[i], real, err))
            return false;
        arg_list_add(out, real);
    }
    return true;
}

const char *sandbox_area_of(const struct arg_list *areas, const char *path)
{
    const char *found = NULL;
    for (size_t i = 0; i < areas->count; i++) {
        const char *area = areas->items[i];
        if (sandbox_path_is_below(path, area) && (!found || strlen(area) < strlen(found)))
            found = area;
    }
    return found;
}

void sandbox_add_pins(const struct arg_list *areas, const char *path, struct arg_list *pins)
{
    char folder[PATH_MAX];
    const char *area = sandbox_area_of(areas, path);
    if (!area)
        return;
    for (size_t at = strcmp(area, "/") == 0 ? 1 : strlen(area) + 1; path[at]; at++) {
        if (path[at] != '/')
            continue;
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)at, path);
        if (!arg_list_has(areas, folder) && !arg_list_has(pins, folder))
            arg_list_add(pins, folder);
    }
}

bool sandbox_home_of(const char *user, char out[PATH_MAX])
{
    char buffer[PASSWD_ENTRY_MAX];
    struct passwd entry;
    struct passwd *found = NULL;
    const int failed = user ? getpwnam_r(user, &entry, buffer, sizeof(buffer), &found)
                            : getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &found);
    if (failed || !found || found->pw_dir[0] != '/')
        return false;
    const int wrote = snprintf(out, PATH_MAX, "%s", found->pw_dir);
    return wrote > 0 && wrote < PATH_MAX;
}

bool sandbox_home_find(const struct sandbox_call *call, char out[PATH_MAX])
{
    const char *home = sandbox_variable(call->our_environment, "HOME");
    if (!home || home[0] != '/')
        return sandbox_home_of(NULL, out);
    const int wrote = snprintf(out, PATH_MAX, "%s", home);
    return wrote > 0 && wrote < PATH_MAX;
}

const char *sandbox_variable(char *const *environment, const char *name)
{
    size_t len = strlen(name);
    for (; *environment; environment++) {
        if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
            return *environment + len + 1;
    }
    return NULL;
}
