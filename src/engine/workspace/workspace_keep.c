/* workspace_keep.c - keeps the result of a task that has passed, as a branch or as a folder. */
#define _GNU_SOURCE /* S_IFMT */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "tree_folder.h"
#include "workspace_internal.h"

/* Reads the contents of a worktree into a git tree that no branch refers to. */

static const char link_mode[] = "160000 "; /* mode of a nested repository in git's lists */
static const int64_t add_timeout_ms = 10 * 60 * 1000;

/* The state while git reads a tree. */
struct taking {
    const struct workspace *workspace; /* borrowed, like all pointers here */
    const char *index; /* our own index, because an attempt may have changed the worktree's */
    const char *objects;
    const atomic_bool *stop;
    struct workspace_content out;
    struct err *err;
};

static struct git_call call_in_worktree(const struct taking *taking, const char *const *words)
{
    return (struct git_call){.words = words,
                             .tree = taking->workspace->tree,
                             .index = taking->index,
                             .objects = taking->objects,
                             .timeout_ms = add_timeout_ms,
                             .stop = taking->stop};
}

static bool run_in_worktree(const struct taking *taking, const char *const *words,
                            const struct str *input)
{
    struct git_call call = call_in_worktree(taking, words);
    call.input = input ? str_text(input) : NULL;
    call.input_len = input ? input->len : 0;
    return git_ask(&taking->workspace->git, &call, NULL, taking->err);
}

/* Removes nested repositories that the task's own commits link to, because git would open them,
 * using their settings. */
static bool drop_links(struct taking *taking)
{
    const char *const list_words[] = {"ls-files", "--stage", "-z", NULL};
    const char *const drop_words[] = {"update-index", "--force-remove", "-z", "--stdin", NULL};
    const struct git_call call = call_in_worktree(taking, list_words);
    struct str list = {0};
    struct str links = {0};
    bool ok = git_ask(&taking->workspace->git, &call, &list, taking->err);
    for (size_t at = 0; ok && at < list.len;) {
        const char *item = list.data + at;
        const char *path = strchr(item, '\t');
        at += strlen(item) + 1;
        if (path && strncmp(item, link_mode, sizeof(link_mode) - 1) == 0)
            str_add_n(&links, path + 1, strlen(path + 1) + 1);
    }
    ok = ok && (links.len == 0 || run_in_worktree(taking, drop_words, &links));
    str_done(&list);
    str_done(&links);
    return ok;
}

/* Adds everything except nested repositories: git would store only a dangling link to them. */
static bool add_all(struct taking *taking)
{
    const char *const words[] = {"add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul",
                                 NULL};
    struct tree tree = {0};
    struct str paths = {0};
    struct tree_look look = {.stop = taking->stop};
    if (!workspace_open_top(taking->workspace, &look.top_fd, taking->err))
        return false;
    bool ok = tree_scan(&look, &tree, taking->err);
    if (ok)
        tree_shut(look.top_fd, &tree);
    const char *blocker = ok ? workspace_blocks_git(&tree) : NULL;
    if (blocker)
        ok = err_set(taking->err, ERR_INVALID, "'%.100s' is not a file: git would wait for it",
                     blocker);
    (void)close(look.top_fd); /* a folder opened for reading; nothing to flush */
    str_add_n(&paths, ".", sizeof("."));
    for (size_t i = 0; ok && i < tree.count; i++) {
        const char *path = tree.entries[i].path;
        const char *slash = strrchr(path, '/');
        if (!slash || strcmp(slash, "/.git") != 0 || slash == path)
            continue; /* the root's own .git has no slash */
        const size_t len = (size_t)(slash - path);
        str_addf(&paths, ":(exclude,literal)%.*s", (int)len, path);
        str_add_n(&paths, "", 1);
        str_addf(&taking->out.left_out, "%s%.*s", taking->out.left_out.len > 0 ? "\n" : "",
                 (int)len, path);
    }
    ok = ok && run_in_worktree(taking, words, &paths);
    tree_done(&tree);
    str_done(&paths);
    return ok;
}

