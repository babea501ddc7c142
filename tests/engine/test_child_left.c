/* What a child leaves behind: it is found, ended, and named where it cannot be. */
#define _GNU_SOURCE /* ids beside POSIX */

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_internal.h"
#include "child_try.h"
#include "clock.h"
#include "test_main.h"

static char other_mark[] = "DEVS_STEP=b/1";

/* What is left behind: each script writes the pid of a process that would live
 * for long, and ends behind that or is cancelled. */
static const struct {
    const char *name;
    const char *script;
    bool cancel;
    bool after_grace;
} leftovers[] = {
    {"holds the pipe", "sleep 1000 & echo $!", false, false},
    {"ignores TERM",
     "mkfifo told; sh -c 'trap \"\" TERM; echo $$; echo >told; while :; do sleep 0.01; done' &\n"
     "read -r line <told",
     false, true},
    {"own session",
     "mkfifo told; setsid sh -c 'echo $$; echo >told; exec sleep 1000' & read -r line <told", false,
     false},
    {"forks twice",
     "mkfifo told; (setsid sh -c 'echo $$; echo >told; exec sleep 1000' &) ; read -r line <told",
     false, false},
    {"forks twice, cancelled", "(setsid sh -c 'echo $$; exec sleep 1000' &) ; exec sleep 1000",
     true, false},
    {"forks twice, ignores TERM, cancelled",
     "(setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.01; done' &) ; exec sleep 1000",
     true, true},
    {"own session, no environment, cancelled",
     "(setsid env -i /bin/sh -c 'echo $$; exec sleep 1000' &) ; exec sleep 1000", true, false},
};

START_TEST(test_nothing_is_left)
{
    struct watched watched = {0};
    if (leftovers[_i].cancel) {
        watched.cancel_on = "\n";
        watched.cancel_mode = CANCEL_TERM;
    }
    int64_t before_ms = clock_now().mono_ms;
    run_script(&watched, leftovers[_i].script, 0);
    int64_t took_ms = clock_now().mono_ms - before_ms;

    ck_assert_msg(!is_alive(told_pid(&watched)), "%s is alive", leftovers[_i].name);
    ck_assert_int_eq(watched.end.outcome.left, 0);
    ck_assert_int_eq(watched.end.outcome.kind,
                     leftovers[_i].cancel ? OUTCOME_CANCELLED : OUTCOME_EXIT);
    ck_assert_msg((took_ms >= GRACE_MS) >= leftovers[_i].after_grace, "%s: %" PRId64 " ms",
                  leftovers[_i].name, took_ms);
    ck_assert_msg(took_ms < LONG_MS, "%s: %" PRId64 " ms", leftovers[_i].name, took_ms);
    watched_done(&watched);
}
END_TEST

static bool write_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static const char freezer[] = "/sys/fs/cgroup/freezer";

/* What the kernel has frozen hears no signal, KILL neither, until it is let go: as good as a
 * process that hangs in a driver. */
START_TEST(test_what_ignores_kill_is_given_up_and_named)
{
    char group[PATH_MAX];
    char state[PATH_MAX + 32];
    char script[2 * PATH_MAX];
    (void)snprintf(group, sizeof(group), "%.64s/devs-test-%d", freezer, (int)getpid());
    (void)snprintf(state, sizeof(state), "%s/freezer.state", group);
    if (mkdir(group, 0700) != 0) {
        (void)printf("skipped: no control group of %s can be made\n", freezer);
        return;
    }
    (void)snprintf(script, sizeof(script), "echo $$ >%s/cgroup.procs; echo $$; exec sleep 100",
                   group);
    struct watched watched = {0};
    start_script(&watched, script, 0);
    while (watched.bytes[0] == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert(write_to(state, "FROZEN"));
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(write_to(state, "THAWED"));

    struct str words = {0};
    char want[100];
    child_left_words(&watched.end, &words);
    (void)snprintf(want, sizeof(want), "1 of 1 processes ignores KILL (state D, pid %d)",
                   (int)told_pid(&watched));
    ck_assert_str_eq(str_text(&words), want);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.left, 1);
    ck_assert(await_reaped(told_pid(&watched))); /* once it could end */
    ck_assert_int_eq(rmdir(group), 0);
    str_done(&words);
    watched_done(&watched);
}
END_TEST

/* A program that becomes root, beside the test. False: that cannot be had here. */
static bool copy_setpriv(void)
{
    char command[PATH_MAX + 100];
    char path[PATH_MAX + 16];
    (void)snprintf(command, sizeof(command), "cp /usr/bin/setpriv %s/setpriv", dir);
    (void)snprintf(path, sizeof(path), "%s/setpriv", dir);
    struct watched watched = {0};
    run_script(&watched, command, 0);
    watched_done(&watched);
    return watched.end.outcome.code == 0 && chmod(path, 04755) == 0 && chmod(dir, 0755) == 0;
}

