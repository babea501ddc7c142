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
#include "tree_restore.h"
#include "workspace_parts.h"
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
        (void)err_set_errno(err, errno, "cannot make '%s'", to);
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

/* A path of the user's tree being copied into the workspace. */
struct bringing {
    const char *path;   /* borrowed */
    int from_fd, to_fd; /* the root folders; borrowed */
    const atomic_bool *stop;
    int64_t files;
    struct err *err;
};

/* Copies a folder with all of its contents, replacing an existing one. */
static bool bring_folder(struct bringing *bringing, int from, int to)
{
    int64_t files = 0;
    const struct tree_look source = {.top_fd = from, .stop = bringing->stop};
    const struct tree_look target = {.top_fd = to, .stop = bringing->stop};
    const bool ok = tree_copy(&source, &target, &files, bringing->err);
    bringing->files += files;
    return ok;
}

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
        (void)err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
    ok = ok && content_copy(from, to, &cannot_clone, &bytes, bringing->err);
    if (ok && (fchmod(to, info->st_mode & 0777) != 0 || futimens(to, times) != 0))
        ok = err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
    (void)close(from); /* opened for reading only */
    if (to >= 0 && close(to) != 0 && ok)
        ok = err_set_errno(bringing->err, errno, "cannot write '%s'", bringing->path);
    bringing->files++;
    return ok;
}

static bool bring_link(const struct bringing *bringing, int from_fd, int to_fd, const char *name)
{
    char target[TREE_TARGET_MAX];
    const ssize_t len = readlinkat(from_fd, name, target, sizeof(target) - 1);
    if (len < 0)
        return err_set_errno(bringing->err, errno, "cannot read the link '%s'", bringing->path);
    target[len] = '\0';
    return symlinkat(target, to_fd, name) == 0 ||
           err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
}

