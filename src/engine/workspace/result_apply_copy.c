/* result_apply_copy.c - the result of a copy brought home. */
#define _GNU_SOURCE /* types of files */

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "result_parts.h"
#include "tree.h"
#include "tree_diff.h"
#include "tree_folder.h"

const char *const result_left_out[] = {".git", ".devs", NULL};

static void leave_out(struct tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->count; i++) {
        if (!tree_path_is_under(tree->entries[i].path, result_left_out)) {
            tree->entries[kept++] = tree->entries[i];
        } else {
            free(tree->entries[i].path);
            free(tree->entries[i].target);
        }
    }
    tree->count = kept;
}

/* A file that an attempt wrote must not run with the person's rights for others who start it. */
static void drop_set_id(const struct tree *start, struct tree *now)
{
    for (size_t i = 0; i < now->count; i++) {
        struct tree_entry *entry = &now->entries[i];
        const struct tree_entry *before = tree_find(start, entry->path);
        const bool was_so =
            before && before->mode == entry->mode && tree_entry_same_content(before, entry);
        if (S_ISREG(entry->mode) && !was_so)
            entry->mode &= ~(uint32_t)(S_ISUID | S_ISGID);
    }
}

/* What comes is new here, so that make(1) sees it. Nothing else gets another time. */
static void date_new(const struct tree *ours, struct tree *want)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    for (size_t i = 0; i < want->count; i++) {
        struct tree_entry *entry = &want->entries[i];
        const struct tree_entry *own = tree_find(ours, entry->path);
        if (own)
            entry->mtime_ns = own->mtime_ns;
        if (!own || !tree_entry_same_content(own, entry))
            entry->mtime_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
}

/* A result on its way home. All borrowed. */
struct bringing {
    const struct workspace_result *result;
    const struct workspace_changes *changes;
    const struct result_copy *copy;
    const struct tree *ours, *want;
};

static bool is_same(const struct tree *ours, const struct tree *want)
{
    struct tree_diff diff = {0};
    tree_diff_paths(ours, want, NULL, &diff);
    const bool is_same = diff.changed == 0;
    tree_diff_done(&diff);
    return is_same;
}

static bool bring(const struct bringing *bringing, const struct tree_look *look, struct err *err)
{
    struct result_backup backup;
    struct tree_folder folder;
    struct tree_work work;
    struct err why = {0};
    tree_folder_init(&folder, bringing->copy->look.top_fd);
    const struct tree_source source = tree_source_of(&folder);
    bool ok = result_backup_take(bringing->result, look->top_fd, bringing->changes, &backup, err);
    if (ok && !tree_restore(look, bringing->ours, bringing->want, &source, &work, err)) {
        ok = false;
        if (!result_backup_return(&backup, &why))
            (void)err_hint(err, "and not all could be put back: %.120s", why.message);
    }
    result_backup_done(&backup);
    tree_folder_done(&folder);
    return ok;
}

bool result_apply_copy(const struct workspace_result *result, int origin_fd,
                       const struct workspace_changes *changes, enum workspace_apply what,
                       bool *was_there, struct err *err)
{
    struct result_copy copy;
    struct tree ours = {0};
    struct tree want = {0};
    struct err why = {0};
    const struct tree_look look = {.top_fd = origin_fd, .exclude = result_left_out};
    bool ok = result_copy_read(result, &copy, err) && tree_scan(&look, &ours, err);
    if (ok) {
        tree_shut(origin_fd, &ours);
        leave_out(&copy.start);
        leave_out(&copy.now);
        drop_set_id(&copy.start, &copy.now);
        ok = tree_hash(&look, &ours, NULL, NULL, err);
    }
    if (ok && !tree_merge(&copy.start, &ours, &copy.now, &want, &why)) {
        (void)err_set(err, ERR_INVALID, "your tree %s: %s",
                      result->needed[0] ? "is not what the task started from"
                                        : "has changes of its own",
                      why.message);
        ok = result_needed_hint(result, "look into the result's folder, devs diff --json names it",
                                err);
    }
    *was_there = ok && is_same(&ours, &want);
    if (ok && !*was_there && what == WORKSPACE_APPLY) {
        date_new(&ours, &want);
        const struct bringing bringing = {
            .result = result, .changes = changes, .copy = &copy, .ours = &ours, .want = &want};
        ok = bring(&bringing, &look, err);
    }
    result_copy_done(&copy);
    tree_done(&ours);
    tree_done(&want);
    return ok;
}
