/* tree_folder.c - opens, changes and removes files without following links, and writes whole files.
 *
 * To remove a deep tree with few open descriptors, moves folders beyond REMOVE_DEPTH to the top and
 * removes them there. Modes are changed through /proc/self/fd, because before Linux 6.6 fchmodat()
 * follows links. */
#define _GNU_SOURCE /* O_PATH */

#include "tree_folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "xalloc.h"

enum {
    FD_PATH_MAX = 32, /* size of the path /proc/self/fd/N */
    MODE_BITS = 07777,
    REMOVE_DEPTH = 64, /* maximum number of open folders; deeper folders are moved up first */
    NAME_BYTES = 256,
};

static const int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
static const int path_flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

void tree_folder_init(struct tree_folder *folder, int top_fd)
{
    *folder = (struct tree_folder){.top_fd = top_fd, .fd = -1};
}

void tree_folder_forget(struct tree_folder *folder)
{
    if (folder->fd >= 0)
        (void)close(folder->fd); /* nothing was written */
    folder->fd = -1;
    str_clear(&folder->path);
}

void tree_folder_done(struct tree_folder *folder)
{
    tree_folder_forget(folder);
    str_done(&folder->path);
}

/* Opens the folder at the path, one component at a time. Returns -1 with errno on failure. */
static int open_folder_path(int top_fd, const char *path)
{
    char name[NAME_BYTES];
    int fd = openat(top_fd, ".", path_flags | O_DIRECTORY);
    while (fd >= 0 && *path) {
        const size_t len = strcspn(path, "/");
        if (len >= sizeof(name)) {
            (void)close(fd); /* nothing was written */
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, len);
        name[len] = '\0';
        const int next = openat(fd, name, path_flags | O_DIRECTORY);
        const int number = errno;
        (void)close(fd);
        errno = number;
        fd = next;
        path += len + (path[len] == '/');
    }
    return fd;
}

bool tree_folder_reach(struct tree_folder *folder, const char *path, int *fd_out,
                       const char **name_out, struct err *err)
{
    assert(path[0] != '\0');
    const char *slash = strrchr(path, '/');
    const size_t len = slash ? (size_t)(slash - path) : 0;
    const bool is_same = folder->fd >= 0 && folder->path.len == len &&
                         memcmp(str_text(&folder->path), path, len) == 0;
    if (!is_same) {
        tree_folder_forget(folder);
        str_add_n(&folder->path, path, len);
        folder->fd = open_folder_path(folder->top_fd, str_text(&folder->path));
        if (folder->fd < 0)
            return err_set_errno(err, errno, "cannot reach '%s'", path);
    }
    *fd_out = folder->fd;
    *name_out = slash ? slash + 1 : path;
    return true;
}

bool tree_folder_make_parents(int top_fd, const char *path, struct err *err)
{
    struct str part = {0};
    bool ok = true;
    for (const char *slash = strchr(path, '/'); slash && ok; slash = strchr(slash + 1, '/')) {
        struct tree_folder folder;
        int fd = -1;
        const char *name = "";
        str_clear(&part);
        str_add_n(&part, path, (size_t)(slash - path));
        tree_folder_init(&folder, top_fd);
        ok = tree_folder_reach(&folder, str_text(&part), &fd, &name, err);
        if (ok && mkdirat(fd, name, 0777) != 0 && errno != EEXIST)
            ok = err_set_errno(err, errno, "cannot create '%s'", str_text(&part));
        tree_folder_done(&folder);
    }
    str_done(&part);
    return ok;
}

/* Sets the mode of an open file. Before Linux 6.6, fchmodat() always follows links; this function
 * does not. */
static int chmod_fd(int fd, mode_t mode)
{
    char path[FD_PATH_MAX];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return chmod(path, mode & MODE_BITS) == 0 ? 0 : errno;
}

int tree_folder_chmod(int fd, const char *name, mode_t mode)
{
    struct stat info;
    const int at = openat(fd, name, path_flags);
    if (at < 0)
        return errno;
    int number = fstat(at, &info) == 0 ? 0 : errno;
    if (number == 0 && S_ISLNK(info.st_mode))
        number = ELOOP;
    if (number == 0)
        number = chmod_fd(at, mode);
    (void)close(at); /* nothing was written */
    return number;
}

int tree_folder_open_file(int fd, const char *name)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int opened = openat(fd, name, flags);
    if (opened >= 0 || errno != EACCES)
        return opened;

    /* The owner of a file can grant the missing permission. */
    struct stat info;
    char path[FD_PATH_MAX];
    const int at = openat(fd, name, path_flags);
    if (at < 0)
        return -1;
    int number = EACCES;
    if (fstat(at, &info) == 0 && info.st_uid == geteuid() && S_ISREG(info.st_mode)) {
        number = chmod_fd(at, info.st_mode | S_IRUSR);
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
        if (number == 0) {
            opened = open(path, flags & ~O_NOFOLLOW);
            number = opened < 0 ? errno : chmod_fd(at, info.st_mode);
        }
    }
    (void)close(at); /* nothing was written */
    errno = number;
    return opened;
}

int tree_folder_open(int fd, const char *name)
{
    return openat(fd, name, folder_flags);
}

