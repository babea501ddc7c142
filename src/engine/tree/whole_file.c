#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static bool write_all(int fd, const struct str *text)
{
    for (size_t done = 0; done < text->len;) {
        const ssize_t wrote = write(fd, text->data + done, text->len - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

bool whole_file_write_at(int folder, const char *name, const struct str *text, struct err *err)
{
    char beside[PATH_MAX];
    const int len = snprintf(beside, sizeof(beside), "%s.new", name);
    if (len < 0 || (size_t)len >= sizeof(beside))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", name);
    (void)unlinkat(folder, beside, 0); /* what a killed one left */
    const int fd =
        openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot make '%s'", beside);
    bool ok = write_all(fd, text);
    const int number = errno;
    if (close(fd) != 0 || !ok) {
        const int why = ok ? errno : number;
        (void)unlinkat(folder, beside, 0); /* half of it is of no use */
        return err_set_errno(err, why, "cannot write '%s'", beside);
    }
    if (renameat(folder, beside, folder, name) != 0) {
        const int why = errno;
        (void)unlinkat(folder, beside, 0);
        return err_set_errno(err, why, "cannot name '%s'", name);
    }
    return true;
}

bool whole_file_write(const char *path, const struct str *text, struct err *err)
{
    return whole_file_write_at(AT_FDCWD, path, text, err);
}
