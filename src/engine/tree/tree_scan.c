/* tree_scan.c - makes the manifest of a folder, and hashes the files in it.
 *
 * If a folder that we own lacks permissions, grants them; tree_shut() removes them again. A file in
 * an older manifest is not read again if its times prove that it is unmodified
 * (tree_entry_is_known()). */
#define _GNU_SOURCE /* CLOCK_REALTIME_COARSE */

#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "str.h"
#include "tree_folder.h"
#include "xalloc.h"

enum { LOOK_AT_STOP = 256 }; /* entries between two checks of the stop flag */

static const int64_t second_ns = 1000 * 1000 * 1000;

struct scan {
    const struct tree_look *look; /* borrowed */
    struct tree tree;
    struct str path; /* path of the folder being scanned */
    struct err *err;
};

/* The names in one folder. */
struct names {
    char **items; /* owned, as are its elements */
    size_t count, cap;
};

static int64_t to_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * second_ns + time->tv_nsec;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_stopped(const atomic_bool *stop, struct err *err)
{
    if (!stop || !atomic_load(stop))
        return false;
    (void)err_set(err, ERR_BUSY, "stopped");
    return true;
}

/* Reads the names in the folder and sorts them. Takes ownership of the descriptor. */
static bool read_names(struct scan *scan, int fd, struct names *names)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        const int number = errno;
        (void)close(fd); /* nothing was written */
        return err_set_errno(scan->err, number, "cannot read folder '%s'", str_text(&scan->path));
    }
    errno = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (scan->tree.count + names->count >= TREE_ENTRIES_MAX) {
            (void)closedir(dir); /* nothing was written */
            (void)err_set(scan->err, ERR_LIMIT, "more than %d files and folders", TREE_ENTRIES_MAX);
            return err_hint(scan->err, "use exclude in the plan's workspace to leave some out");
        }
        names->items = xgrow(names->items, &names->cap, names->count + 1, sizeof(*names->items));
        names->items[names->count++] = xstrdup(entry->d_name);
    }
    const int number = errno;
    (void)closedir(dir); /* nothing was written */
    if (number != 0)
        return err_set_errno(scan->err, number, "cannot read folder '%s'", str_text(&scan->path));
    if (names->count > 0)
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
    return true;
}

/* Reads the target of a link. Separate from scan_name(), because scan_name() is recursive and the
 * buffer is large. */
static bool read_link_target(struct scan *scan, int fd, const char *name, struct tree_entry *entry)
{
    char target[TREE_TARGET_MAX];
    const ssize_t len = readlinkat(fd, name, target, sizeof(target));
    if (len < 0)
        return err_set_errno(scan->err, errno, "cannot read the link '%s'", entry->path);
    if ((size_t)len >= sizeof(target))
        return err_set(scan->err, ERR_LIMIT, "'%s' links to a path that is too long", entry->path);
    entry->target = xstrndup(target, (size_t)len);
    return true;
}

static void fill_entry(struct tree_entry *entry, const struct stat *info)
{
    const bool is_device = S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode);
    entry->mode = info->st_mode;
    entry->uid = info->st_uid;
    entry->gid = info->st_gid;
    entry->links = (uint32_t)info->st_nlink;
    entry->device = is_device ? (uint64_t)info->st_rdev : 0;
    entry->inode = (uint64_t)info->st_ino;
    entry->size = S_ISREG(info->st_mode) ? (int64_t)info->st_size : 0;
    entry->mtime_ns = to_ns(&info->st_mtim);
    entry->ctime_ns = to_ns(&info->st_ctim);
}

/* Grants us missing permissions for a folder that we own. If this fails, the next call will fail,
 * too. */
static void grant_access(int fd, const char *name, struct tree_entry *entry)
{
    if ((entry->mode & S_IRWXU) != S_IRWXU && entry->uid == geteuid())
        entry->was_shut = tree_folder_chmod(fd, name, entry->mode | S_IRWXU) == 0;
}

static bool scan_folder(struct scan *scan, int fd, int depth);

/* Scans one name in the folder `fd`, whose path is in scan->path. */
static bool scan_name(struct scan *scan, int fd, const char *name, int depth)
{
    struct stat info;
    const size_t len = scan->path.len;
    if (len + strlen(name) + 2 > TREE_PATH_MAX)
        return err_set(scan->err, ERR_LIMIT, "a path is longer than %d bytes", TREE_PATH_MAX - 1);
    if (len > 0)
        str_add_char(&scan->path, '/');
    str_add(&scan->path, name);
    bool ok = true;
    if (tree_path_is_under(scan->path.data, scan->look->exclude))
        goto out;
    if (fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        ok = err_set_errno(scan->err, errno, "cannot access '%s'", scan->path.data);
        goto out;
    }
    struct tree_entry entry = {.path = xstrdup(scan->path.data)};
    fill_entry(&entry, &info);
    if (S_ISLNK(info.st_mode))
        ok = read_link_target(scan, fd, name, &entry);
    int inner = -1;
    if (S_ISDIR(info.st_mode)) {
        grant_access(fd, name, &entry);
        inner = tree_folder_open(fd, name);
        if (inner < 0)
            ok = err_set_errno(scan->err, errno, "cannot read folder '%s'", entry.path);
    }
    tree_add(&scan->tree, &entry);
    if (inner >= 0)
        ok = scan_folder(scan, inner, depth + 1);
out:
    scan->path.len = len;
    scan->path.data[len] = '\0';
    return ok;
}

