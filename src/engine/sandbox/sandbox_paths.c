#define _GNU_SOURCE /* realpath */

#include "sandbox_paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool sandbox_path_is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    while (len > 0 && folder[len - 1] == '/')
        len--;
    return strncmp(path, folder, len) == 0 && path[len] == '/' && path[len + 1] != '\0';
}

/* What devs makes for logs, and nobody else: .devs in a project, devs below the state folder. */
static bool is_of_its_own(const char *folder, const char *log)
{
    const char *slash = strrchr(folder, '/');
    const char *name = slash ? slash + 1 : folder;
    return strcmp(name, ".devs") == 0 || (strcmp(name, "devs") == 0 && strcmp(log, "devs.db") == 0);
}

static void add_if_there(struct arg_list *list, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    int wrote = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (wrote > 0 && wrote < PATH_MAX && lstat(path, &info) == 0 && !S_ISLNK(info.st_mode))
        arg_list_add(list, path);
}

/* The log and what lies beside it: "run.db", "run.db-wal", ... */
static void add_files(struct arg_list *files, const char *folder, const char *log)
{
    size_t len = strlen(log);
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL;
         entry && files->count < SANDBOX_LOG_FILES_MAX; entry = readdir(dir)) {
        char after = strncmp(entry->d_name, log, len) == 0 ? entry->d_name[len] : '?';
        if (after == '\0' || after == '-')
            add_if_there(files, folder, entry->d_name);
    }
    if (dir)
        (void)closedir(dir); /* it was only looked at */
}

void sandbox_log_find(const struct sandbox_call *call, struct sandbox_log *out)
{
    char name[PATH_MAX];
    const char *folder = call->log_dir;
    const char *log = call->log_db ? strrchr(call->log_db, '/') : NULL;

    *out = (struct sandbox_log){.folders = {0}};
    if (!folder)
        return;
    if (!log || is_of_its_own(folder, log + 1)) {
        if (access(folder, F_OK) == 0)
            arg_list_add(&out->folders, folder);
        return;
    }
    (void)snprintf(name, sizeof(name), "work/%s", call->uid);
    add_if_there(&out->folders, folder, name);
    (void)snprintf(name, sizeof(name), "owner/%s", call->uid);
    add_if_there(&out->files, folder, name);
    add_files(&out->files, folder, log + 1);
}

void sandbox_log_done(struct sandbox_log *log)
{
    arg_list_done(&log->folders);
    arg_list_done(&log->files);
}

/* Is `real` what lies below the folder by that name, no link on the way? */
static bool leads_there(const char *below, const char *folder, const char *real)
{
    size_t len = strlen(folder);
    size_t below_len = strlen(below);
    while (below_len > 0 && below[below_len - 1] == '/')
        below_len--;
    return strncmp(real, folder, len) == 0 && strlen(real + len) == below_len &&
           memcmp(real + len, below, below_len) == 0;
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
    size_t len = strlen(call->workspace);
    if (!sandbox_path_is_below(whole, call->workspace) || leads_there(whole + len, workspace, out))
        return true;
    return err_set(err, ERR_INVALID, "sandbox: writable '%s' is a link that leads to '%s'", path,
                   out);
}
