#define _GNU_SOURCE /* environ */

#include <errno.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "sandbox_internal.h"
#include "sandbox_try.h"
#include "test_main.h"

static char image[] = "image";

static void setup(void)
{
    try_open(SANDBOX_NONE);
}

static bool has_groups(void)
{
    struct cgroup_means means;
    cgroup_means(&means);
    return means.memory && means.pids;
}

START_TEST(test_plain_is_what_asks_for_nothing)
{
    ck_assert(sandbox_is_plain(&spec, 0));
    ck_assert(!sandbox_is_plain(&spec, 10));
    spec.memory_mb = 1;
    ck_assert(!sandbox_is_plain(&spec, 0));
    spec.memory_mb = 0;
    spec.kind = SANDBOX_BWRAP;
    ck_assert(!sandbox_is_plain(&spec, 0));
}
END_TEST

START_TEST(test_B1_limit_of_memory_without_a_sandbox)
{
    if (!has_groups())
        return;
    spec.memory_mb = 32;
    run_script("(tail /dev/zero); exit 1");
    want_exit(1);
    ck_assert_int_eq(result.end.memory_killed, 1);
    ck_assert_int_ge(result.end.peak_kib, 30 * 1024);
    run_script("exit 137");
    ck_assert_int_eq(result.end.memory_killed, 0);
    ck_assert_ptr_nonnull(strstr(result.end.evidence, "nothing was killed"));
}
END_TEST

START_TEST(test_limit_of_processes_without_a_sandbox)
{
    if (!has_groups())
        return;
    const struct try_call call = {.spec = &spec,
                                  .script = "for i in 1 2 3 4 5 6 7 8; do sleep 100 & done; exit 0",
                                  .processes = 4};
    try_run(&place, &call, &result);
    ck_assert_ptr_nonnull(strstr(result.errors, "Cannot fork"));
    ck_assert_int_eq(result.end.outcome.processes_left, 0);
    struct str ended = {0};
    ck_assert(cgroup_sweep(try_uid(), &ended, NULL));
    ck_assert_str_eq(str_text(&ended), "");
}
END_TEST

START_TEST(test_limit_of_processor_time)
{
    spec.cpu_s = 1;
    run_script("while :; do :; done");
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_SIGNAL);
    ck_assert_int_eq(result.end.outcome.code, SIGXCPU);
}
END_TEST

START_TEST(test_keys_that_need_a_sandbox_are_named)
{
    struct str lacks = {0};
    struct str why = {0};
    struct err err = {0};
    spec.network = SANDBOX_NETWORK_OFF;
    spec.root = SANDBOX_ROOT_READ_ONLY;
    ck_assert(!sandbox_check(&spec, &lacks, &why, &err));
    ck_assert_ptr_nonnull(strstr(err.message, "network, read_only cannot be enforced here"));
    ck_assert_ptr_nonnull(strstr(err.hint, "best_effort"));
    str_clear(&lacks);
    str_clear(&why);
    spec.best_effort = true;
    ck_assert(sandbox_check(&spec, &lacks, &why, NULL));
    ck_assert_str_eq(str_text(&lacks), "network, read_only");
    ck_assert_ptr_nonnull(strstr(str_text(&why), "bwrap or container"));
    str_done(&lacks);
    str_done(&why);
}
END_TEST

static void want_environment(enum sandbox_kind kind, const char *want)
{
    char *const all[] = {(char[]){"PATH=/bin"},
                         (char[]){"HOME=/root"},
                         (char[]){"API_KEY=x"},
                         (char[]){"LC_ALL=C"},
                         (char[]){"DEVS_RUN=1"},
                         (char[]){"OWN=1"},
                         (char[]){"NPM_TOKEN=y"},
                         (char[]){"CI_X=1"},
                         (char[]){"PATHS=no"},
                         (char[]){"TMPDIR=/x"},
                         NULL};
    char *const own[] = {(char[]){"OWN=1"}, NULL};
    struct str text = {0};
    spec.kind = kind;
    char *names[] = {(char[]){"NPM_TOKEN"}, (char[]){"CI_*"}, NULL};
    spec.env = names;
    char **some = sandbox_environment(&spec, own, all);
    for (size_t i = 0; some[i]; i++)
        str_addf(&text, "%s ", some[i]);
    free(some);
    spec.env = NULL;
    ck_assert_str_eq(str_text(&text), want);
    str_done(&text);
}

