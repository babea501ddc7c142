#define _GNU_SOURCE /* environ */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bwrap.h"
#include "sandbox_try.h"
#include "test_main.h"

static struct try_place place;
static struct try_result result;
static struct sandbox_spec spec;

static void setup(void)
{
    try_place_init(&place);
    spec = (struct sandbox_spec){.kind = SANDBOX_BWRAP, .start_timeout_ms = SANDBOX_START_MS};
}

static void run_script(const char *script)
{
    const struct try_call call = {.spec = &spec, .script = script};
    try_run(&place, &call, &result);
    ck_assert_msg(result.prepared, "%s", result.err.message);
}

static void want_exit(int code)
{
    ck_assert_msg(result.end.outcome.kind == OUTCOME_EXIT && result.end.outcome.code == code,
                  "kind %d code %d: %s%s%s", (int)result.end.outcome.kind, result.end.outcome.code,
                  result.out, result.errors, result.end.start_why);
}

START_TEST(test_exit_code_is_the_programs)
{
    run_script("exit 7");
    want_exit(7);
    run_script("true");
    want_exit(0);
    ck_assert_str_eq(result.end.start_why, "");
}
END_TEST

START_TEST(test_signal_is_told_as_128_and_more)
{
    run_script("kill -9 $$");
    want_exit(137);
}
END_TEST

START_TEST(test_workspace_is_written_the_rest_is_not)
{
    spec.read_only = true;
    run_script("echo x > mine; for f in /usr /etc /var; do echo x > $f/devs-test 2>/dev/null && "
               "echo wrote $f; done; echo y > /tmp/only-here; cat mine");
    want_exit(0);
    ck_assert_str_eq(result.out, "x\n");
    ck_assert_int_ne(access("/tmp/only-here", F_OK), 0);
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s/mine", place.workspace);
    ck_assert_str_eq(try_read(path), "x\n");
}
END_TEST

START_TEST(test_writable_paths_are_written)
{
    char beside[PATH_MAX + 8];
    char script[PATH_MAX + 64];
    (void)snprintf(beside, sizeof(beside), "%s/beside", place.top);
    ck_assert_int_eq(mkdir(beside, 0700), 0);
    spec.read_only = true;
    spec.writable = (char *[]){beside, NULL};
    (void)snprintf(script, sizeof(script), "echo x > %s/f", beside);
    run_script(script);
    want_exit(0);
    spec.writable = NULL;
    run_script(script);
    ck_assert_int_ne(result.end.outcome.code, 0);
}
END_TEST

START_TEST(test_writable_path_that_is_not_there_is_named)
{
    spec.writable = (char *[]){(char[]){"/no/such/place"}, NULL};
    const struct try_call call = {.spec = &spec, .script = "true"};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_int_eq(result.start_code, START_SANDBOX_FAILED);
    ck_assert_ptr_nonnull(strstr(result.err.message, "/no/such/place"));
}
END_TEST

/* An attempt may leave a link in the place of what the plan calls writable. */
START_TEST(test_writable_link_that_leads_out_is_refused)
{
    char link[PATH_MAX + 8];
    char real[PATH_MAX + 8];
    (void)snprintf(link, sizeof(link), "%s/out", place.workspace);
    ck_assert_int_eq(symlink(place.log_dir, link), 0);
    spec.writable = (char *[]){(char[]){"out"}, NULL};
    const struct try_call call = {.spec = &spec, .script = "true"};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_int_eq(unlink(link), 0);
    ck_assert_int_eq(mkdir(link, 0700), 0);
    spec.writable = (char *[]){(char[]){"out/"}, NULL};
    try_run(&place, &call, &result);
    ck_assert_msg(result.prepared, "%s", result.err.message);

    ck_assert_int_eq(rmdir(link), 0);
    ck_assert_int_eq(symlink(place.top, link), 0);
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_int_eq(result.start_code, START_SANDBOX_FAILED);
    ck_assert_ptr_nonnull(strstr(result.err.message, "is a link that leads to"));

    spec.writable = (char *[]){link, NULL};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);

    (void)snprintf(real, sizeof(real), "%s/real", place.top);
    ck_assert_int_eq(mkdir(real, 0700), 0);
    (void)snprintf(link, sizeof(link), "%s/link", place.top);
    ck_assert_int_eq(symlink(real, link), 0);
    try_run(&place, &call, &result); /* the person's own link, outside of the workspace */
    ck_assert_msg(result.prepared, "%s", result.err.message);
}
END_TEST

START_TEST(test_log_is_masked)
{
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof(path), "%s/devs.db", place.log_dir);
    try_write(path, "the log");
    run_script("ls -A .devs; cat .devs/devs.db; echo x > .devs/new && echo written");
    ck_assert_str_eq(result.out, "");
    ck_assert_str_eq(try_read(path), "the log");
}
END_TEST