bool workspace_read_content(const struct workspace *workspace, const char *base,
                            const struct workspace_target *target, const atomic_bool *stop,
                            struct workspace_content *out, struct err *err)
{
    struct taking taking = {.workspace = workspace,
                            .index = target->index,
                            .objects = target->objects,
                            .stop = stop,
                            .err = err};
    const char *const read_words[] = {"read-tree", taking.out.head, NULL};
    const char *const write_words[] = {"write-tree", NULL};
    const struct git_call write = call_in_worktree(&taking, write_words);
    struct str head = {0};
    /* The task's own commits are part of its result. */
    str_addf(&head, "%s/HEAD", workspace->admin);
    if (!git_resolve_head(&workspace->git, head.data, taking.out.head))
        (void)snprintf(taking.out.head, sizeof(taking.out.head), "%s", base);
    str_done(&head);
    (void)unlink(target->index); /* left by an earlier attempt */
    const bool ok =
        run_in_worktree(&taking, read_words, NULL) && drop_links(&taking) && add_all(&taking) &&
        git_ask_line(&workspace->git, &write, taking.out.tree, sizeof(taking.out.tree), err);
    (void)unlink(target->index); /* not needed any more */
    if (ok)
        *out = taking.out;
    else
        str_done(&taking.out.left_out);
    return ok;
}

/* Keeps a copy of the tree as the result, in a folder next to the workspace, and fills in *out.
 * Replaces an earlier result. Uses a temporary name first, so that a result is never incomplete. */
static bool keep_copy(struct workspace *workspace, const atomic_bool *stop,
                      struct workspace_kept *out, struct err *err)
{
    char beside[PATH_MAX];
    char path[PATH_MAX];
    char note_path[PATH_MAX];
    int64_t files = 0;
    const struct workspace_note note = {.kind = WORKSPACE_COPY};
    if (!workspace_path(workspace, "result.new", beside, err) ||
        !workspace_path(workspace, "result", path, err) ||
        !workspace_path(workspace, "kept", note_path, err) ||
        !tree_folder_remove(AT_FDCWD, beside, err))
        return false;
    if (!workspace_copy_tree(workspace->tree, beside, (const char *const *)workspace->spec.exclude,
                             stop, &files, err) ||
        !tree_folder_remove(AT_FDCWD, path, err))
        return false;
    if (rename(beside, path) != 0)
        return err_set_errno(err, errno, "cannot move the result to '%s'", path);
    if (!workspace_note_write(note_path, &note, err))
        return false;
    str_add(&out->path, path);
    return true;
}

enum { REF_MAX = WORKSPACE_NAME_MAX + 16 };

static const char kept_name[] = "kept";

/* The state while a result is put on a branch. */
struct keeping {
    struct workspace *workspace; /* borrowed, like all pointers here */
    const atomic_bool *stop;
    const char *title;
    struct workspace_content content;
    char commit[WORKSPACE_COMMIT_MAX];
    struct err *err;
};

void workspace_kept_done(struct workspace_kept *kept)
{
    if (!kept)
        return;
    str_done(&kept->path);
    str_done(&kept->left_out);
}

static bool commit_has_tree(const struct keeping *keeping, const char *commit)
{
    char tree[WORKSPACE_COMMIT_MAX];
    struct str name = {0};
    str_addf(&name, "%s^{tree}", commit);
    const bool ok = git_resolve(&keeping->workspace->git, name.data, tree) &&
                    strcmp(tree, keeping->content.tree) == 0;
    str_done(&name);
    return ok;
}

/* If nothing has changed, uses the current commit; if the result is the same as before, uses the
 * kept commit. Otherwise creates a commit. */
static bool choose_commit(struct keeping *keeping, const struct workspace_note *before)
{
    const struct workspace *workspace = keeping->workspace;
    const char *there = NULL;
    if (commit_has_tree(keeping, keeping->content.head))
        there = keeping->content.head;
    else if (before->commit[0] && commit_has_tree(keeping, before->commit))
        there = before->commit;
    if (there) {
        memcpy(keeping->commit, there, sizeof(keeping->commit));
        return true;
    }
    const char *const words[] = {
        "commit-tree", keeping->content.tree, "-p", keeping->content.head, "-F", "-", NULL};
    struct str message = {0};
    str_addf(&message, "%s\n\nDevs-Run: %s\nDevs-Uid: %s\nDevs-Task: %s\n", keeping->title,
             workspace->run, workspace->uid, workspace->task);
    const struct git_call call = {
        .words = words, .input = message.data, .input_len = message.len, .stop = keeping->stop};
    const bool ok = git_ask_line(&workspace->git, &call, keeping->commit, sizeof(keeping->commit),
                                 keeping->err);
    str_done(&message);
    return ok;
}

