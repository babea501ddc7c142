/* result_apply.c - a result brought home into a person's tree, by git. */
#define _GNU_SOURCE /* types of files */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result_parts.h"
#include "tree_folder.h"

static const int64_t apply_timeout_ms = 10 * 60 * 1000;

/* Paths that are in the way, for the error. */
struct clashes {
    struct str names;
    size_t count;
    struct str own_list; /* what is not as it was where the task started */
    char **own;          /* owned: the same, sorted; NULL = who knows */
    size_t own_count;
};

static void add_clash(struct clashes *clashes, const char *path)
{
    if (clashes->count++ < RESULT_CLASHES_NAMED)
        str_addf(&clashes->names, "%s'%.80s'", clashes->names.len > 0 ? ", " : "", path);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Results that were applied, and not committed, are what the task stands on. */
static bool read_own(const struct workspace_result *result, struct clashes *clashes,
                     struct err *err)
{
    if (!result->needed[0])
        return true;
    if (!result_list_own(result, &clashes->own_list, err))
        return false;
    clashes->own = git_paths(&clashes->own_list, &clashes->own_count);
    if (clashes->own_count > 0)
        qsort(clashes->own, clashes->own_count, sizeof(*clashes->own), compare_names);
    return true;
}

/* Is there something that the task did not start from? */
static bool is_foreign(const struct clashes *clashes, const struct workspace_change *change)
{
    const char *path = change->path;
    if (!clashes->own || change->kind == 'A')
        return true;
    return clashes->own_count > 0 &&
           bsearch(&path, clashes->own, clashes->own_count, sizeof(*clashes->own), compare_names);
}

/* What differs from the last commit in the user's tree, or, of `against`, in the index. */
static bool add_changed(const struct workspace_result *result, const char *against,
                        const struct workspace_changes *changes, struct clashes *clashes,
                        struct err *err)
{
    const char *const words[] = {"diff",         against,         "--name-only", "-z",
                                 "--no-renames", "--no-ext-diff", "HEAD",        NULL};
    struct str index = {0};
    struct str list = {0};
    size_t count = 0;
    str_addf(&index, "%s/index", result->workspace->git.places->dir);
    const struct git_call call = {
        .words = words, .index = index.data, .timeout_ms = apply_timeout_ms};
    const bool ok = git_ask(&result->workspace->git, &call, &list, err);
    char **paths = git_paths(&list, &count);
    if (count > 0)
        qsort(paths, count, sizeof(*paths), compare_names);
    for (size_t i = 0; ok && count > 0 && i < changes->count; i++) {
        const char *path = changes->items[i].path;
        if (bsearch(&path, paths, count, sizeof(*paths), compare_names) &&
            is_foreign(clashes, &changes->items[i]))
            add_clash(clashes, path);
    }
    free(paths);
    str_done(&index);
    str_done(&list);
    return ok;
}

/* New files where there is something already, that git may not even know of. */
static void add_existing(int origin_fd, const struct workspace_changes *changes,
                         struct clashes *clashes)
{
    struct tree_folder folder;
    struct stat info;
    tree_folder_init(&folder, origin_fd);
    for (size_t i = 0; i < changes->count; i++) {
        int fd;
        const char *name;
        const char *path = changes->items[i].path;
        if (changes->items[i].kind == 'A' && tree_folder_reach(&folder, path, &fd, &name, NULL) &&
            fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
            add_clash(clashes, path);
    }
    tree_folder_done(&folder);
}

static bool refuse_clashes(const struct workspace_result *result, int origin_fd,
                           const struct workspace_changes *changes, struct err *err)
{
    struct clashes clashes = {0};
    bool ok = read_own(result, &clashes, err) &&
              add_changed(result, "--no-color", changes, &clashes, err);
    if (ok && clashes.count == 0)
        ok = add_changed(result, "--cached", changes, &clashes, err);
    const bool is_own = clashes.count > 0;
    if (ok && !is_own)
        add_existing(origin_fd, changes, &clashes);
    if (ok && clashes.count > 0) {
        ok = err_set(err, ERR_INVALID, "your tree has %s %zu of these paths: %s",
                     is_own ? "changes of its own in" : "something of its own at", clashes.count,
                     str_text(&clashes.names));
        (void)err_hint(err, "commit, stash or move them away first, or merge the branch '%.80s'",
                       result->note.branch);
    }
    str_done(&clashes.names);
    str_done(&clashes.own_list);
    free(clashes.own);
    return ok;
}

static struct git_call patch_call(const char *const *words, const struct workspace_changes *changes)
{
    return (struct git_call){.words = words,
                             .input = str_text(&changes->text),
                             .input_len = changes->text.len,
                             .timeout_ms = apply_timeout_ms};
}

static bool run_apply(const struct workspace_result *result,
                      const struct workspace_changes *changes, const char *what, struct err *err)
{
    const char *const words[] = {"apply", what, "-", NULL};
    const struct git_call call = patch_call(words, changes);
    char merge[WORKSPACE_NAME_MAX + 40];
    struct err why = {0};
    if (git_ask(&result->workspace->git, &call, NULL, &why))
        return true;
    (void)snprintf(merge, sizeof(merge), "merge the branch '%.80s' by hand", result->note.branch);
    (void)err_set(err, ERR_INVALID, "the result does not fit your tree: %s", why.message);
    return result_needed_hint(result, merge, err);
}

/* Should it fail half way, for want of room for one, what was there is put back. */
static bool apply_patch(const struct workspace_result *result, int origin_fd,
                        const struct workspace_changes *changes, struct err *err)
{
    struct result_backup backup;
    struct err why = {0};
    bool ok = result_backup_take(result, origin_fd, changes, &backup, err);
    if (ok && !run_apply(result, changes, "--whitespace=nowarn", err)) {
        ok = false;
        if (!result_backup_return(&backup, &why))
            (void)err_hint(err, "and not all could be put back: %.120s", why.message);
    }
    result_backup_done(&backup);
    return ok;
}

/* Without a word: git only warns where a mode is not what the patch says. */
static bool fits(const struct workspace_result *result, const struct workspace_changes *changes,
                 const char *direction)
{
    const char *const words[] = {"apply", "--check", "--whitespace=nowarn", direction, "-", NULL};
    const struct git_call call = patch_call(words, changes);
    struct tool_result said = {0};
    const bool ok = git_run(&result->workspace->git, &call, &said, NULL) && said.exit_code == 0 &&
                    said.err.len == 0;
    tool_result_done(&said);
    return ok;
}

/* It can be taken back and not be brought once more: where lines repeat themselves both could be.
 */
static bool is_there(const struct workspace_result *result, const struct workspace_changes *changes)
{
    return fits(result, changes, "--reverse") && !fits(result, changes, "--no-reverse");
}

static bool apply_branch(const struct workspace_result *result, int origin_fd,
                         const struct workspace_changes *changes, enum workspace_apply what,
                         bool *was_there, struct err *err)
{
    if (!refuse_clashes(result, origin_fd, changes, err) ||
        !run_apply(result, changes, "--check", err)) {
        *was_there = is_there(result, changes);
        return *was_there;
    }
    return what == WORKSPACE_APPLY_CHECK || apply_patch(result, origin_fd, changes, err);
}

bool workspace_result_apply(struct workspace_result *result,
                            const struct workspace_changes *changes, enum workspace_apply what,
                            bool *was_there, struct err *err)
{
    *was_there = false;
    if (!result->is_kept) {
        (void)err_set(err, ERR_NOT_FOUND, "the task has no result: it has not passed");
        return err_hint(err, "devs diff shows what its workspace holds");
    }
    if (changes->count == 0)
        return true;
    const int origin_fd = tree_folder_open(AT_FDCWD, result->workspace->origin);
    if (origin_fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", result->workspace->origin);
    const bool ok = result->note.kind == WORKSPACE_COPY
                        ? result_apply_copy(result, origin_fd, changes, what, was_there, err)
                        : apply_branch(result, origin_fd, changes, what, was_there, err);
    (void)close(origin_fd); /* a folder: nothing was written to it */
    return ok;
}
