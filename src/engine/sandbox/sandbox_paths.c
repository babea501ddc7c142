#define _GNU_SOURCE /* realpath */

#include "sandbox_paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_own.h"
#include "place.h"
#include "xalloc.h"

bool sandbox_path_is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    while (len > 0 && folder[len - 1] == '/')
        len--;
    return strncmp(path, folder, len) == 0 && path[len] == '/' && path[len + 1] != '\0';
}

/* A plan with a sandbox is refused where this does not hold when the run begins. */
static bool is_of_its_own(const struct sandbox_call *call)
{
    struct place place;
    return place_of_file(call->log_db, &place, NULL) && log_own_folder_check(&place, NULL);
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
    if (!log || is_of_its_own(call)) {
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

/* The outermost area that the path is below; NULL: none. */
static const char *find_area(const struct arg_list *areas, const char *path)
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
    const char *area = find_area(areas, path);
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

/* The search for what is protected. */
struct protecting {
    const struct sandbox_call *call;
    const struct arg_list *areas;
    struct sandbox_protected *out;
    struct err *err;
    bool own_tree;     /* devs made the workspace for its task */
    int git_dirs_left; /* of SANDBOX_GIT_DIRS_MAX */
};

static bool refuse_protection(const struct protecting *protecting, const char *path,
                              const char *why)
{
    (void)err_set(protecting->err, ERR_INVALID, "sandbox: '%.250s' cannot be kept read-only: %s",
                  path, why);
    return err_hint(protecting->err, "make it an ordinary file or folder");
}

/* Takes the first part off *rest. False: there is none. */
static bool take_part(const char **rest, char part[PATH_MAX])
{
    while (**rest == '/')
        (*rest)++;
    const size_t len = strcspn(*rest, "/");
    if (len == 0 || len >= PATH_MAX)
        return false;
    memcpy(part, *rest, len);
    part[len] = '\0';
    *rest += len;
    return true;
}

static void leave_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* Puts what a link says before the rest of the way. False: too long, or not to be read. */
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

enum way_end { WAY_THERE, WAY_MISSING, WAY_REFUSED };

/* Where the path leads, link by link: a link in a folder that may be written could be replaced. Of
 * a path that is missing `at` is where it would be. */
static enum way_end walk_to(const struct protecting *protecting, const char *path,
                            char at[PATH_MAX], struct stat *info)
{
    char rest[PATH_MAX];
    char part[PATH_MAX];
    int links = 0;
    bool is_missing = false;
    (void)snprintf(rest, sizeof(rest), "%s", path);
    at[0] = '\0';
    for (;;) {
        const char *next = rest;
        if (!take_part(&next, part))
            break;
        memmove(rest, next, strlen(next) + 1);
        if (strcmp(part, ".") == 0)
            continue;
        if (strcmp(part, "..") == 0) {
            leave_folder(at);
            continue;
        }
        const size_t len = strlen(at);
        const int wrote = snprintf(at + len, PATH_MAX - len, "/%s", part);
        if (wrote < 0 || (size_t)wrote >= PATH_MAX - len)
            return WAY_MISSING;
        is_missing |= lstat(at, info) != 0;
        if (is_missing || !S_ISLNK(info->st_mode))
            continue;
        if (find_area(protecting->areas, at)) {
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

/* A second name of the file would lead past the mount. */
static bool has_one_name(const struct protecting *protecting, const char *path,
                         const struct stat *info)
{
    if (!S_ISREG(info->st_mode) || info->st_nlink <= 1)
        return true;
    return refuse_protection(protecting, path, "it has a second name (a hard link)");
}

static bool protect(const struct protecting *protecting, const char *path)
{
    char real[PATH_MAX];
    struct stat info;
    if (is_named_writable(protecting, path))
        return true;
    const enum way_end end = walk_to(protecting, path, real, &info);
    if (end != WAY_THERE)
        return end == WAY_MISSING;
    if (is_named_writable(protecting, real))
        return true;
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return true; /* core.hooksPath = /dev/null */
    if (!has_one_name(protecting, real, &info))
        return false;
    if (!find_area(protecting->areas, real) || arg_list_has(&protecting->out->paths, real))
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
    return protecting->own_tree || protect_in(protecting, call->workspace, "devs.config.json");
}

/* The bytes of a file, up to SANDBOX_GIT_CONFIG_MAX, with a NUL; "" where it cannot be read. For
 * the caller to free. */
static char *read_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    char *text = xcalloc(1, 1);
    const int wrote = snprintf(path, sizeof(path), "%s/%s", folder, name);
    const int fd = wrote > 0 && wrote < PATH_MAX
                       ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                       : -1;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size <= SANDBOX_GIT_CONFIG_MAX) {
        free(text);
        text = xcalloc(1, (size_t)info.st_size + 1);
        const ssize_t got = read(fd, text, (size_t)info.st_size);
        text[got > 0 ? got : 0] = '\0';
    }
    if (fd >= 0)
        (void)close(fd);
    return text;
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

/* A path out of a git file, absolute: "~/x" is below the home folder, others below `base`. */
static bool place_git_path(const struct protecting *protecting, const char *base, const char *path,
                           char out[PATH_MAX])
{
    const char *home = NULL;
    if (path[0] == '~' && path[1] == '/') {
        home = sandbox_variable(protecting->call->our_environment, "HOME");
        path += 2;
    }
    const char *below = path[0] == '/' ? "" : home ? home : base;
    const int wrote = snprintf(out, PATH_MAX, "%s%s%s", below, below[0] ? "/" : "", path);
    return path[0] && wrote > 0 && wrote < PATH_MAX;
}

/* The value of "key = value", without quotes, comment and spaces; it is cut in place. */
static char *cut_value(char *line, const char *key)
{
    const size_t len = strlen(key);
    if (strncasecmp(line, key, len) != 0)
        return NULL;
    char *value = line + len + strspn(line + len, " \t");
    if (*value != '=')
        return NULL;
    value += 1 + strspn(value + 1, " \t");
    const bool is_quoted = *value == '"';
    value += is_quoted;
    size_t end = strcspn(value, is_quoted ? "\"" : "#;");
    while (!is_quoted && end > 0 && strchr(" \t\r", value[end - 1]))
        end--;
    value[end] = '\0';
    return value;
}

static bool protect_git_dir(struct protecting *protecting, const char *dir, const char *top,
                            int depth);

/* A file that a config includes. One that is missing must not come into being. */
static bool protect_include(const struct protecting *protecting, const char *path)
{
    char real[PATH_MAX];
    struct stat info;
    const enum way_end end = walk_to(protecting, path, real, &info);
    if (end == WAY_MISSING && find_area(protecting->areas, real) &&
        !is_named_writable(protecting, real))
        arg_list_add(&protecting->out->unwanted, real);
    return end == WAY_MISSING || protect(protecting, path);
}

/* The folder of core.hooksPath, made where it is missing. */
static bool protect_hooks_path(const struct protecting *protecting, const char *path)
{
    char real[PATH_MAX];
    struct stat info;
    if (walk_to(protecting, path, real, &info) == WAY_MISSING &&
        find_area(protecting->areas, real)) {
        for (size_t at = 1; real[at]; at++) {
            if (real[at] != '/')
                continue;
            real[at] = '\0';
            (void)mkdir(real, 0755); /* mostly it is there */
            real[at] = '/';
        }
        (void)mkdir(real, 0755);
        return protect(protecting, real);
    }
    return protect(protecting, path);
}

/* Files that a git config includes, and the hooks that it names. `top`: where its working tree is;
 * NULL: not known. */
static bool protect_named_in(struct protecting *protecting, const char *folder, const char *name,
                             const char *top, int depth)
{
    char path[PATH_MAX];
    char *next = NULL;
    char *text = read_file(folder, name);
    char section[16] = "";
    bool ok = true;
    for (char *line = strtok_r(text, "\n", &next); ok && line; line = strtok_r(NULL, "\n", &next)) {
        line += strspn(line, " \t");
        if (*line == '[') {
            (void)snprintf(section, sizeof(section), "%.*s", (int)strcspn(line + 1, " \t.\"]"),
                           line + 1);
            line += strcspn(line, "]");
            line += strspn(line, "] \t"); /* a key may follow on the same line */
        }
        char *value = NULL;
        if (strncasecmp(section, "include", strlen("include")) == 0 &&
            (value = cut_value(line, "path")) && place_git_path(protecting, folder, value, path)) {
            char *slash = strrchr(path, '/');
            ok = protect_include(protecting, path);
            *slash = '\0';
            if (ok && depth < SANDBOX_GIT_DEPTH_MAX)
                ok = protect_named_in(protecting, path[0] ? path : "/", slash + 1, top, depth + 1);
        } else if (strcasecmp(section, "core") == 0 && top && !protecting->own_tree &&
                   (value = cut_value(line, "hooksPath")) &&
                   place_git_path(protecting, top, value, path)) {
            ok = protect_hooks_path(protecting, path);
        } else if (strcasecmp(section, "core") == 0 && (value = cut_value(line, "worktree")) &&
                   place_git_path(protecting, folder, value, path)) {
            ok = protect_in(protecting, path, ".git");
        }
    }
    free(text);
    return ok;
}

/* The repositories of submodules, whose names may have slashes, and what worktrees have. */
static bool protect_git_dirs_below(struct protecting *protecting, const char *folder, int depth)
{
    char path[PATH_MAX];
    DIR *dir = depth < SANDBOX_GIT_DEPTH_MAX ? opendir(folder) : NULL;
    bool ok = true;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; ok && entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
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
        (void)closedir(dir); /* only read */
    return ok;
}

/* An empty one where there is none. What cannot be made cannot be made by an attempt either. */
static void create_missing(const char *dir)
{
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
}

/* Hooks are files that a copy of the tree made with hard links would share. */
static bool protect_hooks(const struct protecting *protecting, const char *dir)
{
    char hooks[PATH_MAX];
    char path[PATH_MAX];
    struct stat info;
    bool ok = protect_in(protecting, dir, "hooks");
    const int wrote = snprintf(hooks, sizeof(hooks), "%s/hooks", dir);
    DIR *entries = ok && wrote > 0 && wrote < PATH_MAX && find_area(protecting->areas, hooks)
                       ? opendir(hooks)
                       : NULL;
    for (struct dirent *entry = entries ? readdir(entries) : NULL; ok && entry;
         entry = readdir(entries)) {
        const int len = snprintf(path, sizeof(path), "%s/%s", hooks, entry->d_name);
        if (len > 0 && len < PATH_MAX && lstat(path, &info) == 0)
            ok = is_named_writable(protecting, hooks) || has_one_name(protecting, path, &info);
    }
    if (entries)
        (void)closedir(entries); /* only read */
    return ok;
}

/* May something of the folder be written? */
static bool meets_area(const struct arg_list *areas, const char *folder)
{
    for (size_t i = 0; i < areas->count; i++) {
        if (sandbox_path_is_below(areas->items[i], folder))
            return true;
    }
    return arg_list_has(areas, folder) || find_area(areas, folder);
}

/* Is the path in a tree that devs made? */
static bool is_result(const struct protecting *protecting, const char *path)
{
    return protecting->own_tree && sandbox_path_is_below(path, protecting->call->workspace);
}

static bool protect_git_dir(struct protecting *protecting, const char *dir, const char *top,
                            int depth)
{
    char below[PATH_MAX];
    const bool is_worktrees = exists_in(dir, "commondir");
    const bool is_reached = meets_area(protecting->areas, dir);
    if (is_reached && !is_worktrees && is_git_dir(dir) && !is_result(protecting, dir)) {
        create_missing(dir);
        (void)snprintf(below, sizeof(below), "%.*s/commondir", PATH_MAX - 16, dir);
        arg_list_add(&protecting->out->unwanted, below);
        (void)snprintf(below, sizeof(below), "%.*s/config.worktree", PATH_MAX - 32, dir);
        if (!exists_in(dir, "config.worktree"))
            arg_list_add(&protecting->out->unwanted, below);
    }
    if (!protect_in(protecting, dir, "config") || !protect_in(protecting, dir, "config.worktree") ||
        !protect_in(protecting, dir, "commondir") || !protect_in(protecting, dir, "gitdir") ||
        !protect_hooks(protecting, dir) ||
        !protect_named_in(protecting, dir, "config", top, depth) ||
        !protect_named_in(protecting, dir, "config.worktree", top, depth))
        return false;
    if (!is_reached)
        return true;
    (void)snprintf(below, sizeof(below), "%.*s/modules", PATH_MAX - 16, dir);
    if (!protect_git_dirs_below(protecting, below, depth))
        return false;
    (void)snprintf(below, sizeof(below), "%.*s/worktrees", PATH_MAX - 16, dir);
    return protect_git_dirs_below(protecting, below, depth);
}

/* A file .git says "gitdir: PATH"; there a file commondir may say where the repository is. */
static bool protect_git_file(struct protecting *protecting, const char *top)
{
    static const char word[] = "gitdir:";
    char dir[PATH_MAX];
    char common[PATH_MAX];
    char *text = read_file(top, ".git");
    text[strcspn(text, "\r\n")] = '\0';
    const char *said = text + strlen(word);
    bool is_said = strncmp(text, word, strlen(word)) == 0 &&
                   place_git_path(protecting, top, said + strspn(said, " \t"), dir);
    free(text);
    if (!protect_in(protecting, top, ".git"))
        return false;
    if (!is_said)
        return true;
    if (!protect_git_dir(protecting, dir, top, 0))
        return false;
    text = read_file(dir, "commondir");
    text[strcspn(text, "\r\n")] = '\0';
    is_said = place_git_path(protecting, dir, text, common);
    free(text);
    return !is_said || !realpath(common, dir) || protect_git_dir(protecting, dir, top, 0);
}

/* The repository that the folder is in, as git looks for it; or that it is. */
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
            if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
                return protect_git_dir(protecting, path, folder[0] ? folder : "/", 0);
            return protect_git_file(protecting, folder[0] ? folder : "/");
        }
        if (folder[0] && is_git_dir(folder))
            return protect_git_dir(protecting, folder, NULL, 0);
        if (!folder[0])
            return true;
        leave_folder(folder);
    }
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
    };
    *out = (struct sandbox_protected){.paths = {0}};
    if (!protect_settings(&protecting))
        return false;
    for (size_t i = 0; i < areas->count; i++) {
        if (!protect_repository(&protecting, areas->items[i]))
            return false;
    }
    return true;
}

void sandbox_protected_done(struct sandbox_protected *found)
{
    arg_list_done(&found->paths);
    arg_list_done(&found->pins);
    arg_list_done(&found->unwanted);
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
