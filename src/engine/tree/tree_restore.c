/* tree_restore.c - changes a folder until it matches a manifest; also verifies and copies trees.
 *
 * First removes everything that differs, deepest paths first; then creates the missing entries; and
 * last sets the modes and times of folders, deepest first, because creating files in a folder
 * changes its times. Recreates a file with several names, because changing it would also change its
 * other names. */
#define _GNU_SOURCE /* mknodat, S_IFMT */

#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "content_store.h"
#include "tree_folder.h"

enum { MODE_BITS = 07777, LOOK_AT_STOP = 64 };

static const int64_t second_ns = 1000 * 1000 * 1000;

struct restore {
    const struct tree_look *look; /* borrowed, like all pointers here */
    const struct tree *now, *want;
    const struct tree_source *source;
    struct tree_folder folder;
    struct tree_work work;
    bool cannot_clone;
    struct err *err;
};

/* The location of an entry. */
struct spot {
    int fd; /* descriptor of its parent folder; borrowed */
    const char *name;
    const char *path;
};

static bool open_in_folder(void *ctx, const struct tree_entry *entry, int *fd_out, struct err *err)
{
    int at;
    const char *name;
    if (!tree_folder_reach(ctx, entry->path, &at, &name, err))
        return false;
    const int fd = tree_folder_open_file(at, name);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot read '%s'", entry->path);
    *fd_out = fd;
    return true;
}

struct tree_source tree_source_of(struct tree_folder *folder)
{
    return (struct tree_source){.open = open_in_folder, .ctx = folder};
}

static bool reach_spot(struct restore *restore, const char *path, struct spot *out)
{
    out->path = path;
    return tree_folder_reach(&restore->folder, path, &out->fd, &out->name, restore->err);
}

static bool report_refused(const struct restore *restore, const struct spot *spot, int number)
{
    return tree_folder_refused(spot->fd, spot->name, spot->path, number, restore->err);
}

static bool is_stopped(const struct restore *restore, size_t at)
{
    if (at % LOOK_AT_STOP != 0 || !restore->look->stop || !atomic_load(restore->look->stop))
        return false;
    (void)err_set(restore->err, ERR_BUSY, "stopped");
    return true;
}

/* Returns whether the existing entry can be kept, perhaps with a new mode and time. An entry with
 * other names (hard links) must not change, because that would also change the other names. */
static bool may_stay(const struct tree_entry *now, const struct tree_entry *want)
{
    if (!want || (now->mode & S_IFMT) != (want->mode & S_IFMT))
        return false;
    if (S_ISDIR(now->mode))
        return true;
    const bool same = tree_entry_same_mode(now, want) && now->mtime_ns == want->mtime_ns;
    return tree_entry_same_content(now, want) && (same || now->links <= 1);
}

/* Removes paths that must be deleted or replaced, deepest first. */
static bool remove_what_differs(struct restore *restore)
{
    bool ok = true;
    for (size_t i = restore->now->count; i > 1 && ok; i--) {
        const struct tree_entry *now = &restore->now->entries[i - 1];
        const struct tree_entry *want = tree_find(restore->want, now->path);
        struct spot spot;
        if (is_stopped(restore, i))
            return false;
        if (may_stay(now, want))
            continue;
        if (S_ISDIR(now->mode) && !want && tree_path_holds(now->path, restore->look->exclude))
            continue; /* the folder may contain excluded paths */
        ok = reach_spot(restore, now->path, &spot);
        if (ok && unlinkat(spot.fd, spot.name, S_ISDIR(now->mode) ? AT_REMOVEDIR : 0) != 0)
            ok = report_refused(restore, &spot, errno);
        if (S_ISDIR(now->mode))
            tree_folder_forget(&restore->folder);
        if (!want)
            restore->work.changed++;
    }
    return ok;
}

/* Sets the owner, then the mode, because a change of owner may clear mode bits, and last the time.
 * Returns 0 or an errno. */
