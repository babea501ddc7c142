#define _GNU_SOURCE /* realpath */

#include "child_try.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_main.h"
#include "xalloc.h"

enum { MIB = 1024 * 1024 };

static int inheritable_before;

/* Descriptors that a child would get from us. */
static int count_inheritable(void)
{
    int count = 0;
    for (int fd = 3; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        count += flags >= 0 && (flags & FD_CLOEXEC) == 0;
    }
    return count;
}

static void setup(void)
{
    inheritable_before = count_inheritable();
    child_try_open();
}

static const struct {
    const char *script;
    enum outcome_kind kind;
    int code;
} ends[] = {
    {"exit 0", OUTCOME_EXIT, 0},
    {"exit 1", OUTCOME_EXIT, 1},
    {"exit 255", OUTCOME_EXIT, 255},
    {"kill -9 $$", OUTCOME_SIGNAL, SIGKILL},
    {"kill -15 $$", OUTCOME_SIGNAL, SIGTERM},
    {"kill -11 $$", OUTCOME_SIGNAL, SIGSEGV},
    {"exit 124", OUTCOME_EXIT, 124},
    {"exec >&- 2>&-; sleep 0.2; exit 5", OUTCOME_EXIT, 5}, /* closes its pipes, but lives */
};

START_TEST(test_end)
{
    struct watched watched = {0};
    run_script(&watched, ends[_i].script, 0);
    ck_assert_msg(watched.end.outcome.kind == ends[_i].kind, "%s: kind %d", ends[_i].script,
                  (int)watched.end.outcome.kind);
    ck_assert_msg(watched.end.outcome.code == ends[_i].code, "%s: code %d", ends[_i].script,
                  watched.end.outcome.code);
    ck_assert_int_eq(watched.end.outcome.left, 0);
    watched_done(&watched);
}
END_TEST

START_TEST(test_both_pipes_and_silence_on_stdin)
{
    struct watched watched = {0};
    run_script(&watched, "cat; echo out; echo err >&2; echo more", 0);
    ck_assert_str_eq(str_text(&watched.text[0]), "out\nmore\n");
    ck_assert_str_eq(str_text(&watched.text[1]), "err\n");
    watched_done(&watched);
}
END_TEST

START_TEST(test_stdin_comes_from_the_file)
{
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s/input", dir);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs("from the file", file);
    ck_assert_int_eq(fclose(file), 0);

    char cat[] = "cat";
    char *const argv[] = {cat, NULL};
    char **environment = make_environment(step_mark, NULL);
    struct child_call call = make_call(argv, environment);
    call.spawn.stdin_path = path;
    struct watched watched = {0};
    start(&watched, &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(str_text(&watched.text[0]), "from the file");
    free(environment);
    watched_done(&watched);
}
END_TEST

START_TEST(test_stdin_bytes_come_whole_and_have_no_name)
{
    enum { INPUT_BYTES = 300 * 1024 };
    struct watched watched = {0};
    char *input = xcalloc(INPUT_BYTES + 1, 1);
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char script[] = "readlink /proc/self/fd/0; wc -c; printf x >/proc/self/fd/0 || echo sealed";
    char *const argv[] = {shell, flag, script, NULL};
    char **environment = make_environment(step_mark, NULL);
    struct child_call call = make_call(argv, environment);
    memset(input, 'a', INPUT_BYTES);
    const struct launch_input bytes = {.bytes = input, .len = INPUT_BYTES};
    call.spawn.input = &bytes;
    start(&watched, &call);
    free(input); /* it is the child's by now */
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(str_text(&watched.text[0]), "/memfd:stdin (deleted)\n307200\nsealed\n");
    free(environment);
    watched_done(&watched);
}
END_TEST

START_TEST(test_has_session_group_signals_and_folder_of_its_own)
{
    struct watched watched = {0};
    sigset_t blocked;
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL);
    (void)signal(SIGPIPE, SIG_IGN);

    run_script(&watched,
               "read -r pid a b ppid group session rest </proc/self/stat;"
               "echo $((group == $$)) $((session == $$));"
               "sed -nE 's/Sig(Blk|Ign):.*(.{7})$/\\2/p' /proc/self/status; pwd -P",
               0);

    char want[PATH_MAX + 100];
    char real[PATH_MAX];
    ck_assert_ptr_nonnull(realpath(dir, real));
    (void)snprintf(want, sizeof(want), "1 1\n%07d\n%07d\n%s\n", 0, 0, real);
    ck_assert_str_eq(str_text(&watched.text[0]), want);
    watched_done(&watched);
}
END_TEST

