#define _GNU_SOURCE /* O_PATH */
#include "private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0600, FOLDER_MODE = 0700, MODE_BITS = 07777 };

bool private_path_join(char *out, size_t cap, const char *a, const char *b, struct err *err)
{
    int len = snprintf(out, cap, "%s%s", a, b);
    if (len < 0 || (size_t)len >= cap)
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", a);
    return true;
}

/* The umask may have taken bits away, an older file may have too many. */
static void make_private(int fd)
{
    struct stat info;
    bool ours = fstat(fd, &info) == 0 && info.st_uid == geteuid();
    if (ours && (info.st_mode & MODE_BITS) != FILE_MODE)
        (void)fchmod(fd, FILE_MODE); /* best effort: some file systems have no modes */
}

bool private_file_open(const char *path, int *fd_out, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    make_private(fd);
    *fd_out = fd;
    return true;
}

bool private_file_make(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (fd < 0 && errno == EEXIST)
        return true;
    if (fd < 0)
        return err_set_errno(err, errno, "cannot make '%s'", path);
    make_private(fd);
    (void)close(fd); /* nothing was written to it */
    return true;
}

void private_mode_set(const char *path, mode_t mode)
{
    char by_fd[64];
    struct stat info;
    const int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)snprintf(by_fd, sizeof(by_fd), "/proc/self/fd/%d", fd);
    const bool is_ours = fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
                         (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    if (is_ours && (info.st_mode & MODE_BITS) != mode)
        (void)chmod(by_fd, mode); /* best effort: some file systems have no modes */
    (void)close(fd);              /* names the file, no more */
}

static bool make_one(const char *path, bool *made, struct err *err)
{
    *made = mkdir(path, FOLDER_MODE) == 0;
    if (*made) {
        private_mode_set(path, FOLDER_MODE); /* the umask may have taken bits away */
        return true;
    }
    int number = errno;
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return true;
    return err_set_errno(err, number, "cannot make folder '%s'", path);
}

bool private_folder_make(const char *path, bool *made_out, struct err *err)
{
    char part[PATH_MAX];
    if (!private_path_join(part, sizeof(part), path, "", err))
        return false;

    bool made = false;
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!make_one(part, &made, err))
            return false;
        *slash = '/';
    }
    if (!make_one(part, &made, err))
        return false;
    if (made_out)
        *made_out = made;
    return true;
}