/* Moves the branch, or creates it. For a new branch, writes the note first: if we are killed after
 * that, the note says that the branch is ours. */
static bool name_branch(struct keeping *keeping, const struct workspace_note *made,
                        const struct workspace_note *before, struct workspace_note *note)
{
    char path[PATH_MAX];
    char ref[REF_MAX];
    char there[WORKSPACE_COMMIT_MAX];
    struct err why = {0};
    if (!workspace_path(keeping->workspace, kept_name, path, keeping->err))
        return false;
    *note = *made;
    memcpy(note->commit, keeping->commit, sizeof(note->commit));
    (void)snprintf(ref, sizeof(ref), "refs/heads/%s", before->branch);
    if (before->branch[0] && git_resolve(&keeping->workspace->git, ref, there) &&
        strcmp(there, before->commit) == 0) {
        memcpy(note->branch, before->branch, sizeof(note->branch));
        return git_move_branch(&keeping->workspace->git, note->branch, before->commit,
                               keeping->commit, keeping->err) &&
               workspace_note_write(path, note, keeping->err);
    }
    for (int naming = WORKSPACE_BY_NUMBER; naming <= WORKSPACE_BY_UID; naming++) {
        workspace_branch_name(keeping->workspace, (enum workspace_naming)naming, note->branch);
        if (!workspace_note_write(path, note, keeping->err))
            return false;
        why = (struct err){0};
        if (git_move_branch(&keeping->workspace->git, note->branch, "", keeping->commit, &why))
            return true;
    }
    (void)unlink(path); /* there is no branch to record */
    (void)err_set(keeping->err, why.code, "%s", why.message);
    return err_hint(keeping->err, "check whether a branch 'devs' or '%.100s' already exists",
                    note->branch);
}

static bool keep_branch(struct keeping *keeping, struct workspace_kept *out)
{
    char path[PATH_MAX];
    char index[PATH_MAX];
    const struct workspace_target target = {.index = index};
    struct workspace_note made;
    struct workspace_note before = {0};
    struct workspace_note note;
    int lock = -1;
    struct workspace *workspace = keeping->workspace;
    if (!workspace_path(workspace, "made", path, keeping->err) ||
        !workspace_note_read(path, &made, keeping->err) ||
        !workspace_path(workspace, kept_name, path, keeping->err) ||
        !workspace_path(workspace, "keep-index", index, keeping->err))
        return false;
    if (!workspace_note_read(path, &before, NULL))
        before = (struct workspace_note){0}; /* nothing was kept before */
    const bool is_away = workspace->ship.executor;
    bool ok = is_away ? ship_read_content(workspace, keeping->stop, &keeping->content, &out->tree,
                                          keeping->err)
                      : workspace_read_content(workspace, made.base, &target, keeping->stop,
                                               &keeping->content, keeping->err);
    out->has_tree = ok && is_away;
    ok = ok && choose_commit(keeping, &before) &&
         git_bring_objects(&workspace->git, keeping->err) &&
         git_lock(&workspace->git, keeping->stop, &lock, keeping->err);
    ok = ok && name_branch(keeping, &made, &before, &note);
    git_unlock(lock);
    if (!ok)
        return false;
    out->is_branch = true;
    memcpy(out->branch, note.branch, sizeof(out->branch));
    memcpy(out->commit, note.commit, sizeof(out->commit));
    return true;
}

bool workspace_keep(struct workspace *workspace, const char *title, const atomic_bool *stop,
                    struct workspace_kept *out, struct err *err)
{
    struct workspace_kept kept = {0};
    struct keeping keeping = {.workspace = workspace, .stop = stop, .title = title, .err = err};
    bool ok;
    if (workspace->spec.kind == WORKSPACE_COPY) {
        ok = keep_copy(workspace, stop, &kept, err);
    } else {
        ok = workspace_open_git(workspace, err) && keep_branch(&keeping, &kept);
        kept.left_out = keeping.content.left_out;
    }
    if (ok)
        *out = kept;
    else
        workspace_kept_done(&kept);
    return ok;
}