/* Replaces git's version with the user's. */
static bool bring_one(struct bringing *bringing, int from_fd, int to_fd, const char *name)
{
    struct stat info;
    if (fstatat(from_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return err_set_errno(bringing->err, errno, "workspace.copy: '%s'", bringing->path);
    if (!tree_folder_remove(to_fd, name, bringing->err))
        return false;
    if (S_ISLNK(info.st_mode))
        return bring_link(bringing, from_fd, to_fd, name);
    if (S_ISREG(info.st_mode))
        return bring_file(bringing, from_fd, to_fd, name, &info);
    if (!S_ISDIR(info.st_mode))
        return err_set(bringing->err, ERR_INVALID,
                       "workspace.copy: '%s' is neither a file nor a folder nor a link",
                       bringing->path);
    if (mkdirat(to_fd, name, S_IRWXU) != 0)
        return err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
    const int from = tree_folder_open(from_fd, name);
    const int to = tree_folder_open(to_fd, name);
    bool ok = from >= 0 && to >= 0;
    if (!ok)
        (void)err_set_errno(bringing->err, errno, "cannot open '%s'", bringing->path);
    ok = ok && bring_folder(bringing, from, to);
    if (from >= 0)
        (void)close(from); /* folders opened for reading; nothing to flush */
    if (to >= 0)
        (void)close(to);
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

/* Merges several results for a task that needs all of them. */

/* A result being merged into the tree. */
struct merging {
    struct tree_look tree;   /* of the workspace; its folder is open */
    struct tree_look result; /* of the needed result; its folder is open */
    struct tree base, ours, theirs, want;
};

/* Reads the manifest of a copy from before anything ran in it, which is next to its result. */
static bool read_start(const char *result, struct tree *out, struct err *err)
{
    char path[PATH_MAX];
    const char *slash = strrchr(result, '/');
    const int len = slash ? (int)(slash - result) : 0;
    const int wrote = snprintf(path, sizeof(path), "%.*s/start", len, result);
    if (wrote < 0 || (size_t)wrote >= sizeof(path))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", result);
    return tree_read_file(path, out, err);
}

static bool look_at(const struct tree_look *look, struct tree *out, struct err *err)
{
    if (!tree_scan(look, out, err))
        return false;
    const bool ok = tree_hash(look, out, NULL, NULL, err);
    tree_shut(look->top_fd, out);
    return ok;
}

static bool merge_opened(struct merging *merging, const char *result, int64_t *files,
                         int *start_code, struct err *err)
{
    struct err why = {0};
    struct tree_work work;
    struct tree_folder folder;
    if (!read_start(result, &merging->base, err) || !look_at(&merging->tree, &merging->ours, err) ||
        !look_at(&merging->result, &merging->theirs, err))
        return false;
    if (!tree_merge(&merging->base, &merging->ours, &merging->theirs, &merging->want, &why)) {
        *start_code = START_CONFLICT;
        (void)err_set(err, ERR_INVALID, "the results of the needed tasks do not merge: %s",
                      why.message);
        return err_hint(err, "let one of the two tasks need the other");
    }
    tree_folder_init(&folder, merging->result.top_fd);
    const struct tree_source source = tree_source_of(&folder);
    const bool ok =
        tree_restore(&merging->tree, &merging->ours, &merging->want, &source, &work, err);
    tree_folder_done(&folder);
    *files = merging->want.files;
    return ok;
}

static bool merge_one(const struct workspace *workspace, const char *result,
                      const atomic_bool *stop, int64_t *files, int *start_code, struct err *err)
{
    struct merging merging = {.tree = {.top_fd = -1, .stop = stop},
                              .result = {.top_fd = -1, .stop = stop}};
    bool ok = workspace_open_top(workspace, &merging.tree.top_fd, err);
    if (ok) {
        merging.result.top_fd = tree_folder_open(AT_FDCWD, result);
        ok = merging.result.top_fd >= 0 || err_set_errno(err, errno, "cannot open '%s'", result);
    }
    ok = ok && merge_opened(&merging, result, files, start_code, err);
    if (merging.tree.top_fd >= 0)
        (void)close(merging.tree.top_fd); /* folders opened for reading; nothing to flush */
    if (merging.result.top_fd >= 0)
        (void)close(merging.result.top_fd);
    tree_done(&merging.base);
    tree_done(&merging.ours);
    tree_done(&merging.theirs);
    tree_done(&merging.want);
    return ok;
}

/* Merges several results, path by path. */
static bool workspace_merge_copies(struct workspace *workspace, const atomic_bool *stop,
                                   int64_t *files_out, int *start_code, struct err *err)
{
    char **result = workspace->needed;
    bool ok = workspace_copy_tree(*result++, workspace->tree, NULL, stop, files_out, err);
    for (; ok && *result; result++)
        ok = merge_one(workspace, *result, stop, files_out, start_code, err);
    return ok;
}

/* Returns the part of the user's tree that is never copied: the log's folder, or our files in
 * it. */
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

/* The caller frees the array and its second string. */
static const char **left_out(const struct workspace *workspace, char **log_out)
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

/* Makes the workspace a full copy of the user's tree, or of the needed result. */
static bool workspace_make_copy(struct workspace *workspace, const atomic_bool *stop,
                                int64_t *files_out, int *start_code, struct err *err)
{
    int64_t files = 0;
    bool ok;
    if (workspace->needed[0] && workspace->needed[1]) {
        ok = workspace_merge_copies(workspace, stop, &files, start_code, err);
    } else if (workspace->needed[0]) {
        ok = workspace_copy_tree(workspace->needed[0], workspace->tree, NULL, stop, &files, err);
    } else {
        char *log = NULL;
        const char **exclude = left_out(workspace, &log);
        ok = workspace_copy_tree(workspace->origin, workspace->tree, exclude, stop, &files, err);
        free(exclude);
        free(log);
    }
    *files_out = files;
    return ok;
}

static const char made_name[] = "made";

/* Creates the folder and its parents that are ours, private whatever the umask. */
static bool make_private(const char *path, struct err *err)
{
    if (mkdir(path, 0700) == 0) {
        (void)chmod(path, 0700); /* some file systems have no modes */
        return true;
    }
    return errno == EEXIST || err_set_errno(err, errno, "cannot make '%s'", path);
}

static bool make_folders(const struct workspace *workspace, struct err *err)
{
    char *above = xstrdup(workspace->base);
    char *slash = strrchr(above, '/');
    if (slash && slash != above)
        *slash = '\0';
    const bool ok = make_private(above, err) && make_private(workspace->base, err) &&
                    make_private(workspace->home, err);
    free(above);
    return ok;
}

/* Copies the end of the output of setup. */
static void keep_tail(const struct tool_result *result, char out[WORKSPACE_SETUP_TAIL])
{
    struct str all = {0};
    str_add_n(&all, str_text(&result->out), result->out.len);
    str_add_n(&all, str_text(&result->err), result->err.len);
    const size_t from = all.len >= WORKSPACE_SETUP_TAIL ? all.len - (WORKSPACE_SETUP_TAIL - 1) : 0;
    memcpy(out, str_text(&all) + from, all.len - from);
    out[all.len - from] = '\0';
    str_done(&all);
}

static bool setup_took_too_long(int64_t timeout_ms, struct err *err)
{
    struct str text = {0};
    shown_seconds(timeout_ms, &text);
    (void)err_set(err, ERR_LIMIT, "workspace.setup took longer than %s (setup_timeout_s)",
                  str_text(&text));
    str_done(&text);
    return false;
}

/* Runs setup like a step in that sandbox, with the same limits, masks, environment and start
 * codes. */
static bool run_in_sandbox(const struct workspace *workspace, const atomic_bool *stop,
                           struct tool_result *out, int *start_code, struct err *err)
{
    const struct sandbox_spec *spec = &workspace->setup_sandbox;
    struct sandbox_ran ran = {.start_code = START_SANDBOX_FAILED};
    struct str name = {0};
    struct str lacks = {0};
    struct str why = {0};
    char **environment = sandbox_environment(spec, NULL, workspace->environment);
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
    struct err told = {0};
    bool ok = sandbox_check(spec, &lacks, &why, &told) &&
              sandbox_run(&call, workspace->spec.setup_timeout_ms, stop, &ran, &told);
    *out = ran.tool;
    *start_code = ran.start_code;
    if (!ok)
        (void)err_set(err, told.code, "workspace.setup: %s", told.message);
    if (!ok && told.hint[0])
        (void)err_hint(err, "%s", told.hint);
    /* The program is missing in the image or the workspace; this is not the step's own command. */
    if (!ok && !start_code_is_known(*start_code) &&
        (*start_code == ENOENT || *start_code == EACCES))
        *start_code = START_WORKSPACE_FAILED;
    if (ok && ran.end.memory_killed == 1 && out->exit_code != 0)
        ok = err_set(err, ERR_LIMIT, "workspace.setup was killed for memory: %s", ran.end.evidence);
    str_done(&why);
    str_done(&lacks);
    str_done(&name);
    free(environment);
    return ok;
}

static bool run_outside(const struct workspace *workspace, const atomic_bool *stop,
                        struct tool_result *out, struct err *err)
{
    const struct tool_call call = {.argv = workspace->spec.setup,
                                   .environment = workspace->environment,
                                   .cwd = workspace->dir,
                                   .timeout_ms = workspace->spec.setup_timeout_ms,
                                   .stop = stop,
                                   .keeps_path = true};
    return tool_run(&call, out, NULL, err);
}

/* The tree may come from a sandboxed task, so its Makefile must not run outside the sandbox. */
static bool run_setup(const struct workspace *workspace, const atomic_bool *stop,
                      struct workspace_made *out, int *start_code, struct err *err)
{
    struct tool_result result = {0};
    const int64_t start_ms = clock_now().mono_ms;
    if (!workspace->spec.setup || !workspace->spec.setup[0])
        return true;
    bool ok = workspace->setup_sandbox.kind == SANDBOX_NONE
                  ? run_outside(workspace, stop, &result, err)
                  : run_in_sandbox(workspace, stop, &result, start_code, err);
    keep_tail(&result, out->setup_tail);
    if (ok) {
        result.out_cut = false; /* only the end of its output is needed */
        ok = result.timed_out ? setup_took_too_long(workspace->spec.setup_timeout_ms, err)
                              : tool_succeeded(&result, "workspace.setup", err);
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
 * other error, it may still contain the work of steps that passed, so it stays. */
static bool pick_up(struct workspace *workspace, struct workspace_note *note, struct err *err)
{
    char path[PATH_MAX];
    struct stat info;
    struct err why = {0};
    if (!workspace_path(workspace, made_name, path, err) || !workspace_note_read(path, note, err))
        return false;
    if (note->kind != workspace->spec.kind)
        return err_set(err, ERR_NOT_FOUND, "the workspace is of another kind");
    if (note->kind == WORKSPACE_WORKTREE) {
        struct str admin = {0};
        if (note->admin[0] == '\0')
            return err_set(err, ERR_NOT_FOUND, "there is no such worktree");
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
    return err_set(err, ERR_NOT_FOUND, "the workspace is gone");
}

/* Removes what an earlier attempt left incomplete. */
static bool clear_away(const struct workspace *workspace, struct err *err)
{
    static const char *const names[] = {"made", "tree", "snapshots", "start", "result"};
    char path[PATH_MAX];
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!workspace_path(workspace, names[i], path, err) ||
            !tree_folder_remove(AT_FDCWD, path, err))
            return false;
    }
    return true;
}

/* Records the user's tree for later commands that only know the workspace. */
static bool write_origin(const struct workspace *workspace, struct err *err)
{
    char path[PATH_MAX];
    if (!workspace_path(workspace, "origin", path, err))
        return false;
    (void)unlink(path); /* left by an earlier attempt */
    return symlink(workspace->origin, path) == 0 ||
           err_set_errno(err, errno, "cannot make '%s'", path);
}

static bool make_anew(struct workspace *workspace, const atomic_bool *stop,
                      struct workspace_made *out, int *start_code, struct err *err)
{
    char path[PATH_MAX];
    struct workspace_note note = {.kind = workspace->spec.kind};
    bool ok = clear_away(workspace, err) && write_origin(workspace, err);
    if (workspace->spec.kind == WORKSPACE_WORKTREE)
        ok = ok && workspace_make_worktree(workspace, stop, &note, &out->copied, start_code, err);
    else
        ok = ok && workspace_open_git(workspace, err) &&
             workspace_make_copy(workspace, stop, &out->copied, start_code, err);
    ok = ok && run_setup(workspace, stop, out, start_code, err);
    if (ok && workspace->spec.kind == WORKSPACE_COPY)
        ok = workspace_note_start(workspace, stop, err);
    workspace_branch_name(workspace, WORKSPACE_BY_NUMBER, note.branch);
    if (workspace->spec.kind != WORKSPACE_WORKTREE)
        note.branch[0] = '\0';
    ok = ok && workspace_path(workspace, made_name, path, err) &&
         workspace_note_write(path, &note, err);
    memcpy(out->base, note.base, sizeof(out->base));
    memcpy(out->branch, note.branch, sizeof(out->branch));
    return ok;
}

/* Removes an incomplete workspace, so that the next attempt starts clean. The next attempt also
 * finds what cannot be removed; report the error that led here instead. */
static void undo(struct workspace *workspace)
{
    char path[PATH_MAX];
    int lock = -1;
    const atomic_bool at_once = true; /* do not wait for another git, since we may have been
                                         stopped */
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
    bool ok = make_folders(workspace, why);
    if (ok && pick_up(workspace, &note, &none)) {
        out->was_there = true;
        memcpy(out->base, note.base, sizeof(out->base));
        memcpy(out->branch, note.branch, sizeof(out->branch));
    } else if (ok && none.code != ERR_NOT_FOUND) {
        ok = err_set(why, none.code, "%s", none.message) ||
             err_hint(why, "devs gc removes the workspace, if it is not wanted any more");
    } else if (ok) {
        ok = make_anew(workspace, stop, out, start_code, why);
        if (!ok)
            undo(workspace);
    }
    out->ms = clock_now().mono_ms - start_ms;
    if (!ok && *start_code == 0)
        *start_code = workspace_start_code(why, stop);
    return ok;
}
