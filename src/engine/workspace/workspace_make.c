/* workspace_make.c - a workspace made for a task: from nothing, or from what it needs. */
#include "workspace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "outcome.h"
#include "sandbox.h"
#include "shown.h"
#include "tree_folder.h"
#include "xalloc.h"

static const char made_name[] = "made";

/* The folder and those above it that are ours: private whatever the umask. */
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

/* The last bytes of what setup said. */
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

/* As a step would run in that sandbox: limits, masks, environment, and how a failed start counts.
 */
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
    /* The image, or the workspace, lacks the program: not the step's own command. */
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

/* The tree may be what a sandboxed task made, so its Makefile is not run outside the sandbox. */
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
        result.out_cut = false; /* its end is all that is wanted */
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

/* One that is there, and whole. ERR_NOT_FOUND: there is none. Any other error says nothing of
 * that, and what is there may hold the work of steps that passed: it stays. */
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
    /* Without a snapshot nothing can be put back: then the tree itself has to be there. */
    if (lstat(workspace->tree, &info) == 0 ||
        (workspace_path(workspace, "snapshots", path, NULL) && lstat(path, &info) == 0))
        return true;
    return err_set(err, ERR_NOT_FOUND, "the workspace is gone");
}

/* What an earlier one left half done. */
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

/* The user's tree, for those who come later and know the workspace only. */
static bool write_origin(const struct workspace *workspace, struct err *err)
{
    char path[PATH_MAX];
    if (!workspace_path(workspace, "origin", path, err))
        return false;
    (void)unlink(path); /* of an earlier one */
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

/* Nothing half made stays: the next one would be in doubt. What cannot be removed is found by the
 * next one, too; the error that led here is the one to tell. */
static void undo(struct workspace *workspace)
{
    char path[PATH_MAX];
    int lock = -1;
    const atomic_bool at_once = true; /* whoever asked us to stop waits for no other git */
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
    (void)ok; /* see above */
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
