/* workspace_snapshot.c - saves the state of a workspace, and restores it. */
#include "workspace_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "outcome.h"
#include "shown.h"
#include "tree.h"
#include "tree_folder.h"

enum { LARGEST = 3 };

/* An open folder of a workspace. */
struct part {
    struct workspace *workspace; /* borrowed, like all pointers here */
    enum workspace_part what;
    const atomic_bool *stop;
    int fd; /* owned; -1 = none */
};

static struct tree_look look_of(const struct part *part)
{
    const bool is_tree = part->what == WORKSPACE_TREE;
    return (struct tree_look){
        .top_fd = part->fd,
        .exclude = is_tree ? (const char *const *)part->workspace->spec.exclude : NULL,
        .stop = part->stop};
}

static const struct tree *known_of(const struct part *part)
{
    return part->what == WORKSPACE_TREE ? &part->workspace->known : &part->workspace->known_admin;
}

static bool open_part(struct part *part, bool may_remake, struct err *err)
{
    if (part->what == WORKSPACE_ADMIN) {
        return workspace_open_admin(part->workspace, may_remake, &part->fd, err);
    }
    if (may_remake)
        return workspace_remake_top(part->workspace, &part->fd, err);
    return workspace_open_top(part->workspace, &part->fd, err);
}

static void close_part(struct part *part)
{
    if (part->fd >= 0)
        (void)close(part->fd); /* a folder opened for reading; nothing to flush */
    part->fd = -1;
}

/* The total size of one top-level entry and everything below it. */
struct share {
    const char *path; /* borrowed */
    size_t len;
    int64_t bytes;
};

static void add_to_largest(struct share largest[LARGEST], const struct share *share)
{
    for (int i = 0; i < LARGEST; i++) {
        if (share->bytes <= largest[i].bytes)
            continue;
        memmove(&largest[i + 1], &largest[i], (size_t)(LARGEST - 1 - i) * sizeof(*largest));
        largest[i] = *share;
        return;
    }
}

static bool refuse_too_large(const struct tree *tree, int64_t bytes_max, struct err *err)
{
    struct share largest[LARGEST] = {0};
    struct share share = {.path = ""};
    for (size_t i = 0; i < tree->count; i++) {
        const char *path = tree->entries[i].path;
        const size_t len = strcspn(path, "/");
        if (len != share.len || strncmp(path, share.path, len) != 0) {
            add_to_largest(largest, &share);
            share = (struct share){.path = path, .len = len};
        }
        share.bytes += tree->entries[i].size;
    }
    add_to_largest(largest, &share);

    struct str text = {0};
    str_add(&text, "the workspace holds ");
    shown_size(tree->bytes, &text);
    str_add(&text, ", but a snapshot holds ");
    shown_size(bytes_max, &text);
    str_add(&text, " at most; the largest:");
    for (int i = 0; i < LARGEST && largest[i].bytes > 0; i++) {
        str_addf(&text, "%s '%.*s' ", i > 0 ? "," : "",
                 (int)(largest[i].len < 80 ? largest[i].len : 80), largest[i].path);
        shown_size(largest[i].bytes, &text);
    }
    (void)err_set(err, ERR_LIMIT, "%s", str_text(&text));
    str_done(&text);
    return err_hint(err, "set exclude or snapshot_bytes_max in the plan's workspace");
}

/* Scans and hashes the folder, stores the contents, and writes the manifest. The caller frees
 * *tree. */
static bool save_part(struct part *part, int step, struct tree *tree, int *start_code,
                      struct err *err)
{
    char path[PATH_MAX];
    const struct tree_look look = look_of(part);
    struct workspace *workspace = part->workspace;
    if (!workspace_snapshot_path(workspace, step, part->what, path, err))
        return false;
    if (!tree_scan(&look, tree, err)) {
        if (err->code == ERR_LIMIT)
            *start_code = START_TOO_LARGE;
        return false;
    }
    bool ok = tree->bytes <= workspace->spec.snapshot_bytes_max;
    if (!ok) {
        *start_code = START_TOO_LARGE;
        (void)refuse_too_large(tree, workspace->spec.snapshot_bytes_max, err);
    }
    ok = ok && tree_hash(&look, tree, known_of(part), &workspace->store, err);
    tree_shut(part->fd, tree);
    return ok && tree_write_file(tree, path, err);
}

