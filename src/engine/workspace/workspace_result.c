#define _GNU_SOURCE /* mkdtemp */

#include "workspace_result.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result_parts.h"
#include "tree_diff.h"
#include "tree_folder.h"
#include "xalloc.h"

void workspace_changes_done(struct workspace_changes *changes)
{
    if (!changes)
        return;
    for (size_t i = 0; i < changes->count; i++)
        free(changes->items[i].path);
    free(changes->items);
    str_done(&changes->text);
    str_done(&changes->branch);
    str_done(&changes->path);
    str_done(&changes->origin);
    str_done(&changes->why);
    *changes = (struct workspace_changes){0};
}

static bool none_here(const struct workspace_result_call *call, struct err *err)
{
    (void)err_set(err, ERR_NOT_FOUND, "task '%s' of run #%s has no workspace here", call->task,
                  call->run);
    return err_hint(err, "it worked in place, did not start, or devs gc removed what it left");
}

static bool read_origin(const char *home, char out[PATH_MAX])
{
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s/origin", home);
    const ssize_t len = readlink(path, out, PATH_MAX - 1);
    out[len > 0 ? len : 0] = '\0';
    return out[0] == '/';
}

/* The workspace that the notes speak of. */
static bool open_workspace(struct workspace_result *result,
                           const struct workspace_result_call *call, struct err *err)
{
    char origin[PATH_MAX];
    struct str base = {0};
    str_addf(&base, "%s/work/%s", call->log_dir, call->uid);
    struct str home = {0};
    str_addf(&home, "%s/%s", base.data, call->task);
    struct workspace_spec spec = workspace_spec_new();
    spec.kind = result->note.kind;
    const bool found = read_origin(home.data, origin);
    const struct workspace_place place = {.run_dir = origin,
                                          .base = base.data,
                                          .run = call->run,
                                          .uid = call->uid,
                                          .environment = call->environment};
    bool ok = found ? workspace_open(&result->workspace, &place, &spec, call->task, NULL, err)
                    : none_here(call, err);
    workspace_spec_done(&spec);
    str_done(&base);
    str_done(&home);
    return ok && workspace_open_git(result->workspace, err);
}

static bool read_note(const struct workspace_result_call *call, const char *name,
                      struct workspace_note *out)
{
    struct str path = {0};
    str_addf(&path, "%s/work/%s/%s/%s", call->log_dir, call->uid, call->task, name);
    const bool ok = workspace_note_read(path.data, out, NULL);
    str_done(&path);
    return ok;
}

bool workspace_result_open(struct workspace_result **out, const struct workspace_result_call *call,
                           struct err *err)
{
    struct workspace_result *result = xcalloc(1, sizeof(*result));
    result_needed_take(result, call->needed);
    result->is_kept = read_note(call, "kept", &result->note);
    bool ok = (result->is_kept || read_note(call, "made", &result->note)) || none_here(call, err);
    ok = ok && open_workspace(result, call, err);
    if (ok && result->note.admin[0] && result->workspace->git.places) {
        struct str admin = {0};
        str_addf(&admin, "%s/worktrees/%s", result->workspace->git.places->common,
                 result->note.admin);
        result->workspace->admin = admin.data;
    }
    if (ok)
        *out = result;
    else
        workspace_result_close(result);
    return ok;
}

void workspace_result_close(struct workspace_result *result)
{
    if (!result)
        return;
    char own[PATH_MAX];
    /* Where the task is over, git's private repository was made for this look only. */
    const bool is_for_us = result->workspace && !workspace_is_made(result->workspace) &&
                           workspace_path(result->workspace, "git", own, NULL);
    const bool removed = !is_for_us || tree_folder_remove(AT_FDCWD, own, NULL);
    (void)removed; /* the next look finds it and uses it again */
    workspace_close(result->workspace);
    result_needed_done(result);
    free(result);
}

static void add_change(struct workspace_changes *out, size_t *cap, char kind, const char *path)
{
    out->items = xgrow(out->items, cap, out->count + 1, sizeof(*out->items));
    out->items[out->count++] =
        (struct workspace_change){.kind = kind, .path = xstrdup(path), .added = -1, .removed = -1};
}

/* "M\0path\0A\0path\0" */
static bool take_names(const struct str *names, struct workspace_changes *out, struct err *err)
{
    size_t cap = 0;
    for (size_t at = 0; at < names->len;) {
        const char *kind = names->data + at;
        const char *path = kind + strlen(kind) + 1;
        if (path >= names->data + names->len || out->count >= RESULT_PATHS_MAX)
            return err_set(err, ERR_LIMIT, "git names more than %d paths", RESULT_PATHS_MAX);
        add_change(out, &cap, kind[0], path);
        at = (size_t)(path - names->data) + strlen(path) + 1;
    }
    return true;
}

