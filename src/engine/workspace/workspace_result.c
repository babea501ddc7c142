#define _GNU_SOURCE /* mkdtemp */

#include "workspace_result.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content_store.h"
#include "tree_diff.h"
#include "tree_folder.h"
#include "workspace_parts.h"
#include "xalloc.h"

/* The earlier results that a result is based on, and which of their files are unchanged. */

static const int64_t list_timeout_ms = 10 * 60 * 1000;

bool result_needed_hint(const struct workspace_result *result, const char *otherwise,
                        struct err *err)
{
    struct str names = {0};
    for (char **task = result->needed; task && *task; task++)
        str_addf(&names, "%s'%.60s'", names.len > 0 ? ", " : "", *task);
    if (names.len > 0)
        (void)err_hint(err, "nothing was changed; it is based on %s: apply that first, or %s",
                       str_text(&names), otherwise);
    else
        (void)err_hint(err, "nothing was changed; %s", otherwise);
    str_done(&names);
    return false;
}

/* The originals of a copy, if they still exist: in the user's tree, or in the results of the needed
 * tasks. */
struct result_originals {
    const struct workspace_result *result;
    struct tree_folder origin; /* the user's tree */
};

/* Opens the file at the path if it still has the content of the entry. */
static int open_same(struct tree_folder *folder, const struct tree_entry *entry)
{
    int at;
    const char *name;
    int64_t size;
    unsigned char hash[SHA256_BYTES];
    if (!tree_folder_reach(folder, entry->path, &at, &name, NULL))
        return -1;
    const int fd = tree_folder_open_file(at, name);
    if (fd < 0 || (content_read(NULL, fd, hash, &size, NULL) &&
                   memcmp(hash, entry->hash, sizeof(hash)) == 0 && lseek(fd, 0, SEEK_SET) == 0))
        return fd;
    (void)close(fd); /* opened for reading only */
    return -1;
}

/* Does the same in the result of a needed task, if that is a folder. */
static int open_in_result(const struct workspace *workspace, const char *task,
                          const struct tree_entry *entry)
{
    struct tree_folder folder;
    struct str path = {0};
    str_addf(&path, "%s/%s/result", workspace->base, task);
    const int top = tree_folder_open(AT_FDCWD, path.data);
    str_done(&path);
    if (top < 0)
        return -1;
    tree_folder_init(&folder, top);
    const int fd = open_same(&folder, entry);
    tree_folder_done(&folder);
    (void)close(top); /* a folder opened for reading; nothing to flush */
    return fd;
}

/* For a struct tree_source whose ctx is a struct result_originals. */
static bool result_open_original(void *ctx, const struct tree_entry *entry, int *fd_out,
                                 struct err *err)
{
    struct result_originals *originals = ctx;
    int fd = open_same(&originals->origin, entry);
    for (char **task = originals->result->needed; fd < 0 && task && *task; task++)
        fd = open_in_result(originals->result->workspace, *task, entry);
    if (fd < 0)
        return err_set(err, ERR_NOT_FOUND, "'%s' is no longer what it was", entry->path);
    *fd_out = fd;
    return true;
}

/* Makes an index of the commit, and lists how the tree differs from it. */
static bool list_with(const struct workspace_result *result, const char *index, struct str *list,
                      struct err *err)
{
    const char *const read_words[] = {"read-tree", result->note.base, NULL};
    const char *const words[] = {"diff",         "--no-color",    "--name-only", "-z",
                                 "--no-renames", "--no-ext-diff", NULL};
    const struct git_call read = {.words = read_words, .index = index};
    const struct git_call call = {.words = words, .index = index, .timeout_ms = list_timeout_ms};
    return git_ask(&result->workspace->git, &read, NULL, err) &&
           git_ask(&result->workspace->git, &call, list, err);
}

bool result_list_own(const struct workspace_result *result, struct str *list, struct err *err)
{
    char folder[PATH_MAX];
    char index[PATH_MAX + 8];
    if (!workspace_path(result->workspace, "apply-XXXXXX", folder, err))
        return false;
    if (!mkdtemp(folder))
        return err_set_errno(err, errno, "cannot make '%s'", folder);
    (void)snprintf(index, sizeof(index), "%s/index", folder);
    const bool ok = list_with(result, index, list, err);
    return tree_folder_remove(AT_FDCWD, folder, err) && ok;
}

/* Takes over the changes in the result of a copy. */

static void take_diff(const struct tree_diff *diff, struct workspace_changes *out)
{
    size_t cap = 0;
    out->items = xgrow(NULL, &cap, diff->path_count + 1, sizeof(*out->items));
    for (size_t i = 0; i < diff->path_count; i++) {
        const struct diff_path *path = &diff->paths[i];
        out->items[out->count++] = (struct workspace_change){.kind = diff_kind_letter(path->kind),
                                                             .path = xstrdup(path->path),
                                                             .added = path->added,
                                                             .removed = path->removed};
    }
    str_add_n(&out->text, str_text(&diff->text), diff->text.len);
    str_add(&out->why, str_text(&diff->why));
}

/* Leaves out one of the names that are never applied. */
static void leave_out(struct tree_diff *diff, const char *name)
{
    const char *const names[] = {name, NULL};
    size_t kept = 0;
    for (size_t i = 0; i < diff->path_count; i++) {
        if (tree_path_is_under(diff->paths[i].path, names))
            free(diff->paths[i].path);
        else
            diff->paths[kept++] = diff->paths[i];
    }
    if (kept < diff->path_count)
        str_addf(&diff->why, "%s'%s' changed too and is not part of the result",
                 diff->why.len > 0 ? "; " : "", name);
    diff->changed -= (int64_t)(diff->path_count - kept);
    diff->path_count = kept;
}

