#define _GNU_SOURCE /* environ */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "sandbox.h"
#include "sandbox_internal.h"
#include "sandbox_try.h"
#include "test_main.h"
#include "tool_run.h"

/* Made of a static busybox; nothing is pulled. */
static char image[64];

/* What podman needs here to start a container; podman_image finds it out. */
enum { ARGS_MAX = 16, IMAGE_MS = 120 * 1000 };
static char args_text[512];
static char *args[ARGS_MAX + 1];

static bool ask(const char *const *words, struct str *out)
{
    struct tool_result answer = {0};
    struct err err = {0};
    bool ok = tool_ask(words, environ, SANDBOX_CALL_MS, &answer, &err);
    if (!ok)
        (void)printf("%s %s: %s\n", words[0], words[1], err.message);
    if (out)
        str_add(out, str_text(&answer.out));
    tool_result_done(&answer);
    return ok;
}

static void setup(void)
{
    try_open(SANDBOX_PODMAN);
    spec.image = image;
    spec.args = args;
}

/* Nothing of any test is left: containers, and groups in any hierarchy. */
static void teardown(void)
{
    struct str names = {0};
    char filter[128];
    (void)snprintf(filter, sizeof(filter), "label=%s=%s", CONTAINER_LABEL, try_uid());
    const char *const words[] = {"podman", "ps",       "--all",      "--filter",
                                 filter,   "--format", "{{.Names}}", NULL};
    ck_assert(ask(words, &names));
    ck_assert_str_eq(str_text(&names), "");
    str_done(&names);
    ck_assert(cgroup_sweep(try_uid(), &names, NULL));
    ck_assert_str_eq(str_text(&names), "");
    str_done(&names);
}

static void run_call(const struct try_call *call)
{
    try_run(&place, call, &result);
    ck_assert_msg(result.prepared, "%s", result.err.message);
}

START_TEST(test_command_runs_in_the_workspace)
{
    run_script("pwd; echo x > mine; ls -A .devs; exit 3");
    want_exit(3);
    char want[PATH_MAX + 8];
    (void)snprintf(want, sizeof(want), "%s\n", place.workspace);
    ck_assert_str_eq(result.out, want);
    ck_assert_str_eq(try_read(test_path(place.workspace, "mine")), "x\n");
}
END_TEST

START_TEST(test_log_is_masked)
{
    test_write_file(test_path(place.log_dir, "devs.db"), "the log", 0644);
    run_script("ls -A .devs; cat .devs/devs.db; echo x > .devs/new && echo written");
    ck_assert_str_eq(result.out, "");
}
END_TEST

START_TEST(test_log_beside_a_project_is_masked_alone)
{
    try_log_beside();
    run_script("cat run.db run.db-wal; cat run.dbx mine; echo x > run.db-wal; echo x > new");
    want_exit(0);
    ck_assert_str_eq(result.out, "run.dbxmine");
    ck_assert_str_eq(try_read(test_path(place.workspace, "run.db-wal")), "run.db-wal");
    ck_assert_str_eq(try_read(test_path(place.workspace, "new")), "x\n");
}
END_TEST

START_TEST(test_long_value_comes_in)
{
    enum { LONG = 100 * 1000 };
    static char entry[LONG + 8] = "LONG=";
    memset(entry + 5, 'x', LONG);
    char *const environment[] = {entry, (char[]){"B=2"}, (char[]){"TWO=x\ny"},
                                 (char[]){"DEVS_TEXT=a\nb"}, NULL};
    const struct try_call call = {.spec = &spec,
                                  .environment = environment,
                                  .script = "echo ${#LONG} $B \"$TWO\" $DEVS_TEXT"};
    ck_assert_int_eq(setenv("LONG", entry + 5, 1), 0);
    ck_assert_int_eq(setenv("TWO", "x\ny", 1), 0);
    run_call(&call);
    want_exit(0);
    ck_assert_str_eq(result.out, "100000 2 x\ny a b\n");
}
END_TEST

/* In the client's environment a plan's LD_PRELOAD would act outside. */
START_TEST(test_long_value_of_a_plan_is_refused)
{
    char *const environment[] = {(char[]){"LD_PRELOAD=/nothing.so:\n"}, NULL};
    const struct try_call call = {.spec = &spec, .environment = environment, .script = "true"};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_int_eq(result.start_code, START_SANDBOX_FAILED);
    ck_assert_msg(strstr(result.err.message, "plan's variable 'LD_PRELOAD'") != NULL, "%s",
                  result.err.message);
}
END_TEST