bool workspace_open_content(void *ctx, const struct tree_entry *entry, int *fd_out, struct err *err)
{
    return content_get(ctx, entry->hash, fd_out, err);
}

/* Scans the current tree. Removes a tree that exceeds our limits, so that it is recreated from the
 * snapshot; fails instead if some paths are excluded. */
static bool scan_or_empty(struct part *part, struct tree *now, struct err *err)
{
    struct err why = {0};
    struct tree_look look = look_of(part);
    if (tree_scan(&look, now, &why))
        return true;
    if (why.code != ERR_LIMIT || part->what != WORKSPACE_TREE || (look.exclude && look.exclude[0]))
        return err_set(err, why.code == ERR_NONE ? ERR_IO : why.code, "%s", why.message);
    close_part(part);
    if (!tree_folder_remove(AT_FDCWD, part->workspace->tree, err) || !open_part(part, true, err))
        return false;
    look = look_of(part);
    return tree_scan(&look, now, err);
}

/* Restores the folder and sets *tree to its manifest after that. The caller frees *tree. */
static bool reset_part(struct part *part, int step, struct tree *tree, struct tree_work *work,
                       struct err *err)
{
    char path[PATH_MAX];
    struct tree want = {0};
    struct tree now = {0};
    struct workspace *workspace = part->workspace;
    const struct tree_source source = {.open = workspace_open_content, .ctx = &workspace->store};
    if (!workspace_snapshot_path(workspace, step, part->what, path, err) ||
        !tree_read_file(path, &want, err))
        return false;
    const struct tree *known = known_of(part)->count > 0 ? known_of(part) : &want;
    bool ok = scan_or_empty(part, &now, err);
    const struct tree_look look = look_of(part);
    ok = ok && tree_hash(&look, &now, known, NULL, err) &&
         tree_restore(&look, &now, &want, &source, work, err) && tree_scan(&look, tree, err);
    if (ok) {
        ok = tree_hash(&look, tree, &now, NULL, err);
        tree_shut(part->fd, tree);
        ok = ok && tree_verify(&look, tree, &want, err);
        /* After a reset, all contents are in the store, because they come from the snapshot. */
        for (size_t i = 0; i < tree->count; i++)
            tree->entries[i].is_stored = S_ISREG(tree->entries[i].mode);
    }
    tree_done(&now);
    tree_done(&want);
    return ok;
}

/* Returns the paths in the workspace that git ignores, for tree_digest(). The caller frees the
 * array; the strings are in *list. Returns NULL if git fails. */
static char **list_ignored(const struct workspace *workspace, const struct tree *tree,
                           const atomic_bool *stop, struct str *list)
{
    const char *const words[] = {"ls-files",           "-z",          "--others", "--ignored",
                                 "--exclude-standard", "--directory", NULL};
    struct str index = {0};
    struct stat info;
    if (!workspace->git.places || workspace_blocks_git(tree))
        return NULL;
    /* A copy has no index of its own, so use the index of the user's repository: tracked files are
     * not ignored. */
    str_addf(&index, "%s/index", workspace->admin ? workspace->admin : workspace->git.places->dir);
    const struct git_call call = {
        .words = words, .tree = workspace->tree, .index = index.data, .stop = stop};
    const bool waits = lstat(index.data, &info) == 0 && S_ISFIFO(info.st_mode);
    const bool ok = !waits && git_ask(&workspace->git, &call, list, NULL);
    str_done(&index);
    return ok ? git_paths(list, NULL) : NULL;
}

/* Fills in the digest and the sizes of the tree. */
static void set_facts(const struct workspace *workspace, const struct tree *tree,
                      const atomic_bool *stop, struct tree_facts *out)
{
    struct str list = {0};
    char **ignored = list_ignored(workspace, tree, stop, &list);
    out->digest = tree_digest(tree, (const char *const *)ignored);
    out->files = tree->files;
    out->bytes = tree->bytes;
    free(ignored);
    str_done(&list);
}

