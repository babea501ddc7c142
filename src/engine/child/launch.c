/* launch.c - opens the descriptors of a new process, and starts it.
 *
 * An attempt in a sandbox may have created the file for stdin. So the opened file is checked, not
 * its name, and a FIFO is rejected, because opening it would block. */
#define _GNU_SOURCE /* pipe2, O_PATH, memfd_create */

#include "child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "foreign_file.h"
#include "proc.h"

enum { FIRST_FREE_FD = 3 };

static const char default_path[] = "/usr/local/bin:/usr/bin:/bin";

/* The child's ends of its three standard streams. */
struct ends {
    int fds[3];
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* Moves a descriptor to 3 or higher, because 0..2 become the child's stdin, stdout and stderr. A
 * descriptor is only lower if devs was started with one of these closed. */
static bool lift_fd(int *fd)
{
    if (*fd >= FIRST_FREE_FD)
        return true;
    int higher = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    if (higher < 0)
        return false;
    (void)close(*fd);
    *fd = higher;
    return true;
}

static bool open_pipe(int *ours, int *theirs)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return false;
    *ours = fds[0];
    *theirs = fds[1];
    return lift_fd(ours) && lift_fd(theirs) && fcntl(*ours, F_SETFL, O_NONBLOCK) == 0;
}

/* Sets the message and returns the errno. */
static int report_errno(int number, const char *what, struct err *err)
{
    (void)err_set_errno(err, number, "'%s'", what);
    return number;
}

