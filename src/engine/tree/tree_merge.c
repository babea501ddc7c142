#define _GNU_SOURCE /* types of files */

#include "tree_merge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "xalloc.h"

static bool is_same(const struct tree_entry *a, const struct tree_entry *b)
{
    if (!a || !b)
        return a == b;
    return tree_entry_same_content(a, b) && tree_entry_same_mode(a, b);
}

static void add_copy(struct tree *out, const struct tree_entry *entry)
{
    struct tree_entry copy = *entry;
    copy.path = xstrdup(entry->path);
    copy.target = entry->target ? xstrdup(entry->target) : NULL;
    tree_add(out, &copy);
}

/* Is the folder of the path in the tree? It came before, for a folder comes before all in it. */
static bool has_parent(const struct tree *tree, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return true;
    char *parent = xstrndup(path, (size_t)(slash - path));
    const struct tree_entry *entry = tree_find(tree, parent);
    free(parent);
    return entry && S_ISDIR(entry->mode);
}

/* One path that at least one of the two has. */
static bool merge_path(const struct tree *base, const struct tree_entry *ours,
                       const struct tree_entry *theirs, struct tree *out, struct err *err)
{
    const char *path = "";
    if (ours || theirs)
        path = ours ? ours->path : theirs->path;
    const struct tree_entry *before = tree_find(base, path);
    const struct tree_entry *chosen = ours;
    if (!is_same(before, theirs) && !is_same(ours, theirs)) {
        if (!is_same(ours, before))
            return err_set(err, ERR_INVALID, "'%s' is different in both", path);
        chosen = theirs;
    }
    if (!chosen)
        return true;
    if (!has_parent(out, chosen->path))
        return err_set(err, ERR_INVALID, "'%s' is in a folder that the other one removed",
                       chosen->path);
    add_copy(out, chosen);
    return true;
}

bool tree_merge(const struct tree *base, const struct tree *ours, const struct tree *theirs,
                struct tree *out, struct err *err)
{
    struct tree tree = {0};
    size_t i = 0;
    size_t j = 0;
    bool ok = true;
    while (ok && (i < ours->count || j < theirs->count)) {
        const struct tree_entry *a = i < ours->count ? &ours->entries[i] : NULL;
        const struct tree_entry *b = j < theirs->count ? &theirs->entries[j] : NULL;
        if (a && b && tree_path_compare(a->path, b->path) != 0) {
            if (tree_path_compare(a->path, b->path) < 0)
                b = NULL;
            else
                a = NULL;
        }
        ok = merge_path(base, a, b, &tree, err);
        i += a != NULL;
        j += b != NULL;
    }
    if (ok)
        *out = tree;
    else
        tree_done(&tree);
    return ok;
}
