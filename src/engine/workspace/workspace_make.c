/* workspace_make.c - creates the workspace of a task, from the user's tree or from the results that
 * the task needs. */
#define _GNU_SOURCE /* S_IFMT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "outcome.h"
#include "sandbox.h"
#include "shown.h"
#include "tree.h"
#include "tree_folder.h"
#include "workspace_internal.h"
#include "xalloc.h"

bool workspace_copy_tree(const char *from, const char *to, const char *const *exclude,
                         const atomic_bool *stop, int64_t *files_out, struct err *err)
{
    struct tree_look source = {.exclude = exclude, .stop = stop};
    struct tree_look target = {.stop = stop};
    source.top_fd = tree_folder_open(AT_FDCWD, from);
    if (source.top_fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", from);
    bool ok = mkdir(to, S_IRWXU) == 0;
    if (!ok)
        (void)err_set_errno(err, errno, "cannot create '%s'", to);
    target.top_fd = ok ? tree_folder_open(AT_FDCWD, to) : -1;
    if (ok && target.top_fd < 0)
        ok = err_set_errno(err, errno, "cannot open '%s'", to);
    ok = ok && tree_copy(&source, &target, files_out, err);
    (void)close(source.top_fd); /* folders opened for reading; nothing to flush */
    if (target.top_fd >= 0)
        (void)close(target.top_fd);
    return ok;
}

/* Copies paths of the user's tree into a workspace (workspace.copy). */

/* The state while a path of the user's tree is copied into the workspace. */
struct bringing {
    const char *path;   /* borrowed; for messages */
    int from_fd, to_fd; /* the root folders; borrowed */
    const atomic_bool *stop;
    int64_t files;
    struct err *err;
};

/* Copies a file: content, mode and time. */
static bool bring_file(struct bringing *bringing, int from_fd, int to_fd, const char *name,
                       const struct stat *info)
{
    bool cannot_clone = false;
    int64_t bytes = 0;
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, info->st_mtim};
    const int from = tree_folder_open_file(from_fd, name);
    if (from < 0)
        return err_set_errno(bringing->err, errno, "cannot read '%s'", bringing->path);
    const int to = openat(to_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = to >= 0;
    if (!ok)
        (void)err_set_errno(bringing->err, errno, "cannot create '%s'", bringing->path);
    ok = ok && content_copy(from, to, &cannot_clone, &bytes, bringing->err);
    if (ok && (fchmod(to, info->st_mode & 0777) != 0 || futimens(to, times) != 0))
        ok = err_set_errno(bringing->err, errno, "cannot create '%s'", bringing->path);
    (void)close(from); /* opened for reading only */
    if (to >= 0 && close(to) != 0 && ok)
        ok = err_set_errno(bringing->err, errno, "cannot write '%s'", bringing->path);
    bringing->files++;
    return ok;
}

/* Copies one name, replacing git's version with the user's. Copies a folder with all of its
 * contents. */
static bool bring_one(struct bringing *bringing, int from_fd, int to_fd, const char *name)
{
    struct stat info;
    if (fstatat(from_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return err_set_errno(bringing->err, errno, "workspace.copy: '%s'", bringing->path);
    if (!tree_folder_remove(to_fd, name, bringing->err))
        return false;
    if (S_ISREG(info.st_mode))
        return bring_file(bringing, from_fd, to_fd, name, &info);
    if (S_ISLNK(info.st_mode)) {
        char link[TREE_TARGET_MAX];
        const ssize_t len = readlinkat(from_fd, name, link, sizeof(link) - 1);
        if (len < 0)
            return err_set_errno(bringing->err, errno, "cannot read the link '%s'", bringing->path);
        link[len] = '\0';
        return symlinkat(link, to_fd, name) == 0 ||
               err_set_errno(bringing->err, errno, "cannot create '%s'", bringing->path);
    }
    if (!S_ISDIR(info.st_mode))
        return err_set(bringing->err, ERR_INVALID,
                       "workspace.copy: '%s' is not a file, folder or link", bringing->path);
    if (mkdirat(to_fd, name, S_IRWXU) != 0)
        return err_set_errno(bringing->err, errno, "cannot create '%s'", bringing->path);

    int64_t files = 0;
    const struct tree_look source = {.top_fd = tree_folder_open(from_fd, name),
                                     .stop = bringing->stop};
    const struct tree_look target = {.top_fd = tree_folder_open(to_fd, name),
                                     .stop = bringing->stop};
    bool ok = source.top_fd >= 0 && target.top_fd >= 0;
    if (!ok)
        (void)err_set_errno(bringing->err, errno, "cannot open '%s'", bringing->path);
    ok = ok && tree_copy(&source, &target, &files, bringing->err);
    bringing->files += files;
    if (source.top_fd >= 0)
        (void)close(source.top_fd); /* folders opened for reading; nothing to flush */
    if (target.top_fd >= 0)
        (void)close(target.top_fd);
    return ok;
}

static bool bring_path(struct bringing *bringing)
{
    struct tree_folder from;
    struct tree_folder to;
    int from_fd;
    int to_fd;
    const char *name;
    tree_folder_init(&from, bringing->from_fd);
    tree_folder_init(&to, bringing->to_fd);
    const bool ok = tree_folder_make_parents(bringing->to_fd, bringing->path, bringing->err) &&
                    tree_folder_reach(&from, bringing->path, &from_fd, &name, bringing->err) &&
                    tree_folder_reach(&to, bringing->path, &to_fd, &name, bringing->err) &&
                    bring_one(bringing, from_fd, to_fd, name);
    tree_folder_done(&from);
    tree_folder_done(&to);
    return ok;
}

bool workspace_bring(const struct workspace *workspace, const atomic_bool *stop, int64_t *files_out,
                     struct err *err)
{
    char **paths = workspace->spec.copy;
    struct bringing bringing = {.from_fd = -1, .to_fd = -1, .stop = stop, .err = err};
    if (!paths || !paths[0])
        return true;
    bringing.from_fd = tree_folder_open(AT_FDCWD, workspace->origin);
    bool ok = bringing.from_fd >= 0;
    if (!ok)
        (void)err_set_errno(err, errno, "cannot open '%s'", workspace->origin);
    ok = ok && workspace_open_top(workspace, &bringing.to_fd, err);
    for (; ok && *paths; paths++) {
        char *path = xstrdup(*paths);
        size_t len = strlen(path);
        while (len > 0 && path[len - 1] == '/')
            path[--len] = '\0';
        bringing.path = path;
        const bool is_sound = len > 0 && len <= WORKSPACE_PATH_MAX && tree_path_is_sound(path);
        ok = is_sound ? bring_path(&bringing)
                      : err_set(err, ERR_INVALID, "workspace.copy: '%s' is not a path within '%s'",
                                *paths, workspace->origin);
        free(path);
    }
    if (bringing.from_fd >= 0)
        (void)close(bringing.from_fd); /* folders opened for reading; nothing to flush */
    if (bringing.to_fd >= 0)
        (void)close(bringing.to_fd);
    *files_out += bringing.files;
    return ok;
}

/* Merges the folder `result` into the workspace, path by path. The base of the merge is the
 * manifest "start" next to `result`: the state of that copy before anything ran in it. */
static bool merge_result(const struct workspace *workspace, const char *result,
                         const atomic_bool *stop, int64_t *files, int *start_code, struct err *err)
{
    char start[PATH_MAX];
    struct tree base = {0};
    struct tree ours = {0};
    struct tree theirs = {0};
    struct tree want = {0};
    struct err why = {0};
    struct tree_look into = {.top_fd = -1, .stop = stop};
    struct tree_look from = {.top_fd = -1, .stop = stop};
    bool ok = workspace_open_top(workspace, &into.top_fd, err);
    if (ok) {
        from.top_fd = tree_folder_open(AT_FDCWD, result);
        ok = from.top_fd >= 0 || err_set_errno(err, errno, "cannot open '%s'", result);
    }
    if (ok) {
        const char *slash = strrchr(result, '/');
        const int len = slash ? (int)(slash - result) : 0;
        const int wrote = snprintf(start, sizeof(start), "%.*s/start", len, result);
        if (wrote < 0 || (size_t)wrote >= sizeof(start))
            ok = err_set(err, ERR_LIMIT, "path '%.100s...' is too long", result);
    }
    ok = ok && tree_read_file(start, &base, err) && workspace_read_tree(&into, NULL, &ours, err) &&
         workspace_read_tree(&from, NULL, &theirs, err);
    if (ok && !tree_merge(&base, &ours, &theirs, &want, &why)) {
        *start_code = START_CONFLICT;
        (void)err_set(err, ERR_INVALID, "cannot merge the results of the needed tasks: %s",
                      why.message);
        ok = err_hint(err, "make one of the two tasks need the other");
    }
    if (ok) {
        struct tree_work work;
        struct tree_folder folder;
        tree_folder_init(&folder, from.top_fd);
        const struct tree_source source = tree_source_of(&folder);
        ok = tree_restore(&into, &ours, &want, &source, &work, err);
        tree_folder_done(&folder);
        *files = want.files;
    }
    if (into.top_fd >= 0)
        (void)close(into.top_fd); /* folders opened for reading; nothing to flush */
    if (from.top_fd >= 0)
        (void)close(from.top_fd);
    tree_done(&base);
    tree_done(&ours);
    tree_done(&theirs);
    tree_done(&want);
    return ok;
}

/* Returns the path in the user's tree that must not be copied: the log's folder or, if that is the
 * tree itself, our folder in it. NULL if there is none. The caller frees the string. */
static char *log_folder(const struct workspace *workspace)
{
    /* base is FOLDER/work/UID */
    char *folder = xstrdup(workspace->base);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(folder, '/');
        if (slash && slash != folder)
            *slash = '\0';
    }
    const size_t len = strlen(workspace->origin);
    char *found = NULL;
    if (strcmp(folder, workspace->origin) == 0)
        found = xstrdup("work");
    else if (strncmp(folder, workspace->origin, len) == 0 && folder[len] == '/')
        found = xstrdup(folder + len + 1);
    free(folder);
    return found;
}

/* Lists the paths that are not copied. The caller frees the array and *log_out. */
static const char **list_left_out(const struct workspace *workspace, char **log_out)
{
    size_t count = 0;
    char **exclude = workspace->spec.exclude;
    while (exclude && exclude[count])
        count++;
    const char **all = xcalloc(count + 3, sizeof(*all));
    for (size_t i = 0; i < count; i++)
        all[i] = exclude[i];
    *log_out = log_folder(workspace);
    all[count++] = ".devs";
    if (*log_out)
        all[count++] = *log_out;
    return all;
}

/* Makes the workspace a full copy of the user's tree, or of the merged results of the needed
 * tasks. */
static bool make_copy(struct workspace *workspace, const atomic_bool *stop, int64_t *files_out,
                      int *start_code, struct err *err)
{
    int64_t files = 0;
    bool ok;
    if (workspace->needed[0]) {
        char **result = workspace->needed;
        ok = workspace_copy_tree(*result++, workspace->tree, NULL, stop, &files, err);
        for (; ok && *result; result++)
            ok = merge_result(workspace, *result, stop, &files, start_code, err);
    } else {
        char *log = NULL;
        const char **exclude = list_left_out(workspace, &log);
        ok = workspace_copy_tree(workspace->origin, workspace->tree, exclude, stop, &files, err);
        free(exclude);
        free(log);
    }
    *files_out = files;
    return ok;
}

static const char made_name[] = "made";

/* Creates a folder of devs with mode 0700, whatever the umask. */
static bool make_private(const char *path, struct err *err)
{
    if (mkdir(path, 0700) == 0) {
        (void)chmod(path, 0700); /* some file systems have no modes */
        return true;
    }
    return errno == EEXIST || err_set_errno(err, errno, "cannot create '%s'", path);
}

/* Returns the environment of setup. The caller frees the array; its strings are borrowed. */
static char **setup_environment(const struct workspace *workspace)
{
    const size_t more = text_list_count(workspace->variables);
    char **all = xcalloc(more + text_list_count(workspace->environment) + 1, sizeof(*all));
    size_t count = 0;
    while (count < more) {
        all[count] = workspace->variables[count];
        count++;
    }
    for (char *const *entry = workspace->environment; *entry; entry++) {
        if (!text_list_names(all, more, *entry))
            all[count++] = *entry;
    }
    return all;
}

/* Runs setup in the sandbox like a step, with the same limits, masks, environment and start
 * codes. */
static bool run_setup_in_sandbox(const struct workspace *workspace, const atomic_bool *stop,
                                 struct tool_result *out, int *start_code, struct err *err)
{
    const struct sandbox_spec *spec = &workspace->setup_sandbox;
    struct sandbox_ran ran = {.start_code = START_SANDBOX_FAILED};
    struct str name = {0};
    struct str lacks = {0};
    struct str why = {0};
    char **all = setup_environment(workspace);
    char **environment = sandbox_environment(spec, NULL, all);
    str_addf(&name, "devs-%s-%s-setup", workspace->uid, workspace->task);
    const struct sandbox_call call = {.spec = spec,
                                      .uid = workspace->uid,
                                      .name = str_text(&name),
                                      .cwd = workspace->dir,
                                      .workspace = workspace->tree,
                                      .run_dir = workspace->run_dir,
                                      .plan_path = workspace->plan_path,
                                      .log_dir = workspace->log_dir,
                                      .log_db = workspace->log_db,
                                      .processes = workspace->processes,
                                      .argv = workspace->spec.setup,
                                      .environment = environment,
                                      .our_environment = workspace->environment};
    struct err cause = {0};
    bool ok = sandbox_check(spec, &lacks, &why, &cause) &&
              sandbox_run(&call, workspace->spec.setup_timeout_ms, stop, &ran, &cause);
    *out = ran.tool;
    *start_code = ran.start_code;
    if (!ok)
        (void)err_set(err, cause.code, "workspace.setup: %s", cause.message);
    if (!ok && cause.hint[0])
        (void)err_hint(err, "%s", cause.hint);
    /* The program of setup is missing in the image or the workspace. Use a different code, because
     * ENOENT and EACCES are about the step's own command. */
    if (!ok && !start_code_is_known(*start_code) &&
        (*start_code == ENOENT || *start_code == EACCES))
        *start_code = START_WORKSPACE_FAILED;
    if (ok && ran.end.memory_killed == 1 && out->exit_code != 0)
        ok = err_set(err, ERR_LIMIT, "workspace.setup ran out of memory: %s", ran.end.evidence);
    str_done(&why);
    str_done(&lacks);
    str_done(&name);
    free(environment);
    free(all);
    return ok;
}

/* Runs setup, in the sandbox if there is one: the tree may come from a sandboxed task, and its
 * Makefile must not run outside. */
static bool run_setup(const struct workspace *workspace, const atomic_bool *stop,
                      struct workspace_made *out, int *start_code, struct err *err)
{
    struct tool_result result = {0};
    struct str text = {0};
    const int64_t start_ms = clock_now().mono_ms;
    if (!workspace->spec.setup || !workspace->spec.setup[0])
        return true;
    bool ok;
    if (workspace->setup_sandbox.kind == SANDBOX_NONE) {
        char **environment = setup_environment(workspace);
        const struct tool_call call = {.argv = workspace->spec.setup,
                                       .environment = environment,
                                       .cwd = workspace->dir,
                                       .timeout_ms = workspace->spec.setup_timeout_ms,
                                       .stop = stop,
                                       .keeps_path = true};
        ok = tool_run(&call, &result, NULL, err);
        free(environment);
    } else {
        ok = run_setup_in_sandbox(workspace, stop, &result, start_code, err);
    }

    /* Keep only the end of its output. */
    str_add_n(&text, str_text(&result.out), result.out.len);
    str_add_n(&text, str_text(&result.err), result.err.len);
    const size_t from =
        text.len >= WORKSPACE_SETUP_TAIL ? text.len - (WORKSPACE_SETUP_TAIL - 1) : 0;
    memcpy(out->setup_tail, str_text(&text) + from, text.len - from);
    out->setup_tail[text.len - from] = '\0';
    str_done(&text);
    result.out_cut = false;

    if (ok && result.timed_out) {
        shown_seconds(workspace->spec.setup_timeout_ms, &text);
        ok = err_set(err, ERR_LIMIT, "workspace.setup timed out after %s (setup_timeout_s)",
                     str_text(&text));
        str_done(&text);
    } else if (ok) {
        ok = tool_succeeded(&result, "workspace.setup", err);
    }
    tool_result_done(&result);
    out->setup_ms = clock_now().mono_ms - start_ms;
    return ok;
}

bool workspace_is_made(const struct workspace *workspace)
{
    char path[PATH_MAX];
    struct stat info;
    return workspace_path(workspace, made_name, path, NULL) && lstat(path, &info) == 0;
}

/* Picks up a complete existing workspace. Fails with ERR_NOT_FOUND if there is none. After any
 * other error, the workspace is kept, because it may contain the work of steps that passed. */
static bool pick_up(struct workspace *workspace, struct workspace_note *note, struct err *err)
{
    char path[PATH_MAX];
    struct stat info;
    struct err why = {0};
    if (!workspace_path(workspace, made_name, path, err) || !workspace_note_read(path, note, err))
        return false;
    if (note->kind != workspace->spec.kind)
        return err_set(err, ERR_NOT_FOUND, "the workspace has a different kind");
    if (workspace->ship.executor) {
        if (!ship_take_note(workspace, note, err) || !workspace_open_git(workspace, err))
            return false;
        return !workspace_is_elsewhere(workspace) ||
               err_set(err, ERR_NOT_FOUND, "the workspace is on another host");
    }
    if (note->kind == WORKSPACE_WORKTREE) {
        struct str admin = {0};
        if (note->admin[0] == '\0')
            return err_set(err, ERR_NOT_FOUND, "no such worktree");
        if (!workspace_open_git(workspace, &why))
            return err_set(err, ERR_IO, "%s", why.message);
        str_addf(&admin, "%s/worktrees/%s", workspace->git.places->common, note->admin);
        free(workspace->admin);
        workspace->admin = admin.data;
    } else if (!workspace_open_git(workspace, err)) {
        return false;
    }
    /* Without a snapshot to restore, the tree itself must exist. */
    if (lstat(workspace->tree, &info) == 0 ||
        (workspace_path(workspace, "snapshots", path, NULL) && lstat(path, &info) == 0))
        return true;
    return err_set(err, ERR_NOT_FOUND, "the workspace no longer exists");
}

/* Writes home/start: the state of the copy before anything ran in it. */
static bool write_start(struct workspace *workspace, const atomic_bool *stop, struct err *err)
{
    char path[PATH_MAX];
    struct tree tree = {0};
    struct tree_look look = {.exclude = (const char *const *)workspace->spec.exclude, .stop = stop};
    if (!workspace_path(workspace, "start", path, err) ||
        !workspace_open_top(workspace, &look.top_fd, err))
        return false;
    const bool ok =
        workspace_read_tree(&look, NULL, &tree, err) && tree_write_file(&tree, path, err);
    (void)close(look.top_fd); /* a folder opened for reading; nothing to flush */
    workspace_now_known(workspace, WORKSPACE_TREE, &tree);
    return ok;
}

static bool make_anew(struct workspace *workspace, const atomic_bool *stop,
                      struct workspace_made *out, int *start_code, struct err *err)
{
    static const char *const left[] = {"made", "tree", "snapshots", "start", "result"};
    char path[PATH_MAX];
    struct workspace_note note = {.kind = workspace->spec.kind};
    bool ok = true;
    /* Removes the files of an incomplete earlier attempt. */
    for (size_t i = 0; i < ARRAY_LEN(left) && ok; i++)
        ok = workspace_path(workspace, left[i], path, err) &&
             tree_folder_remove(AT_FDCWD, path, err);
    /* Remember the user's tree, for later commands that only know the workspace. */
    ok = ok && workspace_path(workspace, "origin", path, err);
    if (ok) {
        (void)unlink(path); /* left by an earlier attempt */
        ok = symlink(workspace->origin, path) == 0 ||
             err_set_errno(err, errno, "cannot create '%s'", path);
    }
    if (workspace->ship.executor)
        ok = ok && ship_make(workspace, stop, &note, start_code, err);
    else if (workspace->spec.kind == WORKSPACE_WORKTREE)
        ok = ok && workspace_make_worktree(workspace, stop, &note, &out->copied, start_code, err);
    else
        ok = ok && workspace_open_git(workspace, err) &&
             make_copy(workspace, stop, &out->copied, start_code, err);
    ok = ok && run_setup(workspace, stop, out, start_code, err);
    if (ok && workspace->spec.kind == WORKSPACE_COPY)
        ok = write_start(workspace, stop, err);
    workspace_branch_name(workspace, WORKSPACE_BY_NUMBER, note.branch);
    if (workspace->spec.kind != WORKSPACE_WORKTREE)
        note.branch[0] = '\0';
    ok = ok && workspace_path(workspace, made_name, path, err) &&
         workspace_note_write(path, &note, err);
    memcpy(out->base, note.base, sizeof(out->base));
    memcpy(out->branch, note.branch, sizeof(out->branch));
    return ok;
}

/* Removes an incomplete workspace, so that the next attempt starts clean. Keeps the original error
 * and ignores errors of the removal, because the next attempt would report them. */
static void undo_make(struct workspace *workspace)
{
    char path[PATH_MAX];
    int lock = -1;
    const atomic_bool at_once =
        true; /* do not wait for other git processes, because we may have been stopped */
    bool ok = tree_folder_remove(AT_FDCWD, workspace->tree, NULL);
    if (workspace->git.places && git_lock(&workspace->git, &at_once, &lock, NULL))
        ok = workspace_forget_worktree(workspace->git.places->common, workspace->tree, NULL) && ok;
    git_unlock(lock);
    git_done(&workspace->git);
    workspace->looked_for_git = false;
    if (workspace_path(workspace, "index", path, NULL))
        ok = tree_folder_remove(AT_FDCWD, path, NULL) && ok;
    if (workspace_path(workspace, "git", path, NULL))
        ok = tree_folder_remove(AT_FDCWD, path, NULL) && ok;
    (void)ok; /* ignored, see above */
}

bool workspace_make(struct workspace *workspace, const atomic_bool *stop,
                    struct workspace_made *out, int *start_code, struct err *err)
{
    struct err own = {0};
    struct err none = {0};
    struct err *why = err ? err : &own;
    struct workspace_note note = {0};
    const int64_t start_ms = clock_now().mono_ms;
    *out = (struct workspace_made){0};
    *start_code = 0;
    char *above = xstrdup(workspace->base);
    char *slash = strrchr(above, '/');
    if (slash && slash != above)
        *slash = '\0';
    bool ok = make_private(above, why) && make_private(workspace->base, why) &&
              make_private(workspace->home, why);
    free(above);
    if (ok && pick_up(workspace, &note, &none)) {
        out->was_there = true;
        memcpy(out->base, note.base, sizeof(out->base));
        memcpy(out->branch, note.branch, sizeof(out->branch));
    } else if (ok && none.code != ERR_NOT_FOUND) {
        ok = err_set(why, none.code, "%s", none.message) ||
             err_hint(why, "run devs gc to remove the workspace if it is no longer needed");
    } else if (ok) {
        ok = make_anew(workspace, stop, out, start_code, why);
        if (!ok)
            undo_make(workspace);
    }
    workspace->variables = NULL;
    out->ms = clock_now().mono_ms - start_ms;
    if (!ok && *start_code == 0)
        *start_code = workspace_start_code(why, stop);
    return ok;
}
