#define _GNU_SOURCE /* types of files */

#include "workspace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree_folder.h"
#include "xalloc.h"

enum { REF_MAX = WORKSPACE_NAME_MAX + 16 };

static const char kept_name[] = "kept";
static const char link_mode[] = "160000 "; /* how git lists a repository within another */
static const int64_t add_timeout_ms = 10 * 60 * 1000;

/* A result on its way to a branch. */
struct keeping {
    struct workspace *workspace; /* borrowed, as all here */
    const atomic_bool *stop;
    const char *title;
    char index[PATH_MAX]; /* one of our own: that of the worktree may say anything */
    char head[WORKSPACE_COMMIT_MAX];
    char tree[WORKSPACE_COMMIT_MAX];
    char commit[WORKSPACE_COMMIT_MAX];
    struct str left_out; /* repositories within, one a line */
    struct err *err;
};

void workspace_kept_done(struct workspace_kept *kept)
{
    if (!kept)
        return;
    str_done(&kept->path);
    str_done(&kept->left_out);
}

static struct git_call in_worktree(const struct keeping *keeping, const char *const *words)
{
    return (struct git_call){.words = words,
                             .dir = keeping->workspace->admin,
                             .tree = keeping->workspace->tree,
                             .index = keeping->index,
                             .timeout_ms = add_timeout_ms,
                             .stop = keeping->stop};
}

static bool run(const struct keeping *keeping, const char *const *words, const struct str *input)
{
    struct git_call call = in_worktree(keeping, words);
    call.input = input ? str_text(input) : NULL;
    call.input_len = input ? input->len : 0;
    return git_ask(&keeping->workspace->git, &call, NULL, keeping->err);
}

static bool ask(const struct keeping *keeping, const char *name, char out[WORKSPACE_COMMIT_MAX],
                struct err *err)
{
    const char *const words[] = {"rev-parse", "--verify", "--quiet", name, NULL};
    const struct git_call call = in_worktree(keeping, words);
    return git_ask_line(&keeping->workspace->git, &call, out, WORKSPACE_COMMIT_MAX, err);
}

/* What the task has committed itself is part of its result. */
static bool read_head(struct keeping *keeping, const struct workspace_note *made)
{
    const char *const words[] = {"read-tree", keeping->head, NULL};
    if (!ask(keeping, "HEAD^{commit}", keeping->head, NULL))
        memcpy(keeping->head, made->base, sizeof(keeping->head));
    (void)unlink(keeping->index); /* of an earlier one */
    return run(keeping, words, NULL);
}

/* Repositories that the task's own commits hold as links: git would look into them, with their
 * settings. */
static bool drop_links(struct keeping *keeping)
{
    const char *const list_words[] = {"ls-files", "--stage", "-z", NULL};
    const char *const drop_words[] = {"update-index", "--force-remove", "-z", "--stdin", NULL};
    const struct git_call call = in_worktree(keeping, list_words);
    struct str list = {0};
    struct str links = {0};
    bool ok = git_ask(&keeping->workspace->git, &call, &list, keeping->err);
    for (size_t at = 0; ok && at < list.len;) {
        const char *item = list.data + at;
        const char *path = strchr(item, '\t');
        at += strlen(item) + 1;
        if (path && strncmp(item, link_mode, sizeof(link_mode) - 1) == 0)
            str_add_n(&links, path + 1, strlen(path + 1) + 1);
    }
    ok = ok && (links.len == 0 || run(keeping, drop_words, &links));
    str_done(&list);
    str_done(&links);
    return ok;
}

/* The folder of a path ".../.git"; 0 for all else, and for the top's own. */
static size_t repository_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash, "/.git") == 0 ? (size_t)(slash - path) : 0;
}

/* Everything, but no repository that is within: git would keep a link to nothing of it. */
static bool add_all(struct keeping *keeping)
{
    const char *const words[] = {"add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul",
                                 NULL};
    struct tree tree = {0};
    struct str paths = {0};
    struct tree_look look = {.stop = keeping->stop};
    if (!workspace_open_top(keeping->workspace, &look.top_fd, keeping->err))
        return false;
    bool ok = tree_scan(&look, &tree, keeping->err);
    if (ok)
        tree_shut(look.top_fd, &tree);
    (void)close(look.top_fd); /* a folder: nothing was written to it */
    str_add_n(&paths, ".", sizeof("."));
    for (size_t i = 0; ok && i < tree.count; i++) {
        const char *path = tree.entries[i].path;
        const size_t len = repository_len(path);
        if (len == 0)
            continue;
        str_addf(&paths, ":(exclude,literal)%.*s", (int)len, path);
        str_add_n(&paths, "", 1);
        str_addf(&keeping->left_out, "%.*s\n", (int)len, path);
    }
    ok = ok && run(keeping, words, &paths);
    tree_done(&tree);
    str_done(&paths);
    return ok;
}

