/* result_apply.c - applies a result to a user's tree: with git if it is a branch, path by path if
 * it is a copy. */
#define _GNU_SOURCE /* mkdtemp, S_IFMT */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tree.h"
#include "tree_folder.h"
#include "workspace_internal.h"
#include "xalloc.h"

/* Saves paths of a user's tree before a result is applied, and restores them if applying it
 * fails. */

/* The saved state of some paths of the user's tree. */
struct result_backup {
    char folder[PATH_MAX];
    struct content_store store;
    struct tree before;
    struct tree_look look;                   /* the user's tree; its descriptor is borrowed */
    const struct workspace_changes *changes; /* borrowed */
};

static int compare_paths(const void *a, const void *b)
{
    return tree_path_compare(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the index of the first of the sorted paths that does not sort before `path`. */
static size_t find_path_from(const char *const *paths, size_t count, const char *path)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tree_path_compare(paths[middle], path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether the path is one of the sorted paths, or a parent or a child of one. */
static bool concerns_paths(const char *const *paths, size_t count, const char *path)
{
    const size_t len = strlen(path);
    size_t at = find_path_from(paths, count, path);
    if (len == 0 || (at < count && strncmp(paths[at], path, len) == 0 &&
                     (paths[at][len] == '\0' || paths[at][len] == '/')))
        return true;
    bool found = false;
    char *part = xstrdup(path);
    for (char *slash = strchr(part, '/'); slash && !found; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        at = find_path_from(paths, count, part);
        found = at < count && strcmp(paths[at], part) == 0;
        *slash = '/';
    }
    free(part);
    return found;
}

/* Scans and hashes the paths of the user's tree that may change. The caller frees *tree, even if
 * this fails. */
static bool read_changing(const struct result_backup *backup, struct content_store *store,
                          struct tree *tree, struct err *err)
{
    if (!tree_scan(&backup->look, tree, err))
        return false;
    const size_t count = backup->changes->count;
    const char **paths = xcalloc(count + 1, sizeof(*paths)); /* sorted like the entries of a tree */
    for (size_t i = 0; i < count; i++)
        paths[i] = backup->changes->items[i].path;
    qsort(paths, count, sizeof(*paths), compare_paths);
    tree_shut(backup->look.top_fd, tree);
    size_t kept = 0;
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_entry *entry = &tree->entries[i];
        if (concerns_paths(paths, count, entry->path)) {
            tree->entries[kept++] = *entry;
        } else {
            free(entry->path);
            free(entry->target);
        }
    }
    tree->count = kept;
    free(paths);
    return tree_hash(&backup->look, tree, &backup->before, store, err);
}

/* Saves the paths that `changes` name; ignores the rest of the tree. The caller frees *out with
 * result_backup_done(), even if this fails. */
static bool result_backup_take(const struct workspace_result *result, int origin_fd,
                               const struct workspace_changes *changes, struct result_backup *out,
                               struct err *err)
{
    struct tree before = {0};
    *out = (struct result_backup){.store = {.fd = -1},
                                  .look = {.top_fd = origin_fd, .exclude = result_left_out},
                                  .changes = changes};
    if (!workspace_path(result->workspace, "apply-XXXXXX", out->folder, err))
        return false;
    if (!mkdtemp(out->folder)) {
        out->folder[0] = '\0';
        return err_set_errno(err, errno, "cannot create a folder for the current files");
    }
    struct str path = {0};
    str_addf(&path, "%s/contents", out->folder);
    const bool ok =
        content_open(&out->store, path.data, err) && read_changing(out, &out->store, &before, err);
    str_done(&path);
    out->before = before;
    return ok;
}

/* Restores the saved paths. */
static bool result_backup_return(struct result_backup *backup, struct err *err)
{
    struct tree now = {0};
    struct tree_work work;
    const struct tree_source source = {.open = workspace_open_content, .ctx = &backup->store};
    const bool ok = read_changing(backup, NULL, &now, err) &&
                    tree_restore(&backup->look, &now, &backup->before, &source, &work, err);
    tree_done(&now);
    return ok;
}

static void result_backup_done(struct result_backup *backup)
{
    content_close(&backup->store);
    tree_done(&backup->before);
    if (backup->folder[0] && !tree_folder_remove(AT_FDCWD, backup->folder, NULL))
        backup->folder[0] = '\0'; /* devs gc will remove it */
}

/* Applies the result of a copy. */

const char *const result_left_out[] = {".git", ".devs", NULL};

static void drop_left_out(struct tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->count; i++) {
        if (!tree_path_is_under(tree->entries[i].path, result_left_out)) {
            tree->entries[kept++] = tree->entries[i];
        } else {
            free(tree->entries[i].path);
            free(tree->entries[i].target);
        }
    }
    tree->count = kept;
}

/* Removes set-ID bits of changed files: a file written by an attempt must not run with the user's
 * rights when others start it. */
static void drop_set_id(const struct tree *start, struct tree *now)
{
    for (size_t i = 0; i < now->count; i++) {
        struct tree_entry *entry = &now->entries[i];
        const struct tree_entry *before = tree_find(start, entry->path);
        const bool was_so =
            before && before->mode == entry->mode && tree_entry_same_content(before, entry);
        if (S_ISREG(entry->mode) && !was_so)
            entry->mode &= ~(uint32_t)(S_ISUID | S_ISGID);
    }
}

/* Gives changed files the current time, so that make(1) notices them. Other files keep their
 * time. */
static void date_new_files(const struct tree *ours, struct tree *want)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    for (size_t i = 0; i < want->count; i++) {
        struct tree_entry *entry = &want->entries[i];
        const struct tree_entry *own = tree_find(ours, entry->path);
        if (own)
            entry->mtime_ns = own->mtime_ns;
        if (!own || !tree_entry_same_content(own, entry))
            entry->mtime_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
}

/* Applies the result of a copy. Fails with ERR_INVALID if both the user and the task have changed a
 * path. `origin_fd` is the root of the user's tree. */
static bool apply_copy(const struct workspace_result *result, int origin_fd,
                       const struct workspace_changes *changes, enum workspace_apply what,
                       bool *was_there, struct err *err)
{
    struct result_copy copy;
    struct tree ours = {0};
    struct tree want = {0};
    struct err why = {0};
    const struct tree_look look = {.top_fd = origin_fd, .exclude = result_left_out};
    bool ok = result_copy_read(result, &copy, err) && tree_scan(&look, &ours, err);
    if (ok) {
        tree_shut(origin_fd, &ours);
        drop_left_out(&copy.start);
        drop_left_out(&copy.now);
        drop_set_id(&copy.start, &copy.now);
        ok = tree_hash(&look, &ours, NULL, NULL, err);
    }
    if (ok && !tree_merge(&copy.start, &ours, &copy.now, &want, &why)) {
        (void)err_set(err, ERR_INVALID, "your tree %s: %s",
                      result->needed[0] ? "differs from the tree that the task started from"
                                        : "has other changes",
                      why.message);
        ok = result_needed_hint(
            result, "look in the result's folder; devs diff --json shows its path", err);
    }
    if (ok) {
        struct tree_diff diff = {0};
        tree_diff_paths(&ours, &want, NULL, &diff);
        *was_there = diff.changed == 0;
        tree_diff_done(&diff);
    }
    if (ok && !*was_there && what == WORKSPACE_APPLY) {
        struct result_backup backup;
        struct tree_folder folder;
        struct tree_work work;
        date_new_files(&ours, &want);
        tree_folder_init(&folder, copy.look.top_fd);
        const struct tree_source source = tree_source_of(&folder);
        ok = result_backup_take(result, origin_fd, changes, &backup, err);
        if (ok && !tree_restore(&look, &ours, &want, &source, &work, err)) {
            ok = false;
            why = (struct err){0};
            if (!result_backup_return(&backup, &why))
                (void)err_hint(err, "some files could not be restored: %.120s", why.message);
        }
        result_backup_done(&backup);
        tree_folder_done(&folder);
    }
    result_copy_done(&copy);
    tree_done(&ours);
    tree_done(&want);
    return ok;
}

static const int64_t apply_timeout_ms = 10 * 60 * 1000;

/* Conflicting paths, for the error message. */
struct clashes {
    struct str names;
    size_t count;
    struct str own_list; /* paths that differ from the task's base */
    char **own;          /* owned; the same paths, sorted; NULL = unknown */
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

/* Adds paths that differ from the last commit in the user's tree, or in the index if `against` is
 * "--cached". */
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
        if (!bsearch(&path, paths, count, sizeof(*paths), compare_names))
            continue;
        /* Earlier results that were applied do not conflict, because the task started from them. */
        if (!clashes->own || changes->items[i].kind == 'A' ||
            (clashes->own_count > 0 && bsearch(&path, clashes->own, clashes->own_count,
                                               sizeof(*clashes->own), compare_names)))
            add_clash(clashes, path);
    }
    free(paths);
    str_done(&index);
    str_done(&list);
    return ok;
}