bool tree_folder_refused(int fd, const char *name, const char *path, int number, struct err *err)
{
    int flags = 0;
    const int at =
        number == EPERM ? openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    const bool is_fixed = at >= 0 && ioctl(at, FS_IOC_GETFLAGS, &flags) == 0 &&
                          (flags & (FS_IMMUTABLE_FL | FS_APPEND_FL)) != 0;
    if (at >= 0)
        (void)close(at); /* nothing was written */
    if (!is_fixed)
        return err_set_errno(err, number, "'%s'", path);
    (void)err_set(err, ERR_IO, "'%s' is immutable or append-only, so it cannot be restored", path);
    return err_hint(err, "run chattr -i -a on it");
}

/* A removal in progress. */
struct removal {
    int top_fd; /* the folder where the removal started; folders that are too deep are moved here */
    int moved;  /* number of moved folders, used for their names */
    int number; /* errno of the first failure; 0 = no failure */
    struct str path; /* path that could not be removed */
};

static void give_up(struct removal *removal, const char *name, int number)
{
    if (removal->number != 0)
        return;
    removal->number = number;
    str_add(&removal->path, name);
}

static void moved_name(int number, char out[NAME_BYTES])
{
    (void)snprintf(out, NAME_BYTES, ".devs-remove-%d-%d", (int)getpid(), number);
}

static void remove_one(struct removal *removal, int fd, const char *name, int depth);

/* Removes a folder and everything in it. Grants us missing permissions first. */
static void remove_folder(struct removal *removal, int fd, const char *name, int depth)
{
    char moved[NAME_BYTES];
    (void)tree_folder_chmod(fd, name, S_IRWXU); /* if this fails, the next call fails, too */
    if (depth >= REMOVE_DEPTH) {
        moved_name(removal->moved, moved);
        if (renameat(fd, name, removal->top_fd, moved) == 0)
            removal->moved++;
        else
            give_up(removal, name, errno);
        return;
    }
    const int inner = tree_folder_open(fd, name);
    DIR *dir = inner >= 0 ? fdopendir(inner) : NULL;
    if (!dir) {
        give_up(removal, inner >= 0 ? "." : name, errno);
        if (inner >= 0)
            (void)close(inner); /* nothing was written */
        return;
    }
    for (struct dirent *entry = readdir(dir); entry && removal->number == 0; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_one(removal, dirfd(dir), entry->d_name, depth + 1);
    }
    (void)closedir(dir); /* nothing was written */
    if (removal->number == 0 && unlinkat(fd, name, AT_REMOVEDIR) != 0)
        give_up(removal, name, errno);
}

static void remove_one(struct removal *removal, int fd, const char *name, int depth)
{
    if (unlinkat(fd, name, 0) == 0)
        return;
    const int number = errno;
    struct stat info;
    if ((number == EISDIR || number == EPERM) &&
        fstatat(fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)) {
        remove_folder(removal, fd, name, depth);
        return;
    }
    if (number != ENOENT)
        give_up(removal, name, number);
}

/* Removes the name from its parent folder `fd`. */
static bool remove_here(int fd, const char *name, struct err *err)
{
    char moved[NAME_BYTES];
    struct removal removal = {.top_fd = fd};
    remove_one(&removal, fd, name, 0);
    for (int i = 0; i < removal.moved && removal.number == 0; i++) {
        moved_name(i, moved);
        remove_one(&removal, fd, moved, 0);
    }
    const bool ok = removal.number == 0;
    if (!ok)
        (void)tree_folder_refused(fd, name, str_text(&removal.path), removal.number, err);
    str_done(&removal.path);
    return ok;
}

bool tree_folder_remove(int fd, const char *name, struct err *err)
{
    const char *slash = strrchr(name, '/');
    if (!slash)
        return remove_here(fd, name, err);
    char *parent = xstrndup(name, slash > name ? (size_t)(slash - name) : 1);
    const int parent_fd = openat(fd, parent, path_flags | O_DIRECTORY);
    const int number = errno;
    free(parent);
    if (parent_fd < 0)
        return number == ENOENT || err_set_errno(err, number, "cannot remove '%s'", name);
    const bool ok = remove_here(parent_fd, slash + 1, err);
    (void)close(parent_fd); /* nothing was written */
    return ok;
}

bool whole_file_write_at(int folder, const char *name, const struct str *text, struct err *err)
{
    char beside[PATH_MAX];
    const int len = snprintf(beside, sizeof(beside), "%s.new", name);
    if (len < 0 || (size_t)len >= sizeof(beside))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", name);
    (void)unlinkat(folder, beside, 0); /* left by a killed process */
    const int fd =
        openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot create '%s'", beside);
    bool ok = true;
    for (size_t done = 0; ok && done < text->len;) {
        const ssize_t wrote = write(fd, text->data + done, text->len - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else
            ok = wrote < 0 && errno == EINTR;
    }
    const int number = errno;
    if (close(fd) != 0 || !ok) {
        const int why = ok ? errno : number;
        (void)unlinkat(folder, beside, 0); /* an incomplete file is useless */
        return err_set_errno(err, why, "cannot write '%s'", beside);
    }
    if (renameat(folder, beside, folder, name) != 0) {
        const int why = errno;
        (void)unlinkat(folder, beside, 0);
        return err_set_errno(err, why, "cannot rename a file to '%s'", name);
    }
    return true;
}

bool whole_file_write(const char *path, const struct str *text, struct err *err)
{
    return whole_file_write_at(AT_FDCWD, path, text, err);
}
