/* sandbox_protected.c - sandbox_protected_find(): finds the settings, plans and git files that a
 * sandbox keeps read-only.
 *
 * A step that may write to a repository could make programs run outside its sandbox later, through
 * hooks, through a config and the files that it includes, or through a submodule. So all of these
 * are protected, unless the plan names them in `writable`. A file that does not exist yet is either
 * created empty, or added to `unwanted` and removed at the end. Paths are resolved link by link. A
 * link in a writable folder is rejected, because it could be replaced, and so is a file with
 * several hard links. If something cannot be protected, the search fails. */
#define _GNU_SOURCE /* realpath, strcasestr */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foreign_file.h"
#include "git.h"
#include "place.h"
#include "program_find.h"
#include "sandbox_internal.h"
#include "str.h"

/* The state of the search. */
struct protecting {
    const struct sandbox_call *call;
    const struct arg_list *areas;
    struct sandbox_protected *out;
    struct err *err;
    bool own_tree;        /* devs made the workspace for its task */
    int git_dirs_left;    /* how many more folders may be checked; see SANDBOX_GIT_DIRS_MAX */
    int includes_left;    /* how many more includes are allowed; see SANDBOX_GIT_INCLUDES_MAX */
    struct arg_list read; /* configs already read: path, newline, working tree */
};

static bool refuse_protection(const struct protecting *protecting, const char *path,
                              const char *why)
{
    (void)err_set(protecting->err, ERR_INVALID, "sandbox: '%.250s' cannot be kept read-only: %s",
                  path, why);
    return err_hint(protecting->err, "make it an ordinary file or folder");
}

static void leave_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* Puts the target of a link in front of the rest of the path. Returns false if the result is too
 * long or the link cannot be read. */
static bool follow_link(char at[PATH_MAX], char rest[PATH_MAX])
{
    char target[PATH_MAX];
    char joined[PATH_MAX];
    const ssize_t len = readlink(at, target, sizeof(target) - 1);
    if (len < 0)
        return false;
    target[len] = '\0';
    const int wrote = snprintf(joined, sizeof(joined), "%s/%s", target, rest);
    if (wrote < 0 || wrote >= PATH_MAX)
        return false;
    if (target[0] == '/')
        at[0] = '\0';
    else
        leave_folder(at);
    memcpy(rest, joined, (size_t)wrote + 1);
    return true;
}

/* Returns whether the path is in a folder that is read-only as a whole and not made writable again
 * by a path of `writable`. */
static bool is_kept(const struct protecting *protecting, const char *path)
{
    const struct arg_list *paths = &protecting->out->paths;
    bool is_kept = false;
    for (size_t i = 0; i < paths->count; i++)
        is_kept |= sandbox_path_is_below(path, paths->items[i]);
    for (size_t i = 0; is_kept && i < protecting->areas->count; i++) {
        const char *area = protecting->areas->items[i];
        for (size_t j = 0; is_kept && j < paths->count; j++)
            is_kept = !(sandbox_path_is_below(path, area) &&
                        sandbox_path_is_below(area, paths->items[j]));
    }
    return is_kept;
}

enum way_end { WAY_THERE, WAY_MISSING, WAY_REFUSED };

/* Resolves the path link by link, because a link in a writable folder could be replaced. If the
 * path is missing, sets `at` to the path that it would have. */
static enum way_end resolve_way(const struct protecting *protecting, const char *path,
                                char at[PATH_MAX], struct stat *info)
{
    char rest[PATH_MAX];
    char part[PATH_MAX];
    int links = 0;
    bool is_missing = false;
    (void)snprintf(rest, sizeof(rest), "%s", path);
    at[0] = '\0';
    for (;;) {
        const char *next = rest + strspn(rest, "/");
        const size_t part_len = strcspn(next, "/");
        if (part_len == 0 || part_len >= sizeof(part))
            break;
        memcpy(part, next, part_len);
        part[part_len] = '\0';
        next += part_len;
        memmove(rest, next, strlen(next) + 1);
        if (strcmp(part, ".") == 0)
            continue;
        if (strcmp(part, "..") == 0) {
            leave_folder(at);
            continue;
        }
        const size_t len = strlen(at);
        const int wrote = snprintf(at + len, PATH_MAX - len, "/%s", part);
        if (wrote < 0 || (size_t)wrote >= PATH_MAX - len) {
            at[0] = '\0';
            return WAY_MISSING;
        }
        is_missing |= lstat(at, info) != 0;
        if (is_missing || !S_ISLNK(info->st_mode))
            continue;
        if (sandbox_area_of(protecting->areas, at) && !is_kept(protecting, at)) {
            (void)refuse_protection(protecting, at, "it is a symbolic link in a writable folder");
            return WAY_REFUSED;
        }
        if (++links > SANDBOX_LINKS_MAX || !follow_link(at, rest))
            return WAY_MISSING;
    }
    return at[0] && !is_missing && lstat(at, info) == 0 ? WAY_THERE : WAY_MISSING;
}