START_TEST(test_log_beside_a_project_is_masked_alone)
{
    char path[PATH_MAX + 16];
    try_log_beside(&place);
    run_script("cat run.db run.db-wal; cat run.dbx mine; echo x > run.db-wal; echo x > new");
    want_exit(0);
    ck_assert_str_eq(result.out, "run.dbxmine");
    (void)snprintf(path, sizeof(path), "%s/run.db-wal", place.workspace);
    ck_assert_str_eq(try_read(path), "run.db-wal");
    (void)snprintf(path, sizeof(path), "%s/new", place.workspace);
    ck_assert_str_eq(try_read(path), "x\n");
}
END_TEST

START_TEST(test_workspace_below_the_log_is_there)
{
    char inner[PATH_MAX + 16];
    char path[PATH_MAX + 32];
    struct try_place below = place;
    (void)snprintf(path, sizeof(path), "%s/devs.db", place.log_dir);
    try_write(path, "the log");
    (void)snprintf(inner, sizeof(inner), "%s/tree", place.log_dir);
    ck_assert_int_eq(mkdir(inner, 0700), 0);
    (void)snprintf(below.workspace, sizeof(below.workspace), "%.4000s", inner);
    const struct try_call call = {.spec = &spec, .script = "echo x > f; cat f; ls -A .."};
    try_run(&below, &call, &result);
    want_exit(0);
    ck_assert_str_eq(result.out, "x\ntree\n");
}
END_TEST

START_TEST(test_well_known_secrets_are_masked)
{
    char path[PATH_MAX + 32];
    (void)snprintf(path, sizeof(path), "%s/.ssh", place.top);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s/.ssh/id", place.top);
    try_write(path, "key");
    (void)snprintf(path, sizeof(path), "%s/.netrc", place.top);
    try_write(path, "password");
    ck_assert_int_eq(setenv("HOME", place.top, 1), 0);
    run_script("cat ../.ssh/id ../.netrc; ls -A ../.ssh");
    ck_assert_str_eq(result.out, "");
    spec.writable = (char *[]){path, NULL};
    run_script("cat ../.netrc");
    ck_assert_str_eq(result.out, "password");
}
END_TEST

START_TEST(test_network_is_off_unless_it_is_on)
{
    static const char script[] = "cat /proc/net/dev | sed '1,2d; s/:.*//; s/ //g'";
    run_script(script);
    ck_assert_str_eq(result.out, "lo\n");
    spec.network = SANDBOX_NETWORK_ON;
    run_script(script);
    ck_assert_str_eq(result.out + strlen(result.out) - 1, "\n");
    char own[TRY_TEXT_MAX];
    (void)snprintf(own, sizeof(own), "%s", result.out);
    spec.kind = SANDBOX_NONE;
    run_script(script);
    ck_assert_str_eq(own, result.out);
}
END_TEST

START_TEST(test_processes_of_others_are_not_seen)
{
    char script[64];
    (void)snprintf(script, sizeof(script), "test ! -d /proc/%d && echo hidden", (int)getpid());
    run_script(script);
    ck_assert_str_eq(result.out, "hidden\n");
}
END_TEST

START_TEST(test_what_is_left_behind_ends_with_it)
{
    char path[PATH_MAX + 8];
    run_script("setsid sh -c 'trap \"\" TERM; while :; do sleep 0.01; echo x > beat; done' "
               ">/dev/null 2>&1 & while ! test -s beat; do :; done");
    want_exit(0);
    ck_assert_int_eq(result.end.outcome.left, 0);
    (void)snprintf(path, sizeof(path), "%s/beat", place.workspace);
    ck_assert_int_eq(unlink(path), 0);
    run_script("sleep 0.1; ls");
    ck_assert_str_eq(result.out, "");
}
END_TEST

START_TEST(test_root_inside_is_not_root_outside)
{
    if (geteuid() != 0)
        return;
    run_script("mount -t tmpfs none /usr 2>/dev/null && echo mounted; mknod dev c 1 11 "
               "2>/dev/null && echo node; echo 0 > /proc/sys/kernel/sysrq 2>/dev/null && echo "
               "sys; echo 1 > /sys/fs/cgroup/memory/tasks 2>/dev/null && echo group; true");
    want_exit(0);
    ck_assert_str_eq(result.out, "");
}
END_TEST

START_TEST(test_program_that_is_not_there_is_not_found)
{
    char *const argv[] = {(char[]){"no-such-program-here"}, NULL};
    const struct try_call call = {.spec = &spec, .argv = argv};
    try_run(&place, &call, &result);
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(result.end.outcome.code, ENOENT);
    ck_assert_ptr_nonnull(strstr(result.end.start_why, "no-such-program-here"));
}
END_TEST

START_TEST(test_B3_sandbox_that_breaks_is_a_start_failure_of_its_own)
{
    spec.args = (char *[]){(char[]){"--bind"}, (char[]){"/no/such"}, (char[]){"/mnt"}, NULL};
    run_script("true");
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(result.end.outcome.code, START_SANDBOX_FAILED);
    ck_assert_ptr_nonnull(strstr(result.end.start_why, "bwrap: "));
    ck_assert_ptr_nonnull(strstr(result.end.start_why, "/no/such"));
}
END_TEST