START_TEST(test_environment_is_an_allow_list)
{
    want_environment(SANDBOX_BWRAP,
                     "PATH=/bin HOME=/root LC_ALL=C DEVS_RUN=1 OWN=1 NPM_TOKEN=y CI_X=1 ");
    want_environment(SANDBOX_PODMAN, "LC_ALL=C DEVS_RUN=1 OWN=1 NPM_TOKEN=y CI_X=1 ");
    want_environment(SANDBOX_NONE,
                     "PATH=/bin HOME=/root API_KEY=x LC_ALL=C DEVS_RUN=1 OWN=1 NPM_TOKEN=y "
                     "CI_X=1 PATHS=no TMPDIR=/x ");
}
END_TEST

/* A docker of ours that says what the real one says while its daemon is away. */
static void make_docker(const char *script)
{
    test_write_file(test_path(place.top, "docker"), script, 0644);
    ck_assert_int_eq(chmod(test_path(place.top, "docker"), 0755), 0);
    char search[PATH_MAX + 64];
    (void)snprintf(search, sizeof(search), "%s:/usr/bin:/bin", place.top);
    ck_assert_int_eq(setenv("PATH", search, 1), 0);
    spec.kind = SANDBOX_DOCKER;
    spec.image = image;
}

START_TEST(test_B3_daemon_that_is_down_is_a_start_failure_of_its_own)
{
    make_docker("#!/bin/sh\necho 'Cannot connect to the Docker daemon at unix:///x. Is the docker "
                "daemon running?' >&2\nexit 1\n");
    struct str lacks = {0};
    struct str why = {0};
    struct err err = {0};
    ck_assert_msg(sandbox_check(&spec, &lacks, &why, &err), "%s", err.message);
    want_refused(START_DAEMON_DOWN, "Cannot connect to the Docker daemon");
}
END_TEST

static const struct end_row {
    const char *name;
    const char *script; /* of a client; it knows one container while the file "there" is */
    bool is_podman;
    bool ended;
} ends[] = {
    {"as it should be", "rm -f there", true, true},
    {"podman without --time", "case \"$*\" in *--time*) exit 125;; esac; rm -f there", true, true},
    {"docker has no --time", "case \"$*\" in *--time*) exit 125;; esac; rm -f there", false, true},
    {"it does not go", "exit 125", true, false},
    {"no word of it", "rm -f there; exit 125", true, true},
    {"it cannot be asked", "echo 'cannot connect' >&2; touch away; exit 125", false, false},
};

START_TEST(test_container_is_gone_when_its_engine_says_so)
{
    const struct end_row *row = &ends[_i];
    char path[PATH_MAX + 16];
    struct str script = {0};
    str_addf(&script,
             "#!/bin/sh\ncd '%s' || exit 1\nif [ $1 = container ]; then\n"
             "  test -e away && { echo 'cannot connect' >&2; exit 1; }\n"
             "  test -e there || { echo 'Error: no such container x' >&2; exit 1; }\n"
             "  exit 0\nfi\n%s\n",
             place.top, row->script);
    test_write_file(test_path(place.top, "there"), "x", 0644);
    (void)snprintf(path, sizeof(path), "%s/client", place.top);
    test_write_file(path, script.data, 0644);
    ck_assert_int_eq(chmod(path, 0755), 0);
    ck_assert_msg(container_end(path, row->is_podman, "x", environ) == row->ended, "%s", row->name);
    str_done(&script);
}
END_TEST

START_TEST(test_engine_that_is_not_installed_refuses_the_plan)
{
    ck_assert_int_eq(setenv("PATH", place.top, 1), 0);
    struct str lacks = {0};
    struct str why = {0};
    struct err err = {0};
    spec.kind = SANDBOX_CONTAINER;
    spec.best_effort = true; /* what is asked for is left out in parts, not as a whole */
    ck_assert(!sandbox_check(&spec, &lacks, &why, &err));
    ck_assert_ptr_nonnull(strstr(err.message, "is not installed"));
    spec.kind = SANDBOX_BWRAP;
    err = (struct err){0};
    ck_assert(!sandbox_check(&spec, &lacks, &why, &err));
    ck_assert_ptr_nonnull(strstr(err.message, "bwrap is not installed"));
}
END_TEST

/* A limit that devs itself is under, and that only root could raise. */
START_TEST(test_cpu_limit_stays_under_our_own)
{
    const struct rlimit ours = {.rlim_cur = 50, .rlim_max = 60};
    ck_assert_int_eq(setrlimit(RLIMIT_CPU, &ours), 0);
    ck_assert_int_eq(chmod(place.top, 0777), 0);
    ck_assert_int_eq(chmod(place.workspace, 0777), 0);
    if (geteuid() == 0)
        ck_assert_int_eq(setuid(65534), 0);
    spec.cpu_s = 100;
    const struct try_call call = {.spec = &spec, .script = "ulimit -St; ulimit -Ht"};
    try_run(&place, &call, &result);
    ck_assert_msg(result.prepared, "%s", result.err.message);
    ck_assert_str_eq(result.out, "60\n60\n");
}
END_TEST