static bool is_named_writable(const struct protecting *protecting, const char *path)
{
    char **writable = protecting->call->spec->writable;
    for (size_t i = 0; writable && writable[i]; i++) {
        char whole[PATH_MAX];
        const bool is_absolute = writable[i][0] == '/';
        (void)snprintf(whole, sizeof(whole), "%s%s%s",
                       is_absolute ? "" : protecting->call->workspace, is_absolute ? "" : "/",
                       writable[i]);
        if (strcmp(whole, path) == 0)
            return true;
    }
    return arg_list_has(protecting->areas, path);
}

/* Returns false, with an error, if the file has several names, because a mount would not protect
 * its other names. */
static bool has_one_name(const struct protecting *protecting, const char *path,
                         const struct stat *info)
{
    if (!S_ISREG(info->st_mode) || info->st_nlink <= 1)
        return true;
    return refuse_protection(protecting, path, "it has other hard links");
}

static bool protect(const struct protecting *protecting, const char *path)
{
    char real[PATH_MAX];
    struct stat info;
    if (is_named_writable(protecting, path))
        return true;
    const enum way_end end = resolve_way(protecting, path, real, &info);
    if (end != WAY_THERE)
        return end == WAY_MISSING;
    if (is_named_writable(protecting, real))
        return true;
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return true; /* a path such as core.hooksPath = /dev/null */
    if (!has_one_name(protecting, real, &info))
        return false;
    if (!sandbox_area_of(protecting->areas, real) || arg_list_has(&protecting->out->paths, real))
        return true;
    arg_list_add(&protecting->out->paths, real);
    sandbox_add_pins(protecting->areas, real, &protecting->out->pins);
    return true;
}

static bool protect_in(const struct protecting *protecting, const char *folder, const char *name)
{
    char path[PATH_MAX];
    const int wrote = snprintf(path, sizeof(path), "%s/%s", folder, name);
    return wrote < 0 || wrote >= PATH_MAX || protect(protecting, path);
}

/* Protects devs.project.json and the plan files of workflows, such as "phase-2.plan.json": `devs
 * execute-phase 2` runs such a plan although the user does not name the file. */
static bool protect_plans(const struct protecting *protecting, const char *folder)
{
    static const char start[] = "phase-";
    static const char end[] = ".plan.json";
    DIR *dir = opendir(folder);
    bool ok = true;
    int seen = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; ok && entry; entry = readdir(dir)) {
        const char *name = entry->d_name;
        const size_t len = strlen(name);
        const bool is_phase = strncmp(name, start, strlen(start)) == 0 &&
                              len > strlen(start) + strlen(end) &&
                              strcmp(name + len - strlen(end), end) == 0;
        if (!is_phase && strcmp(name, "devs.project.json") != 0)
            continue;
        ok = ++seen <= SANDBOX_PLANS_MAX
                 ? protect_in(protecting, folder, name)
                 : err_set(protecting->err, ERR_LIMIT, "sandbox: more than %d plans in '%s'",
                           SANDBOX_PLANS_MAX, folder);
    }
    if (dir)
        (void)closedir(dir); /* opened for reading only */
    return ok;
}

static bool protect_settings(const struct protecting *protecting)
{
    char folder[PATH_MAX];
    const struct sandbox_call *call = protecting->call;
    (void)snprintf(folder, sizeof(folder), "%s", call->run_dir ? call->run_dir : call->workspace);
    for (;;) {
        if (!protect_in(protecting, folder, "devs.config.json"))
            return false;
        if (!folder[0])
            break;
        leave_folder(folder);
    }
    if (call->plan_path && !protect(protecting, call->plan_path))
        return false;
    if (!protect_plans(protecting, call->run_dir ? call->run_dir : call->workspace))
        return false;
    return protecting->own_tree || protect_in(protecting, call->workspace, "devs.config.json");
}

