#include "save_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NEW_FILE_MODE = 0666, /* less the umask */
    OWN_FILE_MODE = 0600, /* until it has that of the old file */
    MODE_BITS = 07777,
};

static bool write_all(int fd, const struct str *text)
{
    size_t done = 0;
    while (done < text->len) {
        ssize_t put = write(fd, text->data + done, text->len - done);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Its own name is always the same: what a writer left that was killed makes way. */
static int open_beside(const char *path, mode_t mode, char temporary[PATH_MAX], struct err *err)
{
    int len = snprintf(temporary, PATH_MAX, "%s.new~", path);
    if (len < 0 || len >= PATH_MAX) {
        (void)err_set(err, ERR_LIMIT, "'%s' is too long a name", path);
        return -1;
    }
    (void)unlink(temporary); /* if there is one */
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        (void)err_set_errno(err, errno, "cannot write beside '%s'", path);
    return fd;
}

/* Best effort: the file is there all the same. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    (void)snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder ? 1 : 0] = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

bool save_file(const char *path, const struct str *text, struct err *err)
{
    struct stat old;
    char temporary[PATH_MAX];
    bool is_new = stat(path, &old) != 0;
    int fd = open_beside(path, is_new ? NEW_FILE_MODE : OWN_FILE_MODE, temporary, err);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, text) && (is_new || fchmod(fd, old.st_mode & MODE_BITS) == 0) &&
              fsync(fd) == 0;
    int why = errno;
    (void)close(fd); /* it is on the disk, or of no use */
    if (ok && rename(temporary, path) != 0) {
        why = errno;
        ok = false;
    }
    if (!ok) {
        (void)unlink(temporary); /* best effort */
        return err_set_errno(err, why, "cannot write '%s'", path);
    }
    sync_folder(path);
    return true;
}
