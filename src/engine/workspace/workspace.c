#define _XOPEN_SOURCE 700 /* realpath */

#include "workspace_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "outcome.h"
#include "tree_folder.h"
#include "xalloc.h"

static const char tree_name[] = "tree";

static char **copy_list(const char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    char **copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = xstrdup(list[i]);
    return copy;
}

static void free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

static char *join(const char *folder, const char *name)
{
    struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    return path.data;
}

/* The nearest folder here or above that holds ".git"; else the folder itself. */
static char *find_origin(const char *run_dir)
{
    char *at = xstrdup(run_dir);
    for (;;) {
        struct stat info;
        char *mark = join(at, ".git");
        const bool found = lstat(mark, &info) == 0;
        free(mark);
        if (found)
            return at;
        char *slash = strrchr(at, '/');
        if (!slash || slash == at)
            break;
        *slash = '\0';
    }
    free(at);
    return xstrdup(run_dir);
}

bool workspace_open(struct workspace **out, const struct workspace_place *place,
                    const struct workspace_spec *spec, const char *task_id,
                    const char *const *needed, struct err *err)
{
    assert(place->base[0] == '/');
    assert(place->run_dir[0] == '/');
    char run_dir[PATH_MAX];
    if (spec->kind == WORKSPACE_INPLACE)
        return err_set(err, ERR_INVALID, "task '%s' works in place", task_id);
    if (!realpath(place->run_dir, run_dir))
        return err_set_errno(err, errno, "cannot find '%s'", place->run_dir);

    struct workspace *workspace = xcalloc(1, sizeof(*workspace));
    workspace->spec = workspace_spec_copy(spec);
    workspace->task = xstrdup(task_id);
    workspace->run = xstrdup(place->run);
    workspace->uid = xstrdup(place->uid);
    workspace->run_dir = xstrdup(run_dir);
    workspace->plan_path = place->plan_path ? xstrdup(place->plan_path) : NULL;
    workspace->origin = find_origin(run_dir);
    workspace->base = xstrdup(place->base);
    workspace->home = join(place->base, task_id);
    workspace->tree = join(workspace->home, tree_name);
    const char *below = run_dir + strlen(workspace->origin);
    struct str dir = {0};
    str_addf(&dir, "%s%s", workspace->tree, below);
    workspace->dir = dir.data;
    workspace->environment = copy_list((const char *const *)place->environment);
    workspace->needed = copy_list(needed);
    workspace->setup_sandbox =
        sandbox_spec_copy(place->setup_sandbox ? place->setup_sandbox : sandbox_spec_none());
    workspace->log_dir = place->log_dir ? xstrdup(place->log_dir) : NULL;
    workspace->log_db = place->log_db ? xstrdup(place->log_db) : NULL;
    workspace->processes = place->processes;
    workspace->store.fd = -1;
    *out = workspace;
    return true;
}

void workspace_close(struct workspace *workspace)
{
    if (!workspace)
        return;
    workspace_spec_done(&workspace->spec);
    free(workspace->task);
    free(workspace->run);
    free(workspace->uid);
    free(workspace->run_dir);
    free(workspace->plan_path);
    free(workspace->origin);
    free(workspace->base);
    free(workspace->home);
    free(workspace->tree);
    free(workspace->dir);
    free(workspace->admin);
    free_list(workspace->environment);
    free_list(workspace->needed);
    sandbox_spec_done(&workspace->setup_sandbox);
    free(workspace->log_dir);
    free(workspace->log_db);
    git_done(&workspace->git);
    content_close(&workspace->store);
    tree_done(&workspace->known);
    tree_done(&workspace->known_admin);
    free(workspace);
}

const char *workspace_top(const struct workspace *workspace)
{
    return workspace->tree;
}

const char *workspace_dir(const struct workspace *workspace)
{
    return workspace->dir;
}

bool workspace_path(const struct workspace *workspace, const char *name, char out[PATH_MAX],
                    struct err *err)
{
    const int len = snprintf(out, PATH_MAX, "%s/%s", workspace->home, name);
    if (len < 0 || len >= PATH_MAX)
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", workspace->home);
    return true;
}

bool workspace_snapshot_path(const struct workspace *workspace, int step, enum workspace_part part,
                             char out[PATH_MAX], struct err *err)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "snapshots/%d%s", step,
                   part == WORKSPACE_ADMIN ? ".git" : "");
    return workspace_path(workspace, name, out, err);
}

bool workspace_has(const struct workspace *workspace, int step)
{
    char path[PATH_MAX];
    struct stat info;
    return workspace_snapshot_path(workspace, step, WORKSPACE_TREE, path, NULL) &&
           lstat(path, &info) == 0;
}