/* Reads a file of git. *out stays empty if it is missing. Returns false if we cannot read it now,
 * but git could later. */
static bool read_git_file(const struct protecting *protecting, const char *folder, const char *name,
                          struct str *out)
{
    char path[PATH_MAX];
    char real[PATH_MAX];
    struct stat info;
    const int wrote = snprintf(path, sizeof(path), "%s/%s", folder, name);
    str_clear(out);
    if (wrote < 0 || wrote >= PATH_MAX)
        return true; /* the path is too long, for git as well */
    if (!realpath(path, real) || stat(real, &info) != 0)
        return errno == ENOENT || errno == ENOTDIR ||
               refuse_protection(protecting, path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode) || !sandbox_area_of(protecting->areas, real) ||
               refuse_protection(protecting, path, "it is not a regular file");
    if (info.st_size > GIT_CONFIG_MAX)
        return refuse_protection(protecting, path, "it is larger than 1 MiB");
    if (!foreign_file_read(real, GIT_CONFIG_MAX, out) && info.st_size > 0)
        return refuse_protection(protecting, path, "it cannot be read");
    return out->len == 0 || !memchr(out->data, '\0', out->len) ||
           refuse_protection(protecting, path, "it has a NUL byte");
}

static bool exists_in(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    const int wrote = snprintf(path, sizeof(path), "%s/%s", folder, name);
    return wrote > 0 && wrote < PATH_MAX && lstat(path, &info) == 0;
}

static bool is_git_dir(const char *folder)
{
    return exists_in(folder, "HEAD") && exists_in(folder, "objects") && exists_in(folder, "refs");
}

/* Makes a path in a file of git absolute. A relative path is relative to `base`. */
static bool place_git_path(const char *base, const char *path, char out[PATH_MAX])
{
    const char *below = path[0] == '/' ? "" : base;
    const int wrote = snprintf(out, PATH_MAX, "%s%s%s", below, below[0] ? "/" : "", path);
    return path[0] && out[0] == '/' && wrote > 0 && wrote < PATH_MAX;
}

/* Resolves a path in the value of a config key; "~/x" and "~user/x" are in a home folder. Returns
 * false if git could not find it either. */
static bool place_config_path(const struct protecting *protecting, const char *base,
                              const char *path, char out[PATH_MAX])
{
    char home[PATH_MAX];
    char user[NAME_MAX + 1];
    if (path[0] != '~')
        return place_git_path(base, path, out);
    const size_t len = strcspn(path + 1, "/");
    if (len > NAME_MAX)
        return false;
    (void)snprintf(user, sizeof(user), "%.*s", (int)len, path + 1);
    if (len == 0 ? !sandbox_home_find(protecting->call, home) : !sandbox_home_of(user, home))
        return false;
    const int wrote = snprintf(out, PATH_MAX, "%s/%s", home, path + 1 + len);
    return wrote > 0 && wrote < PATH_MAX;
}

/* Returns the length of the longest part of the path that is an existing folder; 0 if there is
 * none. */
static size_t measure_existing(const char *path)
{
    char folder[PATH_MAX];
    struct stat info;
    size_t len = 0;
    for (size_t at = 1; path[at]; at++) {
        if (path[at] != '/')
            continue;
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)at, path);
        if (lstat(folder, &info) != 0)
            break;
        len = at;
    }
    return len;
}

/* Adds a missing file to `unwanted`, because an attempt must not create it. */
static bool forbid_missing(const struct protecting *protecting, const char *path)
{
    char real[PATH_MAX];
    struct str entry = {0};
    struct stat info;
    const enum way_end end = resolve_way(protecting, path, real, &info);
    if (end != WAY_MISSING || !sandbox_area_of(protecting->areas, real) ||
        is_named_writable(protecting, real))
        return end != WAY_REFUSED;
    struct arg_list *unwanted = &protecting->out->unwanted;
    const size_t len = measure_existing(real);
    str_addf(&entry, "%.*s/%s", (int)len, real, real + len);
    const bool is_known = arg_list_has(unwanted, entry.data);
    if (!is_known)
        arg_list_add(unwanted, entry.data);
    str_done(&entry);
    if (is_known)
        return true;
    real[len + 1] = '\0'; /* existing folders are pinned, so they cannot be replaced */
    sandbox_add_pins(protecting->areas, real, &protecting->out->pins);
    return true;
}

static bool protect_git_dir(struct protecting *protecting, const char *dir, const char *top,
                            int depth);
