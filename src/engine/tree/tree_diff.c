#define _GNU_SOURCE /* types of files */

#include "tree_diff.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tree.h"
#include "xalloc.h"

char diff_kind_letter(enum diff_kind kind)
{
    static const char letters[DIFF_KIND_COUNT] = {
        [DIFF_ADDED] = 'A', [DIFF_CHANGED] = 'M', [DIFF_MODE] = 'X',
        [DIFF_TYPE] = 'T',  [DIFF_DELETED] = 'D',
    };
    return letters[kind];
}

void tree_diff_done(struct tree_diff *diff)
{
    if (!diff)
        return;
    for (size_t i = 0; i < diff->path_count; i++)
        free(diff->paths[i].path);
    free(diff->paths);
    str_done(&diff->text);
    str_done(&diff->why);
    *diff = (struct tree_diff){0};
}

/* Two manifests side by side. */
struct walk {
    const struct tree *before, *now; /* borrowed */
    size_t i, j;                     /* the next of each */
    size_t paths_max;
    size_t cap;
    struct str git; /* the ".git" that was told last */
    struct tree_diff *out;
};

static void add_path(struct walk *walk, enum diff_kind kind, const char *path)
{
    struct tree_diff *out = walk->out;
    out->changed++;
    if (out->path_count >= walk->paths_max)
        return;
    out->paths = xgrow(out->paths, &walk->cap, out->path_count + 1, sizeof(*out->paths));
    out->paths[out->path_count++] =
        (struct diff_path){.kind = kind, .path = xstrdup(path), .added = -1, .removed = -1};
}

/* How much of the path is a repository that the path is in; 0 = none. */
static size_t git_len(const char *path)
{
    static const char name[] = ".git";
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        if (strncmp(at, name, sizeof(name) - 1) == 0 && at[sizeof(name) - 1] == '/')
            return (size_t)(at - path) + sizeof(name) - 1;
    }
    return 0;
}

/* All that changed in a repository is told once, as that of the folder ".git". */
static void add_git(struct walk *walk, const char *path, size_t len)
{
    if (walk->git.len == len && memcmp(walk->git.data, path, len) == 0)
        return;
    str_clear(&walk->git);
    str_add_n(&walk->git, path, len);
    enum diff_kind kind = DIFF_CHANGED;
    if (!tree_find(walk->before, walk->git.data))
        kind = DIFF_ADDED;
    else if (!tree_find(walk->now, walk->git.data))
        kind = DIFF_DELETED;
    add_path(walk, kind, walk->git.data);
}

/* A folder speaks for itself only where nothing in it does. */
static bool is_empty_folder(const struct tree *tree, size_t at)
{
    const struct tree_entry *entry = &tree->entries[at];
    const size_t len = strlen(entry->path);
    if (!S_ISDIR(entry->mode))
        return false;
    return at + 1 >= tree->count || strncmp(tree->entries[at + 1].path, entry->path, len) != 0 ||
           tree->entries[at + 1].path[len] != '/';
}

static void tell(struct walk *walk, enum diff_kind kind, const char *path)
{
    const size_t len = git_len(path);
    if (len > 0)
        add_git(walk, path, len);
    else
        add_path(walk, kind, path);
}

static void only_in(struct walk *walk, const struct tree *tree, size_t at, enum diff_kind kind)
{
    if (!S_ISDIR(tree->entries[at].mode) || is_empty_folder(tree, at))
        tell(walk, kind, tree->entries[at].path);
}

static void both(struct walk *walk, const struct tree_entry *before, const struct tree_entry *now)
{
    if ((before->mode & S_IFMT) != (now->mode & S_IFMT))
        tell(walk, DIFF_TYPE, now->path);
    else if (!tree_entry_same_content(before, now))
        tell(walk, DIFF_CHANGED, now->path);
    else if (!tree_entry_same_mode(before, now))
        tell(walk, DIFF_MODE, now->path[0] ? now->path : ".");
}

void tree_diff_paths(const struct tree *before, const struct tree *now,
                     const struct diff_limits *limits, struct tree_diff *out)
{
    struct walk walk = {.before = before, .now = now, .out = out};
    walk.paths_max = limits && limits->paths_max > 0 ? limits->paths_max : DIFF_PATHS_MAX;
    while (walk.i < before->count || walk.j < now->count) {
        const struct tree_entry *a = walk.i < before->count ? &before->entries[walk.i] : NULL;
        const struct tree_entry *b = walk.j < now->count ? &now->entries[walk.j] : NULL;
        if (a && b && tree_path_compare(a->path, b->path) == 0) {
            both(&walk, a, b);
            walk.i++;
            walk.j++;
        } else if (a && (!b || tree_path_compare(a->path, b->path) < 0)) {
            only_in(&walk, before, walk.i++, DIFF_DELETED);
        } else {
            only_in(&walk, now, walk.j++, DIFF_ADDED);
        }
    }
    if (out->changed > (int64_t)out->path_count)
        str_addf(&out->why, "%zu of %lld paths are named", out->path_count,
                 (long long)out->changed);
    str_done(&walk.git);
}
