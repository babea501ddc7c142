/* ssh_channel.c - starts ssh outside of the engine: a program there, for a thread with its own
 * loop. */
#define _GNU_SOURCE /* pipe2 */

#include "ssh_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "remote_internal.h"
#include "text.h"

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd); /* a pipe: nothing to lose */
    *fd = -1;
}

bool ssh_channel_open(struct ssh_channel *out, const char *host, const char *command,
                      char *const *environment, struct err *err)
{
    int fds[2];
    int number = 0;
    struct launched launched;
    if (pipe2(fds, O_CLOEXEC) != 0)
        return err_set_errno(err, errno, "cannot start ssh");
    char **argv = ssh_argv(host, NULL, command);
    const struct launch_call call = {
        .argv = argv, .environment = environment, .cwd = "/", .feed = &fds[0]};
    bool ok =
        fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0 || err_set_errno(err, errno, "cannot start ssh");
    ok = ok && launch_process(&call, &launched, &number, err);
    close_fd(&fds[0]);
    text_list_free(argv);
    if (!ok) {
        close_fd(&fds[1]);
        return false;
    }
    *out = (struct ssh_channel){.pid = launched.pid,
                                .pidfd = launched.pidfd,
                                .in = fds[1],
                                .out = launched.pipes[0],
                                .err = launched.pipes[1]};
    return true;
}

int ssh_channel_close(struct ssh_channel *channel)
{
    int status = 0;
    struct pollfd ended = {.fd = channel->pidfd, .events = POLLIN};
    close_fd(&channel->in); /* the program there ends, and then ssh */
    close_fd(&channel->out);
    close_fd(&channel->err);
    (void)kill(channel->pid, SIGTERM);
    if (poll(&ended, 1, SSH_CHANNEL_END_MS) != 1)
        (void)kill(channel->pid, SIGKILL);
    while (waitpid(channel->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close_fd(&channel->pidfd);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