static bool protect_gitlinks(struct protecting *protecting, const char *dir, const char *top,
                             int depth);

/* Creates the folder and its missing parents. Ignores errors: if we cannot create it, an attempt
 * cannot either. */
static void make_folders(char *path, mode_t mode)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, mode); /* usually it exists */
        *slash = '/';
    }
    (void)mkdir(path, mode);
}

/* Protects a folder. Creates it if it is missing, because otherwise a step could create it. */
static bool protect_folder(const struct protecting *protecting, const char *path)
{
    char real[PATH_MAX];
    struct stat info;
    if (resolve_way(protecting, path, real, &info) != WAY_MISSING ||
        !sandbox_area_of(protecting->areas, real))
        return protect(protecting, path);
    make_folders(real, 0755);
    return protect(protecting, real);
}

/* Returns whether the path is in a tree that devs made. */
static bool is_result(const struct protecting *protecting, const char *path)
{
    return protecting->own_tree && sandbox_path_is_below(path, protecting->call->workspace);
}

static bool protect_config(struct protecting *protecting, const char *path, const char *top,
                           int depth);

static bool protect_value(struct protecting *protecting, const char *path, const char *key,
                          const char *value, const char *top, int depth)
{
    char folder[PATH_MAX];
    char named[PATH_MAX];
    const size_t len = strlen(key);
    (void)snprintf(folder, sizeof(folder), "%s", path);
    leave_folder(folder);
    const bool includes = strncmp(key, "include", strlen("include")) == 0 && len > 5 &&
                          strcmp(key + len - 5, ".path") == 0;
    if (includes && place_config_path(protecting, folder, value, named)) {
        if (--protecting->includes_left < 0)
            return refuse_protection(protecting, named, "too many files are included");
        return forbid_missing(protecting, named) &&
               protect_config(protecting, named, top, depth + 1);
    }
    if (strcmp(key, "core.hookspath") == 0 && top &&
        place_config_path(protecting, top, value, named) && !is_result(protecting, named))
        return protect_folder(protecting, named);
    return true;
}

/* Protects the files that a config names. Lets git list its keys: "KEY newline VALUE NUL" for
 * each. */
static bool protect_values(struct protecting *protecting, const char *path, const struct str *text,
                           const char *top, int depth)
{
    static const char *const words[] = {"--git-dir=/dev/null", "config", "--file", "-", "--list",
                                        "--no-includes",       "-z",     NULL};
    const struct git_call call = {
        .words = words, .tree = "/", .input = text->data, .input_len = text->len};
    char program[PATH_MAX];
    struct git git;
    struct str list = {0};
    struct err err = {0};
    if (!program_find_absolute("git", program))
        return true; /* git is not installed, so nothing reads the config */
    git_alone(&git, "/", protecting->call->our_environment);
    bool ok = git_ask(&git, &call, &list, &err) || refuse_protection(protecting, path, err.message);
    for (size_t at = 0; ok && at < list.len;) {
        char *key = list.data + at;
        at += strlen(key) + 1;
        char *value = strchr(key, '\n');
        if (!value)
            continue;
        *value++ = '\0';
        ok = protect_value(protecting, path, key, value, top, depth);
    }
    str_done(&list);
    git_done(&git);
    return ok;
}

/* Protects a config, the files that it includes under any condition, and the hooks that it names.
 * `top` is its working tree, NULL if unknown; `depth` is the depth of nested includes. */
static bool protect_config(struct protecting *protecting, const char *path, const char *top,
                           int depth)
{
    char folder[PATH_MAX];
    char real[PATH_MAX];
    struct str text = {0};
    struct str seen = {0};
    if (depth >= SANDBOX_GIT_DEPTH_MAX)
        return refuse_protection(protecting, path, "includes are nested too deeply");
    str_addf(&seen, "%s\n%s", realpath(path, real) ? real : path, top ? top : "");
    const bool is_known = arg_list_has(&protecting->read, seen.data);
    if (!is_known)
        arg_list_add(&protecting->read, seen.data);
    str_done(&seen);
    if (is_known)
        return true;
    (void)snprintf(folder, sizeof(folder), "%s", path);
    leave_folder(folder); /* the path is absolute */
    bool ok = protect(protecting, path) &&
              read_git_file(protecting, folder, path + strlen(folder) + 1, &text);
    /* Only keys with these words name other files, and nothing in a config can disguise them. */
    if (ok && text.len > 0 &&
        (strcasestr(text.data, "include") || strcasestr(text.data, "hooksPath")))
        ok = protect_values(protecting, path, &text, top, depth);
    str_done(&text);
    return ok;
}

