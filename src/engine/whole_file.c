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

bool whole_file_write(const char *path, const struct str *text, struct err *err)
{
    char beside[PATH_MAX];
    const int len = snprintf(beside, sizeof(beside), "%s.new", path);
    if (len < 0 || (size_t)len >= sizeof(beside))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", path);
    (void)unlink(beside); /* what a killed one left */
    const int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot make '%s'", beside);
    bool ok = write_all(fd, text);
    const int number = errno;
    if (close(fd) != 0 || !ok) {
        (void)unlink(beside); /* half of it is of no use */
        return err_set_errno(err, ok ? errno : number, "cannot write '%s'", beside);
    }
    if (rename(beside, path) != 0)
        return err_set_errno(err, errno, "cannot name '%s'", path);
    return true;
}