START_TEST(test_children_inherit_no_descriptor_of_ours)
{
    struct watched watched = {0};
    start_script(&watched, "exec sleep 100", 0);
    ck_assert_int_eq(count_inheritable(), inheritable_before);
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    watched_done(&watched);
}
END_TEST

static void write_program(const char *name, const char *text, mode_t mode)
{
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, mode), 0);
}

static const struct {
    const char *name;
    const char *program;
    const char *cwd; /* NULL = the test's folder */
    int number;
} failures[] = {
    {"not in PATH", "no-such-program-here", NULL, ENOENT},
    {"no such path", "./nothing", NULL, ENOENT},
    {"not executable", "./plain", NULL, EACCES},
    {"not executable, by PATH", "plain", NULL, EACCES},
    {"a folder", "/tmp", NULL, EACCES},
    {"empty name", "", NULL, ENOENT},
    {"no such folder", "true", "/no/such/folder", ENOENT},
    {"not a program", "./garbage", NULL, ENOEXEC},
};

START_TEST(test_start_failure)
{
    char path[PATH_MAX + 64];
    char *program = xstrdup(failures[_i].program);
    char *const argv[] = {program, NULL};
    (void)snprintf(path, sizeof(path), "PATH=/nowhere:%s:/usr/bin:/bin", dir);
    char *environment[] = {run_mark, step_mark, path, NULL};
    write_program("plain", "#!/bin/sh\n", 0644);
    write_program("garbage", "nothing that runs", 0755);

    struct child_call call = make_call(argv, environment);
    if (failures[_i].cwd)
        call.spawn.cwd = failures[_i].cwd;
    struct watched watched = {0};
    begin_and_wait(&watched, &call);

    ck_assert_msg(watched.failed, "%s", failures[_i].name);
    ck_assert_msg(watched.number == failures[_i].number, "%s: errno %d", failures[_i].name,
                  watched.number);
    ck_assert_int_eq(watched.err.code, ERR_IO);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(!watched.ended);
    free(program);
}
END_TEST

static const char *const no_stdins[] = {"fifo", "folder"};