static bool protect_config_in(struct protecting *protecting, const char *folder, const char *name,
                              const char *top)
{
    char path[PATH_MAX];
    const int wrote = snprintf(path, sizeof(path), "%s/%s", folder, name);
    return wrote < 0 || wrote >= PATH_MAX || protect_config(protecting, path, top, 0);
}

/* The configs for all repositories. Looked up once, under the lock; after that, no lock is needed
 * to read them. */
static struct {
    pthread_mutex_t lock;
    bool is_found;
    struct arg_list files;
} person = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Protects the configs that git reads for all repositories: the system's and the user's. Does not
 * forbid missing configs, because the user may create one while the attempt runs, and removing
 * unwanted files would delete it. */
static bool protect_person_configs(struct protecting *protecting, const char *top)
{
    (void)pthread_mutex_lock(&person.lock);
    if (!person.is_found)
        git_find_configs(protecting->call->our_environment, &person.files);
    person.is_found = true;
    (void)pthread_mutex_unlock(&person.lock);
    bool ok = true;
    for (size_t i = 0; ok && i < person.files.count; i++)
        ok = protect_config(protecting, person.files.items[i], top, 0);
    return ok;
}

/* Protects the repositories of submodules (their names may contain slashes) and the files of
 * worktrees. */
static bool protect_git_dirs_below(struct protecting *protecting, const char *folder, int depth)
{
    char path[PATH_MAX];
    DIR *dir = opendir(folder);
    bool ok = !dir || depth < SANDBOX_GIT_DEPTH_MAX ||
              refuse_protection(protecting, folder, "nested too deeply");
    for (struct dirent *entry = dir ? readdir(dir) : NULL; ok && entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
            continue;
        const int wrote = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (wrote < 0 || wrote >= PATH_MAX)
            continue;
        if (--protecting->git_dirs_left < 0)
            ok = refuse_protection(protecting, folder, "it has too many folders");
        else if (exists_in(path, "HEAD"))
            ok = protect_git_dir(protecting, path, NULL, depth + 1);
        else
            ok = protect_git_dirs_below(protecting, path, depth + 1);
    }
    if (dir)
        (void)closedir(dir); /* opened for reading only */
    return ok;
}

/* Protects the hooks folder. Also checks each hook for hard links, because a copy of the tree may
 * share its files with the original. */
static bool protect_hooks(const struct protecting *protecting, const char *dir)
{
    char hooks[PATH_MAX];
    char path[PATH_MAX];
    struct stat info;
    bool ok = protect_in(protecting, dir, "hooks");
    const int wrote = snprintf(hooks, sizeof(hooks), "%s/hooks", dir);
    DIR *entries = ok && wrote > 0 && wrote < PATH_MAX && sandbox_area_of(protecting->areas, hooks)
                       ? opendir(hooks)
                       : NULL;
    for (struct dirent *entry = entries ? readdir(entries) : NULL; ok && entry;
         entry = readdir(entries)) {
        const int len = snprintf(path, sizeof(path), "%s/%s", hooks, entry->d_name);
        if (len > 0 && len < PATH_MAX && lstat(path, &info) == 0)
            ok = is_named_writable(protecting, hooks) || has_one_name(protecting, path, &info);
    }
    if (entries)
        (void)closedir(entries); /* opened for reading only */
    return ok;
}

/* Returns whether any part of the folder is writable. */
static bool meets_area(const struct arg_list *areas, const char *folder)
{
    for (size_t i = 0; i < areas->count; i++) {
        if (sandbox_path_is_below(areas->items[i], folder))
            return true;
    }
    return arg_list_has(areas, folder) || sandbox_area_of(areas, folder);
}

/* Protects files of the tree that links in a folder of the repository lead to, such as a hook that
 * is kept in the tree. */
