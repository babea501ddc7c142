#define _GNU_SOURCE /* environ */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "sandbox_try.h"
#include "test_main.h"

static struct cgroup *group;
static const struct cgroup_limits no_limits;

static void setup(void)
{
    group = NULL;
}

/* A shell in the group; its pid. It has done its part once the file is there. */
static pid_t start(const char *script, const char *file)
{
    struct spawn_limits limits = {.enter_count = 0};
    cgroup_enter(group, &limits);
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int fd = fcntl(null, F_DUPFD_CLOEXEC, 10);
    const struct spawn_call call = {.program = "/bin/sh",
                                    .argv = argv,
                                    .environment = environ,
                                    .cwd = "/",
                                    .fds = {fd, fd, fd},
                                    .limits = &limits};
    pid_t pid = 0;
    ck_assert_int_eq(spawn_process(&call, &pid), 0);
    (void)close(fd);
    (void)close(null);
    if (file)
        try_await(file);
    return pid;
}

static int await_end(pid_t pid)
{
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static void open_group(const char *name, const struct cgroup_limits *limits)
{
    struct err err = {0};
    ck_assert_msg(cgroup_open(&group, try_uid(), name, limits, &err), "%s", err.message);
}

static void count_dir(void *ctx, const char *dir)
{
    (void)dir;
    (*(int *)ctx)++;
}

/* Folders of this run in all hierarchies. */
static int count_left(void)
{
    char name[128];
    size_t count;
    int found = 0;
    const struct cgroup_mount *mounts = cgroup_mounts(&count);
    (void)snprintf(name, sizeof(name), "devs-%s", try_uid());
    for (size_t i = 0; i < count; i++)
        cgroup_find(mounts[i].top, name, count_dir, &found);
    return found;
}

START_TEST(test_what_is_in_it_ends_and_nothing_is_left)
{
    char file[PATH_MAX];
    char script[PATH_MAX + 200];
    size_t left = 99;
    (void)snprintf(file, sizeof(file), "%.4000s/up", test_tmpdir());
    (void)snprintf(script, sizeof(script),
                   "trap '' TERM; for i in 1 2 3; do env -i setsid sleep 1000 & done; echo x > %s; "
                   "sleep 1000",
                   file);
    open_group("a", &no_limits);
    pid_t pid = start(script, file);
    ck_assert_uint_ge(cgroup_end(group, &left), 4);
    ck_assert_uint_eq(left, 0);
    ck_assert_int_eq(WTERMSIG(await_end(pid)), SIGKILL);
    cgroup_close(group);
    ck_assert_int_eq(count_left(), 0);
}
END_TEST

START_TEST(test_sweep_names_and_ends_what_a_dead_run_left)
{
    char file[PATH_MAX];
    char script[PATH_MAX + 200];
    struct str ended = {0};
    struct str left = {0};
    (void)snprintf(file, sizeof(file), "%.4000s/up", test_tmpdir());
    (void)snprintf(script, sizeof(script), "echo x > %s; kill -STOP $$", file);
    open_group("a", &no_limits);
    pid_t pid = start(script, file);
    ck_assert(cgroup_sweep(try_uid(), &ended, &left));
    char want[64];
    (void)snprintf(want, sizeof(want), "pid %d (sh)", (int)pid);
    ck_assert_str_eq(str_text(&ended), want);
    ck_assert_str_eq(str_text(&left), "");
    (void)await_end(pid);
    cgroup_close(group);
    ck_assert_int_eq(count_left(), 0);
    str_done(&ended);
    str_done(&left);
}
END_TEST

START_TEST(test_groups_of_one_run_do_not_disturb_each_other)
{
    struct cgroup *other;
    struct err err = {0};
    open_group("a", &no_limits);
    ck_assert(cgroup_open(&other, try_uid(), "b", &no_limits, &err));
    cgroup_close(other);
    ck_assert_int_gt(count_left(), 0);
    ck_assert_int_eq(await_end(start("exit 0", NULL)), 0);
    cgroup_close(group);
    ck_assert_int_eq(count_left(), 0);
}
END_TEST

START_TEST(test_B1_group_above_others_hears_of_their_kills)
{
    struct cgroup_means means;
    struct cgroup_facts facts;
    struct err err = {0};
    const struct cgroup_limits limits = {.memory_bytes = 32 << 20, .at_top = true};
    cgroup_means(&means);
    if (!means.memory || !cgroup_open(&group, try_uid(), "top", &limits, &err))
        return;
    ck_assert_ptr_nonnull(cgroup_path(group));
    cgroup_read(group, &facts);
    ck_assert_int_eq(facts.memory_killed, 0);
    (void)await_end(start("tail /dev/zero", NULL));
    cgroup_read(group, &facts);
    ck_assert_int_eq(facts.memory_killed, 1);
    cgroup_close(group);
    ck_assert_int_eq(count_left(), 0);
}
END_TEST

START_TEST(test_program_that_is_missing_leaves_nothing)
{
    char *const argv[] = {(char[]){"x"}, NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int fd = fcntl(null, F_DUPFD_CLOEXEC, 10);
    struct spawn_limits limits = {.cpu_s = 1};
    struct spawn_call call = {.program = "/no/such/program",
                              .argv = argv,
                              .environment = environ,
                              .cwd = "/",
                              .fds = {fd, fd, fd},
                              .limits = &limits};
    pid_t pid = 0;
    ck_assert_int_eq(spawn_process(&call, &pid), ENOENT);
    call.program = "/bin/sh";
    call.cwd = "/no/such/folder";
    ck_assert_int_eq(spawn_process(&call, &pid), ENOENT);
    call.cwd = "/";
    limits = (struct spawn_limits){.enter = {fd}, .enter_count = 1, .keep = {9999}};
    ck_assert_int_eq(spawn_process(&call, &pid), EBADF);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    (void)close(fd);
    (void)close(null);
}
END_TEST

Suite *test_suite(void)
{
    struct cgroup_means means;
    cgroup_means(&means);
    if (!means.track) {
        (void)printf("skipped: control groups cannot be created here: %s\n", means.why);
        exit(77);
    }
    Suite *suite = suite_create("cgroup");
    TCase *tcase = test_case(suite, "cgroup");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_what_is_in_it_ends_and_nothing_is_left);
    tcase_add_test(tcase, test_sweep_names_and_ends_what_a_dead_run_left);
    tcase_add_test(tcase, test_groups_of_one_run_do_not_disturb_each_other);
    tcase_add_test(tcase, test_B1_group_above_others_hears_of_their_kills);
    tcase_add_test(tcase, test_program_that_is_missing_leaves_nothing);
    return suite;
}