bool workspace_open_git(struct workspace *workspace, struct err *err)
{
    struct err why = {0};
    char own[PATH_MAX];
    if (workspace->git.places)
        return true;
    const bool may_do_without = workspace->spec.kind == WORKSPACE_COPY;
    if (may_do_without && workspace->looked_for_git)
        return true;
    workspace->looked_for_git = true;
    if ((workspace_path(workspace, "git", own, &why) &&
         git_open(&workspace->git, workspace->origin, own, workspace->environment, &why)) ||
        may_do_without)
        return true;
    (void)err_set(err, why.code, "%s", why.message);
    return why.hint[0] ? err_hint(err, "%s", why.hint) : false;
}

bool workspace_open_store(struct workspace *workspace, struct err *err)
{
    struct str path = {0};
    if (workspace->store.fd >= 0)
        return true;
    str_addf(&path, "%s/.objects", workspace->base);
    const bool ok = content_open(&workspace->store, path.data, err);
    str_done(&path);
    return ok;
}

/* -1 with errno. Opened to us first where it is shut. */
static int open_top(const char *path)
{
    int fd = tree_folder_open(AT_FDCWD, path);
    if (fd < 0 && errno == EACCES && tree_folder_chmod(AT_FDCWD, path, S_IRWXU) == 0)
        fd = tree_folder_open(AT_FDCWD, path);
    return fd;
}

bool workspace_open_top(const struct workspace *workspace, int *fd_out, struct err *err)
{
    const int fd = open_top(workspace->tree);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open the workspace '%s'", workspace->tree);
    *fd_out = fd;
    return true;
}

bool workspace_remake_top(const struct workspace *workspace, int *fd_out, struct err *err)
{
    int fd = open_top(workspace->tree);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) {
        if (!tree_folder_remove(AT_FDCWD, workspace->tree, err))
            return false;
        if (mkdir(workspace->tree, S_IRWXU) != 0)
            return err_set_errno(err, errno, "cannot make '%s'", workspace->tree);
        fd = open_top(workspace->tree);
    }
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open the workspace '%s'", workspace->tree);
    *fd_out = fd;
    return true;
}

/* Do the words for that errno stand in the message, as err_set_errno() and git write them? */
static bool says(const struct err *err, int number)
{
    char words[128];
    return strerror_r(number, words, sizeof(words)) == 0 && strstr(err->message, words);
}

int workspace_start_code(const struct err *err, const atomic_bool *stop)
{
    if (stop && atomic_load(stop))
        return ECANCELED;
    return says(err, ENOSPC) || says(err, EDQUOT) ? START_NO_SPACE : START_WORKSPACE_FAILED;
}

const char *workspace_blocks_git(const struct tree *tree)
{
    /* The last two: of repositories within, which git looks at to leave them out. */
    static const char *const names[] = {".gitignore", ".gitattributes", ".gitmodules", "HEAD",
                                        "commondir"};
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        const char *slash = strrchr(entry->path, '/');
        const char *name = slash ? slash + 1 : entry->path;
        const bool is_harmless =
            S_ISREG(entry->mode) || S_ISDIR(entry->mode) || S_ISLNK(entry->mode);
        for (size_t j = 0; !is_harmless && j < ARRAY_LEN(names); j++) {
            if (strcmp(name, names[j]) == 0)
                return entry->path;
        }
    }
    return NULL;
}

char **workspace_ignored(const struct workspace *workspace, const struct tree *tree,
                         const atomic_bool *stop, struct str *list)
{
    const char *const words[] = {"ls-files",           "-z",          "--others", "--ignored",
                                 "--exclude-standard", "--directory", NULL};
    struct str index = {0};
    struct stat info;
    if (!workspace->git.places || workspace_blocks_git(tree))
        return NULL;
    /* A copy has no index of its own: what the user's repository knows is not ignored. */
    str_addf(&index, "%s/index", workspace->admin ? workspace->admin : workspace->git.places->dir);
    const struct git_call call = {
        .words = words, .tree = workspace->tree, .index = index.data, .stop = stop};
    const bool waits = lstat(index.data, &info) == 0 && S_ISFIFO(info.st_mode);
    const bool ok = !waits && git_ask(&workspace->git, &call, list, NULL);
    str_done(&index);
    return ok ? git_paths(list, NULL) : NULL;
}

void workspace_now_known(struct workspace *workspace, enum workspace_part part, struct tree *tree)
{
    struct tree *known = part == WORKSPACE_TREE ? &workspace->known : &workspace->known_admin;
    tree_done(known);
    *known = *tree;
    *tree = (struct tree){0};
}