static bool protect_links(const struct protecting *protecting, const char *dir, const char *below)
{
    char folder[PATH_MAX];
    char path[PATH_MAX];
    int wrote = snprintf(folder, sizeof(folder), "%s%s", dir, below);
    DIR *entries = wrote > 0 && wrote < PATH_MAX ? opendir(folder) : NULL;
    bool ok = true;
    for (struct dirent *entry = entries ? readdir(entries) : NULL; ok && entry;
         entry = readdir(entries)) {
        struct stat info;
        wrote = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (wrote > 0 && wrote < PATH_MAX && lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
            ok = forbid_missing(protecting, path) && protect(protecting, path);
    }
    if (entries)
        (void)closedir(entries); /* opened for reading only */
    return ok;
}

/* Creates the hooks folder and an empty config in a writable repository if they are missing, so
 * that they can be mounted read-only. If we cannot create them, an attempt cannot either. Forbids
 * other files that would affect git. */
static bool complete_git_dir(struct protecting *protecting, const char *dir)
{
    static const char *const names[] = {"commondir", "config.worktree"};
    char path[PATH_MAX];
    int wrote = snprintf(path, sizeof(path), "%s/hooks", dir);
    if (wrote > 0 && wrote < PATH_MAX)
        (void)mkdir(path, 0755);
    wrote = snprintf(path, sizeof(path), "%s/config", dir);
    const int fd = wrote > 0 && wrote < PATH_MAX
                       ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)
                       : -1;
    if (fd >= 0)
        (void)close(fd);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        (void)snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 32, dir, names[i]);
        if (!forbid_missing(protecting, path))
            return false;
    }
    return true;
}

static bool protect_git_dir(struct protecting *protecting, const char *dir, const char *top,
                            int depth)
{
    char below[PATH_MAX];
    const bool is_worktrees = exists_in(dir, "commondir");
    const bool is_reached = meets_area(protecting->areas, dir);
    /* Protects the whole folder, unless the plan names it in `writable`, or it is part of a task's
     * result. */
    const bool is_whole = sandbox_area_of(protecting->areas, dir) && !is_result(protecting, dir) &&
                          !is_named_writable(protecting, dir);
    if (is_whole &&
        (!protect(protecting, dir) || !protect_links(protecting, dir, "") ||
         !protect_links(protecting, dir, "/info") || !protect_links(protecting, dir, "/hooks")))
        return false;
    if (is_reached && !is_whole && !is_worktrees && is_git_dir(dir) &&
        !is_result(protecting, dir) && !complete_git_dir(protecting, dir))
        return false;
    if (!protect_in(protecting, dir, "commondir") || !protect_in(protecting, dir, "gitdir") ||
        !protect_hooks(protecting, dir) || !protect_config_in(protecting, dir, "config", top) ||
        !protect_config_in(protecting, dir, "config.worktree", top))
        return false;
    if (!is_reached)
        return true;
    (void)snprintf(below, sizeof(below), "%.*s/modules", PATH_MAX - 16, dir);
    if (!protect_git_dirs_below(protecting, below, depth))
        return false;
    (void)snprintf(below, sizeof(below), "%.*s/worktrees", PATH_MAX - 16, dir);
    return protect_git_dirs_below(protecting, below, depth) &&
           (!top || protect_gitlinks(protecting, dir, top, depth));
}

/* Finds the path after the given word in a file such as .git or commondir. Returns false if there
 * is none. */
static bool find_named_path(const char *folder, const struct str *text, const char *word,
                            char out[PATH_MAX])
{
    char path[PATH_MAX];
    const size_t len = strlen(word);
    if (!text->data || strncmp(text->data, word, len) != 0)
        return false;
    const char *said = text->data + len + strspn(text->data + len, " \t");
    const int wrote = snprintf(path, sizeof(path), "%.*s", (int)strcspn(said, "\r\n"), said);
    return wrote > 0 && wrote < PATH_MAX && place_git_path(folder, path, out);
}

/* Protects the repository that a .git file names in "gitdir: PATH". A file commondir in that folder
 * may name the main repository. */
static bool protect_git_file(struct protecting *protecting, const char *top, int depth)
{
    char dir[PATH_MAX];
    char common[PATH_MAX];
    struct str text = {0};
    bool ok = read_git_file(protecting, top, ".git", &text) && protect_in(protecting, top, ".git");
    if (ok && find_named_path(top, &text, "gitdir:", dir)) {
        ok = protect_git_dir(protecting, dir, top, depth) &&
             read_git_file(protecting, dir, "commondir", &text);
        if (ok && find_named_path(dir, &text, "", common) && realpath(common, dir))
            ok = protect_git_dir(protecting, dir, top, depth);
    }
    str_done(&text);
    return ok;
}

/* Protects a submodule, or another repository in the tree that the index lists as a submodule. If
 * it has no repository yet, makes its folder read-only, because a step could create a repository in
 * it that the user's git would then use. */
