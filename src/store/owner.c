#include "owner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "private_file.h"

/* Whoever looks whether an owner lives holds the lock for a moment, and so does what a killed
 * owner has just forked, until it executes its program; a taker waits
 * that out. flock(2) has no way to look without taking: F_OFD_GETLK sees fcntl locks
 * only, and those would not be seen by the programs that use flock as documented. */
enum { TAKE_TRIES = 500, TAKE_PAUSE_NS = 2 * 1000 * 1000 };

static bool owner_path(const struct place *place, const char *uid, char path[PATH_MAX],
                       struct err *err)
{
    char folder[PATH_MAX];
    if (strchr(uid, '/') || uid[0] == '\0')
        return err_set(err, ERR_INVALID, "'%s' is no uid of a run", uid);
    return private_path_join(folder, sizeof(folder), place->dir, "/owner/", err) &&
           private_path_join(path, PATH_MAX, folder, uid, err);
}

static bool try_lock(int fd, const char *uid, struct err *err)
{
    const struct timespec pause = {.tv_nsec = TAKE_PAUSE_NS};
    for (int i = 0; i < TAKE_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return err_set_errno(err, errno, "cannot lock run '%s'", uid);
        (void)nanosleep(&pause, NULL); /* woken early: it tries again early */
    }
    return err_set(err, ERR_BUSY, "run '%s' belongs to another process", uid);
}

/* An owner that ended removes its file: a lock on a removed one is worth nothing. */
static bool is_still_there(int fd, const char *path)
{
    struct stat held;
    struct stat named;
    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

bool owner_take(const struct place *place, const char *uid, int *fd_out, struct err *err)
{
    char path[PATH_MAX];
    char folder[PATH_MAX];
    if (!owner_path(place, uid, path, err) ||
        !private_path_join(folder, sizeof(folder), place->dir, "/owner", err) ||
        !private_folder_make(folder, NULL, err))
        return false;

    for (int i = 0; i < TAKE_TRIES; i++) {
        int fd = -1;
        if (!private_file_open(path, &fd, err))
            return false;
        if (!try_lock(fd, uid, err)) {
            (void)close(fd); /* nothing was written to it */
            return false;
        }
        if (is_still_there(fd, path)) {
            *fd_out = fd;
            return true;
        }
        (void)close(fd); /* it was removed meanwhile: take the new one */
    }
    return err_set(err, ERR_BUSY, "the owner lock of run '%s' changes hands all the time", uid);
}

bool owner_keep(const struct place *place, const char *uid, int *fd, struct err *err)
{
    char path[PATH_MAX];
    int again = -1;
    if (!owner_path(place, uid, path, NULL) || is_still_there(*fd, path))
        return true;
    if (owner_is_alive(place, uid))
        return err_set(err, ERR_BUSY, "run '%s' was taken over by another process", uid);
    if (!owner_take(place, uid, &again, err))
        return false;
    (void)close(*fd);
    *fd = again;
    return true;
}

void owner_drop(const struct place *place, const char *uid, int fd)
{
    if (fd < 0)
        return;
    char path[PATH_MAX];
    if (owner_path(place, uid, path, NULL))
        (void)unlink(path); /* while the lock is held, so that it is surely ours */
    (void)close(fd);        /* frees the lock */
}

bool owner_is_alive(const struct place *place, const char *uid)
{
    char path[PATH_MAX];
    if (!owner_path(place, uid, path, NULL))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* it may be a FIFO */
    if (fd < 0)
        return false;
    bool is_free = flock(fd, LOCK_SH | LOCK_NB) == 0;
    (void)close(fd); /* frees the lock */
    return !is_free;
}
