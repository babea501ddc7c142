/* workspace_keep.c - the result of a task that has passed, kept. */
#define _GNU_SOURCE /* types of files */

#include "workspace_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { REF_MAX = WORKSPACE_NAME_MAX + 16 };

static const char kept_name[] = "kept";

/* A result on its way to a branch. */
struct keeping {
    struct workspace *workspace; /* borrowed, as all here */
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

static bool has_tree(const struct keeping *keeping, const char *commit)
{
    char tree[WORKSPACE_COMMIT_MAX];
    struct str name = {0};
    str_addf(&name, "%s^{tree}", commit);
    const bool ok = git_resolve(&keeping->workspace->git, name.data, tree) &&
                    strcmp(tree, keeping->content.tree) == 0;
    str_done(&name);
    return ok;
}

static bool commit_tree(struct keeping *keeping)
{
    const struct workspace *workspace = keeping->workspace;
    const char *const words[] = {
        "commit-tree", keeping->content.tree, "-p", keeping->content.head, "-F", "-", NULL};
    struct git_call call = {.words = words, .stop = keeping->stop};
    struct str message = {0};
    str_addf(&message, "%s\n\nDevs-Run: %s\nDevs-Uid: %s\nDevs-Task: %s\n", keeping->title,
             workspace->run, workspace->uid, workspace->task);
    call.input = message.data;
    call.input_len = message.len;
    const bool ok = git_ask_line(&workspace->git, &call, keeping->commit, sizeof(keeping->commit),
                                 keeping->err);
    str_done(&message);
    return ok;
}

/* Nothing new: the branch points to what is there. The same again: to what was kept. */
static bool choose_commit(struct keeping *keeping, const struct workspace_note *before)
{
    const char *there = NULL;
    if (has_tree(keeping, keeping->content.head))
        there = keeping->content.head;
    else if (before->commit[0] && has_tree(keeping, before->commit))
        there = before->commit;
    if (!there)
        return commit_tree(keeping);
    memcpy(keeping->commit, there, sizeof(keeping->commit));
    return true;
}

static bool is_at(const struct keeping *keeping, const char *branch, const char *commit)
{
    char ref[REF_MAX];
    char there[WORKSPACE_COMMIT_MAX];
    (void)snprintf(ref, sizeof(ref), "refs/heads/%s", branch);
    return git_resolve(&keeping->workspace->git, ref, there) && strcmp(there, commit) == 0;
}

/* The note is written first: if we are killed, it says that the branch is ours. */
static bool name_it(struct keeping *keeping, const struct workspace_note *made,
                    const struct workspace_note *before, struct workspace_note *note)
{
    char path[PATH_MAX];
    struct err why = {0};
    if (!workspace_path(keeping->workspace, kept_name, path, keeping->err))
        return false;
    *note = *made;
    memcpy(note->commit, keeping->commit, sizeof(note->commit));
    if (before->branch[0] && is_at(keeping, before->branch, before->commit)) {
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
    (void)unlink(path); /* no branch is ours */
    (void)err_set(keeping->err, why.code, "%s", why.message);
    return err_hint(keeping->err, "is there a branch called 'devs', or '%.100s' already?",
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
        before = (struct workspace_note){0}; /* it was not kept before */
    bool ok = workspace_read_content(workspace, made.base, &target, keeping->stop,
                                     &keeping->content, keeping->err) &&
              choose_commit(keeping, &before) && git_bring_objects(&workspace->git, keeping->err) &&
              git_lock(&workspace->git, keeping->stop, &lock, keeping->err);
    ok = ok && name_it(keeping, &made, &before, &note);
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
        ok = workspace_keep_copy(workspace, stop, &kept, err);
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
