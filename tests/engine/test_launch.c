#define _GNU_SOURCE /* realpath, getsid and prctl beside POSIX */

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"
#include "spawn.h"
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
    test_write_file(program, text, 0755);
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
static int await_launched(struct launched *process, char *text, size_t size)
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
    ck_assert_int_eq(await_launched(&process, text, sizeof(text)), 0);
    ck_assert_str_eq(text, "well\n");
}
END_TEST

START_TEST(test_a_program_that_stays_open_for_writing_is_an_error)
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

START_TEST(test_the_start_time_equals_that_of_proc)
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
        ck_assert_int_eq(await_launched(&process, text, sizeof(text)), 0);
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
    ck_assert_int_eq(await_launched(&process, text, sizeof(text)), 0);
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
    ck_assert_int_eq(await_launched(&process, text, sizeof(text)), 0);
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
    ck_assert_int_eq(await_launched(&process, text, sizeof(text)), 0);
    ck_assert_str_eq(text, "#!/bin/sh\ncat\n");
}
END_TEST

static char dir[1024];

static void make_file(const char *path, const char *text, mode_t mode)
{
    test_write_file(test_path(dir, path), text, mode);
}

static void make_folder(const char *path)
{
    ck_assert_int_eq(mkdir(test_path(dir, path), 0700), 0);
}

static void make_folders(void)
{
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    make_folder("empty");
    make_folder("closed");
    make_file("closed/tool", "#!/bin/sh\nexit 3\n", 0600);
    make_folder("folder");
    make_folder("folder/tool");
    make_folder("good");
    make_file("good/tool", "#!/bin/sh\nexit 7\n", 0700);
    make_file("tool", "#!/bin/sh\nexit 9\n", 0700);
}

static const struct {
    const char *name, *dirs;
    int code, number; /* the exit code, or the errno of a failed start */
} searches[] = {
    {"tool", "empty:good", .code = 7},
    {"tool", "good:empty", .code = 7},
    {"tool", "/nowhere/at/all:good", .code = 7},
    {"tool", "closed:good", .code = 7},
    {"tool", "good/tool:good", .code = 7}, /* a file where a folder should be */
    {"tool", "folder:good", .code = 7},    /* a folder of the program's name */
    {"tool", ":good", .code = 9},
    {"tool", "empty::good", .code = 9},
    {"tool", "empty:", .code = 9},
    {"tool", "", .code = 9},
    {"./tool", "good", .code = 9},
    {"good/tool", "", .code = 7},
    {"tool", "empty", .number = ENOENT},
    {"tool", "closed", .number = EACCES},
    {"closed/tool", "good", .number = EACCES},
    {"./nothing", "good", .number = ENOENT},
};

START_TEST(test_program_is_the_first_that_may_be_executed)
{
    struct launched process;
    char text[64];
    char name[64];
    char path[128];
    int number = 0;
    struct err err = {0};
    (void)snprintf(name, sizeof(name), "%s", searches[_i].name);
    (void)snprintf(path, sizeof(path), "PATH=%s", searches[_i].dirs);
    char *argv[] = {name, NULL};
    char *environment[] = {path, NULL};
    const struct launch_call call = {.argv = argv, .environment = environment, .cwd = dir};
    const bool ok = launch_process(&call, &process, &number, &err);
    ck_assert_int_eq(number, searches[_i].number);
    ck_assert_int_eq(ok, searches[_i].number == 0);
    if (ok) {
        const int status = await_launched(&process, text, sizeof(text));
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), searches[_i].code);
    }
}
END_TEST

START_TEST(test_folder_that_is_missing_is_a_failure)
{
    struct launched process;
    int number = 0;
    struct err err = {0};
    make_program("#!/bin/sh\n");
    char *argv[] = {program, NULL};
    const struct launch_call call = {
        .argv = argv, .environment = environ, .cwd = "/nowhere/at/all"};
    ck_assert(!launch_process(&call, &process, &number, &err));
    ck_assert_int_eq(number, ENOENT);
}
END_TEST

START_TEST(test_leads_a_session_and_a_group)
{
    struct launched process;
    char text[256];
    char want[128];
    int number = 0;
    make_program("#!/bin/sh\nexec cat /proc/self/stat\n");
    ck_assert(launch(&process, &number));
    const int pid = (int)process.pid;
    ck_assert_int_eq(await_launched(&process, text, sizeof(text)), 0);
    (void)snprintf(want, sizeof(want), "%d (cat) R %d %d %d ", pid, (int)getpid(), pid, pid);
    ck_assert_msg(strncmp(text, want, strlen(want)) == 0, "%s", text);
}
END_TEST

START_TEST(test_reads_this_process)
{
    struct proc_facts facts;
    ck_assert_int_eq(prctl(PR_SET_NAME, "a) b (c"), 0); /* names may hold brackets */
    ck_assert(proc_read(getpid(), &facts));
    ck_assert_int_eq(facts.pid, getpid());
    ck_assert_int_eq(facts.parent, getppid());
    ck_assert_int_eq(facts.group, getpgrp());
    ck_assert_int_eq(facts.session, getsid(0));
    ck_assert_int_gt(facts.start, 0);
    ck_assert_str_eq(facts.name, "a) b (c");
    ck_assert(!proc_is_over(&facts));
}
END_TEST