static bool is_below(const char *path, const char *folder)
{
    const size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* Returns whether stdin may be read from this file. A sandboxed attempt may have placed a link to
 * any file at the path, for a later attempt whose stdin is opened outside the sandbox. So check the
 * opened file, not its name. */
static bool is_allowed_stdin(const struct launch_call *call, int fd)
{
    char name[32];
    char real[PATH_MAX];
    if (!call->stdin_within)
        return true;
    (void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    const ssize_t len = readlink(name, real, sizeof(real) - 1);
    if (len < 0)
        return false;
    real[len] = '\0';
    return is_below(real, call->stdin_within) &&
           !(call->stdin_not_within && is_below(real, call->stdin_not_within));
}

/* Opens stdin. Opening a FIFO would block until it has a writer, on our thread or on the child's.
 * Files that an attempt may have placed there are not even opened. Returns 0, or the errno to
 * report. */
static int open_stdin_file(const struct launch_call *call, int *fd_out, struct err *err)
{
    const char *path = call->stdin_path;
    struct stat info;
    int number = 0;

    const int look = foreign_file_look(path, 0, &info);
    if (look < 0)
        return report_errno(errno, path, err);
    if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
        number = EINVAL;
        (void)err_set(err, ERR_IO, "'%s': stdin is neither a file nor a character device", path);
    } else if (!is_allowed_stdin(call, look)) {
        number = EACCES;
        (void)err_set(err, ERR_IO, "'%s': stdin leads out of the sandbox's workspace", path);
    } else {
        *fd_out = foreign_file_open(look);
        number = *fd_out < 0 ? report_errno(errno, path, err) : 0;
    }
    (void)close(look); /* nothing was written */
    return number;
}

/* Makes a file with the bytes, so that a program that checks the size of its stdin finds the right
 * one, as with `<`. Returns 0, or the errno to report. */
static int make_stdin(const struct launch_input *input, int *fd_out, struct err *err)
{
    const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    *fd_out = memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    bool ok = *fd_out >= 0;
    for (size_t at = 0; ok && at < input->len;) {
        const ssize_t wrote = write(*fd_out, input->bytes + at, input->len - at);
        ok = wrote >= 0 || errno == EINTR;
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    ok = ok && lseek(*fd_out, 0, SEEK_SET) == 0 && fcntl(*fd_out, F_ADD_SEALS, seals) == 0;
    return ok ? 0 : report_errno(errno, "stdin", err);
}

/* Returns 0, or the errno to report. */
static int open_stdin(const struct launch_call *call, int *fd_out, struct err *err)
{
    if (call->feed) {
        *fd_out = fcntl(*call->feed, F_DUPFD_CLOEXEC, 0);
        return *fd_out < 0 ? report_errno(errno, "stdin", err) : 0;
    }
    if (call->input)
        return make_stdin(call->input, fd_out, err);
    if (call->stdin_path)
        return open_stdin_file(call, fd_out, err);
    static const char nothing[] = "/dev/null";
    *fd_out = open(nothing, O_RDONLY | O_CLOEXEC);
    return *fd_out >= 0 ? 0 : report_errno(errno, nothing, err);
}

/* Returns 0, or the errno to report. */
static int open_ends(const struct launch_call *call, struct launched *out, struct ends *ends,
                     struct err *err)
{
    int number = open_stdin(call, &ends->fds[0], err);
    if (number != 0)
        return number;
    if (!lift_fd(&ends->fds[0]) || !open_pipe(&out->pipes[0], &ends->fds[1]) ||
        !open_pipe(&out->pipes[1], &ends->fds[2]))
        return report_errno(errno, "pipe", err);
    return 0;
}

/* Returns the value of PATH in the child's environment. */
static const char *find_path(char *const *environment)
{
    for (; *environment; environment++) {
        if (strncmp(*environment, "PATH=", 5) == 0)
            return *environment + 5;
    }
    return default_path;
}

/* Checks whether the path is an executable file. Returns 0 or an errno. */
static int try_program(int cwd_fd, const char *path)
{
    struct stat info;
    if (fstatat(cwd_fd, path, &info, 0) != 0)
        return errno == ENOTDIR ? ENOENT : errno;
    if (!S_ISREG(info.st_mode))
        return EACCES;
    return faccessat(cwd_fd, path, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* Searches like execvp(), but uses the child's PATH and resolves relative paths in the child's
 * folder. Returns 0 with the program's path in `out`, or the errno to report. */
static int search_path(const struct launch_call *call, int cwd_fd, char out[PATH_MAX])
{
    const char *name = call->argv[0];
    int why = ENOENT;

    for (const char *dir = find_path(call->environment); dir;) {
        size_t len = strcspn(dir, ":");
        int wrote = snprintf(out, PATH_MAX, "%.*s%s%s", (int)len, dir, len > 0 ? "/" : "./", name);
        if (wrote > 0 && wrote < PATH_MAX) {
            int number = try_program(cwd_fd, out);
            if (number == 0)
                return 0;
            if (number != ENOENT)
                why = number;
        }
        dir = dir[len] == ':' ? dir + len + 1 : NULL;
    }
    return why;
}

/* Finds the path to execute. A relative path is relative to the child's folder. Returns 0 or an
 * errno. */
static int find_program(const struct launch_call *call, char out[PATH_MAX], struct err *err)
{
    const char *name = call->argv[0];
    int cwd_fd = open(call->cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (cwd_fd < 0)
        return report_errno(errno, call->cwd, err);
    int number = 0;
    if (!strchr(name, '/'))
        number = name[0] ? search_path(call, cwd_fd, out) : ENOENT;
    else if (snprintf(out, PATH_MAX, "%s", name) >= PATH_MAX)
        number = ENAMETOOLONG;
    (void)close(cwd_fd);
    return number == 0 ? 0 : report_errno(number, name, err);
}

/* Finds the start time of the process in ticks, as in /proc. If no tick passed, the clock gives the
 * same answer without reading /proc, unless the kernel uses another clock there. */
static void find_start(struct launched *made, int64_t by_clock, bool clock_tells)
{
    struct proc_facts facts;
    if (clock_tells && by_clock >= 0)
        made->start = by_clock;
    else
        made->start = proc_read(made->pid, &facts) ? facts.start : 0;
    made->by_clock = made->start == by_clock;
}

static int start_and_watch(const struct launch_call *call, struct launched *out,
                           const struct ends *ends, struct err *err)
{
    char program[PATH_MAX];
    int number = find_program(call, program, err);
    if (number != 0)
        return number;
    const struct spawn_call spawn = {
        .program = program,
        .argv = call->argv,
        .environment = call->environment,
        .cwd = call->cwd,
        .fds = {ends->fds[0], ends->fds[1], ends->fds[2]},
        .limits = call->limits,
        .in_our_session = call->in_our_session,
    };
    const int64_t before_us = clock_mono_us();
    number = spawn_process(&spawn, &out->pid);
    /* A child of another thread that has not called execve() yet still holds files that devs had
     * open for writing, perhaps this program. This does not last, so retry. */
    for (int wait_ms = 1; number == ETXTBSY && wait_ms <= LAUNCH_BUSY_MS_MAX; wait_ms *= 2) {
        (void)poll(NULL, 0, wait_ms);
        number = spawn_process(&spawn, &out->pid);
    }
    const int64_t after_us = clock_mono_us();
    if (number == 0) {
        out->pidfd = (int)syscall(SYS_pidfd_open, out->pid, 0);
        if (out->pidfd < 0) { /* a process that we cannot wait for must not run */
            number = errno;
            (void)kill(-out->pid, SIGKILL);
            (void)waitpid(out->pid, NULL, 0);
        }
    }
    if (number != 0)
        return report_errno(number, call->argv[0], err);
    find_start(out, proc_start_between(before_us, after_us), call->clock_tells);
    return 0;
}

/* Closes our copies of the child's ends. */
static void close_ends(struct ends *ends)
{
    for (int i = 0; i < 3; i++)
        close_fd(&ends->fds[i]);
}

bool launch_process(const struct launch_call *call, struct launched *out, int *number_out,
                    struct err *err)
{
    assert(call->argv[0]);
    assert(call->cwd[0] == '/');

    struct launched made = {.pidfd = -1, .pipes = {-1, -1}};
    struct ends ends = {.fds = {-1, -1, -1}};

    int number = open_ends(call, &made, &ends, err);
    if (number == 0)
        number = start_and_watch(call, &made, &ends, err);
    close_ends(&ends);
    if (number != 0) {
        close_fd(&made.pipes[0]);
        close_fd(&made.pipes[1]);
        *number_out = number;
        return false;
    }
    *out = made;
    return true;
}
