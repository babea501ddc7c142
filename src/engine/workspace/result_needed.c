/* result_needed.c - the results that a result stands on, and what is there of them. */
#define _GNU_SOURCE /* mkdtemp */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "content_store.h"
#include "result_parts.h"
#include "tree_folder.h"
#include "xalloc.h"

static const int64_t list_timeout_ms = 10 * 60 * 1000;

void result_needed_take(struct workspace_result *result, const char *const *needed)
{
    size_t count = 0;
    while (needed && needed[count])
        count++;
    result->needed = xcalloc(count + 1, sizeof(*result->needed));
    for (size_t i = 0; i < count; i++)
        result->needed[i] = xstrdup(needed[i]);
}

void result_needed_done(struct workspace_result *result)
{
    for (char **task = result->needed; task && *task; task++)
        free(*task);
    free(result->needed);
    result->needed = NULL;
}

bool result_needed_hint(const struct workspace_result *result, const char *otherwise,
                        struct err *err)
{
    struct str names = {0};
    for (char **task = result->needed; task && *task; task++)
        str_addf(&names, "%s'%.60s'", names.len > 0 ? ", " : "", *task);
    if (names.len > 0)
        (void)err_hint(err, "nothing was changed; it stands on %s: apply that first, or %s",
                       str_text(&names), otherwise);
    else
        (void)err_hint(err, "nothing was changed; %s", otherwise);
    str_done(&names);
    return false;
}

/* What lies at the path, if it is still the content that the entry speaks of. */
static int open_same(struct tree_folder *folder, const struct tree_entry *entry)
{
    int at;
    const char *name;
    int64_t size;
    unsigned char hash[SHA256_BYTES];
    if (!tree_folder_reach(folder, entry->path, &at, &name, NULL))
        return -1;
    const int fd = tree_folder_open_file(at, name);
    if (fd < 0 || (content_read(NULL, fd, hash, &size, NULL) &&
                   memcmp(hash, entry->hash, sizeof(hash)) == 0 && lseek(fd, 0, SEEK_SET) == 0))
        return fd;
    (void)close(fd); /* it was only read */
    return -1;
}

/* The same in the result of a task that is needed, where that is a folder. */
static int open_in_result(const struct workspace *workspace, const char *task,
                          const struct tree_entry *entry)
{
    struct tree_folder folder;
    struct str path = {0};
    str_addf(&path, "%s/%s/result", workspace->base, task);
    const int top = tree_folder_open(AT_FDCWD, path.data);
    str_done(&path);
    if (top < 0)
        return -1;
    tree_folder_init(&folder, top);
    const int fd = open_same(&folder, entry);
    tree_folder_done(&folder);
    (void)close(top); /* a folder: nothing was written to it */
    return fd;
}

bool result_open_original(void *ctx, const struct tree_entry *entry, int *fd_out, struct err *err)
{
    struct result_originals *originals = ctx;
    int fd = open_same(&originals->origin, entry);
    for (char **task = originals->result->needed; fd < 0 && task && *task; task++)
        fd = open_in_result(originals->result->workspace, *task, entry);
    if (fd < 0)
        return err_set(err, ERR_NOT_FOUND, "'%s' is no longer what it was", entry->path);
    *fd_out = fd;
    return true;
}

/* An index of the commit, and git's look at the tree through it. */
static bool list_with(const struct workspace_result *result, const char *index, struct str *list,
                      struct err *err)
{
    const char *const read_words[] = {"read-tree", result->note.base, NULL};
    const char *const words[] = {"diff",         "--no-color",    "--name-only", "-z",
                                 "--no-renames", "--no-ext-diff", NULL};
    const struct git_call read = {.words = read_words, .index = index};
    const struct git_call call = {.words = words, .index = index, .timeout_ms = list_timeout_ms};
    return git_ask(&result->workspace->git, &read, NULL, err) &&
           git_ask(&result->workspace->git, &call, list, err);
}

bool result_list_own(const struct workspace_result *result, struct str *list, struct err *err)
{
    char folder[PATH_MAX];
    char index[PATH_MAX + 8];
    if (!workspace_path(result->workspace, "apply-XXXXXX", folder, err))
        return false;
    if (!mkdtemp(folder))
        return err_set_errno(err, errno, "cannot make '%s'", folder);
    (void)snprintf(index, sizeof(index), "%s/index", folder);
    const bool ok = list_with(result, index, list, err);
    return tree_folder_remove(AT_FDCWD, folder, err) && ok;
}