/* Scans everything in a folder. Takes ownership of the descriptor. */
static bool scan_folder(struct scan *scan, int fd, int depth)
{
    enum { SHOWN = 80 };
    struct names names = {0};
    bool ok = true;
    if (depth > TREE_DEPTH_MAX) {
        (void)close(fd); /* nothing was written */
        /* The message only has room for the beginning of the path. */
        const int shown = scan->path.len < SHOWN ? (int)scan->path.len : SHOWN;
        (void)err_set(scan->err, ERR_LIMIT, "more than %d nested folders: '%.*s%s'", TREE_DEPTH_MAX,
                      shown, str_text(&scan->path), shown == SHOWN ? "..." : "");
        return err_hint(scan->err, "use exclude in the plan's workspace to leave some out");
    }
    const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0)
        ok = err_set_errno(scan->err, errno, "cannot read folder '%s'", str_text(&scan->path));
    ok = ok && read_names(scan, again, &names);
    for (size_t i = 0; i < names.count && ok; i++) {
        ok = (i % LOOK_AT_STOP != 0 || !is_stopped(scan->look->stop, scan->err)) &&
             scan_name(scan, fd, names.items[i], depth);
    }
    for (size_t i = 0; i < names.count; i++)
        free(names.items[i]);
    free(names.items);
    (void)close(fd); /* nothing was written */
    return ok;
}

bool tree_scan(const struct tree_look *look, struct tree *out, struct err *err)
{
    struct scan scan = {.look = look, .err = err};
    if (is_stopped(look->stop, err))
        return false;
    bool ok = true;
    struct stat info;
    const int fd = openat(look->top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        const int number = errno;
        if (fd >= 0)
            (void)close(fd); /* nothing was written */
        ok = err_set_errno(err, number, "cannot read the folder");
    } else {
        struct tree_entry top = {.path = xstrdup("")};
        fill_entry(&top, &info);
        grant_access(look->top_fd, ".", &top);
        tree_add(&scan.tree, &top);
        ok = scan_folder(&scan, fd, 0);
    }
    str_done(&scan.path);
    if (ok) {
        *out = scan.tree;
    } else {
        tree_shut(look->top_fd, &scan.tree);
        tree_done(&scan.tree);
    }
    return ok;
}

void tree_shut(int top_fd, const struct tree *tree)
{
    struct tree_folder folder;
    tree_folder_init(&folder, top_fd);
    for (size_t i = tree->count; i > 0; i--) {
        const struct tree_entry *entry = &tree->entries[i - 1];
        int fd = top_fd;
        const char *name = ".";
        const bool is_top = entry->path[0] == '\0';
        if (entry->was_shut &&
            (is_top || tree_folder_reach(&folder, entry->path, &fd, &name, NULL)))
            (void)tree_folder_chmod(
                fd, name, entry->mode); /* best effort; the folder may have been removed */
    }
    tree_folder_done(&folder);
}

/* Hashes the content of a file. Sets hash and size to those of the bytes that were read. */
static bool hash_file(struct tree_folder *folder, struct tree_entry *entry,
                      struct content_store *store, struct err *err)
{
    int at;
    const char *name;
    if (!tree_folder_reach(folder, entry->path, &at, &name, err))
        return false;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now); /* the clock used for file times */
    const int64_t read_ns = to_ns(&now);
    const int fd = tree_folder_open_file(at, name);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot read '%s'", entry->path);
    struct stat info;
    bool ok = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (!ok)
        (void)err_set(err, ERR_BUSY, "'%s' changed while it was read", entry->path);
    ok = ok && content_read(store, fd, entry->hash, &entry->size, err);
    (void)close(fd); /* opened for reading only */
    if (!ok)
        return false;
    /* Granting permissions may have changed its ctime, so read that again. */
    if (fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
        entry->ctime_ns = to_ns(&info.st_ctim);
    entry->read_ns = read_ns;
    entry->is_stored = store != NULL;
    return true;
}

bool tree_hash(const struct tree_look *look, struct tree *tree, const struct tree *known,
               struct content_store *store, struct err *err)
{
    struct tree_folder folder;
    bool ok = true;
    tree_folder_init(&folder, look->top_fd);
    for (size_t i = 0; i < tree->count && ok; i++) {
        struct tree_entry *entry = &tree->entries[i];
        if (i % LOOK_AT_STOP == 0)
            ok = !is_stopped(look->stop, err);
        if (!ok || !S_ISREG(entry->mode))
            continue;
        const struct tree_entry *before = known ? tree_find(known, entry->path) : NULL;
        if (before && tree_entry_is_known(entry, before) && (!store || before->is_stored)) {
            memcpy(entry->hash, before->hash, sizeof(entry->hash));
            entry->read_ns = before->read_ns;
            entry->is_stored = before->is_stored;
        } else {
            ok = hash_file(&folder, entry, store, err);
        }
    }
    tree_folder_done(&folder);
    return ok;
}