START_TEST(test_what_may_not_be_signalled_is_given_up_and_named)
{
    enum { NOBODY = 65534 };
    char script[PATH_MAX + 200];
    if (getuid() != 0 || !copy_setpriv()) {
        (void)printf("skipped: needs root and setpriv(1)\n");
        return;
    }
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, 0), 0);
    (void)snprintf(script, sizeof(script),
                   "exec %s/setpriv --reuid=0 --regid=0 --clear-groups sh -c "
                   "'test $(id -u) = 0 && echo $$; exec sleep 100'",
                   dir);
    struct watched watched = {0};
    start_script(&watched, script, 0);
    while (watched.bytes[0] == 0 && !watched.ended)
        (void)uv_run(&loop, UV_RUN_ONCE);
    if (watched.ended) {
        (void)printf("skipped: %s", str_text(&watched.text[1])); /* a folder without setuid */
        watched_done(&watched);
        return;
    }
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);

    struct str words = {0};
    char want[100];
    child_left_words(&watched.end, &words);
    (void)snprintf(want, sizeof(want), "cannot signal pid %d: not permitted (runs as root)",
                   (int)told_pid(&watched));
    ck_assert_str_eq(str_text(&words), want);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.left, 1);
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(kill(told_pid(&watched), SIGKILL), 0);
    str_done(&words);
    watched_done(&watched);
}
END_TEST

START_TEST(test_end_of_one_leaves_the_other_alone)
{
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char text[] = "(setsid sh -c 'echo $$; exec sleep 100' &) ; exec sleep 100";
    char *const argv[] = {shell, flag, text, NULL};
    char **environment = make_environment(other_mark, NULL);
    struct child_call call = make_call(argv, environment);
    call.step_mark = other_mark;
    struct watched other = {0};
    start(&other, &call);
    while (other.bytes[0] == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);

    struct watched first = {0};
    start_script(&first, "sleep 100 & echo $!", 0);
    while (!first.ended)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert(!is_alive(told_pid(&first)));
    ck_assert(is_alive(told_pid(&other)));

    child_cancel(other.child, CANCEL_TERM);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(!is_alive(told_pid(&other)));
    free(environment);
    watched_done(&first);
    watched_done(&other);
}
END_TEST

/* A process without a parent, in another session than ours, that nothing marks as anybody's. */
static pid_t leave_orphan(bool leads_session)
{
    int fds[2];
    pid_t orphan = 0;
    ck_assert_int_eq(pipe(fds), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        (void)setsid();
        if (fork() == 0) {
            if (leads_session)
                (void)setsid();
            const pid_t self = getpid();
            (void)!write(fds[1], &self, sizeof(self));
            (void)pause();
        }
        _exit(0);
    }
    ck_assert_int_eq(read(fds[0], &orphan, sizeof(orphan)), sizeof(orphan));
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
    for (int i = 0; i < 2; i++)
        (void)close(fds[i]);
    return orphan;
}

START_TEST(test_orphan_is_nobodys_while_another_starts)
{
    struct sweep *sweep;
    struct proc_facts found[SWEEP_FOUND_MAX];
    ck_assert(sweep_open(&sweep, NULL));
    const pid_t orphan = leave_orphan(true);
    const struct sweep_mark mark = {.session = getpid(), .run = run_mark, .step = step_mark};
    sweep_enter(sweep, &mark);
    ck_assert_uint_eq(sweep_find(sweep, mark.session, found), 1);
    ck_assert_int_eq(found[0].pid, orphan);

    sweep_expect(sweep, 1);
    ck_assert_uint_eq(sweep_find(sweep, mark.session, found), 0);
    ck_assert_int_eq(kill(orphan, SIGKILL), 0);
    siginfo_t over;
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), 0);
    sweep_reap(sweep);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), 0);
    sweep_expect(sweep, -1);
    sweep_reap(sweep);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), -1);
    sweep_leave(sweep, mark.session);
    sweep_close(sweep);
}
END_TEST

/* Starts may come one behind the other for long: who left it behind waits for none of them. */
START_TEST(test_orphan_that_is_no_start_is_reaped_while_another_starts)
{
    struct sweep *sweep;
    siginfo_t over;
    ck_assert(sweep_open(&sweep, NULL));
    const pid_t orphan = leave_orphan(false);
    sweep_expect(sweep, 1);
    ck_assert_int_eq(kill(orphan, SIGKILL), 0);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), 0);
    sweep_reap(sweep);
    ck_assert_int_eq(waitid(P_PID, (id_t)orphan, &over, WEXITED | WNOWAIT), -1);
    sweep_expect(sweep, -1);
    sweep_close(sweep);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("child_left");
    TCase *left = test_case(suite, "left");
    tcase_add_checked_fixture(left, child_try_open, child_try_close);
    tcase_add_loop_test(left, test_nothing_is_left, 0, TABLE_LEN(leftovers));
    tcase_add_test(left, test_end_of_one_leaves_the_other_alone);
    tcase_add_test(left, test_orphan_is_nobodys_while_another_starts);
    tcase_add_test(left, test_orphan_that_is_no_start_is_reaped_while_another_starts);
    tcase_add_test(left, test_what_ignores_kill_is_given_up_and_named);
    tcase_add_test(left, test_what_may_not_be_signalled_is_given_up_and_named);
    return suite;
}