/* Saves the tree last, because its manifest marks the snapshot as complete. */
bool workspace_save(struct workspace *workspace, int step, const atomic_bool *stop,
                    struct tree_facts *out, int *start_code, struct err *err)
{
    char folder[PATH_MAX];
    struct err own = {0};
    struct err *why = err ? err : &own;
    struct tree tree = {0};
    struct tree_facts facts = {0};
    struct part part = {.workspace = workspace, .stop = stop, .fd = -1};
    const int64_t start_ms = clock_now().mono_ms;
    if (workspace->ship.executor)
        return ship_save(workspace, step, stop, out, start_code, err);
    *start_code = 0;
    bool ok = workspace_path(workspace, "snapshots", folder, why);
    if (ok && mkdir(folder, 0700) != 0 && errno != EEXIST)
        ok = err_set_errno(why, errno, "cannot create '%s'", folder);
    ok = ok && workspace_open_store(workspace, why);
    if (ok && workspace->admin) {
        struct tree admin = {0};
        part.what = WORKSPACE_ADMIN;
        ok = open_part(&part, false, why) && save_part(&part, step, &admin, start_code, why);
        close_part(&part);
        workspace_now_known(workspace, WORKSPACE_ADMIN, &admin);
    }
    part.what = WORKSPACE_TREE;
    ok = ok && open_part(&part, false, why) && save_part(&part, step, &tree, start_code, why);
    close_part(&part);
    if (ok)
        set_facts(workspace, &tree, stop, &facts);
    workspace_now_known(workspace, WORKSPACE_TREE, &tree);
    if (!ok) {
        if (*start_code == 0)
            *start_code = workspace_start_code(why, stop);
        return false;
    }
    facts.ms = clock_now().mono_ms - start_ms;
    *out = facts;
    return true;
}

bool workspace_reset(struct workspace *workspace, int step, const atomic_bool *stop,
                     struct tree_facts *out, int *start_code, struct err *err)
{
    struct err own = {0};
    struct err *why = err ? err : &own;
    struct tree tree = {0};
    struct tree_work work = {0};
    struct tree_facts facts = {0};
    struct part part = {.workspace = workspace, .what = WORKSPACE_TREE, .stop = stop, .fd = -1};
    const int64_t start_ms = clock_now().mono_ms;
    if (workspace->ship.executor)
        return ship_reset(workspace, step, stop, out, start_code, err);
    *start_code = 0;
    bool ok = workspace_open_store(workspace, why) && open_part(&part, true, why) &&
              reset_part(&part, step, &tree, &work, why);
    close_part(&part);
    if (ok && workspace->admin) {
        struct tree admin = {0};
        struct tree_work admin_work = {0};
        part.what = WORKSPACE_ADMIN;
        ok = open_part(&part, true, why) && reset_part(&part, step, &admin, &admin_work, why);
        close_part(&part);
        workspace_now_known(workspace, WORKSPACE_ADMIN, &admin);
    }
    if (ok)
        set_facts(workspace, &tree, stop, &facts);
    workspace_now_known(workspace, WORKSPACE_TREE, &tree);
    if (!ok) {
        if (*start_code == 0)
            *start_code = workspace_start_code(why, stop);
        return false;
    }
    facts.changed = work.changed;
    facts.written = work.written;
    facts.ms = clock_now().mono_ms - start_ms;
    *out = facts;
    return true;
}

bool workspace_hash(struct workspace *workspace, const atomic_bool *stop, struct tree_facts *out,
                    struct err *err)
{
    struct tree tree = {0};
    struct tree_facts facts = {0};
    struct part part = {.workspace = workspace, .what = WORKSPACE_TREE, .stop = stop, .fd = -1};
    const int64_t start_ms = clock_now().mono_ms;
    if (workspace->ship.executor)
        return ship_look(workspace, stop, out, err);
    if (!open_part(&part, false, err))
        return false;
    const struct tree_look look = look_of(&part);
    const bool ok = workspace_read_tree(&look, &workspace->known, &tree, err);
    close_part(&part);
    if (ok) {
        set_facts(workspace, &tree, stop, &facts);
        workspace_now_known(workspace, WORKSPACE_TREE, &tree);
    }
    tree_done(&tree);
    if (!ok)
        return false;
    facts.ms = clock_now().mono_ms - start_ms;
    *out = facts;
    return true;
}