static bool protect_gitlink(struct protecting *protecting, const char *path, int depth)
{
    char mark[PATH_MAX];
    struct stat info;
    if (--protecting->git_dirs_left < 0)
        return refuse_protection(protecting, path, "there are too many submodules");
    const int wrote = snprintf(mark, sizeof(mark), "%s/.git", path);
    if (wrote < 0 || wrote >= PATH_MAX)
        return true;
    if (lstat(mark, &info) != 0)
        return is_result(protecting, path) || protect_folder(protecting, path);
    if (S_ISLNK(info.st_mode) && !protect(protecting, mark))
        return false;
    if (stat(mark, &info) == 0 && S_ISDIR(info.st_mode))
        return protect_git_dir(protecting, mark, path, depth);
    return protect_git_file(protecting, path, depth);
}

/* Returns whether an index file may list submodules. In every version of the format, each entry has
 * its mode as four bytes. A sparse index leaves out entries, and contains the word "sdir". Other
 * bytes may match by accident. */
static bool may_have_gitlinks(const char *path)
{
    static const char mode[] = {0, 0, (char)0xe0, 0}; /* 0160000 */
    static const char sparse[] = {'s', 'd', 'i', 'r'};
    struct str index = {0};
    struct stat info;
    const bool is_read = foreign_file_read(path, GIT_INDEX_MAX, &index);
    const bool may = is_read ? memmem(index.data, index.len, mode, sizeof(mode)) ||
                                   memmem(index.data, index.len, sparse, sizeof(sparse))
                             : stat(path, &info) == 0 && info.st_size > 0;
    str_done(&index);
    return may;
}

/* Returns whether the index of a git folder, which may consist of several files, may list
 * submodules. */
static bool index_may_have_gitlinks(const char *dir)
{
    char path[PATH_MAX];
    DIR *entries = opendir(dir);
    bool may = false;
    for (struct dirent *entry = entries ? readdir(entries) : NULL; !may && entry;
         entry = readdir(entries)) {
        const bool is_index = strcmp(entry->d_name, "index") == 0 ||
                              strncmp(entry->d_name, "sharedindex.", strlen("sharedindex.")) == 0;
        const int wrote = snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        may = is_index && wrote > 0 && wrote < PATH_MAX && may_have_gitlinks(path);
    }
    if (entries)
        (void)closedir(entries); /* opened for reading only */
    return may;
}

/* Returns false, with an error, if the file is neither regular nor missing: git would block on a
 * FIFO, and read a device forever. */
static bool is_file_or_missing(const struct protecting *protecting, const char *dir,
                               const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    const int wrote = snprintf(path, sizeof(path), "%s/%s", dir, name);
    return wrote < 0 || wrote >= PATH_MAX || stat(path, &info) != 0 || S_ISREG(info.st_mode) ||
           refuse_protection(protecting, path, "it is not a regular file");
}

static bool list_index(const struct protecting *protecting, const char *dir, const char *top,
                       struct str *out)
{
    char program[PATH_MAX];
    struct err err = {0};
    if (!is_file_or_missing(protecting, dir, "HEAD") ||
        !is_file_or_missing(protecting, dir, "commondir"))
        return false;
    if (!program_find_absolute("git", program)) /* without git, nobody reads the index */
        return true;
    if (git_list_index(dir, top, protecting->call->our_environment, out, &err))
        return true;
    (void)err_set(protecting->err, ERR_INVALID,
                  "sandbox: cannot list the submodules of '%.200s': %s", top, err.message);
    return err_hint(protecting->err, "make sure that git ls-files -s works there");
}

static bool protect_gitlinks(struct protecting *protecting, const char *dir, const char *top,
                             int depth)
{
    static const char mode[] = "160000 ";
    char whole[PATH_MAX];
    struct str list = {0};
    if (depth >= SANDBOX_GIT_DEPTH_MAX)
        return refuse_protection(protecting, dir, "nested too deeply");
    if (!index_may_have_gitlinks(dir))
        return true;
    bool ok = list_index(protecting, dir, top, &list);
    for (size_t at = 0; ok && at < list.len; at += strlen(list.data + at) + 1) {
        const char *tab = strchr(list.data + at, '\t');
        const bool is_gitlink = tab && strncmp(list.data + at, mode, strlen(mode)) == 0;
        const int wrote = is_gitlink ? snprintf(whole, sizeof(whole), "%s/%s", top, tab + 1) : 0;
        if (wrote > 0 && wrote < PATH_MAX)
            ok = protect_gitlink(protecting, whole, depth + 1);
    }
    str_done(&list);
    return ok;
}