START_TEST(test_stop_ends_the_preparation)
{
    struct sandbox *sandbox;
    struct err err = {0};
    atomic_bool stop = true;
    int code = 0;
    char *const argv[] = {(char[]){"true"}, NULL};
    const struct sandbox_call call = {.spec = &spec,
                                      .uid = try_uid(),
                                      .name = "devs-test-a-1-1",
                                      .cwd = "/",
                                      .workspace = place.workspace,
                                      .argv = argv,
                                      .environment = environ,
                                      .our_environment = environ};
    spec.cpu_s = 1;
    ck_assert(!sandbox_prepare(&sandbox, &call, &stop, &code, &err));
    ck_assert_int_eq(code, ECANCELED);
}
END_TEST

static struct cgroup *group;
static const struct cgroup_limits no_limits;

/* A shell in the group; its pid. It has done its part once the file is there. */
static pid_t start_in_group(const char *script, const char *file)
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
    const char *file = test_path(test_tmpdir(), "up");
    char script[PATH_MAX + 200];
    size_t left = 99;
    (void)snprintf(script, sizeof(script),
                   "trap '' TERM; for i in 1 2 3; do env -i setsid sleep 1000 & done; echo x > %s; "
                   "sleep 1000",
                   file);
    open_group("a", &no_limits);
    pid_t pid = start_in_group(script, file);
    ck_assert_uint_ge(cgroup_end(group, &left), 4);
    ck_assert_uint_eq(left, 0);
    ck_assert_int_eq(WTERMSIG(await_end(pid)), SIGKILL);
    cgroup_close(group);
    ck_assert_int_eq(count_left(), 0);
}
END_TEST

START_TEST(test_sweep_names_and_ends_what_a_dead_run_left)
{
    const char *file = test_path(test_tmpdir(), "up");
    char script[PATH_MAX + 200];
    struct str ended = {0};
    struct str left = {0};
    (void)snprintf(script, sizeof(script), "echo x > %s; kill -STOP $$", file);
    open_group("a", &no_limits);
    pid_t pid = start_in_group(script, file);
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
    ck_assert_int_eq(await_end(start_in_group("exit 0", NULL)), 0);
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
    (void)await_end(start_in_group("tail /dev/zero", NULL));
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

static void add_cgroup_cases(Suite *suite)
{
    struct cgroup_means means;
    TCase *cgroups = test_case(suite, "cgroups");
    tcase_add_test(cgroups, test_program_that_is_missing_leaves_nothing);
    cgroup_means(&means);
    if (!means.track) {
        (void)printf("not checked: control groups cannot be created here: %s\n", means.why);
        return;
    }
    tcase_add_test(cgroups, test_what_is_in_it_ends_and_nothing_is_left);
    tcase_add_test(cgroups, test_sweep_names_and_ends_what_a_dead_run_left);
    tcase_add_test(cgroups, test_groups_of_one_run_do_not_disturb_each_other);
    tcase_add_test(cgroups, test_B1_group_above_others_hears_of_their_kills);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("sandbox");
    TCase *sandbox_cases = test_case(suite, "sandbox");
    tcase_add_checked_fixture(sandbox_cases, setup, NULL);
    tcase_add_test(sandbox_cases, test_plain_is_what_asks_for_nothing);
    tcase_add_test(sandbox_cases, test_B1_limit_of_memory_without_a_sandbox);
    tcase_add_test(sandbox_cases, test_limit_of_processes_without_a_sandbox);
    tcase_add_test(sandbox_cases, test_limit_of_processor_time);
    tcase_add_test(sandbox_cases, test_keys_that_need_a_sandbox_are_named);
    tcase_add_test(sandbox_cases, test_environment_is_an_allow_list);
    tcase_add_test(sandbox_cases, test_B3_daemon_that_is_down_is_a_start_failure_of_its_own);
    tcase_add_loop_test(sandbox_cases, test_container_is_gone_when_its_engine_says_so, 0,
                        (int)ARRAY_LEN(ends));
    tcase_add_test(sandbox_cases, test_engine_that_is_not_installed_refuses_the_plan);
    tcase_add_test(sandbox_cases, test_cpu_limit_stays_under_our_own);
    tcase_add_test(sandbox_cases, test_stop_ends_the_preparation);
    add_cgroup_cases(suite);
    return suite;
}
