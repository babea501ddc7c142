/* workspace_result.c - opens the result of a task, and compares it with the task's original files.
 *
 * For a copy, compares two manifests; original files are read from the user's tree or from the
 * results of needed tasks if they are unmodified there. For a worktree, git compares two trees. If
 * there is no result yet, the current files are stored as a tree in a temporary object folder, so
 * that the repository does not change. */
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
#include "tree.h"
#include "tree_folder.h"
#include "workspace_internal.h"
#include "xalloc.h"

/* The earlier results that a result is based on, and the files that are unchanged since. */

static const int64_t list_timeout_ms = 10 * 60 * 1000;

bool result_needed_hint(const struct workspace_result *result, const char *otherwise,
                        struct err *err)
{
    struct str names = {0};
    for (char **task = result->needed; task && *task; task++)
        str_addf(&names, "%s'%.60s'", names.len > 0 ? ", " : "", *task);
    if (names.len > 0)
        (void)err_hint(err,
                       "nothing was changed; the result is based on %s: apply that first, or %s",
                       str_text(&names), otherwise);
    else
        (void)err_hint(err, "nothing was changed; %s", otherwise);
    str_done(&names);
    return false;
}

/* The original files of a copy, if they still exist: in the user's tree, or in the results of the
 * needed tasks. */
struct result_originals {
    const struct workspace_result *result;
    struct tree_folder origin; /* the user's tree */
};

/* Opens the file at the entry's path if its content is still that of the entry. Returns -1
 * otherwise. */
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

/* The open() function for a struct tree_source whose ctx is a struct result_originals. */
static bool open_original(void *ctx, const struct tree_entry *entry, int *fd_out, struct err *err)
{
    struct result_originals *originals = ctx;
    int fd = open_same(&originals->origin, entry);
    for (char **task = originals->result->needed; fd < 0 && task && *task; task++) {
        struct tree_folder folder;
        struct str path = {0};
        str_addf(&path, "%s/%s/result", originals->result->workspace->base, *task);
        const int top = tree_folder_open(AT_FDCWD, path.data);
        str_done(&path);
        if (top < 0)
            continue; /* this task's result is not a folder */
        tree_folder_init(&folder, top);
        fd = open_same(&folder, entry);
        tree_folder_done(&folder);
        (void)close(top); /* a folder opened for reading; nothing to flush */
    }
    if (fd < 0)
        return err_set(err, ERR_NOT_FOUND, "'%s' has changed in the meantime", entry->path);
    *fd_out = fd;
    return true;
}

bool result_list_own(const struct workspace_result *result, struct str *list, struct err *err)
{
    char folder[PATH_MAX];
    char index[PATH_MAX + 8];
    const char *const read_words[] = {"read-tree", result->note.base, NULL};
    const char *const diff_words[] = {"diff",         "--no-color",    "--name-only", "-z",
                                      "--no-renames", "--no-ext-diff", NULL};
    const struct git_call read = {.words = read_words, .index = index};
    const struct git_call diff = {
        .words = diff_words, .index = index, .timeout_ms = list_timeout_ms};
    if (!workspace_path(result->workspace, "apply-XXXXXX", folder, err))
        return false;
    if (!mkdtemp(folder))
        return err_set_errno(err, errno, "cannot create '%s'", folder);
    (void)snprintf(index, sizeof(index), "%s/index", folder);
    const bool ok = git_ask(&result->workspace->git, &read, NULL, err) &&
                    git_ask(&result->workspace->git, &diff, list, err);
    return tree_folder_remove(AT_FDCWD, folder, err) && ok;
}

/* Removes from the diff all paths under a name that is never applied, and notes this in
 * diff->why. */
static void drop_left_out_name(struct tree_diff *diff, const char *name)
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
        str_addf(&diff->why, "%s'%s' also changed, but is not part of the result",
                 diff->why.len > 0 ? "; " : "", name);
    diff->changed -= (int64_t)(diff->path_count - kept);
    diff->path_count = kept;
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
    return workspace_read_tree(&out->look, &out->start, &out->now, err);
}

void result_copy_done(struct result_copy *copy)
{
    if (copy->look.top_fd >= 0)
        (void)close(copy->look.top_fd); /* a folder opened for reading; nothing to flush */
    tree_done(&copy->start);
    tree_done(&copy->now);
}

