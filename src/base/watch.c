/*
 * watch.c - watches files for writes with inotify.
 */
#define _GNU_SOURCE
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "xalloc.h"

enum { NEWS_BYTES = 4096 };

struct watch {
    int fd;
};

bool watch_open(struct watch **out, struct err *err)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot watch files");

    *out = xcalloc(1, sizeof(**out));
    (*out)->fd = fd;
    return true;
}

void watch_close(struct watch *watch)
{
    if (!watch)
        return;
    (void)close(watch->fd); /* nothing to lose: never written to */
    free(watch);
}

bool watch_file(struct watch *watch, const char *path, struct err *err)
{
    if (inotify_add_watch(watch->fd, path, IN_MODIFY) < 0)
        return err_set_errno(err, errno, "cannot watch '%s'", path);
    return true;
}

int watch_fd(const struct watch *watch)
{
    return watch->fd;
}

bool watch_drain(struct watch *watch)
{
    char news[NEWS_BYTES]; /* the kind of event does not matter */
    bool any = false;
    for (;;) {
        ssize_t got = read(watch->fd, news, sizeof(news));
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return any;
        any = any || got > 0;
        if (got > 0 && (size_t)got + sizeof(struct inotify_event) <= sizeof(news))
            return true; /* the buffer was not full: nothing is left */
    }
}