START_TEST(test_environment_comes_as_it_was_given)
{
    char *const environment[] = {(char[]){"ONE=a \"b\" $c"}, (char[]){"TWO=x y"},
                                 (char[]){"DEVS_STEP=a/1"}, NULL};
    const struct try_call call = {
        .spec = &spec,
        .environment = environment,
        .script = "printf '%s|%s|%s|%s' \"$ONE\" \"$TWO\" \"$DEVS_STEP\" \"$SECRET_OF_OURS\""};
    ck_assert_int_eq(setenv("SECRET_OF_OURS", "hidden", 1), 0);
    run_call(&call);
    ck_assert_str_eq(result.out, "a \"b\" $c|x y|a/1|");
}
END_TEST

START_TEST(test_stdin_goes_in)
{
    const struct try_call call = {.spec = &spec, .script = "cat", .input = "some words"};
    run_call(&call);
    want_exit(0);
    ck_assert_str_eq(result.out, "some words");
}
END_TEST

START_TEST(test_network_is_off)
{
    run_script("ls /sys/class/net");
    ck_assert_str_eq(result.out, "lo\n");
}
END_TEST

START_TEST(test_read_only_root_and_limit_of_processes)
{
    spec.root = SANDBOX_ROOT_READ_ONLY;
    spec.pids = 5;
    run_script("echo x > /etc/new 2>/dev/null && echo wrote; echo x > /tmp/new && echo tmp; "
               "for i in 1 2 3 4 5 6 7 8; do sleep 5 & done; exit 0");
    ck_assert_str_eq(result.out, "tmp\n");
    ck_assert_ptr_nonnull(strstr(result.errors, "can't fork"));
}
END_TEST

/* As in bwrap: test_bwrap.c tries more ways. */
START_TEST(test_what_decides_what_runs_is_read_only)
{
    static const char *const folders[] = {".git", ".git/objects", ".git/refs", "plans"};
    static const char *const files[] = {"devs.config.json", ".git/HEAD", ".git/config",
                                        "plans/plan.json"};
    char path[PATH_MAX + 32];
    char plan[PATH_MAX + 32];
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", place.workspace, folders[i]);
        ck_assert_int_eq(mkdir(path, 0755), 0);
    }
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", place.workspace, files[i]);
        test_write_file(path, "mine", 0644);
    }
    (void)snprintf(plan, sizeof(plan), "%s/plans/plan.json", place.workspace);
    const struct try_call call = {
        .spec = &spec,
        .plan_path = plan,
        .script =
            "for f in devs.config.json .git/config plans/plan.json .git/hooks/pre-commit; do "
            "(echo evil > $f) 2>/dev/null && echo wrote $f; rm -f $f 2>/dev/null && "
            "echo removed $f; mv $f x 2>/dev/null && echo moved $f; done; "
            "mv .git y 2>/dev/null && echo moved .git; mv plans z 2>/dev/null && echo moved "
            "plans; (echo ../evil > .git/commondir || echo evil > .git/index) 2>/dev/null; true"};
    run_call(&call);
    ck_assert_str_eq(result.out, "removed .git/hooks/pre-commit\n"); /* rm -f of nothing */
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", place.workspace, files[i]);
        ck_assert_str_eq(try_read(path), "mine");
    }
    ck_assert_int_ne(access(test_path(place.workspace, ".git/index"), F_OK), 0);
    ck_assert_int_ne(access(test_path(place.workspace, ".git/commondir"), F_OK), 0);

    spec.writable = (char *[]){place.top, NULL};
    run_script("(echo evil > devs.config.json) 2>/dev/null; mv .git y 2>/dev/null; "
               "cat devs.config.json .git/config");
    ck_assert_str_eq(result.out, "minemine");
}
END_TEST

START_TEST(test_B1_eating_memory_is_told_as_a_kill_for_memory)
{
    spec.memory_mb = 64;
    run_script("tail /dev/zero");
    want_exit(137);
    ck_assert_msg(result.end.memory_killed == 1, "%s", result.end.evidence);
    run_script("(tail /dev/zero); exit 1");
    want_exit(1);
    ck_assert_msg(result.end.memory_killed == 1, "%s", result.end.evidence);
}
END_TEST