static bool write_tree(struct keeping *keeping)
{
    const char *const words[] = {"write-tree", NULL};
    const struct git_call call = in_worktree(keeping, words);
    return git_ask_line(&keeping->workspace->git, &call, keeping->tree, sizeof(keeping->tree),
                        keeping->err);
}

static bool has_tree(const struct keeping *keeping, const char *commit)
{
    char tree[WORKSPACE_COMMIT_MAX];
    struct str name = {0};
    str_addf(&name, "%s^{tree}", commit);
    const bool ok = ask(keeping, name.data, tree, NULL) && strcmp(tree, keeping->tree) == 0;
    str_done(&name);
    return ok;
}

static bool commit_tree(struct keeping *keeping)
{
    const struct workspace *workspace = keeping->workspace;
    const char *const words[] = {"commit-tree", keeping->tree, "-p", keeping->head,
                                 "-F",          "-",           NULL};
    struct git_call call = in_worktree(keeping, words);
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
    if (has_tree(keeping, keeping->head))
        there = keeping->head;
    else if (before->commit[0] && has_tree(keeping, before->commit))
        there = before->commit;
    if (!there)
        return commit_tree(keeping);
    memcpy(keeping->commit, there, sizeof(keeping->commit));
    return true;
}

/* Only from what we expect there: "" is nothing at all. */
static bool move_ref(const struct keeping *keeping, const char *branch, const char *from,
                     struct err *err)
{
    char ref[REF_MAX];
    const char *const words[] = {"update-ref", ref, keeping->commit, from, NULL};
    const struct git_call call = {.words = words, .stop = keeping->stop};
    (void)snprintf(ref, sizeof(ref), "refs/heads/%s", branch);
    return git_ask(&keeping->workspace->git, &call, NULL, err);
}

static bool is_at(const struct keeping *keeping, const char *branch, const char *commit)
{
    char ref[REF_MAX];
    char there[WORKSPACE_COMMIT_MAX];
    (void)snprintf(ref, sizeof(ref), "refs/heads/%s", branch);
    return ask(keeping, ref, there, NULL) && strcmp(there, commit) == 0;
}

/* What is to be is written down first: should we die, the branch is known for ours. */
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
        return move_ref(keeping, note->branch, before->commit, keeping->err) &&
               workspace_note_write(path, note, keeping->err);
    }
    for (int naming = WORKSPACE_BY_NUMBER; naming <= WORKSPACE_BY_UID; naming++) {
        workspace_branch_name(keeping->workspace, (enum workspace_naming)naming, note->branch);
        if (!workspace_note_write(path, note, keeping->err))
            return false;
        why = (struct err){0};
        if (move_ref(keeping, note->branch, "", &why))
            return true;
    }
    (void)unlink(path); /* no branch is ours */
    (void)err_set(keeping->err, why.code, "%s", why.message);
    return err_hint(keeping->err, "is there a branch called 'devs', or '%.100s' already?",
                    note->branch);
}

static bool make_commit(struct keeping *keeping, const struct workspace_note *made,
                        const struct workspace_note *before)
{
    return read_head(keeping, made) && drop_links(keeping) && add_all(keeping) &&
           write_tree(keeping) && choose_commit(keeping, before);
}

static bool keep_branch(struct keeping *keeping, struct workspace_kept *out)
{
    char path[PATH_MAX];
    struct workspace_note made;
    struct workspace_note before = {0};
    struct workspace_note note;
    int lock = -1;
    struct workspace *workspace = keeping->workspace;
    if (!workspace_path(workspace, "made", path, keeping->err) ||
        !workspace_note_read(path, &made, keeping->err) ||
        !workspace_path(workspace, kept_name, path, keeping->err) ||
        !workspace_path(workspace, "keep-index", keeping->index, keeping->err))
        return false;
    if (!workspace_note_read(path, &before, NULL))
        before = (struct workspace_note){0}; /* it was not kept before */
    bool ok = make_commit(keeping, &made, &before) &&
              git_lock(&workspace->git, keeping->stop, &lock, keeping->err);
    ok = ok && name_it(keeping, &made, &before, &note);
    git_unlock(lock);
    (void)unlink(keeping->index); /* it has done its work */
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
        kept.left_out = keeping.left_out;
    }
    if (ok)
        *out = kept;
    else
        workspace_kept_done(&kept);
    return ok;
}
