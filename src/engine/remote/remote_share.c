/* remote_share.c - a connection that everything on a host of ssh shares.
 *
 * Each channel and each short command would otherwise open a connection of its own, which takes
 * several times as long. ssh can offer its connection to other ssh processes at a socket. That
 * process is not one of those that use it, because its end, and the processes that it has started,
 * must have nothing to do with theirs. It reads a pipe from devs, so it also ends if devs is
 * killed.
 *
 * Sharing is only an improvement: while the socket does not exist, or if the host refuses more
 * sessions, ssh opens its own connection. If the shared connection breaks, all channels break, and
 * are opened again. */
#define _GNU_SOURCE /* pipe2 */

#include "remote_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"
#include "xalloc.h"

enum {
    SHARE_AGAIN_MS = 60 * 1000, /* delay after a connection that could not be shared, or broke */
    SHARE_GRACE_MS = 1000,      /* time from TERM to KILL */
    SHARE_SUFFIX_MAX = 20,      /* what ssh appends while it makes the socket */
};

/* Runs ssh until it ends, or until there is no devs any more. Both are in a group of their own. */
static const char script[] = "{ \"$@\" </dev/null; kill 0; } & read -r end; kill 0";

struct remote_share {
    struct nursery *nursery;   /* borrowed */
    struct remote_place place; /* borrows everything */
    struct str path;           /* of the socket; "" = connections are not shared */
    struct child *child;       /* NULL = it does not run */
    struct tool_line line;     /* of the child, until it has started */
    int feed, keep;            /* owned; both ends of the pipe, or -1 */
    int64_t due_ms;            /* not before that time is it started */
};

/* Returns the folder for sockets, after creating it. Returns false if it would not be private. */
static bool make_folder(struct str *out)
{
    struct stat info;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime && runtime[0] == '/')
        str_addf(out, "%s/devs", runtime);
    else
        str_addf(out, "/tmp/devs-%ld", (long)geteuid());
    if (mkdir(out->data, 0700) != 0 && errno != EEXIST)
        return false;
    return lstat(out->data, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 077) == 0;
}

struct remote_share *remote_share_open(struct nursery *nursery, const struct remote_place *place,
                                       const char *name)
{
    struct remote_share *share = xcalloc(1, sizeof(*share));
    share->nursery = nursery;
    share->place = *place;
    share->feed = share->keep = -1;
    const bool is_private = make_folder(&share->path);
    str_addf(&share->path, "/%s", name);
    /* ssh would interpret other characters in the value of an option. */
    static const char plain[] =
        "/._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (!is_private || strspn(share->path.data, plain) < share->path.len ||
        share->path.len + SHARE_SUFFIX_MAX >= sizeof(((struct sockaddr_un *)0)->sun_path))
        str_clear(&share->path);
    return share;
}

const char *remote_share_path(const struct remote_share *share)
{
    return share && share->path.len > 0 ? share->path.data : NULL;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd); /* a pipe; nothing was written to it */
    *fd = -1;
}

static void share_is_over(struct remote_share *share)
{
    share->child = NULL;
    share->due_ms = clock_now().mono_ms + SHARE_AGAIN_MS;
    tool_line_done(&share->line);
    close_end(&share->feed);
    close_end(&share->keep);
    (void)unlink(share->path.data); /* a killed ssh leaves it */
}

static void share_started(void *ctx)
{
    struct remote_share *share = ctx;
    tool_line_done(&share->line);
    close_end(&share->feed);
}

static void share_failed(void *ctx, int number, const struct err *err)
{
    (void)number;
    (void)err;
    share_is_over(ctx);
}

static void share_output(void *ctx, int stream, const char *bytes, size_t len)
{
    (void)ctx; /* whoever needs the host gets a message of its own */
    (void)stream;
    (void)bytes;
    (void)len;
}

static void share_ended(void *ctx, const struct child_end *end)
{
    (void)end;
    share_is_over(ctx);
}

void remote_share_want(struct remote_share *share)
{
    int fds[2];
    if (share->child || share->path.len == 0 || clock_now().mono_ms < share->due_ms ||
        pipe2(fds, O_CLOEXEC) != 0)
        return;
    share->feed = fds[0];
    share->keep = fds[1];
    (void)unlink(share->path.data); /* left by an earlier devs of this run */
    share->line.argv = share_argv(&share->place, script, share->path.data);
    const struct child_watcher watcher = {.ctx = share,
                                          .started = share_started,
                                          .failed = share_failed,
                                          .output = share_output,
                                          .ended = share_ended};
    share->child =
        tool_start(share->nursery, &share->place, &share->line, &share->feed, NULL, &watcher);
}

void remote_share_leave(struct remote_share *share)
{
    if (share->child)
        child_cancel(share->child, CANCEL_TERM);
}

void remote_share_close(struct remote_share *share)
{
    if (!share)
        return;
    str_done(&share->path);
    free(share);
}