START_TEST(test_B1_exit_137_with_memory_to_spare_is_no_kill_for_memory)
{
    struct container_tool tool;
    container_tool(SANDBOX_PODMAN, &tool);
    spec.memory_mb = 256;
    run_script("exit 137");
    want_exit(137);
    ck_assert_msg(result.end.memory_killed == (tool.takes_groups ? 0 : -1), "%s",
                  result.end.evidence);
}
END_TEST

START_TEST(test_B3_image_that_is_not_here_is_not_pulled)
{
    spec.image = (char[]){"localhost/devs-no-such-image:1"};
    want_refused(START_IMAGE_MISSING, "devs-no-such-image");
    ck_assert_ptr_nonnull(strstr(result.err.hint, "podman pull"));
}
END_TEST

/* It waits for whoever writes its variables into a pipe with a name, and nobody does. */
START_TEST(test_B3_start_that_takes_too_long_is_told)
{
    char *fifo = test_path(place.top, "variables");
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    spec.args = (char *[]){(char[]){"--env-file"}, fifo, NULL};
    spec.start_timeout_ms = 1;
    const struct try_call call = {.spec = &spec, .script = "true"};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_msg(result.start_code == START_TIMED_OUT, "%s", result.err.message);
}
END_TEST

START_TEST(test_bad_argument_breaks_the_start)
{
    spec.args = (char *[]){(char[]){"--no-such-option"}, NULL};
    want_refused(START_SANDBOX_FAILED, "podman create");
}
END_TEST

START_TEST(test_command_that_is_not_in_the_image_is_not_found)
{
    char *const argv[] = {(char[]){"no-such-program"}, NULL};
    const struct try_call call = {.spec = &spec, .argv = argv};
    run_call(&call);
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_msg(result.end.outcome.code == ENOENT, "%d %s", result.end.outcome.code,
                  result.end.start_why);
}
END_TEST

START_TEST(test_exit_codes_of_the_command_are_its_own)
{
    run_script("exit 125");
    want_exit(125);
    run_script("exit 127");
    want_exit(127);
}
END_TEST

static struct sandbox_ran helped;

/* As a workspace's setup runs. */
static bool run_helper(const char *script, int64_t timeout_ms, int *start_code, struct err *err)
{
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)script, NULL};
    char *const environment[] = {(char[]){"ONE=1"}, NULL};
    const struct sandbox_call call = {.spec = &spec,
                                      .uid = try_uid(),
                                      .name = try_name(),
                                      .cwd = place.workspace,
                                      .workspace = place.workspace,
                                      .log_dir = place.log_dir,
                                      .log_db = place.log_db,
                                      .argv = argv,
                                      .environment = environment,
                                      .our_environment = environ};
    const bool ok = sandbox_run(&call, timeout_ms, NULL, &helped, err);
    *start_code = helped.start_code;
    return ok;
}

START_TEST(test_helper_runs_in_the_container)
{
    int code = 0;
    struct err err = {0};
    ck_assert_int_eq(setenv("SECRET_OF_OURS", "hidden", 1), 0);
    ck_assert_msg(
        run_helper("echo $ONE$SECRET_OF_OURS; ls -A .devs; ls /sys/class/net; echo x >new;"
                   "echo 'last word' >&2; exit 7",
                   0, &code, &err),
        "%s", err.message);
    ck_assert_str_eq(str_text(&helped.tool.out), "1\nlo\n");
    ck_assert_int_eq(helped.tool.exit_code, 7);
    ck_assert(!tool_succeeded(&helped.tool, "setup", &err));
    ck_assert_str_eq(err.message, "setup: last word (exit 7)");
    tool_result_done(&helped.tool);
}
END_TEST

/* The teardown looks for what is left of it. */
START_TEST(test_helper_has_its_time)
{
    int code = 0;
    struct err err = {0};
    ck_assert(run_helper("trap '' TERM; (setsid sleep 60 &); sleep 60", 1000, &code, &err));
    ck_assert(helped.tool.timed_out);
    tool_result_done(&helped.tool);
}
END_TEST

START_TEST(test_helper_without_its_image_is_refused_as_a_step_is)
{
    int code = 0;
    struct err err = {0};
    spec.image = (char[]){"localhost/devs-no-such-image:1"};
    ck_assert(!run_helper("true", 0, &code, &err));
    ck_assert_int_eq(code, START_IMAGE_MISSING);
    ck_assert_ptr_nonnull(strstr(err.hint, "podman pull"));
}
END_TEST