static bool refuse_clashes(const struct workspace_result *result, int origin_fd,
                           const struct workspace_changes *changes, struct err *err)
{
    struct clashes clashes = {0};
    /* Earlier results that were applied but not committed are part of the task's base. */
    bool ok = !result->needed[0] || result_list_own(result, &clashes.own_list, err);
    if (ok && result->needed[0]) {
        clashes.own = git_paths(&clashes.own_list, &clashes.own_count);
        if (clashes.own_count > 0)
            qsort(clashes.own, clashes.own_count, sizeof(*clashes.own), compare_names);
    }
    ok = ok && add_changed(result, "--no-color", changes, &clashes, err);
    if (ok && clashes.count == 0)
        ok = add_changed(result, "--cached", changes, &clashes, err);
    const bool is_own = clashes.count > 0;
    if (ok && !is_own) {
        /* Also add new paths that already exist; git may not track them. */
        struct tree_folder folder;
        struct stat info;
        tree_folder_init(&folder, origin_fd);
        for (size_t i = 0; i < changes->count; i++) {
            int fd;
            const char *name;
            const char *path = changes->items[i].path;
            if (changes->items[i].kind == 'A' &&
                tree_folder_reach(&folder, path, &fd, &name, NULL) &&
                fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
                add_clash(&clashes, path);
        }
        tree_folder_done(&folder);
    }
    if (ok && clashes.count > 0) {
        ok = err_set(err, ERR_INVALID, "your tree has %s %zu of these paths: %s",
                     is_own ? "other changes in" : "other files at", clashes.count,
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

static bool run_git_apply(const struct workspace_result *result,
                          const struct workspace_changes *changes, const char *what,
                          struct err *err)
{
    const char *const words[] = {"apply", what, "-", NULL};
    const struct git_call call = patch_call(words, changes);
    char merge[WORKSPACE_NAME_MAX + 40];
    struct err why = {0};
    if (git_ask(&result->workspace->git, &call, NULL, &why))
        return true;
    (void)snprintf(merge, sizeof(merge), "merge the branch '%.80s' by hand", result->note.branch);
    (void)err_set(err, ERR_INVALID, "the result does not apply to your tree: %s", why.message);
    return result_needed_hint(result, merge, err);
}

/* Returns whether the patch can be applied without warnings. git only warns if a mode differs from
 * the patch. */
static bool patch_fits(const struct workspace_result *result,
                       const struct workspace_changes *changes, const char *direction)
{
    const char *const words[] = {"apply", "--check", "--whitespace=nowarn", direction, "-", NULL};
    const struct git_call call = patch_call(words, changes);
    struct tool_result said = {0};
    const bool ok = git_run(&result->workspace->git, &call, &said, NULL) && said.exit_code == 0 &&
                    said.err.len == 0;
    tool_result_done(&said);
    return ok;
}

static bool apply_branch(const struct workspace_result *result, int origin_fd,
                         const struct workspace_changes *changes, enum workspace_apply what,
                         bool *was_there, struct err *err)
{
    if (!refuse_clashes(result, origin_fd, changes, err) ||
        !run_git_apply(result, changes, "--check", err)) {
        /* The patch may have been applied earlier: then it can be reverted, but not applied again.
         * With repeated lines, both may be possible. */
        *was_there = patch_fits(result, changes, "--reverse") &&
                     !patch_fits(result, changes, "--no-reverse");
        return *was_there;
    }
    if (what == WORKSPACE_APPLY_CHECK)
        return true;
    /* If git fails halfway, for example because the disk is full, restore the old state. */
    struct result_backup backup;
    struct err why = {0};
    bool ok = result_backup_take(result, origin_fd, changes, &backup, err);
    if (ok && !run_git_apply(result, changes, "--whitespace=nowarn", err)) {
        ok = false;
        if (!result_backup_return(&backup, &why))
            (void)err_hint(err, "some files could not be restored: %.120s", why.message);
    }
    result_backup_done(&backup);
    return ok;
}

bool workspace_result_apply(struct workspace_result *result,
                            const struct workspace_changes *changes, enum workspace_apply what,
                            bool *was_there, struct err *err)
{
    *was_there = false;
    if (!result->is_kept) {
        (void)err_set(err, ERR_NOT_FOUND, "the task has no result: it has not passed");
        return err_hint(err, "devs diff shows its workspace");
    }
    if (changes->count == 0)
        return true;
    const int origin_fd = tree_folder_open(AT_FDCWD, result->workspace->origin);
    if (origin_fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", result->workspace->origin);
    const bool ok = result->note.kind == WORKSPACE_COPY
                        ? apply_copy(result, origin_fd, changes, what, was_there, err)
                        : apply_branch(result, origin_fd, changes, what, was_there, err);
    (void)close(origin_fd); /* a folder opened for reading; nothing to flush */
    return ok;
}