/* Protects the repository that contains the folder. Searches for it as git does. */
static bool protect_repository(struct protecting *protecting, const char *from)
{
    char folder[PATH_MAX];
    char path[PATH_MAX];
    struct stat info;
    (void)snprintf(folder, sizeof(folder), "%s", strcmp(from, "/") == 0 ? "" : from);
    for (;;) {
        const int wrote = snprintf(path, sizeof(path), "%s/.git", folder);
        if (wrote > 0 && wrote < PATH_MAX && lstat(path, &info) == 0) {
            if (S_ISLNK(info.st_mode) && !protect(protecting, path))
                return false;
            const bool is_there = stat(path, &info) == 0;
            if (is_there && !protect_person_configs(protecting, folder[0] ? folder : "/"))
                return false;
            if (is_there && S_ISDIR(info.st_mode))
                return protect_git_dir(protecting, path, folder[0] ? folder : "/", 0);
            if (is_there && S_ISREG(info.st_mode))
                return protect_git_file(protecting, folder[0] ? folder : "/", 0);
        } /* git ignores any other kind of file and searches the parent */
        if (folder[0] && is_git_dir(folder))
            return protect_git_dir(protecting, folder, NULL, 0);
        if (!folder[0])
            return true;
        leave_folder(folder);
    }
}

/* Protects the folder in which devs records the settings that the user trusts. Creates it if it is
 * missing, because otherwise a step could create it. */
static bool protect_state(const struct protecting *protecting)
{
    char home[PATH_MAX];
    char path[PATH_MAX];
    char real[PATH_MAX];
    struct stat info;
    const char *state = sandbox_variable(protecting->call->our_environment, "XDG_STATE_HOME");
    int wrote = -1;
    if (state && state[0] == '/')
        wrote = snprintf(path, sizeof(path), "%s/devs", state);
    else if (sandbox_home_find(protecting->call, home))
        wrote = snprintf(path, sizeof(path), "%s/.local/state/devs", home);
    if (wrote <= 0 || wrote >= PATH_MAX)
        return true;
    if (resolve_way(protecting, path, real, &info) == WAY_MISSING &&
        sandbox_area_of(protecting->areas, real))
        make_folders(real, S_IRWXU);
    return protect(protecting, path);
}

/* Drops pins inside folders that are read-only as a whole: a pin would make its folder writable
 * again. */
static void drop_kept_pins(const struct protecting *protecting)
{
    struct arg_list *list = &protecting->out->pins;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        char *path = list->items[i];
        if (is_kept(protecting, path) || arg_list_has(&protecting->out->paths, path))
            free(path);
        else
            list->items[count++] = path;
    }
    list->count = count;
    if (list->items)
        list->items[count] = NULL;
}

bool sandbox_protected_find(const struct sandbox_call *call, const struct arg_list *areas,
                            struct sandbox_protected *out, struct err *err)
{
    struct protecting protecting = {
        .call = call,
        .areas = areas,
        .out = out,
        .err = err,
        .own_tree = call->run_dir && strcmp(call->run_dir, call->workspace) != 0,
        .git_dirs_left = SANDBOX_GIT_DIRS_MAX,
        .includes_left = SANDBOX_GIT_INCLUDES_MAX,
    };
    *out = (struct sandbox_protected){.paths = {0}};
    bool ok = protect_settings(&protecting) && protect_state(&protecting);
    for (size_t i = 0; ok && i < areas->count; i++)
        ok = protect_repository(&protecting, areas->items[i]) &&
             protect_person_configs(&protecting, areas->items[i]);
    drop_kept_pins(&protecting);
    arg_list_done(&protecting.read);
    return ok;
}

bool sandbox_fixed_path(const struct arg_list *areas, const char *path, char out[PATH_MAX])
{
    struct stat info;
    struct sandbox_protected nothing = {.paths = {0}};
    const struct protecting protecting = {.areas = areas, .out = &nothing};
    return resolve_way(&protecting, path, out, &info) == WAY_THERE;
}

void sandbox_protected_done(struct sandbox_protected *found)
{
    arg_list_done(&found->paths);
    arg_list_done(&found->pins);
    arg_list_done(&found->unwanted);
}
