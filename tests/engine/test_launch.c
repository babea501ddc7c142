#define _GNU_SOURCE /* realpath */

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"
#include "test_main.h"

extern char **environ;

static char program[4096];
static volatile sig_atomic_t writer_fd = -1;
static bool clock_tells; /* as the clock and /proc were seen to agree */

/* Before the first start, as somebody who starts us may have it. */
static void ignore_signals(void)
{
    (void)signal(SIGRTMIN + 10, SIG_IGN);
    (void)signal(SIGTSTP, SIG_IGN);
}

static void make_program(const char *text)
{
    (void)snprintf(program, sizeof(program), "%.4000s/program", test_tmpdir());
    FILE *file = fopen(program, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(program, 0755), 0);
}

static bool launch(struct launched *out, int *number_out)
{
    char *argv[] = {program, NULL};
    const struct launch_call call = {
        .argv = argv, .environment = environ, .cwd = "/", .clock_tells = clock_tells};
    struct err err = {0};
    if (!launch_process(&call, out, number_out, &err))
        return false;
    clock_tells |= out->by_clock;
    return true;
}

/* Its exit status, and what it said. */
static int await(struct launched *process, char *text, size_t size)
{
    struct pollfd out = {.fd = process->pipes[0], .events = POLLIN};
    int status = -1;
    size_t len = 0;
    ssize_t got = 1;
    while (got > 0 && len + 1 < size) {
        (void)poll(&out, 1, -1);
        got = read(process->pipes[0], text + len, size - len - 1);
        len += got > 0 ? (size_t)got : 0;
    }
    text[len] = '\0';
    ck_assert_int_eq(waitpid(process->pid, &status, 0), process->pid);
    (void)close(process->pipes[0]);
    (void)close(process->pipes[1]);
    (void)close(process->pidfd);
    return status;
}

/* The process of the first try has ended: nothing of it ran. */
static void stop_writing(int number)
{
    (void)number;
    if (writer_fd >= 0)
        (void)close(writer_fd);
    writer_fd = -1;
}

START_TEST(test_program_that_was_open_for_writing_a_moment_ago_is_started)
{
    struct launched process;
    char text[64];
    int number = 0;
    make_program("#!/bin/sh\necho well\n");
    const struct sigaction action = {.sa_handler = stop_writing};
    ck_assert_int_eq(sigaction(SIGCHLD, &action, NULL), 0);
    writer_fd = open(program, O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(writer_fd, 0);
    ck_assert_msg(launch(&process, &number), "errno %d", number);
    ck_assert_int_eq(writer_fd, -1);
    (void)signal(SIGCHLD, SIG_DFL);
    ck_assert_int_eq(await(&process, text, sizeof(text)), 0);
    ck_assert_str_eq(text, "well\n");
}
END_TEST

START_TEST(test_program_that_stays_open_for_writing_is_given_up)
{
    struct launched process;
    int number = 0;
    make_program("#!/bin/sh\n");
    const int fd = open(program, O_WRONLY | O_CLOEXEC);
    ck_assert(!launch(&process, &number));
    ck_assert_int_eq(number, ETXTBSY);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    (void)close(fd);
}
END_TEST

START_TEST(test_start_is_that_of_proc)
{
    make_program("#!/bin/sh\n");
    for (int i = 0; i < 20; i++) {
        struct launched process;
        struct proc_facts facts;
        char text[64];
        int number = 0;
        ck_assert(launch(&process, &number));
        ck_assert(proc_read(process.pid, &facts)); /* not reaped: it is there, over or not */
        ck_assert_int_eq(process.start, facts.start);
        ck_assert_int_eq(await(&process, text, sizeof(text)), 0);
    }
}
END_TEST

START_TEST(test_signals_are_as_by_default)
{
    struct launched process;
    char text[256];
    int number = 0;
    make_program("#!/bin/sh\nexec grep -E '^Sig(Blk|Ign)' /proc/self/status\n");
    (void)signal(SIGUSR1, SIG_IGN); /* whatever changed since the first start */
    ck_assert(launch(&process, &number));
    ck_assert_int_eq(await(&process, text, sizeof(text)), 0);
    ck_assert_str_eq(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}
END_TEST

/* Descriptors of whoever started us lead anywhere; one is kept by name. */
START_TEST(test_descriptors_that_we_inherited_are_closed)
{
    struct launched process;
    char text[256];
    char want[64];
    int number = 0;
    struct err err = {0};
    make_program("#!/bin/sh\ncd /proc/self/fd && for fd in [0-9] [0-9][0-9] [0-9][0-9][0-9]; do "
                 "test -e $fd && echo $fd; done; true\n");
    const int inherited = open("/", O_RDONLY | O_DIRECTORY); /* NOLINT(android-cloexec-open) */
    const int high = fcntl(inherited, F_DUPFD, 200);         /* NOLINT(android-cloexec-fcntl) */
    const int kept = fcntl(inherited, F_DUPFD_CLOEXEC, 100);
    ck_assert(inherited > 2 && high >= 200 && kept >= 100);
    const struct spawn_limits limits = {.keep = {kept}};
    char *argv[] = {program, NULL};
    const struct launch_call call = {
        .argv = argv, .environment = environ, .cwd = "/", .limits = _i ? &limits : NULL};
    ck_assert_msg(launch_process(&call, &process, &number, &err), "%s", err.message);
    ck_assert_int_eq(await(&process, text, sizeof(text)), 0);
    (void)snprintf(want, sizeof(want), _i ? "0\n1\n2\n10\n%d\n" : "0\n1\n2\n10\n", kept);
    ck_assert_str_eq(text, want); /* 10: the shell's own, of its script */
}
END_TEST

/* An attempt may leave a link to any file where a later one's stdin is. */
START_TEST(test_stdin_that_leads_out_is_refused)
{
    struct launched process;
    char text[256];
    char top[4096];
    char path[4096];
    int number = 0;
    struct err err = {0};
    make_program("#!/bin/sh\ncat\n");
    ck_assert_ptr_nonnull(realpath(program, top));
    *strrchr(top, '/') = '\0';
    (void)snprintf(path, sizeof(path), "%.4000s/in", top);
    char *argv[] = {program, NULL};
    const struct launch_call call = {
        .argv = argv, .environment = environ, .cwd = "/", .stdin_path = path, .stdin_within = top};
    ck_assert_int_eq(symlink("/etc/passwd", path), 0);
    ck_assert(!launch_process(&call, &process, &number, &err));
    ck_assert_int_eq(number, EACCES);
    ck_assert_ptr_nonnull(strstr(err.message, "stdin leads out of the sandbox's workspace"));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("program", path), 0);
    ck_assert(launch_process(&call, &process, &number, NULL));
    ck_assert_int_eq(await(&process, text, sizeof(text)), 0);
    ck_assert_str_eq(text, "#!/bin/sh\ncat\n");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("launch");
    TCase *tcase = test_case(suite, "launch");
    tcase_add_unchecked_fixture(tcase, ignore_signals, NULL);
    tcase_add_test(tcase, test_program_that_was_open_for_writing_a_moment_ago_is_started);
    tcase_add_test(tcase, test_program_that_stays_open_for_writing_is_given_up);
    tcase_add_test(tcase, test_start_is_that_of_proc);
    tcase_add_test(tcase, test_signals_are_as_by_default);
    tcase_add_test(tcase, test_stdin_that_leads_out_is_refused);
    tcase_add_loop_test(tcase, test_descriptors_that_we_inherited_are_closed, 0, 2);
    return suite;
}
