#define _GNU_SOURCE /* S_IFMT */

#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "xalloc.h"

enum { SECOND_NS = 1000 * 1000 * 1000 };

void tree_add(struct tree *tree, const struct tree_entry *entry)
{
    tree->entries = xgrow(tree->entries, &tree->cap, tree->count + 1, sizeof(*tree->entries));
    tree->entries[tree->count++] = *entry;
    if (S_ISREG(entry->mode)) {
        tree->files++;
        tree->bytes += entry->size;
    }
}

void tree_done(struct tree *tree)
{
    if (!tree)
        return;
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->entries[i].path);
        free(tree->entries[i].target);
    }
    free(tree->entries);
    *tree = (struct tree){0};
}

/* Where a byte of a path stands in the order: its end, the end of a name, names. */
static int rank(char c)
{
    if (c == '\0')
        return 0;
    return c == '/' ? 1 : 2 + (unsigned char)c;
}

int tree_path_compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return rank(*a) - rank(*b);
}

static int compare_with_entry(const void *key, const void *entry)
{
    return tree_path_compare(key, ((const struct tree_entry *)entry)->path);
}

struct tree_entry *tree_find(const struct tree *tree, const char *path)
{
    if (tree->count == 0)
        return NULL;
    return bsearch(path, tree->entries, tree->count, sizeof(*tree->entries), compare_with_entry);
}

/* The length of a path that somebody wrote, without the slashes that end it. */
static size_t trimmed(const char *path)
{
    size_t len = strlen(path);
    while (len > 0 && path[len - 1] == '/')
        len--;
    return len;
}

static bool is_under(const char *path, const char *folder)
{
    const size_t len = trimmed(folder);
    return len > 0 && strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

bool tree_path_is_under(const char *path, const char *const *list)
{
    for (; list && *list; list++) {
        if (is_under(path, *list))
            return true;
    }
    return false;
}

bool tree_path_holds(const char *path, const char *const *list)
{
    const size_t len = strlen(path);
    for (; list && *list; list++) {
        if (len == 0 || (strncmp(*list, path, len) == 0 && (*list)[len] == '/'))
            return true;
    }
    return false;
}

bool tree_path_is_sound(const char *path)
{
    if (path[0] == '\0')
        return true;
    for (;;) {
        const size_t len = strcspn(path, "/");
        const bool is_dots =
            (len == 1 && path[0] == '.') || (len == 2 && memcmp(path, "..", 2) == 0);
        if (len == 0 || is_dots)
            return false;
        if (path[len] == '\0')
            return true;
        path += len + 1;
    }
}

/* File systems without parts of a second are as coarse as two of them (FAT). */
static int64_t settling_ns(int64_t time_ns)
{
    return time_ns % SECOND_NS == 0 ? 2 * (int64_t)SECOND_NS : TREE_SETTLED_NS;
}

bool tree_entry_is_known(const struct tree_entry *now, const struct tree_entry *known)
{
    if (known->read_ns == 0 || now->mode != known->mode || now->size != known->size)
        return false;
    if (now->mtime_ns != known->mtime_ns || now->ctime_ns != known->ctime_ns ||
        now->inode != known->inode)
        return false;
    return known->ctime_ns + settling_ns(known->ctime_ns) < known->read_ns;
}

static bool same_target(const struct tree_entry *a, const struct tree_entry *b)
{
    if (!a->target || !b->target)
        return a->target == b->target;
    return strcmp(a->target, b->target) == 0;
}

bool tree_entry_same_content(const struct tree_entry *a, const struct tree_entry *b)
{
    if ((a->mode & S_IFMT) != (b->mode & S_IFMT))
        return false;
    if (S_ISREG(a->mode))
        return a->size == b->size && memcmp(a->hash, b->hash, sizeof(a->hash)) == 0;
    return a->device == b->device && same_target(a, b);
}

bool tree_entry_same_mode(const struct tree_entry *a, const struct tree_entry *b)
{
    return a->mode == b->mode && a->uid == b->uid && a->gid == b->gid;
}

static bool is_of_git(const char *path)
{
    for (;;) {
        const size_t len = strcspn(path, "/");
        if (len == 4 && memcmp(path, ".git", 4) == 0)
            return true;
        if (path[len] == '\0')
            return false;
        path += len + 1;
    }
}

static void add_to_digest(struct sha256 *sha256, const struct tree_entry *entry)
{
    const uint32_t mode = entry->mode;
    const unsigned char head[] = {
        (unsigned char)(mode >> 24),
        (unsigned char)(mode >> 16),
        (unsigned char)(mode >> 8),
        (unsigned char)mode,
    };
    sha256_add(sha256, head, sizeof(head));
    sha256_add(sha256, entry->path, strlen(entry->path) + 1);
    if (S_ISREG(mode))
        sha256_add(sha256, entry->hash, sizeof(entry->hash));
    if (entry->target)
        sha256_add(sha256, entry->target, strlen(entry->target) + 1);
}

struct digest tree_digest(const struct tree *tree, const char *const *ignored)
{
    unsigned char bytes[SHA256_BYTES];
    struct sha256 *sha256;
    sha256_open(&sha256);
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];
        /* Both are in the same order: what is ignored before this entry is not needed again. */
        while (ignored && *ignored && !is_under(entry->path, *ignored) &&
               tree_path_compare(*ignored, entry->path) < 0)
            ignored++;
        const bool is_ignored = ignored && *ignored && is_under(entry->path, *ignored);
        if (!S_ISDIR(entry->mode) && !is_ignored && !is_of_git(entry->path))
            add_to_digest(sha256, entry);
    }
    sha256_finish(sha256, bytes);
    return digest_from_bytes(bytes);
}