static int set_meta(const struct spot *spot, const struct tree_entry *want)
{
    struct stat info;
    if (fstatat(spot->fd, spot->name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    if ((info.st_uid != want->uid || info.st_gid != want->gid) &&
        fchownat(spot->fd, spot->name, want->uid, want->gid, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    /* Changing the owner may clear mode bits, so set the mode even if it was right. */
    const bool same_mode =
        info.st_mode == want->mode && info.st_uid == want->uid && info.st_gid == want->gid;
    if (!S_ISLNK(want->mode) && !same_mode) {
        const int number = tree_folder_chmod(spot->fd, spot->name, want->mode);
        if (number != 0)
            return number;
    }
    int64_t part = want->mtime_ns % second_ns;
    int64_t whole = want->mtime_ns / second_ns;
    if (part < 0) { /* for times before 1970 */
        part += second_ns;
        whole--;
    }
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                      {.tv_sec = (time_t)whole, .tv_nsec = (long)part}};
    return utimensat(spot->fd, spot->name, times, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

static bool make_entry(struct restore *restore, const struct spot *spot,
                       const struct tree_entry *want)
{
    int made = 0;
    if (S_ISREG(want->mode)) {
        int from = -1;
        int64_t bytes = 0;
        if (!restore->source->open(restore->source->ctx, want, &from, restore->err))
            return false;
        const int to = openat(spot->fd, spot->name,
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        bool ok = to >= 0;
        if (!ok)
            (void)err_set_errno(restore->err, errno, "cannot create '%s'", spot->path);
        ok = ok && content_copy(from, to, &restore->cannot_clone, &bytes, restore->err);
        (void)close(from); /* opened for reading only */
        if (to >= 0 && close(to) != 0 && ok)
            ok = err_set_errno(restore->err, errno, "cannot write '%s'", spot->path);
        restore->work.written += bytes;
        if (!ok)
            return false;
    } else if (S_ISDIR(want->mode)) {
        made = mkdirat(spot->fd, spot->name, S_IRWXU);
    } else if (S_ISLNK(want->mode)) {
        made = symlinkat(want->target, spot->fd, spot->name);
    } else {
        made = mknodat(spot->fd, spot->name, (want->mode & S_IFMT) | S_IRUSR | S_IWUSR,
                       (dev_t)want->device);
    }
    if (made != 0)
        return err_set_errno(restore->err, errno, "cannot create '%s'", spot->path);
    restore->work.changed++;
    return true;
}

/* Creates an entry or corrects its mode and time. Modes and times of folders are set later, because
 * creating files in them changes these. */
static bool restore_entry(struct restore *restore, const struct tree_entry *want)
{
    struct spot spot;
    const struct tree_entry *now = tree_find(restore->now, want->path);
    const bool stays = now && may_stay(now, want);
    if (stays && (S_ISDIR(want->mode) ||
                  (tree_entry_same_mode(now, want) && now->mtime_ns == want->mtime_ns)))
        return true;
    if (!reach_spot(restore, want->path, &spot) || (!stays && !make_entry(restore, &spot, want)))
        return false;
    if (S_ISDIR(want->mode))
        return true;
    if (stays && !tree_entry_same_mode(now, want))
        restore->work.changed++;
    const int number = set_meta(&spot, want);
    return number == 0 || report_refused(restore, &spot, number);
}

/* Sets the modes and times of folders. Deepest first, because a folder without permissions makes
 * its contents inaccessible. */
static bool finish_folders(struct restore *restore)
{
    for (size_t i = restore->want->count; i > 0; i--) {
        const struct tree_entry *want = &restore->want->entries[i - 1];
        const struct tree_entry *now = tree_find(restore->now, want->path);
        struct spot spot = {.fd = restore->look->top_fd, .name = ".", .path = "."};
        if (!S_ISDIR(want->mode))
            continue;
        if (want->path[0] && !reach_spot(restore, want->path, &spot))
            return false;
        if (now && S_ISDIR(now->mode) && !tree_entry_same_mode(now, want))
            restore->work.changed++;
        struct stat info;
        const bool is_right =
            fstatat(spot.fd, spot.name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            info.st_mode == want->mode && info.st_uid == want->uid && info.st_gid == want->gid &&
            (int64_t)info.st_mtim.tv_sec * second_ns + info.st_mtim.tv_nsec == want->mtime_ns;
        const int number = is_right ? 0 : set_meta(&spot, want);
        if (number != 0)
            return report_refused(restore, &spot, number);
    }
    return true;
}

bool tree_restore(const struct tree_look *look, const struct tree *now, const struct tree *want,
                  const struct tree_source *source, struct tree_work *out, struct err *err)
{
    struct restore restore = {.look = look, .now = now, .want = want, .source = source, .err = err};
    tree_folder_init(&restore.folder, look->top_fd);
    bool ok = remove_what_differs(&restore);
    for (size_t i = 1; ok && i < want->count; i++)
        ok = !is_stopped(&restore, i) && restore_entry(&restore, &want->entries[i]);
    ok = ok && finish_folders(&restore);
    tree_folder_done(&restore.folder);
    if (ok)
        *out = restore.work;
    return ok;
}

bool tree_verify(const struct tree_look *look, const struct tree *now, const struct tree *want,
                 struct err *err)
{
    size_t i = 0;
    for (size_t j = 0; j < now->count; j++) {
        const struct tree_entry *entry = &now->entries[j];
        const int order =
            i < want->count ? tree_path_compare(want->entries[i].path, entry->path) : 1;
        if (order < 0)
            break;
        if (order > 0) {
            if (S_ISDIR(entry->mode) && tree_path_holds(entry->path, look->exclude))
                continue;
            return err_set(err, ERR_IO, "'%s' was not removed", entry->path);
        }
        const struct tree_entry *wanted = &want->entries[i++];
        const char *what = NULL;
        if (!tree_entry_same_content(entry, wanted))
            what = "its content";
        else if (!tree_entry_same_mode(entry, wanted))
            what = "its mode or owner";
        else if (entry->mtime_ns != wanted->mtime_ns)
            what = "its modification time";
        if (what)
            return err_set(err, ERR_IO, "'%s': %s was not restored", entry->path, what);
    }
    if (i < want->count)
        return err_set(err, ERR_IO, "'%s' was not restored", want->entries[i].path);
    return true;
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
        /* Leave out sockets, because a copied socket has no listener. If we may not give files
         * away, make us the owner of the rest. */
        size_t kept = 0;
        for (size_t i = 0; i < want.count; i++) {
            struct tree_entry *entry = &want.entries[i];
            if (S_ISSOCK(entry->mode)) {
                free(entry->path);
                free(entry->target);
                continue;
            }
            if (geteuid() != 0) {
                entry->uid = geteuid();
                entry->gid = getegid();
            }
            want.entries[kept++] = *entry;
        }
        want.count = kept;
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
