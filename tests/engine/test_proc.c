#define _GNU_SOURCE /* getsid and prctl beside POSIX */

#include "proc.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_main.h"

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
} searches[] = {
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
    bool found = proc_has_environment(pid, searches[_i].wanted) == PROC_YES;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    ck_assert_msg(found == searches[_i].found, "%s", searches[_i].name);
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
    Suite *suite = suite_create("proc");
    TCase *tcase = test_case(suite, "proc");
    tcase_add_test(tcase, test_reads_this_process);
    tcase_add_test(tcase, test_a_zombie_is_over_and_the_reaped_is_gone);
    tcase_add_loop_test(tcase, test_environment, 0, TABLE_LEN(searches));
    tcase_add_loop_test(tcase, test_start_by_the_clock, 0, TABLE_LEN(between));
    tcase_add_test(tcase, test_each);
    tcase_add_test(tcase, test_machine);
    return suite;
}
