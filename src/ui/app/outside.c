/* outside.c - starts a program, such as a pager, on the terminal, and takes the terminal back
 * afterwards.
 *
 * The program starts in "/" and is only looked up in absolute folders of PATH, because any step may
 * have written to the project. It gets a process group of its own, in the foreground of the
 * terminal. */
#define _GNU_SOURCE /* environ */

#include "app_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program_find.h"

/* The attributes of a new child process. */
struct start {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
};

bool outside_split(const char *line, struct outside_words *out)
{
    static const char blanks[] = " \t\n";
    size_t count = 0;
    if (strlen(line) >= sizeof(out->text))
        return false;
    (void)snprintf(out->text, sizeof(out->text), "%s", line);
    char *at = out->text + strspn(out->text, blanks);
    while (*at && count + 1 < OUTSIDE_ARGS_MAX) {
        out->argv[count++] = at;
        at += strcspn(at, blanks);
        if (*at)
            *at++ = '\0';
        at += strspn(at, blanks);
    }
    out->argv[count] = NULL;
    return count > 0 && *at == '\0';
}

/* Gives the child default signal handling, regardless of the signals that we ignore or block.
 * SIGTSTP is the exception: see spawn_child(). */
static bool open_start(struct start *start)
{
    sigset_t all;
    sigset_t none;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGKILL);
    (void)sigdelset(&all, SIGSTOP);
    (void)sigdelset(&all, SIGTSTP);
    (void)sigemptyset(&none);
    if (posix_spawn_file_actions_init(&start->files) != 0)
        return false;
    if (posix_spawnattr_init(&start->attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&start->files);
        return false;
    }
    /* Start in "/", so that no file in the project's folder is used as the pager's configuration or
     * as a program. */
    return posix_spawn_file_actions_addchdir_np(&start->files, "/") == 0 &&
           posix_spawnattr_setsigdefault(&start->attributes, &all) == 0 &&
           posix_spawnattr_setsigmask(&start->attributes, &none) == 0 &&
           posix_spawnattr_setpgroup(&start->attributes, 0) == 0 &&
           posix_spawnattr_setflags(&start->attributes, POSIX_SPAWN_SETSIGDEF |
                                                            POSIX_SPAWN_SETSIGMASK |
                                                            POSIX_SPAWN_SETPGROUP) == 0;
}

/* Skips relative folders of PATH and rejects relative names, because they refer to the project,
 * where any step may have written. */
static bool find_program(const char *name, char out[PATH_MAX], struct err *err)
{
    if (name[0] == '/') {
        const int len = snprintf(out, PATH_MAX, "%s", name);
        return len < PATH_MAX || err_set_errno(err, ENAMETOOLONG, "cannot start '%.100s...'", name);
    }
    if (strchr(name, '/'))
        return err_set(err, ERR_INVALID, "cannot start '%s': not an absolute path", name);
    return program_find_absolute(name, out) ||
           err_set_errno(err, ENOENT, "cannot start '%s'", name);
}

/* Starts the child with SIGTSTP ignored. Otherwise ^Z before execve() would stop the child, and us
 * too, because posix_spawn() returns only after execve(). A program that is stopped later could not
 * be continued from here either. */
static bool spawn_child(struct start *start, bool is_ready, char *const *argv, pid_t *out,
                        struct err *err)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    char program[PATH_MAX];
    bool ok = find_program(argv[0], program, err);
    if (ok) {
        (void)sigaction(SIGTSTP, &ignore, &before);
        int number =
            is_ready ? posix_spawn(out, program, &start->files, &start->attributes, argv, environ)
                     : ENOMEM;
        (void)sigaction(SIGTSTP, &before, NULL);
        ok = number == 0 || err_set_errno(err, number, "cannot start '%s'", argv[0]);
    }
    (void)posix_spawnattr_destroy(&start->attributes);
    (void)posix_spawn_file_actions_destroy(&start->files);
    return ok;
}

/* Makes `group` the terminal's foreground group, which receives its keys and signals. If we are in
 * the background, SIGTTOU would stop us, so it is blocked. */
static void give_terminal(pid_t group)
{
    sigset_t set;
    sigset_t before;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTTOU);
    (void)pthread_sigmask(SIG_BLOCK, &set, &before);
    (void)tcsetpgrp(STDOUT_FILENO, group); /* fails if the terminal is closed */
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool outside_start_on_terminal(char *const *argv, int input, pid_t *out, struct err *err)
{
    struct start start;
    if (!open_start(&start))
        return err_set_errno(err, ENOMEM, "cannot start '%s'", argv[0]);
    bool is_ready = posix_spawn_file_actions_adddup2(&start.files, input, STDIN_FILENO) == 0;
    if (!spawn_child(&start, is_ready, argv, out, err))
        return false;
    give_terminal(*out);
    /* The child may have been stopped (SIGTTIN, SIGTTOU) because it used the terminal before its
     * group was in the foreground. */
    (void)kill(-*out, SIGCONT);
    return true;
}

enum outside_state outside_look(pid_t pid)
{
    int status = 0;
    pid_t got = waitpid(pid, &status, WNOHANG | WUNTRACED);
    if (got == 0 || (got < 0 && errno == EINTR))
        return OUTSIDE_RUNS;
    return got > 0 && WIFSTOPPED(status) ? OUTSIDE_STOPPED : OUTSIDE_ENDED;
}

void outside_end(pid_t pid)
{
    (void)kill(-pid, SIGKILL); /* may have exited already */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void outside_take_terminal(void)
{
    give_terminal(getpgrp());
}