static void kill_when_up(struct sandbox *sandbox)
{
    struct sandbox_launch launch;
    try_await(test_path(place.workspace, "up"));
    sandbox_launch(sandbox, &launch);
    ck_assert(launch.limits->enter_count == 0);
    struct str ended = {0};
    ck_assert(sandbox_sweep(try_uid(), &ended, NULL));
    ck_assert_ptr_nonnull(strstr(str_text(&ended), "podman container devs-"));
    ck_assert_ptr_nonnull(strstr(str_text(&ended), try_name()));
    str_done(&ended);
}

START_TEST(test_sweep_ends_a_container_that_runs)
{
    const struct try_call call = {.spec = &spec,
                                  .script = "trap '' TERM; echo x > up; while :; do :; done",
                                  .meanwhile = kill_when_up};
    run_call(&call);
    ck_assert_int_ne(result.end.outcome.code, 0);
}
END_TEST

/* Imports the image, and takes the arguments that containers need here. */
static bool import_image(struct err *err)
{
    struct tool_result answer = {0};
    const char *script = test_source_path("tests/support/podman_image");
    (void)snprintf(image, sizeof(image), "localhost/devs-test-%d:1", (int)getpid());
    const char *const words[] = {script, "make", image, NULL};
    bool ok = tool_ask(words, environ, IMAGE_MS, &answer, err);
    (void)snprintf(args_text, sizeof(args_text), "%s", str_text(&answer.out));
    char *rest = NULL;
    char *word = strtok_r(args_text, "\n", &rest);
    for (int i = 0; word && i < ARGS_MAX; i++, word = strtok_r(NULL, "\n", &rest))
        args[i] = word;
    tool_result_done(&answer);
    return ok;
}

static void remove_image(void)
{
    const char *const words[] = {test_source_path("tests/support/podman_image"), "remove", image,
                                 NULL};
    (void)ask(words, NULL);
}

static pid_t runner;

/* Tests are forks of the runner: only its own end is the end. */
static void at_end(void)
{
    if (runner == getpid())
        remove_image();
}

Suite *test_suite(void)
{
    struct container_tool tool;
    container_tool(SANDBOX_PODMAN, &tool);
    if (!tool.works) {
        (void)printf("skipped: podman does not work here: %s\n", tool.why);
        exit(77);
    }
    struct err err = {0};
    if (!import_image(&err)) {
        (void)printf("skipped: %s\n", err.message);
        exit(77);
    }
    runner = getpid();
    (void)atexit(at_end);
    Suite *suite = suite_create("container");
    TCase *tcase = test_case(suite, "container");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_command_runs_in_the_workspace);
    tcase_add_test(tcase, test_log_is_masked);
    tcase_add_test(tcase, test_log_beside_a_project_is_masked_alone);
    tcase_add_test(tcase, test_long_value_comes_in);
    tcase_add_test(tcase, test_long_value_of_a_plan_is_refused);
    tcase_add_test(tcase, test_environment_comes_as_it_was_given);
    tcase_add_test(tcase, test_stdin_goes_in);
    tcase_add_test(tcase, test_network_is_off);
    tcase_add_test(tcase, test_read_only_root_and_limit_of_processes);
    tcase_add_test(tcase, test_what_decides_what_runs_is_read_only);
    tcase_add_test(tcase, test_B1_eating_memory_is_told_as_a_kill_for_memory);
    tcase_add_test(tcase, test_B1_exit_137_with_memory_to_spare_is_no_kill_for_memory);
    tcase_add_test(tcase, test_B3_image_that_is_not_here_is_not_pulled);
    tcase_add_test(tcase, test_B3_start_that_takes_too_long_is_told);
    tcase_add_test(tcase, test_bad_argument_breaks_the_start);
    tcase_add_test(tcase, test_command_that_is_not_in_the_image_is_not_found);
    tcase_add_test(tcase, test_exit_codes_of_the_command_are_its_own);
    tcase_add_test(tcase, test_sweep_ends_a_container_that_runs);
    tcase_add_test(tcase, test_helper_runs_in_the_container);
    tcase_add_test(tcase, test_helper_has_its_time);
    tcase_add_test(tcase, test_helper_without_its_image_is_refused_as_a_step_is);
    return suite;
}