START_TEST(test_a_zombie_is_over_and_the_reaped_is_gone)
{
    struct proc_facts facts;
    siginfo_t info;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    ck_assert(proc_read(pid, &facts));
    ck_assert(proc_is_over(&facts));
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert(!proc_read(pid, &facts));
}
END_TEST

static const struct {
    const char *name;
    const char *wanted[3];
    bool found;
} environments[] = {
    {"one", {"DEVS_RUN=u", NULL}, true},
    {"both", {"DEVS_STEP=a/1", "DEVS_RUN=u", NULL}, true},
    {"the start of a value", {"DEVS_STEP=a/", NULL}, false},
    {"the end of an entry", {"RUN=u", NULL}, false},
    {"one of two", {"DEVS_RUN=u", "DEVS_STEP=b/1", NULL}, false},
};

START_TEST(test_environment)
{
    int fds[2];
    char byte;
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char run[] = "DEVS_RUN=u";
        char step[] = "DEVS_STEP=a/1";
        char shell[] = "sh";
        char flag[] = "-c";
        char script[] = "echo; kill -STOP $$";
        char *const argv[] = {shell, flag, script, NULL};
        char *const environment[] = {run, step, NULL};
        (void)dup2(fds[1], 1);
        (void)execve("/bin/sh", argv, environment);
        _exit(1);
    }
    ck_assert_int_eq(read(fds[0], &byte, 1), 1);
    bool found = proc_has_environment(pid, environments[_i].wanted) == PROC_YES;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    ck_assert_msg(found == environments[_i].found, "%s", environments[_i].name);
}
END_TEST

static bool count_self(void *ctx, const struct proc_facts *facts)
{
    int *count = ctx;
    *count += facts->pid == getpid();
    return true;
}

static bool stop_at_once(void *ctx, const struct proc_facts *facts)
{
    int *count = ctx;
    (void)facts;
    ++*count;
    return false;
}

START_TEST(test_each)
{
    int count = 0;
    proc_each(count_self, &count);
    ck_assert_int_eq(count, 1);
    count = 0;
    proc_each(stop_at_once, &count);
    ck_assert_int_eq(count, 1);
}
END_TEST

START_TEST(test_machine)
{
    struct proc_machine machine;
    proc_machine("/", &machine);
    ck_assert(machine.load[0] >= 0 && machine.load[2] >= 0);
    ck_assert_int_gt(machine.memory_available_kib, 0);
    proc_machine("/no/such/path", &machine);
    ck_assert_int_eq(machine.disk_free_kib, -1);
}
END_TEST

static const struct {
    const char *name;
    int64_t before_us, after_us;
    int64_t start; /* with 100 ticks a second, as Linux counts them nearly everywhere */
} between[] = {
    {"one tick", 12340005, 12349000, 1234},        {"a tick passed", 12349000, 12350001, -1},
    {"just after a tick", 12340000, 12341000, -1}, {"just before one", 12341000, 12349999, -1},
    {"another second", 12999000, 13001000, -1},
};

START_TEST(test_start_by_the_clock)
{
    if (sysconf(_SC_CLK_TCK) != 100)
        return;
    ck_assert_int_eq(proc_start_between(between[_i].before_us, between[_i].after_us),
                     between[_i].start);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("launch");
    TCase *launch_cases = test_case(suite, "launch");
    tcase_add_unchecked_fixture(launch_cases, ignore_signals, NULL);
    tcase_add_test(launch_cases, test_program_that_was_open_for_writing_a_moment_ago_is_started);
    tcase_add_test(launch_cases, test_a_program_that_stays_open_for_writing_is_an_error);
    tcase_add_test(launch_cases, test_the_start_time_equals_that_of_proc);
    tcase_add_test(launch_cases, test_signals_are_as_by_default);
    tcase_add_test(launch_cases, test_stdin_that_leads_out_is_refused);
    tcase_add_loop_test(launch_cases, test_descriptors_that_we_inherited_are_closed, 0, 2);
    tcase_add_test(launch_cases, test_folder_that_is_missing_is_a_failure);
    tcase_add_test(launch_cases, test_leads_a_session_and_a_group);
    TCase *search_cases = test_case(suite, "search");
    tcase_add_checked_fixture(search_cases, make_folders, NULL);
    tcase_add_loop_test(search_cases, test_program_is_the_first_that_may_be_executed, 0,
                        TABLE_LEN(searches));
    TCase *proc_cases = test_case(suite, "proc");
    tcase_add_test(proc_cases, test_reads_this_process);
    tcase_add_test(proc_cases, test_a_zombie_is_over_and_the_reaped_is_gone);
    tcase_add_loop_test(proc_cases, test_environment, 0, TABLE_LEN(environments));
    tcase_add_loop_test(proc_cases, test_start_by_the_clock, 0, TABLE_LEN(between));
    tcase_add_test(proc_cases, test_each);
    tcase_add_test(proc_cases, test_machine);
    return suite;
}