START_TEST(test_stdin_that_is_no_file_is_a_start_failure)
{
    char path[PATH_MAX + 64];
    char program[] = "/bin/cat";
    char *const argv[] = {program, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    (void)snprintf(path, sizeof(path), "%s/%s", dir, no_stdins[_i]);
    ck_assert_int_eq(_i == 0 ? mkfifo(path, 0600) : mkdir(path, 0700), 0);

    struct child_call call = make_call(argv, environment);
    call.spawn.stdin_path = path;
    struct watched watched = {0};
    begin_and_wait(&watched, &call);
    ck_assert(watched.failed);
    ck_assert_int_eq(watched.number, EINVAL);
    ck_assert_ptr_nonnull(strstr(watched.err.message, no_stdins[_i]));
}
END_TEST

START_TEST(test_stdin_blocks)
{
    char path[] = "/dev/null";
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char script[] = "grep flags: /proc/self/fdinfo/0";
    char *const argv[] = {shell, flag, script, NULL};
    char **environment = make_environment(step_mark, NULL);
    struct child_call call = make_call(argv, environment);
    call.spawn.stdin_path = path;
    struct watched watched = {0};
    start(&watched, &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    const char *flags = strchr(str_text(&watched.text[0]), '\t');
    ck_assert_ptr_nonnull(flags);
    ck_assert_int_eq(strtol(flags, NULL, 8) & O_NONBLOCK, 0);
    watched_done(&watched);
    free(environment);
}
END_TEST

START_TEST(test_child_that_cannot_be_watched_is_a_start_failure)
{
    int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)close(first);
    const int aside = fcntl(nursery->epoll_fd, F_DUPFD_CLOEXEC, first + 10);
    ck_assert_int_ge(aside, 0);
    int fds[2]; /* what the loop can hear, and children cannot be heard by */
    ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
    ck_assert_int_eq(dup3(fds[0], nursery->epoll_fd, O_CLOEXEC), nursery->epoll_fd);

    char program[] = "/bin/sleep";
    char duration[] = "100";
    char *const argv[] = {program, duration, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    struct child_call call = make_call(argv, environment);
    struct watched watched = {0};
    begin_and_wait(&watched, &call);
    ck_assert(watched.failed);
    ck_assert_int_eq(watched.number, EINVAL);
    ck_assert_ptr_nonnull(strstr(watched.err.message, "cannot be watched"));
    ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
    ck_assert_int_eq(errno, ECHILD);

    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(!watched.ended);
    ck_assert_int_eq(dup3(aside, nursery->epoll_fd, O_CLOEXEC), nursery->epoll_fd);
    (void)close(aside);
    (void)close(fds[0]);
    (void)close(fds[1]);
    ck_assert_int_eq(open("/dev/null", O_RDONLY | O_CLOEXEC), first);
    (void)close(first);
}
END_TEST

START_TEST(test_path_is_the_childs)
{
    char path[PATH_MAX + 8];
    char name[] = "only-here";
    char *const argv[] = {name, NULL};
    (void)snprintf(path, sizeof(path), "PATH=%s", dir);
    char *environment[] = {path, NULL};
    write_program(name, "#!/bin/sh\necho found\n", 0755);
    const struct child_call call = make_call(argv, environment);
    struct watched watched = {0};
    start(&watched, &call);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(str_text(&watched.text[0]), "found\n");
    watched_done(&watched);
}
END_TEST

/* One that goes to its program by itself could not pass the folder by. */
START_TEST(test_what_cannot_be_started_alone_is_a_starters)
{
    char folder[PATH_MAX + 16];
    char path[3 * PATH_MAX];
    char name[] = "tool";
    char *const argv[] = {name, NULL};
    write_program(name, "#!/bin/sh\necho found\n", 0755);
    (void)snprintf(folder, sizeof(folder), "%s/first", dir);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    (void)snprintf(folder, sizeof(folder), "%s/first/tool", dir);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    (void)snprintf(path, sizeof(path), "PATH=%s/first:%s", dir, dir);
    char *environment[] = {path, NULL};
    const struct child_call call = make_call(argv, environment);
    for (int i = 0; i < 2; i++) {
        struct watched watched = {0};
        ck_assert_int_eq(nursery->ways_are_vain, i > 0); /* seen once, it is not tried again */
        start(&watched, &call);
        (void)uv_run(&loop, UV_RUN_DEFAULT);
        ck_assert_str_eq(str_text(&watched.text[0]), "found\n");
        ck_assert_int_eq(nursery->ways, 0);
        watched_done(&watched);
    }
}
END_TEST

START_TEST(test_more_at_once_than_may_go_alone)
{
    enum { COUNT = 3 * NURSERY_WAYS_MAX };
    char shell[] = "/bin/sh";
    char flag[] = "-c";
    char script[] = "echo $$";
    struct watched watched[COUNT] = {0};
    char *const argv[] = {shell, flag, script, NULL};
    char **environment = make_environment(step_mark, NULL);
    const struct child_call call = make_call(argv, environment);
    for (int i = 0; i < COUNT; i++)
        begin(&watched[i], &call);
    ck_assert_int_eq(nursery->ways, NURSERY_WAYS_MAX);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(nursery->ways, 0);
    for (int i = 0; i < COUNT; i++) {
        ck_assert(watched[i].ended);
        ck_assert_int_eq(watched[i].end.outcome.code, 0);
        ck_assert_uint_gt(watched[i].text[0].len, 0);
        watched_done(&watched[i]);
    }
    free(environment);
}
END_TEST

/* It may have begun to execute its program by the time that the kernel has no room to hear it. */
START_TEST(test_what_cannot_be_heard_is_not_started_twice)
{
    char program[] = "/bin/true";
    char *const argv[] = {program, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    const struct child_call call = make_call(argv, environment);
    const int ears = nursery->epoll_fd;
    struct watched watched = {0};
    nursery->epoll_fd = -1;
    begin(&watched, &call);
    nursery->epoll_fd = ears;
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(watched.failed && !watched.started);
    ck_assert_int_eq(watched.number, EBADF);
    ck_assert_int_eq(nursery->ways, 0);
    watched_done(&watched);
}
END_TEST

START_TEST(test_status_is_known_though_sigchld_was_ignored)
{
    struct err err = {0};
    nursery_close(nursery);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    (void)signal(SIGCHLD, SIG_IGN);
    ck_assert(nursery_open(&nursery, &loop, &err));
    struct watched watched = {0};
    run_script(&watched, "exit 3", 0);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_EXIT);
    ck_assert_int_eq(watched.end.outcome.code, 3);
    watched_done(&watched);
}
END_TEST

START_TEST(test_orphans_that_end_are_reaped_while_others_run)
{
    struct watched watched = {0};
    start_script(&watched, "(setsid sh -c 'echo $$' &) ; exec sleep 100", 0);
    while (watched.bytes[0] == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);
    ck_assert(await_reaped(told_pid(&watched)));
    child_cancel(watched.child, CANCEL_KILL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    watched_done(&watched);
}
END_TEST

START_TEST(test_flood_is_counted_and_memory_is_flat)
{
    struct rusage before;
    struct rusage after;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &before), 0);
    struct watched watched = {0};
    start_script(&watched, "head -c 20971520 /dev/zero; head -c 1000 /dev/zero >&2", 0);
    watched.keep_text = false;
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &after), 0);
    ck_assert_int_eq(watched.bytes[0], 20 * MIB);
    ck_assert_int_eq(watched.bytes[1], 1000);
    ck_assert_uint_le(watched.most, CHILD_PIECE_BYTES);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 4096);
    watched_done(&watched); /* some may have come with the news that it has started */
}
END_TEST

