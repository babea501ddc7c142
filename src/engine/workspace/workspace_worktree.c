/* workspace_worktree.c - worktrees of git: made, and taken from its list. */
#include "workspace_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outcome.h"
#include "tree_folder.h"

enum {
    ADMIN_MAX = 10000,   /* worktrees of a repository that are looked through */
    CONFLICTS_NAMED = 5, /* paths that an error names */
    LINK_MAX = PATH_MAX + 16,
};

static const int64_t checkout_timeout_ms = 10 * 60 * 1000;

/* The first line of a small file; false if there is none. */
static bool read_line(int dir_fd, const char *name, char *out, size_t cap)
{
    const int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t got = read(fd, out, cap - 1);
    (void)close(fd); /* it was only read */
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return got > 0;
}

/* Is this git's folder for the worktree whose ".git" is at `mark`? */
static bool is_for(int admins_fd, const char *name, const char *mark)
{
    char line[LINK_MAX];
    const int fd = tree_folder_open(admins_fd, name);
    if (fd < 0)
        return false;
    const bool found = read_line(fd, "gitdir", line, sizeof(line)) && strcmp(line, mark) == 0;
    (void)close(fd); /* a folder: nothing was written to it */
    return found;
}

/* The name of git's folder for that worktree; "" if there is none. */
static void find_admin(int admins_fd, const char *tree, char out[WORKSPACE_ADMIN_MAX])
{
    struct str mark = {0};
    str_addf(&mark, "%s/.git", tree);
    out[0] = '\0';
    const int again = openat(admins_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    int count = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL;
         entry && count < ADMIN_MAX && out[0] == '\0'; entry = readdir(dir), count++) {
        if (entry->d_name[0] != '.' && strlen(entry->d_name) < WORKSPACE_ADMIN_MAX &&
            is_for(admins_fd, entry->d_name, mark.data))
            (void)snprintf(out, WORKSPACE_ADMIN_MAX, "%s", entry->d_name);
    }
    if (dir)
        (void)closedir(dir); /* it was only looked at */
    else if (again >= 0)
        (void)close(again);
    str_done(&mark);
}

static int open_admins(const char *common)
{
    struct str path = {0};
    str_addf(&path, "%s/worktrees", common);
    const int fd = tree_folder_open(AT_FDCWD, path.data);
    str_done(&path);
    return fd;
}

bool workspace_forget_worktree(const char *common, const char *tree, struct err *err)
{
    char name[WORKSPACE_ADMIN_MAX];
    const int fd = open_admins(common);
    if (fd < 0)
        return true; /* no worktrees at all */
    find_admin(fd, tree, name);
    const bool ok = name[0] == '\0' || tree_folder_remove(fd, name, err);
    (void)close(fd); /* a folder: what was removed from it is gone */
    return ok;
}

/* Of HEAD, or of a branch: by its whole name, for a task may have made a tag of the same. */
static bool commit_of(const struct workspace *workspace, const char *name,
                      char out[WORKSPACE_COMMIT_MAX], struct err *err)
{
    struct str word = {0};
    str_addf(&word, "%s%s^{commit}", strcmp(name, "HEAD") == 0 ? "" : "refs/heads/", name);
    const char *const words[] = {"rev-parse", "--verify", "--quiet", word.data, NULL};
    const struct git_call call = {.words = words};
    const bool ok = git_ask_line(&workspace->git, &call, out, WORKSPACE_COMMIT_MAX, NULL);
    str_done(&word);
    if (ok)
        return true;
    if (strcmp(name, "HEAD") != 0)
        return err_set(err, ERR_NOT_FOUND, "the branch '%s' is gone", name);
    (void)err_set(err, ERR_INVALID, "the git repository '%s' has no commit yet",
                  workspace->git.top);
    return err_hint(err, "git commit first, or \"workspace\": \"copy\"");
}

static bool refuse_submodules(const struct workspace *workspace, const char *commit,
                              struct err *err)
{
    struct str word = {0};
    struct tool_result result = {0};
    str_addf(&word, "%s:.gitmodules", commit);
    const char *const words[] = {"rev-parse", "--verify", "--quiet", word.data, NULL};
    const struct git_call call = {.words = words};
    bool ok = git_run(&workspace->git, &call, &result, err);
    if (ok && result.exit_code == 0) {
        ok = err_set(err, ERR_INVALID,
                     "the git repository '%s' has submodules: they would be "
                     "empty in a worktree",
                     workspace->git.top);
        (void)err_hint(err, "\"workspace\": \"copy\" brings them along");
    }
    tool_result_done(&result);
    str_done(&word);
    return ok;
}

/* Git keeps no branch beside one whose name it begins with. */
static bool refuse_own_branch(const struct workspace *workspace, struct err *err)
{
    char commit[WORKSPACE_COMMIT_MAX];
    if (!commit_of(workspace, "devs", commit, NULL))
        return true;
    (void)err_set(err, ERR_INVALID,
                  "the git repository '%s' has a branch called 'devs', so no result can be kept "
                  "on a branch devs/RUN/TASK",
                  workspace->git.top);
    return err_hint(err, "git branch -m devs ANOTHER-NAME, or \"workspace\": \"copy\"");
}

