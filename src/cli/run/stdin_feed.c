/*
 * stdin_feed.c - gives each attempt of devs exec the same standard input.
 *
 * A pipe is read by a thread, which passes the bytes to the attempt and keeps them for the next
 * one. While it runs, only the thread uses the buffer.
 */
#define _GNU_SOURCE /* pipe2 */
#include "stdin_feed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quiet_thread.h"
#include "xalloc.h"

enum { FEED_BLOCK = 64 * 1024 };

/* Only the thread uses the buffer, and only between stdin_feed_open() and stop_thread(). */
struct stdin_feed {
    int source;
    bool once;
    /* Original offset of a file, at which the first attempt starts; -1 = not a file. */
    off_t begins;
    bool is_running; /* the thread is running */
    pthread_t thread;
    int stop; /* eventfd: tells the thread to end */
    int sink; /* our end of the pipe that the attempt reads; the thread closes it */
    char *bytes;
    size_t len, cap; /* the bytes from the start of the input; once `is_lost`, the newest block */
    bool has_ended;  /* the input has ended */
    bool is_lost;    /* more than STDIN_FEED_KEPT_MAX arrived, so the beginning was dropped */
};

bool stdin_feed_is_input(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 &&
           (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || S_ISREG(info.st_mode));
}

struct stdin_feed *stdin_feed_new(int source, bool once)
{
    struct stdin_feed *feed = xcalloc(1, sizeof(*feed));
    *feed = (struct stdin_feed){.source = source,
                                .once = once,
                                .begins = lseek(source, 0, SEEK_CUR),
                                .stop = -1,
                                .sink = -1};
    return feed;
}

static void stop_thread(struct stdin_feed *feed)
{
    const uint64_t one = 1;
    if (!feed->is_running)
        return;
    (void)!write(feed->stop, &one, sizeof(one));
    (void)pthread_join(feed->thread, NULL);
    (void)close(feed->stop);
    feed->is_running = false;
}

void stdin_feed_free(struct stdin_feed *feed)
{
    if (!feed)
        return;
    stop_thread(feed);
    free(feed->bytes);
    free(feed);
}

static void read_block(struct stdin_feed *feed)
{
    char block[FEED_BLOCK];
    if (feed->is_lost)
        feed->len = 0; /* the attempt already has these bytes */
    const ssize_t got = read(feed->source, block, sizeof(block));
    if (got <= 0) {
        feed->has_ended = got == 0 || (errno != EINTR && errno != EAGAIN);
        return;
    }
    if (feed->len + (size_t)got > STDIN_FEED_KEPT_MAX) {
        feed->is_lost = true;
        feed->len = 0;
    }
    feed->bytes = xgrow(feed->bytes, &feed->cap, feed->len + (size_t)got, 1);
    memcpy(feed->bytes + feed->len, block, (size_t)got);
    feed->len += (size_t)got;
}

static void *feed_attempt(void *arg)
{
    struct stdin_feed *feed = arg;
    size_t at = 0; /* bytes passed to the attempt so far */
    while (at < feed->len || !feed->has_ended) {
        const bool reads = at == feed->len;
        struct pollfd fds[] = {
            {.fd = feed->stop, .events = POLLIN},
            {.fd = feed->sink, .events = reads ? 0 : POLLOUT},
            {.fd = reads ? feed->source : -1, .events = POLLIN},
        };
        while (poll(fds, 3, -1) < 0 && errno == EINTR)
            ;
        if (fds[0].revents != 0 || (fds[1].revents & (POLLERR | POLLNVAL)) != 0)
            break; /* stop was requested, or the attempt has closed its input */
        if (reads) {
            read_block(feed);
            at = feed->is_lost ? 0 : at;
            continue;
        }
        const ssize_t wrote = write(feed->sink, feed->bytes + at, feed->len - at);
        if (wrote < 0 && errno != EINTR && errno != EAGAIN)
            break;
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    (void)close(feed->sink);
    feed->sink = -1;
    return NULL;
}

static bool start_thread(struct stdin_feed *feed, int ends[2], struct err *err)
{
    feed->sink = ends[1];
    feed->stop = eventfd(0, EFD_CLOEXEC);
    const int flags = fcntl(ends[1], F_GETFL);
    if (feed->stop < 0 || flags < 0 || fcntl(ends[1], F_SETFL, flags | O_NONBLOCK) != 0)
        return err_set_errno(err, errno, "cannot pass on standard input");
    const int number = quiet_thread_start(&feed->thread, feed_attempt, feed);
    feed->is_running = number == 0;
    return number == 0 || err_set_errno(err, number, "cannot pass on standard input");
}

bool stdin_feed_open(void *ctx, int *fd_out, struct err *err)
{
    struct stdin_feed *feed = ctx;
    int ends[2] = {-1, -1};
    stop_thread(feed); /* stops the thread of the previous attempt */
    if (feed->once || feed->begins >= 0) {
        const bool is_ready =
            feed->begins < 0 || lseek(feed->source, feed->begins, SEEK_SET) == feed->begins;
        *fd_out = is_ready ? fcntl(feed->source, F_DUPFD_CLOEXEC, 0) : -1;
        return *fd_out >= 0 || err_set_errno(err, errno, "cannot pass on standard input");
    }
    if (feed->is_lost)
        return err_set(err, ERR_LIMIT,
                       "standard input is larger than %d MiB, so it was not kept for another try",
                       STDIN_FEED_KEPT_MAX >> 20);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set_errno(err, errno, "cannot pass on standard input");
    if (!start_thread(feed, ends, err)) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        if (feed->stop >= 0)
            (void)close(feed->stop);
        return false;
    }
    *fd_out = ends[0];
    return true;
}
