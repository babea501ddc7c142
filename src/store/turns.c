#include "turns.h"

#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

#include "private_file.h"

static bool open_beside(const struct place *place, const char *suffix, int *fd, struct err *err)
{
    char path[PATH_MAX];
    return private_path_join(path, sizeof(path), place->db, suffix, err) &&
           private_file_open(path, fd, err);
}

bool turns_init(struct turns *turns, const struct place *place, struct err *err)
{
    *turns = (struct turns){.gate_fd = -1, .write_fd = -1};
    if (open_beside(place, "-gate", &turns->gate_fd, err) &&
        open_beside(place, "-write", &turns->write_fd, err))
        return true;
    turns_done(turns);
    return false;
}

void turns_done(struct turns *turns)
{
    if (!turns)
        return;
    if (turns->gate_fd >= 0)
        (void)close(turns->gate_fd); /* frees the lock too */
    if (turns->write_fd >= 0)
        (void)close(turns->write_fd);
    *turns = (struct turns){.gate_fd = -1, .write_fd = -1};
}

static bool lock(int fd, struct err *err)
{
    while (flock(fd, LOCK_EX) != 0) {
        if (errno != EINTR)
            return err_set_errno(err, errno, "cannot lock the log");
    }
    return true;
}

bool turns_take(struct turns *turns, struct err *err)
{
    if (!lock(turns->gate_fd, err))
        return false;
    bool ok = lock(turns->write_fd, err);
    (void)flock(turns->gate_fd, LOCK_UN); /* whoever comes next now waits at the write lock */
    return ok;
}

void turns_give(struct turns *turns)
{
    (void)flock(turns->write_fd, LOCK_UN); /* cannot fail on a descriptor of ours */
}
