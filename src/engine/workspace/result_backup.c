/* result_backup.c - paths of a person's tree kept before something is brought home, and put back.
 */
#define _GNU_SOURCE /* mkdtemp */

#include "result_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "tree_folder.h"
#include "xalloc.h"

/* The paths that change, in the order of a tree. */
struct wanted {
    const char **paths; /* owned; borrowed texts */
    size_t count;
};

static int compare_paths(const void *a, const void *b)
{
    return tree_path_compare(*(const char *const *)a, *(const char *const *)b);
}

static void wanted_init(struct wanted *wanted, const struct workspace_changes *changes)
{
    wanted->count = changes->count;
    wanted->paths = xcalloc(changes->count + 1, sizeof(*wanted->paths));
    for (size_t i = 0; i < changes->count; i++)
        wanted->paths[i] = changes->items[i].path;
    qsort(wanted->paths, wanted->count, sizeof(*wanted->paths), compare_paths);
}

/* The first that does not come before the path. */
static size_t first_from(const struct wanted *wanted, const char *path)
{
    size_t low = 0;
    size_t high = wanted->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tree_path_compare(wanted->paths[middle], path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One of them, or a folder above one. */
static bool is_at_or_above(const struct wanted *wanted, const char *path)
{
    const size_t len = strlen(path);
    const size_t at = first_from(wanted, path);
    if (len == 0)
        return true;
    if (at >= wanted->count || strncmp(wanted->paths[at], path, len) != 0)
        return false;
    return wanted->paths[at][len] == '\0' || wanted->paths[at][len] == '/';
}

/* Below one of them. */
static bool is_below(const struct wanted *wanted, const char *path)
{
    bool found = false;
    char *part = xstrdup(path);
    for (char *slash = strchr(part, '/'); slash && !found; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const size_t at = first_from(wanted, part);
        found = at < wanted->count && strcmp(wanted->paths[at], part) == 0;
        *slash = '/';
    }
    free(part);
    return found;
}

/* Only what may change stays in the manifest. */
static void keep_wanted(const struct wanted *wanted, struct tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_entry *entry = &tree->entries[i];
        if (is_at_or_above(wanted, entry->path) || is_below(wanted, entry->path)) {
            tree->entries[kept++] = *entry;
        } else {
            free(entry->path);
            free(entry->target);
        }
    }
    tree->count = kept;
}

static bool look(const struct result_backup *backup, struct content_store *store, struct tree *tree,
                 struct err *err)
{
    struct wanted wanted;
    if (!tree_scan(&backup->look, tree, err))
        return false;
    wanted_init(&wanted, backup->changes);
    tree_shut(backup->look.top_fd, tree);
    keep_wanted(&wanted, tree);
    free(wanted.paths);
    return tree_hash(&backup->look, tree, &backup->before, store, err);
}

bool result_backup_take(const struct workspace_result *result, int origin_fd,
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
        return err_set_errno(err, errno, "cannot make a folder for what is there now");
    }
    struct str path = {0};
    str_addf(&path, "%s/contents", out->folder);
    const bool ok =
        content_open(&out->store, path.data, err) && look(out, &out->store, &before, err);
    str_done(&path);
    out->before = before;
    return ok;
}

bool result_backup_return(struct result_backup *backup, struct err *err)
{
    struct tree now = {0};
    struct tree_work work;
    const struct tree_source source = {.open = workspace_open_content, .ctx = &backup->store};
    const bool ok = look(backup, NULL, &now, err) &&
                    tree_restore(&backup->look, &now, &backup->before, &source, &work, err);
    tree_done(&now);
    return ok;
}

void result_backup_done(struct result_backup *backup)
{
    content_close(&backup->store);
    tree_done(&backup->before);
    if (backup->folder[0] && !tree_folder_remove(AT_FDCWD, backup->folder, NULL))
        backup->folder[0] = '\0'; /* devs gc finds it */
}
