#include "outlet.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

void outlet_add(struct outlet *outlet, const char *bytes, size_t len)
{
    if (!outlet->closed)
        str_add_n(&outlet->waiting, bytes, len);
}

bool outlet_take_signals(struct outlet *outlet)
{
    struct signalfd_siginfo info;
    while (outlet->signal_fd >= 0 &&
           read(outlet->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (!outlet->on_signal(outlet->ctx, (int)info.ssi_signo))
            return false;
    }
    return true;
}

/* Wait until a piece can be written; false: give up. */
static bool wait_for_reader(struct outlet *outlet)
{
    struct pollfd fds[] = {
        {.fd = STDOUT_FILENO, .events = POLLOUT},
        {.fd = outlet->signal_fd, .events = POLLIN},
    };
    while (fds[0].revents == 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return false;
        if (fds[1].revents != 0 && !outlet_take_signals(outlet))
            return false;
    }
    return true;
}

void outlet_flush(struct outlet *outlet)
{
    size_t at = 0;
    while (at < outlet->waiting.len && !outlet->closed) {
        const size_t left = outlet->waiting.len - at;
        /* A pipe that polls as writable takes PIPE_BUF without blocking; where no signal is to be
         * heard meanwhile it may block. */
        size_t piece = outlet->signal_fd < 0 || left < PIPE_BUF ? left : PIPE_BUF;
        const bool is_ready = wait_for_reader(outlet);
        const ssize_t put = is_ready ? write(STDOUT_FILENO, outlet->waiting.data + at, piece) : -1;
        const bool again = is_ready && put < 0 && (errno == EINTR || errno == EAGAIN);
        if (put > 0) {
            at += (size_t)put;
        } else if (!again) {
            outlet->closed = true;
            outlet->error = !is_ready || errno == EPIPE ? 0 : errno;
        }
    }
    str_clear(&outlet->waiting);
}

void outlet_done(struct outlet *outlet)
{
    str_done(&outlet->waiting);
}

bool outlet_is_deserted(void)
{
    struct pollfd fd = {.fd = STDOUT_FILENO, .events = 0};
    return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLNVAL)) != 0;
}