/* Adds the changes in the result of a copy, and the path of the result, to *out. */
static bool compare_copy(const struct workspace_result *result, struct workspace_changes *out,
                         struct err *err)
{
    static const struct diff_limits limits = {.paths_max = RESULT_PATHS_MAX,
                                              .text_bytes_max = RESULT_DIFF_BYTES,
                                              .read_bytes_max = RESULT_DIFF_BYTES,
                                              .timeout_ms = TOOL_TIMEOUT_MS};
    char path[PATH_MAX];
    struct result_copy copy;
    struct result_originals originals = {.result = result};
    struct tree_diff diff = {0};
    size_t cap = 0;
    int origin = -1;
    bool ok = result_copy_read(result, &copy, err);
    if (ok) {
        origin = tree_folder_open(AT_FDCWD, result->workspace->origin);
        ok =
            origin >= 0 || err_set_errno(err, errno, "cannot open '%s'", result->workspace->origin);
    }
    if (ok) {
        tree_folder_init(&originals.origin, origin);
        const struct tree_source contents = {.open = open_original, .ctx = &originals};
        const struct diff_lines lines = {.before = &copy.start,
                                         .now = &copy.now,
                                         .contents = &contents,
                                         .top_fd = copy.look.top_fd,
                                         .folder = result->workspace->home,
                                         .environment = result->workspace->environment,
                                         .limits = &limits};
        tree_diff_paths(&copy.start, &copy.now, &limits, &diff);
        for (size_t i = 0; result_left_out[i]; i++)
            drop_left_out_name(&diff, result_left_out[i]);
        ok = diff_lines_add(&lines, &diff, err);
        tree_folder_done(&originals.origin);
        (void)close(origin); /* a folder opened for reading; nothing to flush */
    }
    if (ok) {
        out->items = xgrow(NULL, &cap, diff.path_count + 1, sizeof(*out->items));
        for (size_t i = 0; i < diff.path_count; i++) {
            const struct diff_path *changed = &diff.paths[i];
            out->items[out->count++] =
                (struct workspace_change){.kind = diff_kind_letter(changed->kind),
                                          .path = xstrdup(changed->path),
                                          .added = changed->added,
                                          .removed = changed->removed};
        }
        str_add_n(&out->text, str_text(&diff.text), diff.text.len);
        str_add(&out->why, str_text(&diff.why));
        ok = workspace_path(result->workspace, "result", path, err);
    }
    if (ok && result->is_kept)
        str_add(&out->path, path);
    tree_diff_done(&diff);
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

static bool refuse_missing(const struct workspace_result_call *call, struct err *err)
{
    (void)err_set(err, ERR_NOT_FOUND, "task '%s' of run #%s has no workspace here", call->task,
                  call->run);
    return err_hint(err, "it worked in place, did not start, or devs gc removed its workspace");
}

/* Opens the workspace that the notes describe. */
static bool open_workspace(struct workspace_result *result,
                           const struct workspace_result_call *call, struct err *err)
{
    char origin[PATH_MAX];
    char origin_path[PATH_MAX + 8];
    struct str base = {0};
    str_addf(&base, "%s/work/%s", call->log_dir, call->uid);
    struct str home = {0};
    str_addf(&home, "%s/%s", base.data, call->task);
    struct workspace_spec spec = workspace_spec_new();
    spec.kind = result->note.kind;
    (void)snprintf(origin_path, sizeof(origin_path), "%s/origin", home.data);
    const ssize_t len = readlink(origin_path, origin, sizeof(origin) - 1);
    origin[len > 0 ? len : 0] = '\0';
    const struct workspace_place place = {.run_dir = origin,
                                          .base = base.data,
                                          .run = call->run,
                                          .uid = call->uid,
                                          .environment = call->environment};
    bool ok = origin[0] == '/'
                  ? workspace_open(&result->workspace, &place, &spec, call->task, NULL, err)
                  : refuse_missing(call, err);
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
    bool ok =
        (result->is_kept || read_note(call, "made", &result->note)) || refuse_missing(call, err);
    if (ok && !result->is_kept && result->note.host[0] != '\0') {
        (void)err_set(err, ERR_NOT_FOUND, "the workspace of task '%s' of run #%s is on %s: %s",
                      call->task, call->run, result->note.host, result->note.path);
        ok = err_hint(err, "only the result of a task that passed is brought to this machine");
    }
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
    /* If the workspace has been removed, only this result needs git's private repository. */
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

/* Parses "M\0path\0A\0path\0". */
static bool parse_changed_names(const struct str *names, struct workspace_changes *out,
                                struct err *err)
{
    size_t cap = 0;
    for (size_t at = 0; at < names->len;) {
        const char *kind = names->data + at;
        const char *path = kind + strlen(kind) + 1;
        if (path >= names->data + names->len || out->count >= RESULT_PATHS_MAX)
            return err_set(err, ERR_LIMIT, "git lists more than %d paths", RESULT_PATHS_MAX);
        out->items = xgrow(out->items, &cap, out->count + 1, sizeof(*out->items));
        out->items[out->count++] = (struct workspace_change){
            .kind = kind[0], .path = xstrdup(path), .added = -1, .removed = -1};
        at = (size_t)(path - names->data) + strlen(path) + 1;
    }
    return true;
}

/* Parses "12\t3\tpath\0", in the same order; the counts are "-" if the file is not text. */
static void parse_changed_counts(const struct str *counts, struct workspace_changes *out)
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

/* Two git trees to compare. */
struct result_trees {
    const char *from, *to;
    const char *objects; /* folder with further objects of these trees; NULL = none */
};

/* Lets git compare two trees, with output in the given format. */
static bool ask_git_diff(const struct workspace_result *result, const struct result_trees *trees,
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
    const bool ok = ask_git_diff(result, trees, "--name-status", &names, err) &&
                    ask_git_diff(result, trees, "--numstat", &counts, err) &&
                    parse_changed_names(&names, out, err) &&
                    ask_git_diff(result, trees, "--patch", &out->text, err);
    if (ok)
        parse_changed_counts(&counts, out);
    str_done(&names);
    str_done(&counts);
    return ok;
}

/* Compares the current worktree of a task that has no result yet. Does not change the
 * repository. */
static bool compare_present(const struct workspace_result *result, struct workspace_changes *out,
                            struct err *err)
{
    char folder[PATH_MAX + 16];
    char index[PATH_MAX + 32];
    struct workspace_content content = {0};
    const struct workspace_target target = {.index = index, .objects = folder};
    (void)snprintf(folder, sizeof(folder), "%s/diff-XXXXXX", result->workspace->home);
    if (!mkdtemp(folder))
        return err_set_errno(err, errno, "cannot create '%s'", folder);
    (void)snprintf(index, sizeof(index), "%s/index", folder);
    bool ok =
        workspace_read_content(result->workspace, result->note.base, &target, NULL, &content, err);
    const struct result_trees trees = {
        .from = result->note.base, .to = content.tree, .objects = folder};
    ok = ok && compare_trees(result, &trees, out, err);
    if (content.left_out.len > 0)
        str_add(&out->why, "nested repositories are left out");
    str_done(&content.left_out);
    return tree_folder_remove(AT_FDCWD, folder, err) && ok;
}

static bool compare_worktree(const struct workspace_result *result, struct workspace_changes *out,
                             struct err *err)
{
    (void)snprintf(out->base, sizeof(out->base), "%s", result->note.base);
    if (!result->is_kept)
        return compare_present(result, out, err);
    /* Uses the current commit of the branch, because the user may have added commits on purpose. */
    struct str ref = {0};
    str_addf(&ref, "refs/heads/%s^{commit}", result->note.branch);
    const char *const words[] = {"rev-parse", "--verify", "--quiet", ref.data, NULL};
    const struct git_call call = {.words = words};
    const bool ok =
        git_ask_line(&result->workspace->git, &call, out->commit, WORKSPACE_COMMIT_MAX, NULL);
    str_done(&ref);
    if (!ok)
        return err_set(err, ERR_NOT_FOUND, "the branch '%s' no longer exists", result->note.branch);
    str_add(&out->branch, result->note.branch);
    const struct result_trees trees = {.from = out->base, .to = out->commit};
    return compare_trees(result, &trees, out, err);
}

bool workspace_result_changes(struct workspace_result *result, struct workspace_changes *out,
                              struct err *err)
{
    struct workspace_changes changes = {.is_result = result->is_kept};
    str_add(&changes.origin, result->workspace->origin);
    const bool ok = result->note.kind == WORKSPACE_COPY ? compare_copy(result, &changes, err)
                                                        : compare_worktree(result, &changes, err);
    if (ok)
        *out = changes;
    else
        workspace_changes_done(&changes);
    return ok;
}

/* Checks whether a result still exists, and removes the rest of its workspace. */

bool workspace_result_is_there(const struct workspace_result *result)
{
    if (!result->is_kept)
        return false;
    if (result->note.kind == WORKSPACE_COPY) {
        char path[PATH_MAX];
        struct stat info;
        return workspace_path(result->workspace, "result", path, NULL) && lstat(path, &info) == 0;
    }
    /* If git cannot find out, assume that the branch exists. */
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

bool workspace_result_trim(struct workspace_result *result, struct err *err)
{
    if (!result->is_kept)
        return err_set(err, ERR_INVALID, "the task has no result, only a workspace");
    return workspace_drop(result->workspace, NULL, err);
}
