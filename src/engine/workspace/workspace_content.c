/* workspace_content.c - what a worktree holds, as a tree of git that no branch knows of. */
#include "tree_scan.h"
#include "workspace_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char link_mode[] = "160000 "; /* how git lists a repository within another */
static const int64_t add_timeout_ms = 10 * 60 * 1000;

/* A tree on its way into git. */
struct taking {
    const struct workspace *workspace; /* borrowed, as all here */
    const char *index;                 /* that of the worktree may say anything */
    const char *objects;
    const atomic_bool *stop;
    struct workspace_content out;
    struct err *err;
};

static struct git_call in_worktree(const struct taking *taking, const char *const *words)
{
    return (struct git_call){.words = words,
                             .tree = taking->workspace->tree,
                             .index = taking->index,
                             .objects = taking->objects,
                             .timeout_ms = add_timeout_ms,
                             .stop = taking->stop};
}

static bool run(const struct taking *taking, const char *const *words, const struct str *input)
{
    struct git_call call = in_worktree(taking, words);
    call.input = input ? str_text(input) : NULL;
    call.input_len = input ? input->len : 0;
    return git_ask(&taking->workspace->git, &call, NULL, taking->err);
}

/* What the task has committed itself is part of its result. */
static bool read_head(struct taking *taking, const char *base)
{
    const char *const words[] = {"read-tree", taking->out.head, NULL};
    struct str head = {0};
    str_addf(&head, "%s/HEAD", taking->workspace->admin);
    if (!git_resolve_head(&taking->workspace->git, head.data, taking->out.head))
        (void)snprintf(taking->out.head, sizeof(taking->out.head), "%s", base);
    str_done(&head);
    (void)unlink(taking->index); /* of an earlier one */
    return run(taking, words, NULL);
}

/* Repositories that the task's own commits hold as links: git would look into them, with their
 * settings. */
static bool drop_links(struct taking *taking)
{
    const char *const list_words[] = {"ls-files", "--stage", "-z", NULL};
    const char *const drop_words[] = {"update-index", "--force-remove", "-z", "--stdin", NULL};
    const struct git_call call = in_worktree(taking, list_words);
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
    ok = ok && (links.len == 0 || run(taking, drop_words, &links));
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
    (void)close(look.top_fd); /* a folder: nothing was written to it */
    str_add_n(&paths, ".", sizeof("."));
    for (size_t i = 0; ok && i < tree.count; i++) {
        const char *path = tree.entries[i].path;
        const size_t len = repository_len(path);
        if (len == 0)
            continue;
        str_addf(&paths, ":(exclude,literal)%.*s", (int)len, path);
        str_add_n(&paths, "", 1);
        str_addf(&taking->out.left_out, "%s%.*s", taking->out.left_out.len > 0 ? "\n" : "",
                 (int)len, path);
    }
    ok = ok && run(taking, words, &paths);
    tree_done(&tree);
    str_done(&paths);
    return ok;
}

static bool write_tree(struct taking *taking)
{
    const char *const words[] = {"write-tree", NULL};
    const struct git_call call = in_worktree(taking, words);
    return git_ask_line(&taking->workspace->git, &call, taking->out.tree, sizeof(taking->out.tree),
                        taking->err);
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
    const bool ok =
        read_head(&taking, base) && drop_links(&taking) && add_all(&taking) && write_tree(&taking);
    (void)unlink(target->index); /* it has done its work */
    if (ok)
        *out = taking.out;
    else
        str_done(&taking.out.left_out);
    return ok;
}