START_TEST(test_flood_without_an_end_can_be_cancelled)
{
    struct watched watched = {0};
    start_script(&watched, "yes & yes >&2", 0);
    watched.keep_text = false;
    while (watched.bytes[0] < 4 * MIB || watched.bytes[1] < 4 * MIB)
        (void)uv_run(&loop, UV_RUN_ONCE);
    child_cancel(watched.child, CANCEL_TERM);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.left, 0);
    watched_done(&watched);
}
END_TEST

START_TEST(test_many_in_a_row_leave_no_descriptor)
{
    int before = open("/dev/null", O_RDONLY);
    (void)close(before);
    for (int i = 0; i < 50; i++) {
        struct watched watched = {0};
        run_script(&watched, "exit 0", 1000);
        watched_done(&watched);
    }
    int after = open("/dev/null", O_RDONLY);
    (void)close(after);
    ck_assert_int_eq(before, after);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("child");
    TCase *plain = test_case(suite, "plain");
    tcase_add_checked_fixture(plain, setup, child_try_close);
    tcase_add_loop_test(plain, test_end, 0, TABLE_LEN(ends));
    tcase_add_test(plain, test_both_pipes_and_silence_on_stdin);
    tcase_add_test(plain, test_stdin_comes_from_the_file);
    tcase_add_test(plain, test_stdin_bytes_come_whole_and_have_no_name);
    tcase_add_test(plain, test_has_session_group_signals_and_folder_of_its_own);
    tcase_add_test(plain, test_children_inherit_no_descriptor_of_ours);
    tcase_add_loop_test(plain, test_start_failure, 0, TABLE_LEN(failures));
    tcase_add_loop_test(plain, test_stdin_that_is_no_file_is_a_start_failure, 0,
                        TABLE_LEN(no_stdins));
    tcase_add_test(plain, test_stdin_blocks);
    tcase_add_test(plain, test_child_that_cannot_be_watched_is_a_start_failure);
    tcase_add_test(plain, test_path_is_the_childs);
    tcase_add_test(plain, test_what_cannot_be_started_alone_is_a_starters);
    tcase_add_test(plain, test_more_at_once_than_may_go_alone);
    tcase_add_test(plain, test_what_cannot_be_heard_is_not_started_twice);
    tcase_add_test(plain, test_status_is_known_though_sigchld_was_ignored);
    tcase_add_test(plain, test_orphans_that_end_are_reaped_while_others_run);
    TCase *flood = test_case(suite, "flood");
    tcase_add_checked_fixture(flood, child_try_open, child_try_close);
    tcase_add_test(flood, test_flood_is_counted_and_memory_is_flat);
    tcase_add_test(flood, test_flood_without_an_end_can_be_cancelled);
    tcase_add_test(flood, test_many_in_a_row_leave_no_descriptor);
    return suite;
}