static void term_when_up(struct sandbox *sandbox)
{
    char path[PATH_MAX + 8];
    (void)snprintf(path, sizeof(path), "%s/up", place.workspace);
    try_await(path);
    sandbox_signal(sandbox, SIGTERM);
}

START_TEST(test_bwrap_that_started_nothing_has_not_passed)
{
    spec.args = (char *[]){(char[]){"--version"}, NULL};
    run_script("true");
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(result.end.outcome.code, START_SANDBOX_FAILED);
}
END_TEST

START_TEST(test_term_gives_the_program_its_grace)
{
    const struct try_call call = {
        .spec = &spec,
        .script = "trap 'echo told; exit 5' TERM; echo x > up; while :; do sleep 0.01; done",
        .meanwhile = term_when_up};
    try_run(&place, &call, &result);
    want_exit(5);
    ck_assert_str_eq(result.out, "told\n");
}
END_TEST

START_TEST(test_cpu_limit_ends_it)
{
    spec.cpu_s = 1;
    run_script("while :; do :; done");
    want_exit(128 + SIGXCPU);
}
END_TEST

START_TEST(test_B1_eating_memory_is_told_as_a_kill_for_memory)
{
    struct cgroup_means means;
    cgroup_means(&means);
    if (!means.memory)
        return;
    spec.memory_mb = 48;
    run_script("tail /dev/zero");
    want_exit(137);
    ck_assert_int_eq(result.end.memory_killed, 1);
    ck_assert_ptr_nonnull(strstr(result.end.evidence, "killed for memory"));
    run_script("(tail /dev/zero); exit 1");
    want_exit(1);
    ck_assert_int_eq(result.end.memory_killed, 1);
}
END_TEST

START_TEST(test_B1_exit_137_with_memory_to_spare_is_no_kill_for_memory)
{
    struct cgroup_means means;
    cgroup_means(&means);
    if (!means.memory)
        return;
    spec.memory_mb = 256;
    run_script("exit 137");
    want_exit(137);
    ck_assert_int_eq(result.end.memory_killed, 0);
    run_script("kill -9 $$");
    ck_assert_int_eq(result.end.memory_killed, 0);
}
END_TEST

START_TEST(test_environment_is_what_was_given)
{
    char *const environment[] = {(char[]){"PATH=/usr/bin:/bin"}, (char[]){"A.b=1"}, NULL};
    const struct try_call call = {
        .spec = &spec, .script = "tr '\\0' '\\n' < /proc/$$/environ", .environment = environment};
    try_run(&place, &call, &result);
    char want[PATH_MAX + 64];
    (void)snprintf(want, sizeof(want), "PATH=/usr/bin:/bin\nA.b=1\nPWD=%s\n", place.workspace);
    ck_assert_str_eq(result.out, want);
}
END_TEST

Suite *test_suite(void)
{
    struct bwrap_means means;
    bwrap_means(&means);
    if (!means.works) {
        (void)printf("skipped: bwrap does not work here: %s\n", means.why);
        exit(77);
    }
    Suite *suite = suite_create("bwrap");
    TCase *tcase = test_case(suite, "bwrap");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_exit_code_is_the_programs);
    tcase_add_test(tcase, test_signal_is_told_as_128_and_more);
    tcase_add_test(tcase, test_workspace_is_written_the_rest_is_not);
    tcase_add_test(tcase, test_writable_paths_are_written);
    tcase_add_test(tcase, test_writable_path_that_is_not_there_is_named);
    tcase_add_test(tcase, test_writable_link_that_leads_out_is_refused);
    tcase_add_test(tcase, test_log_is_masked);
    tcase_add_test(tcase, test_log_beside_a_project_is_masked_alone);
    tcase_add_test(tcase, test_workspace_below_the_log_is_there);
    tcase_add_test(tcase, test_well_known_secrets_are_masked);
    tcase_add_test(tcase, test_network_is_off_unless_it_is_on);
    tcase_add_test(tcase, test_processes_of_others_are_not_seen);
    tcase_add_test(tcase, test_what_is_left_behind_ends_with_it);
    tcase_add_test(tcase, test_root_inside_is_not_root_outside);
    tcase_add_test(tcase, test_program_that_is_not_there_is_not_found);
    tcase_add_test(tcase, test_B3_sandbox_that_breaks_is_a_start_failure_of_its_own);
    tcase_add_test(tcase, test_bwrap_that_started_nothing_has_not_passed);
    tcase_add_test(tcase, test_term_gives_the_program_its_grace);
    tcase_add_test(tcase, test_cpu_limit_ends_it);
    tcase_add_test(tcase, test_B1_eating_memory_is_told_as_a_kill_for_memory);
    tcase_add_test(tcase, test_B1_exit_137_with_memory_to_spare_is_no_kill_for_memory);
    tcase_add_test(tcase, test_environment_is_what_was_given);
    return suite;
}
