/* foreground.c - the parent process that the shell waits for, while the child does the work.
 *
 * The parent stops, continues and exits as the child does. Through a pipe, the child can release it
 * early with an exit code and a final message (struct goodbye), and continue without a terminal. */
#define _GNU_SOURCE /* pipe2 */

#include "run_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_SIGNAL = 128, STDIO_FDS = 3 };

/* Sent by the child to release its parent. Small enough for one atomic write to a pipe. */
struct goodbye {
    int code;
    char words[FOREGROUND_WORDS_MAX];
};

/* The parent while it waits. */
struct waiting {
    enum foreground_kind kind;
    pid_t child;
    int pipe_fd; /* -1 once closed */
    int signal_fd;
    int status; /* wait status of the child */
    bool over;  /* the child has exited */
    bool let_go;
    struct goodbye goodbye;
};

static void take_signals(struct waiting *waiting)
{
    struct signalfd_siginfo info;
    bool child_news = false;
    while (read(waiting->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGCHLD) {
            child_news = true;
        } else if (info.ssi_signo == SIGCONT) {
            (void)kill(waiting->child, SIGCONT);
        } else {
            /* The terminal sends its signals to the child too; another process sends them only to
             * one of the two. */
            bool had_it = waiting->kind == FOREGROUND_HERE && info.ssi_code == SI_KERNEL;
            bool from_child = (pid_t)info.ssi_pid == waiting->child;
            if (!had_it && !from_child)
                (void)kill(waiting->child, (int)info.ssi_signo);
        }
    }
    int status = 0;
    if (!child_news || waitpid(waiting->child, &status, WNOHANG | WUNTRACED) != waiting->child)
        return;
    if (WIFSTOPPED(status)) {
        /* Stop too, so that the shell gets its terminal back. Returns when continued, or at once if
         * no process could continue us. */
        (void)raise(SIGTSTP);
        (void)kill(waiting->child, SIGCONT);
        return;
    }
    waiting->status = status;
    waiting->over = true;
}

/* Returns the child's exit code, or dies from the same signal, so that the shell sees the same
 * status. */
static int end_like(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int signal_number = WTERMSIG(status);
    const struct rlimit none = {0}; /* prevents a second core dump */
    sigset_t all;
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(signal_number, SIG_DFL);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
    (void)raise(signal_number);
    return EXIT_SIGNAL + signal_number;
}

static int wait_for_child(struct waiting *waiting, const struct foreground_end *end)
{
    while (!waiting->over && !waiting->let_go) {
        struct pollfd fds[] = {{.fd = waiting->pipe_fd, .events = POLLIN},
                               {.fd = waiting->signal_fd, .events = POLLIN}};
        if (poll(fds, ARRAY_LEN(fds), -1) < 0)
            continue; /* EINTR, for example after SIGCONT */
        if (fds[0].revents != 0) {
            ssize_t got = read(waiting->pipe_fd, &waiting->goodbye, sizeof(waiting->goodbye));
            waiting->let_go = got == (ssize_t)sizeof(waiting->goodbye);
            if (got >= 0 || errno != EINTR) {
                (void)close(waiting->pipe_fd);
                waiting->pipe_fd = -1;
            }
        }
        if (fds[1].revents != 0)
            take_signals(waiting);
    }
    if (!waiting->let_go) {
        if (WIFSIGNALED(waiting->status))
            end->died(end->ctx, waiting->child, WTERMSIG(waiting->status));
        return end_like(waiting->status);
    }
    (void)fputs(waiting->goodbye.words, stdout);
    return waiting->goodbye.code;
}

static bool open_ends(int pipe_fds[2], int *signal_fd, sigset_t *before, struct err *err)
{
    static const int watched[] = {SIGCHLD, SIGCONT, SIGTERM, SIGINT, SIGQUIT, SIGHUP};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_LEN(watched); i++)
        (void)sigaddset(&set, watched[i]);
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return err_set_errno(err, errno, "pipe");
    (void)sigprocmask(SIG_BLOCK, &set, before);
    *signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (*signal_fd >= 0)
        return true;
    (void)err_set_errno(err, errno, "cannot set up signal handling");
    (void)sigprocmask(SIG_SETMASK, before, NULL);
    (void)close(pipe_fds[0]);
    (void)close(pipe_fds[1]);
    return false;
}

bool foreground_open(struct foreground *foreground, enum foreground_kind kind,
                     const struct foreground_end *end, struct err *err)
{
    int pipe_fds[2];
    sigset_t before;
    struct waiting waiting = {.kind = kind};
    *foreground = (struct foreground){.fd = -1};
    if (!open_ends(pipe_fds, &waiting.signal_fd, &before, err))
        return false;
    (void)fflush(NULL); /* otherwise both processes would write the buffered output */
    pid_t parent = getpid();
    waiting.child = fork();
    waiting.pipe_fd = pipe_fds[0];
    if (waiting.child == 0) {
        (void)close(pipe_fds[0]);
        (void)close(waiting.signal_fd);
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        if (kind == FOREGROUND_APART) {
            (void)setsid(); /* cannot fail: a forked child leads no group */
        } else {
            (void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGHUP, 0UL, 0UL, 0UL);
            if (getppid() != parent)
                (void)raise(SIGHUP); /* the parent died before prctl() */
        }
        foreground->fd = pipe_fds[1];
        return true;
    }
    (void)close(pipe_fds[1]);
    if (waiting.child < 0)
        (void)err_set_errno(err, errno, "fork");
    else
        foreground->exit_code = wait_for_child(&waiting, end);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (waiting.pipe_fd >= 0)
        (void)close(waiting.pipe_fd);
    (void)close(waiting.signal_fd);
    return false;
}

static void lead_nowhere(bool terminals_only)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < STDIO_FDS; i++) {
        if (!terminals_only || isatty(i))
            (void)dup2(fd, i);
    }
    if (fd >= STDIO_FDS)
        (void)close(fd);
}

void foreground_forget_terminal(void)
{
    (void)fflush(stdout);
    lead_nowhere(true);
}

void foreground_let_go(struct foreground *foreground, int code, const char *words)
{
    struct goodbye goodbye = {.code = code};
    (void)snprintf(goodbye.words, sizeof(goodbye.words), "%s", words);
    (void)fflush(stdout);
    lead_nowhere(false);
    (void)prctl(PR_SET_PDEATHSIG, 0UL, 0UL, 0UL, 0UL);
    (void)setsid(); /* fails with --detach, which already has one */
    /* Fails if the parent has exited, which is fine. */
    (void)!write(foreground->fd, &goodbye, sizeof(goodbye));
    foreground_close(foreground);
}

void foreground_close(struct foreground *foreground)
{
    if (foreground->fd >= 0)
        (void)close(foreground->fd);
    foreground->fd = -1;
}