/* "12\t3\tpath\0", in the same order; "-" for what is no text. */
static void take_counts(const struct str *counts, struct workspace_changes *out)
{
    size_t i = 0;
    for (size_t at = 0; at < counts->len && i < out->count; i++) {
        const char *item = counts->data + at;
        char *end = NULL;
        at += strlen(item) + 1;
        if (item[0] == '-')
            continue;
        out->items[i].added = strtoll(item, &end, 10);
        out->items[i].removed = *end == '\t' ? strtoll(end + 1, NULL, 10) : 0;
    }
}

/* One form of the difference between two trees of git. */
static bool ask_diff(const struct workspace_result *result, const struct result_trees *trees,
                     const char *form, struct str *out, struct err *err)
{
    const bool is_text = strcmp(form, "--patch") == 0;
    const char *const words[] = {"diff",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--no-color",
                                 "--no-renames",
                                 "--binary",
                                 "--full-index",
                                 form,
                                 is_text ? "--src-prefix=a/" : "-z",
                                 "--dst-prefix=b/",
                                 trees->from,
                                 trees->to,
                                 NULL};
    const struct git_call call = {
        .words = words, .objects = trees->objects, .out_max = RESULT_DIFF_BYTES};
    return git_ask(&result->workspace->git, &call, out, err);
}

static bool compare_trees(const struct workspace_result *result, const struct result_trees *trees,
                          struct workspace_changes *out, struct err *err)
{
    struct str names = {0};
    struct str counts = {0};
    const bool ok = ask_diff(result, trees, "--name-status", &names, err) &&
                    ask_diff(result, trees, "--numstat", &counts, err) &&
                    take_names(&names, out, err) &&
                    ask_diff(result, trees, "--patch", &out->text, err);
    if (ok)
        take_counts(&counts, out);
    str_done(&names);
    str_done(&counts);
    return ok;
}

/* What the branch holds now: who committed to it meant that. */
static bool find_commit(const struct workspace_result *result, char out[WORKSPACE_COMMIT_MAX],
                        struct err *err)
{
    struct str ref = {0};
    str_addf(&ref, "refs/heads/%s^{commit}", result->note.branch);
    const char *const words[] = {"rev-parse", "--verify", "--quiet", ref.data, NULL};
    const struct git_call call = {.words = words};
    const bool ok = git_ask_line(&result->workspace->git, &call, out, WORKSPACE_COMMIT_MAX, NULL);
    str_done(&ref);
    return ok || err_set(err, ERR_NOT_FOUND, "the branch '%s' is gone", result->note.branch);
}

/* Of a task that has no result: what its worktree holds, without a trace in the repository. */
static bool compare_present(const struct workspace_result *result, struct workspace_changes *out,
                            struct err *err)
{
    char folder[PATH_MAX + 16];
    char index[PATH_MAX + 32];
    struct workspace_content content = {0};
    const struct workspace_target target = {.index = index, .objects = folder};
    (void)snprintf(folder, sizeof(folder), "%s/diff-XXXXXX", result->workspace->home);
    if (!mkdtemp(folder))
        return err_set_errno(err, errno, "cannot make '%s'", folder);
    (void)snprintf(index, sizeof(index), "%s/index", folder);
    bool ok =
        workspace_read_content(result->workspace, result->note.base, &target, NULL, &content, err);
    const struct result_trees trees = {
        .from = result->note.base, .to = content.tree, .objects = folder};
    ok = ok && compare_trees(result, &trees, out, err);
    if (content.left_out.len > 0)
        str_add(&out->why, "repositories within are left out");
    str_done(&content.left_out);
    return tree_folder_remove(AT_FDCWD, folder, err) && ok;
}

static bool compare_worktree(const struct workspace_result *result, struct workspace_changes *out,
                             struct err *err)
{
    (void)snprintf(out->base, sizeof(out->base), "%s", result->note.base);
    if (!result->is_kept)
        return compare_present(result, out, err);
    if (!find_commit(result, out->commit, err))
        return false;
    str_add(&out->branch, result->note.branch);
    const struct result_trees trees = {.from = out->base, .to = out->commit};
    return compare_trees(result, &trees, out, err);
}

bool workspace_result_changes(struct workspace_result *result, struct workspace_changes *out,
                              struct err *err)
{
    struct workspace_changes changes = {.is_result = result->is_kept};
    str_add(&changes.origin, result->workspace->origin);
    const bool ok = result->note.kind == WORKSPACE_COPY ? result_copy_compare(result, &changes, err)
                                                        : compare_worktree(result, &changes, err);
    if (ok)
        *out = changes;
    else
        workspace_changes_done(&changes);
    return ok;
}
