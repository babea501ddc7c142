/* workspace_worktree.c - creates git worktrees without `git worktree`, so that git runs nothing
 * from the repository. */
#define _GNU_SOURCE /* O_NOFOLLOW, mkdtemp */

#include "workspace_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outcome.h"
#include "tree_folder.h"

enum {
    ADMIN_MAX = 10000,      /* maximum number of worktrees of a repository that are checked */
    ADMIN_NAMES_MAX = 1000, /* maximum number of names that are tried for a new worktree */
    CONFLICTS_NAMED = 5,    /* maximum number of paths listed in an error message */
    LINK_MAX = PATH_MAX + 16,
    STAGE_PREFIX_MAX = 2 * GIT_COMMIT_MAX,
};

static const int64_t checkout_timeout_ms = 10 * 60 * 1000;
/* Prefix of git's folders for worktrees that devs made. Other folders are never removed, whatever
 * their "gitdir" file says. */
static const char admin_prefix[] = "devs-";

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd); /* write errors have been checked */
}

/* Returns whether this is git's folder for the worktree whose ".git" is at `mark`: the first line
 * of its file "gitdir" must be that path. */
static bool is_admin_of(int admins_fd, const char *name, const char *mark)
{
    char line[LINK_MAX];
    const int folder = tree_folder_open(admins_fd, name);
    if (folder < 0)
        return false;
    const int fd = openat(folder, "gitdir", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;
    close_fd(fd);
    (void)close(folder); /* a folder opened for reading; nothing to flush */
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return got > 0 && strcmp(line, mark) == 0;
}

/* Opens git's folder "worktrees"; does not follow links. Returns -1 with errno on failure. */
static int open_admins(const char *common, bool may_make)
{
    const int top = tree_folder_open(AT_FDCWD, common);
    if (top < 0)
        return -1;
    if (may_make)
        (void)mkdirat(top, "worktrees", 0777); /* if this fails, opening the folder will fail */
    const int fd = tree_folder_open(top, "worktrees");
    const int number = errno;
    (void)close(top);
    errno = number;
    return fd;
}

bool workspace_open_admin(const struct workspace *workspace, bool may_make, int *fd_out,
                          struct err *err)
{
    const int admins = open_admins(workspace->git.places->common, may_make);
    const char *name = strrchr(workspace->admin, '/') + 1;
    if (admins >= 0 && may_make)
        (void)mkdirat(admins, name, 0700); /* if this fails, opening the folder will fail */
    const int fd = admins >= 0 ? tree_folder_open(admins, name) : -1;
    if (fd < 0)
        (void)err_set_errno(err, errno, "cannot open '%s'", workspace->admin);
    close_fd(admins);
    *fd_out = fd;
    return fd >= 0;
}

bool workspace_forget_worktree(const char *common, const char *tree, struct err *err)
{
    char name[WORKSPACE_ADMIN_MAX] = "";
    const int admins = open_admins(common, false);
    if (admins < 0)
        return true; /* there are no worktrees */
    struct str mark = {0};
    str_addf(&mark, "%s/.git", tree);
    const int again = openat(admins, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    int count = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL;
         entry && count < ADMIN_MAX && name[0] == '\0'; entry = readdir(dir), count++) {
        if (strncmp(entry->d_name, admin_prefix, sizeof(admin_prefix) - 1) == 0 &&
            strlen(entry->d_name) < sizeof(name) && is_admin_of(admins, entry->d_name, mark.data))
            (void)snprintf(name, sizeof(name), "%s", entry->d_name);
    }
    if (dir)
        (void)closedir(dir); /* nothing was written */
    else
        close_fd(again);
    str_done(&mark);
    const bool ok = name[0] == '\0' || tree_folder_remove(admins, name, err);
    (void)close(admins); /* a folder opened for reading; nothing to flush */
    return ok;
}

/* Finds the commit of HEAD or of a branch. Uses the branch's full name, because a task may have
 * made a tag with the same name. */
static bool commit_of(const struct git *git, const char *name, char out[GIT_COMMIT_MAX],
                      struct err *err)
{
    struct str word = {0};
    str_addf(&word, "%s%s^{commit}", strcmp(name, "HEAD") == 0 ? "" : "refs/heads/", name);
    const bool ok = git_resolve(git, word.data, out);
    str_done(&word);
    if (ok)
        return true;
    if (strcmp(name, "HEAD") != 0)
        return err_set(err, ERR_NOT_FOUND, "the branch '%s' no longer exists", name);
    (void)err_set(err, ERR_INVALID, "the git repository '%s' has no commit yet", git->places->top);
    return err_hint(err, "run git commit first, or use \"workspace\": \"copy\"");
}

/* Checks whether the repository can have a worktree, and a branch for its result. */
static bool check_repository(const struct git *git, const char *commit, struct err *err)
{
    char id[GIT_COMMIT_MAX];
    const char *top = git->places->top;
    struct str modules = {0};
    str_addf(&modules, "%s:.gitmodules", commit);
    const bool has_modules = git_resolve(git, modules.data, id);
    str_done(&modules);
    if (has_modules) {
        (void)err_set(err, ERR_INVALID,
                      "the git repository '%s' has submodules: they would be empty in a worktree",
                      top);
        return err_hint(err, "use \"workspace\": \"copy\", which includes them");
    }
    /* A branch "devs" would prevent branches "devs/...". */
    if (commit_of(git, "devs", id, NULL)) {
        (void)err_set(err, ERR_INVALID,
                      "the git repository '%s' has a branch called 'devs', so no result can be "
                      "kept on a branch devs/RUN/TASK",
                      top);
        return err_hint(err, "run git branch -m devs NEW-NAME, or use \"workspace\": \"copy\"");
    }
    return true;
}

bool workspace_check_worktree(const char *folder, char *const *environment, struct err *err)
{
    char own[] = "/tmp/devs-check-XXXXXX";
    char repository[sizeof(own) + sizeof("/git")];
    char commit[GIT_COMMIT_MAX];
    struct git git = {0};
    if (!mkdtemp(own))
        return err_set_errno(err, errno, "cannot create '%s'", own);
    (void)snprintf(repository, sizeof(repository), "%s/git", own);
    const bool ok = git_open(&git, folder, repository, environment, err) &&
                    commit_of(&git, "HEAD", commit, err) && check_repository(&git, commit, err);
    git_done(&git);
    return tree_folder_remove(AT_FDCWD, own, ok ? err : NULL) && ok;
}

static bool write_line(int folder, const char *name, const char *prefix, const char *line,
                       struct err *err)
{
    struct str text = {0};
    str_addf(&text, "%s%s\n", prefix, line);
    const bool ok = whole_file_write_at(folder, name, &text, err);
    str_done(&text);
    return ok;
}

/* Creates git's folder for the worktree under an unused name, and stores its path in the
 * workspace. */
static bool make_admin_folder(struct workspace *workspace, char name[WORKSPACE_ADMIN_MAX],
                              struct err *err)
{
    const char *common = workspace->git.places->common;
    const int admins = open_admins(common, true);
    if (admins < 0)
        return err_set_errno(err, errno, "cannot open '%s/worktrees'", common);
    bool made = false;
    for (int i = 0; i < ADMIN_NAMES_MAX && !made; i++) {
        (void)snprintf(name, WORKSPACE_ADMIN_MAX, "%s%.20s-%.64s-%d", admin_prefix, workspace->run,
                       workspace->task, i);
        made = mkdirat(admins, name, 0700) == 0;
        if (!made && errno != EEXIST)
            break;
    }
    if (!made)
        (void)err_set_errno(err, errno, "cannot create '%s/worktrees/%s'", common, name);
    (void)close(admins);
    if (made) {
        struct str path = {0};
        str_addf(&path, "%s/worktrees/%s", common, name);
        free(workspace->admin);
        workspace->admin = path.data;
    }
    return made;
}

/* Writes the files that `git worktree add --detach` writes, in an order that never allows the
 * user's `git worktree prune` to remove anything. */
static bool register_worktree(struct workspace *workspace, const char *commit,
                              char name[WORKSPACE_ADMIN_MAX], struct err *err)
{
    int tree = -1;
    int admin = -1;
    struct str mark = {0};
    if (mkdir(workspace->tree, 0777) != 0)
        return err_set_errno(err, errno, "cannot create '%s'", workspace->tree);
    str_addf(&mark, "%s/.git", workspace->tree);
    const bool ok = make_admin_folder(workspace, name, err) &&
                    workspace_open_admin(workspace, false, &admin, err) &&
                    workspace_open_top(workspace, &tree, err) &&
                    write_line(tree, ".git", "gitdir: ", workspace->admin, err) &&
                    write_line(admin, "gitdir", "", mark.data, err) &&
                    write_line(admin, "commondir", "", "../..", err) &&
                    write_line(admin, "HEAD", "", commit, err);
    close_fd(admin);
    close_fd(tree);
    str_done(&mark);
    return ok;
}

/* Sets up the index and the HEAD of the worktree for the git commands of the task. */
static bool finish_worktree(const struct workspace *workspace, const char *index,
                            const char *commit, struct err *err)
{
    int admin = -1;
    bool cannot_clone = false;
    int64_t bytes = 0;
    if (!workspace_open_admin(workspace, false, &admin, err))
        return false;
    bool ok = write_line(admin, "HEAD", "", commit, err);
    if (ok && renameat(AT_FDCWD, index, admin, "index") != 0) {
        int number = errno;
        const int in = number == EXDEV ? tree_folder_open_file(AT_FDCWD, index) : -1;
        const int out = in >= 0 ? openat(admin, "index",
                                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)
                                : -1;
        number = in >= 0 && out < 0 ? errno : number;
        ok = out >= 0 ? content_copy(in, out, &cannot_clone, &bytes, err)
                      : err_set_errno(err, number, "cannot create '%s/index'", workspace->admin);
        close_fd(in);
        close_fd(out);
        (void)unlink(index); /* the copy has replaced it */
    }
    (void)close(admin);
    return ok;
}

/* Checks out a commit in the tree. `from` is the commit that the tree contains now; NULL =
 * empty. */
static bool check_out_commit(const struct workspace *workspace, const char *index, const char *from,
                             const char *commit, const atomic_bool *stop, struct err *err)
{
    const char *const first[] = {"read-tree", "--reset", "-u", commit, NULL};
    const char *const next[] = {"read-tree", "-m", "-u", from, commit, NULL};
    const struct git_call call = {.words = from ? next : first,
                                  .tree = workspace->tree,
                                  .index = index,
                                  .timeout_ms = checkout_timeout_ms,
                                  .stop = stop};
    return git_ask(&workspace->git, &call, NULL, err);
}

/* Sets the error for paths that do not merge. `answer` is "TREE NUL MODE ID STAGE TAB PATH NUL ...
 * NUL". */
static void name_conflicts(const struct workspace *workspace, const char *branch,
                           const struct str *answer, struct err *err)
{
    struct str text = {0};
    size_t count = 0;
    const char *last = "";
    const char *end = str_text(answer) + answer->len;
    for (const char *at = str_text(answer) + strlen(str_text(answer)) + 1; at < end && *at;
         at += strlen(at) + 1) {
        const char *path = strchr(at, '\t');
        if (!path || path - at > STAGE_PREFIX_MAX || strcmp(path + 1, last) == 0)
            continue;
        last = path + 1;
        if (count++ < CONFLICTS_NAMED)
            str_addf(&text, "%s'%.60s'", count > 1 ? ", " : "", last);
    }
    if (count > CONFLICTS_NAMED)
        str_addf(&text, " and %zu more", count - CONFLICTS_NAMED);
    (void)err_set(err, ERR_INVALID, "cannot merge the results of '%s' and '%s': %s",
                  workspace->needed[0], branch,
                  count > 0 ? str_text(&text) : "git gives no reason");
    (void)err_hint(err, "make one of the two tasks need the other");
    str_done(&text);
}

static bool commit_merge(const struct workspace *workspace, const char *tree, const char *theirs,
                         char commit[GIT_COMMIT_MAX], struct err *err)
{
    struct str message = {0};
    char made[GIT_COMMIT_MAX];
    str_addf(&message, "devs: merge the results that %s needs", workspace->task);
    const char *const words[] = {"commit-tree", tree, "-p",         commit, "-p",
                                 theirs,        "-m", message.data, NULL};
    const struct git_call call = {.words = words};
    const bool ok = git_ask_line(&workspace->git, &call, made, sizeof(made), err);
    if (ok)
        memcpy(commit, made, sizeof(made));
    str_done(&message);
    return ok;
}

/* Merges another result into the commit. If git cannot merge it, fails with START_CONFLICT; any
 * other failure is an ordinary error. git exits with code 1 and no tree if a name does not
 * exist. */
static bool merge_branch(const struct workspace *workspace, const char *branch,
                         const atomic_bool *stop, char commit[GIT_COMMIT_MAX], int *start_code,
                         struct err *err)
{
    char theirs[GIT_COMMIT_MAX];
    char counts[64];
    char *rest = NULL;
    struct tool_result result = {0};
    if (!commit_of(&workspace->git, branch, theirs, err))
        return false;

    /* One of the two commits may contain the other. */
    struct str range = {0};
    str_addf(&range, "%s...%s", commit, theirs);
    const char *const count_words[] = {"rev-list", "--left-right", "--count", range.data, NULL};
    const struct git_call count = {.words = count_words};
    bool ok = git_ask_line(&workspace->git, &count, counts, sizeof(counts), err);
    str_done(&range);
    if (!ok)
        return false;
    const long long only_ours = strtoll(counts, &rest, 10);
    const long long only_theirs = strtoll(rest, NULL, 10);
    if (only_theirs == 0)
        return true;
    if (only_ours == 0) {
        memcpy(commit, theirs, sizeof(theirs));
        return true;
    }

    const char *const words[] = {"merge-tree", "--write-tree", "-z", commit, theirs, NULL};
    const struct git_call call = {.words = words,
                                  .tree = workspace->tree, /* for its .gitattributes */
                                  .timeout_ms = checkout_timeout_ms,
                                  .stop = stop};
    ok = git_run(&workspace->git, &call, &result, err);
    if (ok && result.exit_code == 1 && result.out.len > 0 && !result.stopped && !result.timed_out) {
        *start_code = START_CONFLICT;
        name_conflicts(workspace, branch, &result.out, err);
        ok = false;
    }
    ok = ok && tool_succeeded(&result, "git merge-tree", err) &&
         commit_merge(workspace, str_text(&result.out), theirs, commit, err);
    tool_result_done(&result);
    return ok;
}

/* Creates the worktree, from HEAD or from the results that the task needs. The repository must be
 * locked. */
static bool check_out(struct workspace *workspace, const atomic_bool *stop,
                      struct workspace_note *note, int *start_code, struct err *err)
{
    char index[PATH_MAX];
    char commit[GIT_COMMIT_MAX];
    const struct git *git = &workspace->git;
    const char *first = workspace->needed[0] ? workspace->needed[0] : "HEAD";
    if (!workspace_path(workspace, "index", index, err) ||
        !workspace_forget_worktree(git->places->common, workspace->tree, err) ||
        !commit_of(git, first, commit, err) || !check_repository(git, commit, err) ||
        !register_worktree(workspace, commit, note->admin, err))
        return false;
    char lock[PATH_MAX];
    (void)unlink(index); /* may be left by a git process that was killed, as may its lock */
    if (workspace_path(workspace, "index.lock", lock, NULL))
        (void)unlink(lock);
    memcpy(note->base, commit, sizeof(commit));
    bool ok = check_out_commit(workspace, index, NULL, commit, stop, err);
    for (char **branch = workspace->needed; ok && *branch; branch++) {
        if (branch > workspace->needed)
            ok = merge_branch(workspace, *branch, stop, note->base, start_code, err);
    }
    if (ok && strcmp(note->base, commit) != 0)
        ok = git_bring_objects(git, err) &&
             check_out_commit(workspace, index, commit, note->base, stop, err);
    return ok && finish_worktree(workspace, index, note->base, err);
}

/* Fails if a result that the task needs is a folder. */
static bool check_needed(const struct workspace *workspace, struct err *err)
{
    for (char **name = workspace->needed; *name; name++) {
        if ((*name)[0] == '/')
            return err_set(err, ERR_INVALID,
                           "'%s' is the result of a copy, and a worktree "
                           "cannot start from it",
                           *name) ||
                   err_hint(err, "give both tasks the same kind of workspace");
    }
    return true;
}

bool workspace_make_worktree(struct workspace *workspace, const atomic_bool *stop,
                             struct workspace_note *note, int64_t *files_out, int *start_code,
                             struct err *err)
{
    int lock = -1;
    if (!check_needed(workspace, err) || !workspace_open_git(workspace, err) ||
        !git_lock(&workspace->git, stop, &lock, err))
        return false;
    bool ok = check_out(workspace, stop, note, start_code, err);
    git_unlock(lock);
    return ok && workspace_bring(workspace, stop, files_out, err);
}

/* Checks out only the files with attributes, which git reads from the tree when it merges. */
static bool check_out_attributes(const struct workspace *workspace, const char *index,
                                 const char *commit, const atomic_bool *stop, struct err *err)
{
    const char *const read_words[] = {"read-tree", commit, NULL};
    const char *const list_words[] = {"ls-files", "-z", "--", ":(glob)**/.gitattributes", NULL};
    const char *const write_words[] = {"checkout-index", "-q", "-f", "-z", "--stdin", NULL};
    struct str list = {0};
    struct git_call call = {.words = read_words,
                            .tree = workspace->tree,
                            .index = index,
                            .timeout_ms = checkout_timeout_ms,
                            .stop = stop};
    bool ok = git_ask(&workspace->git, &call, NULL, err);
    call.words = list_words;
    ok = ok && git_ask(&workspace->git, &call, &list, err);
    call.words = write_words;
    call.input = str_text(&list);
    call.input_len = list.len;
    ok = ok && git_ask(&workspace->git, &call, NULL, err);
    str_done(&list);
    return ok;
}

/* Merges the other results that the task needs into note->base. */
static bool merge_needed(struct workspace *workspace, const char *index, const atomic_bool *stop,
                         struct workspace_note *note, int *start_code, struct err *err)
{
    if (mkdir(workspace->tree, 0700) != 0)
        return err_set_errno(err, errno, "cannot create '%s'", workspace->tree);
    bool ok = check_out_attributes(workspace, index, note->base, stop, err);
    for (char **branch = workspace->needed + 1; ok && *branch; branch++)
        ok = merge_branch(workspace, *branch, stop, note->base, start_code, err);
    (void)unlink(index); /* not needed any more */
    return tree_folder_remove(AT_FDCWD, workspace->tree, ok ? err : NULL) && ok;
}

bool workspace_choose_base(struct workspace *workspace, const atomic_bool *stop,
                           struct workspace_note *note, int *start_code, struct err *err)
{
    char index[PATH_MAX];
    char shallow[PATH_MAX + 16];
    struct stat info;
    int lock = -1;
    const struct git *git = &workspace->git;
    const char *first = workspace->needed[0] ? workspace->needed[0] : "HEAD";
    if (!check_needed(workspace, err) || !workspace_path(workspace, "index", index, err) ||
        !workspace_open_git(workspace, err))
        return false;
    (void)snprintf(shallow, sizeof(shallow), "%s/shallow", git->places->common);
    if (stat(shallow, &info) == 0 && info.st_size > 0) {
        (void)err_set(err, ERR_INVALID,
                      "the git repository '%s' is shallow, so its commits cannot "
                      "be sent to another machine",
                      git->places->top);
        return err_hint(err, "run git fetch --unshallow");
    }
    if (!git_lock(git, stop, &lock, err))
        return false;
    bool ok = commit_of(git, first, note->base, err) && check_repository(git, note->base, err);
    if (ok && workspace->needed[0] && workspace->needed[1])
        ok = merge_needed(workspace, index, stop, note, start_code, err) &&
             git_bring_objects(git, err);
    git_unlock(lock);
    return ok;
}