/* Remember where git keeps what belongs to the worktree: from now on it is never searched for. */
static bool learn_admin(struct workspace *workspace, char name[WORKSPACE_ADMIN_MAX],
                        struct err *err)
{
    struct str path = {0};
    const int fd = open_admins(workspace->git.common);
    name[0] = '\0';
    if (fd >= 0) {
        find_admin(fd, workspace->tree, name);
        (void)close(fd); /* a folder: nothing was written to it */
    }
    if (name[0] == '\0')
        return err_set(err, ERR_NOT_FOUND, "git does not know the worktree '%s'", workspace->tree);
    str_addf(&path, "%s/worktrees/%s", workspace->git.common, name);
    free(workspace->admin);
    workspace->admin = path.data;
    return true;
}

static bool add_worktree(struct workspace *workspace, const char *commit, const atomic_bool *stop,
                         struct err *err)
{
    const char *const words[] = {"worktree",      "add",  "--detach", "--quiet",
                                 workspace->tree, commit, NULL};
    const struct git_call call = {.words = words, .timeout_ms = checkout_timeout_ms, .stop = stop};
    return git_ask(&workspace->git, &call, NULL, err);
}

/* The paths that do not merge, in the error. */
static void name_conflicts(const struct workspace *workspace, const char *branch, struct err *err)
{
    const char *const words[] = {"diff", "--name-only", "--diff-filter=U", "-z", NULL};
    const struct git_call call = {.words = words, .dir = workspace->admin, .tree = workspace->tree};
    struct str list = {0};
    struct str text = {0};
    size_t count = 0;
    bool known = git_ask(&workspace->git, &call, &list, NULL);
    char **paths = git_paths(&list, &count);
    for (size_t i = 0; known && i < count && i < CONFLICTS_NAMED; i++)
        str_addf(&text, "%s'%.60s'", i > 0 ? ", " : "", paths[i]);
    if (count > CONFLICTS_NAMED)
        str_addf(&text, " and %zu more", count - CONFLICTS_NAMED);
    (void)err_set(err, ERR_INVALID, "the results of '%s' and '%s' do not merge: %s",
                  workspace->needed[0], branch, count > 0 ? str_text(&text) : "git says no more");
    (void)err_hint(err, "let one of the two tasks need the other");
    free(paths);
    str_done(&list);
    str_done(&text);
}

/* One more result. A merge that git cannot do is a conflict; what else fails is another matter. */
static bool merge_branch(const struct workspace *workspace, const char *branch,
                         const atomic_bool *stop, int *start_code, struct err *err)
{
    struct str message = {0};
    struct tool_result result = {0};
    struct str ref = {0};
    str_addf(&message, "devs: the results that %s needs", workspace->task);
    str_addf(&ref, "refs/heads/%s", branch);
    const char *const words[] = {"merge",       "--no-edit",
                                 "--no-verify", "--no-gpg-sign",
                                 "--no-stat",   "--no-rerere-autoupdate",
                                 "-m",          message.data,
                                 ref.data,      NULL};
    const struct git_call call = {.words = words,
                                  .dir = workspace->admin,
                                  .tree = workspace->tree,
                                  .timeout_ms = checkout_timeout_ms,
                                  .stop = stop};
    bool ok = git_run(&workspace->git, &call, &result, err);
    if (ok && result.exit_code == 1 && !result.stopped && !result.timed_out) {
        *start_code = START_CONFLICT;
        name_conflicts(workspace, branch, err);
        ok = false;
    } else {
        ok = ok && tool_succeeded(&result, "git merge", err);
    }
    tool_result_done(&result);
    str_done(&message);
    str_done(&ref);
    return ok;
}

static bool merge_all(const struct workspace *workspace, const atomic_bool *stop, int *start_code,
                      char base[WORKSPACE_COMMIT_MAX], struct err *err)
{
    const char *const words[] = {"rev-parse", "--verify", "HEAD^{commit}", NULL};
    const struct git_call call = {.words = words, .dir = workspace->admin, .tree = workspace->tree};
    if (!workspace->needed[0] || !workspace->needed[1])
        return true;
    for (char **branch = workspace->needed + 1; *branch; branch++) {
        if (!merge_branch(workspace, *branch, stop, start_code, err))
            return false;
    }
    return git_ask_line(&workspace->git, &call, base, WORKSPACE_COMMIT_MAX, err);
}

/* With the repository locked. */
static bool check_out(struct workspace *workspace, const atomic_bool *stop,
                      struct workspace_note *note, int *start_code, struct err *err)
{
    const char *start = workspace->needed[0] ? workspace->needed[0] : "HEAD";
    return workspace_forget_worktree(workspace->git.common, workspace->tree, err) &&
           commit_of(workspace, start, note->base, err) &&
           refuse_submodules(workspace, note->base, err) && refuse_own_branch(workspace, err) &&
           add_worktree(workspace, note->base, stop, err) &&
           learn_admin(workspace, note->admin, err) &&
           merge_all(workspace, stop, start_code, note->base, err);
}

bool workspace_make_worktree(struct workspace *workspace, const atomic_bool *stop,
                             struct workspace_note *note, int64_t *files_out, int *start_code,
                             struct err *err)
{
    int lock = -1;
    for (char **name = workspace->needed; *name; name++) {
        if ((*name)[0] == '/')
            return err_set(err, ERR_INVALID,
                           "'%s' is the result of a copy, and a worktree "
                           "cannot start from it",
                           *name) ||
                   err_hint(err, "give both tasks the same kind of workspace");
    }
    if (!workspace_open_git(workspace, err) || !git_lock(&workspace->git, stop, &lock, err))
        return false;
    bool ok = check_out(workspace, stop, note, start_code, err);
    git_unlock(lock);
    return ok && workspace_bring(workspace, stop, files_out, err);
}