static bool compare_copy(const struct workspace_result *result, struct result_copy *copy,
                         struct workspace_changes *out, struct err *err)
{
    static const struct diff_limits limits = {.paths_max = RESULT_PATHS_MAX,
                                              .text_bytes_max = RESULT_DIFF_BYTES,
                                              .read_bytes_max = RESULT_DIFF_BYTES,
                                              .timeout_ms = TOOL_TIMEOUT_MS};
    struct result_originals originals = {.result = result};
    struct tree_diff diff = {0};
    const int origin = tree_folder_open(AT_FDCWD, result->workspace->origin);
    if (origin < 0)
        return err_set_errno(err, errno, "cannot open '%s'", result->workspace->origin);
    tree_folder_init(&originals.origin, origin);
    const struct tree_source contents = {.open = result_open_original, .ctx = &originals};
    const struct diff_lines lines = {.before = &copy->start,
                                     .now = &copy->now,
                                     .contents = &contents,
                                     .top_fd = copy->look.top_fd,
                                     .folder = result->workspace->home,
                                     .environment = result->workspace->environment,
                                     .limits = &limits};
    tree_diff_paths(&copy->start, &copy->now, &limits, &diff);
    for (size_t i = 0; result_left_out[i]; i++)
        leave_out(&diff, result_left_out[i]);
    const bool ok = diff_lines_add(&lines, &diff, err);
    if (ok)
        take_diff(&diff, out);
    tree_diff_done(&diff);
    tree_folder_done(&originals.origin);
    (void)close(origin); /* a folder opened for reading; nothing to flush */
    return ok;
}

bool result_copy_read(const struct workspace_result *result, struct result_copy *out,
                      struct err *err)
{
    char path[PATH_MAX];
    const struct workspace *workspace = result->workspace;
    *out = (struct result_copy){.look = {.top_fd = -1}};
    if (!workspace_path(workspace, "start", path, err) || !tree_read_file(path, &out->start, err) ||
        !workspace_path(workspace, result->is_kept ? "result" : "tree", path, err))
        return false;
    out->look.top_fd = tree_folder_open(AT_FDCWD, path);
    if (out->look.top_fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    if (!tree_scan(&out->look, &out->now, err))
        return false;
    const bool ok = tree_hash(&out->look, &out->now, &out->start, NULL, err);
    tree_shut(out->look.top_fd, &out->now);
    return ok;
}

void result_copy_done(struct result_copy *copy)
{
    if (copy->look.top_fd >= 0)
        (void)close(copy->look.top_fd); /* a folder opened for reading; nothing to flush */
    tree_done(&copy->start);
    tree_done(&copy->now);
}

/* Adds the changes of such a result to *out, and where it is kept. */
static bool result_copy_compare(const struct workspace_result *result,
                                struct workspace_changes *out, struct err *err)
{
    char path[PATH_MAX];
    struct result_copy copy;
    const bool ok = result_copy_read(result, &copy, err) && compare_copy(result, &copy, out, err) &&
                    workspace_path(result->workspace, "result", path, err);
    if (ok && result->is_kept)
        str_add(&out->path, path);
    result_copy_done(&copy);
    return ok;
}

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

/* Opens the workspace that the notes describe. */
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
    size_t count = 0;
    while (call->needed && call->needed[count])
        count++;
    result->needed = xcalloc(count + 1, sizeof(*result->needed));
    for (size_t i = 0; i < count; i++)
        result->needed[i] = xstrdup(call->needed[i]);
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
    /* If the task is over, git's private repository was only made for us. */
    const bool is_for_us = result->workspace && !workspace_is_made(result->workspace) &&
                           workspace_path(result->workspace, "git", own, NULL);
    const bool removed = !is_for_us || tree_folder_remove(AT_FDCWD, own, NULL);
    (void)removed; /* if it stays, it will be used again */
    workspace_close(result->workspace);
    for (char **task = result->needed; *task; task++)
        free(*task);
    free(result->needed);
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

/* Parses "12\t3\tpath\0", in the same order; "-" if it is not text. */
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

/* Two git trees. */
struct result_trees {
    const char *from, *to;
    const char *objects; /* additional folder with some of their objects; NULL = none */
};

/* Asks for the difference between two git trees in one format. */
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

/* Returns the current commit of the branch: later commits to it are intended. */
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

/* Compares the current worktree of a task without a result. Leaves no trace in the repository. */
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

/* Checks whether a result still exists, and removes the rest of its workspace. */

static bool has_folder(const struct workspace_result *result)
{
    char path[PATH_MAX];
    struct stat info;
    return workspace_path(result->workspace, "result", path, NULL) && lstat(path, &info) == 0;
}

/* If git cannot tell, the branch is assumed to exist. */
static bool has_branch(const struct workspace_result *result)
{
    char ref[WORKSPACE_NAME_MAX + 16];
    struct tool_result said = {0};
    const char *const words[] = {"show-ref", "--verify", "--quiet", ref, NULL};
    const struct git_call call = {.words = words};
    (void)snprintf(ref, sizeof(ref), "refs/heads/%s", result->note.branch);
    const bool is_gone = workspace_open_git(result->workspace, NULL) &&
                         git_run(&result->workspace->git, &call, &said, NULL) &&
                         said.exit_code == 1;
    tool_result_done(&said);
    return !is_gone;
}

bool workspace_result_is_there(const struct workspace_result *result)
{
    if (!result->is_kept)
        return false;
    return result->note.kind == WORKSPACE_COPY ? has_folder(result) : has_branch(result);
}

bool workspace_result_trim(struct workspace_result *result, struct err *err)
{
    if (!result->is_kept)
        return err_set(err, ERR_INVALID, "there is nothing but the workspace");
    return workspace_drop(result->workspace, err);
}
