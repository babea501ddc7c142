#define _GNU_SOURCE /* types of files */

#include "tree_copy.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree_folder.h"
#include "tree_restore.h"

/* What is there, but sockets: nobody listens at a copy. Takes the entries that stay. */
static void drop_sockets(struct tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_entry *entry = &tree->entries[i];
        if (S_ISSOCK(entry->mode)) {
            free(entry->path);
            free(entry->target);
        } else {
            tree->entries[kept++] = *entry;
        }
    }
    tree->count = kept;
}

/* Owners are ours unless we may give files away. */
static void own_all(struct tree *tree)
{
    for (size_t i = 0; i < tree->count && geteuid() != 0; i++) {
        tree->entries[i].uid = geteuid();
        tree->entries[i].gid = getegid();
    }
}

bool tree_copy(const struct tree_look *from, const struct tree_look *to, int64_t *files_out,
               struct err *err)
{
    struct tree want = {0};
    struct tree now = {0};
    struct tree_work work = {0};
    struct tree_folder folder;
    tree_folder_init(&folder, from->top_fd);
    const struct tree_source source = tree_source_of(&folder);
    bool ok = tree_scan(from, &want, err);
    if (ok) {
        drop_sockets(&want);
        own_all(&want);
        ok = tree_scan(to, &now, err) && tree_restore(to, &now, &want, &source, &work, err);
        tree_shut(from->top_fd, &want);
    }
    if (ok)
        *files_out = want.files;
    tree_folder_done(&folder);
    tree_done(&want);
    tree_done(&now);
    return ok;
}
