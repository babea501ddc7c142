#include "mcp_request.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attr.h"
#include "file_act.h"
#include "json.h"
#include "plan.h"
#include "test_main.h"

static struct mcp_request request;
static struct err err;

static bool read_args(enum mcp_tool tool, const char *text)
{
    struct json *args = NULL;
    ck_assert(json_parse_data(text, strlen(text), &args, NULL, NULL));
    err = (struct err){0};
    bool ok = mcp_request_read(tool, args, "/srv/shop", &request, &err);
    json_free(args);
    return ok;
}

static void teardown(void)
{
    mcp_request_done(&request);
}

START_TEST(test_all_arguments_of_a_command)
{
    ck_assert(read_args(MCP_TOOL_EXECUTE,
                        "{\"argv\":[\"make\",\"x y\"],\"cwd\":\"src\",\"env\":{\"A\":\"1=2\"},"
                        "\"stdin\":\"a\\u0000b\",\"timeout_s\":1.5,\"phase\":\"RED\","
                        "\"idempotent\":true}"));
    ck_assert_str_eq(request.argv[1], "x y");
    ck_assert_ptr_null(request.argv[2]);
    ck_assert_str_eq(request.cwd, "src");
    ck_assert_str_eq(request.env[0], "A=1=2");
    ck_assert_uint_eq(request.input_len, 3);
    ck_assert_mem_eq(request.input, "a\0b", 3);
    ck_assert_int_eq(request.timeout_ms, 1500);
    ck_assert_int_eq(request.phase, PHASE_RED);
    ck_assert(request.idempotent);
}
END_TEST

START_TEST(test_what_is_not_said)
{
    ck_assert(read_args(MCP_TOOL_EXECUTE, "{\"argv\":[\"make\"]}"));
    ck_assert_int_eq(request.phase, PHASE_GREEN);
    ck_assert_int_eq(request.timeout_ms, MCP_TIMEOUT_MS);
    ck_assert(!request.idempotent);
    mcp_request_done(&request);
    ck_assert(mcp_request_read(MCP_TOOL_TESTS, NULL, "/", &request, &err));
    ck_assert_int_eq(request.phase, PHASE_VERIFY);
    ck_assert(request.idempotent);
    ck_assert_ptr_null(request.argv);
}
END_TEST

static const struct {
    enum mcp_tool tool;
    const char *args, *why;
} wrong[] = {
    {MCP_TOOL_EXECUTE, "{}", "argument 'argv': it is missing"},
    {MCP_TOOL_EXECUTE, "[]", "arguments must be an object"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[]}", "argument 'argv': expected a non-empty array of strings"},
    {MCP_TOOL_EXECUTE, "{\"argv\":\"make\"}",
     "argument 'argv': expected a non-empty array of strings"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"\"]}", "argument 'argv': the program name is empty"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\",1]}", "argument 'argv': expected strings"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\\u0000\"]}", "argument 'argv': expected strings"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"cmd\":1}", "execute_command has no argument 'cmd'"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"cwd\":\"\"}", "argument 'cwd'"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"env\":{\"\":\"x\"}}", "argument 'env': expected names"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"env\":{\"A\":1}}", "argument 'env': expected names"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"stdin\":null}", "argument 'stdin': expected a string"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"timeout_s\":0}",
     "argument 'timeout_s': expected seconds"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"timeout_s\":1e99}",
     "argument 'timeout_s': expected seconds"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"phase\":\"green\"}", "argument 'phase': expected RED"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"idempotent\":1}",
     "argument 'idempotent': expected true"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"path\":\"x\"}", "execute_command has no argument"},
    {MCP_TOOL_TESTS, "{\"stdin\":\"x\"}", "run_tests has no argument 'stdin'"},
    {MCP_TOOL_WRITE, "{\"path\":\"a\"}", "argument 'content': it is missing"},
    {MCP_TOOL_WRITE, "{\"content\":\"a\"}", "argument 'path': it is missing"},
    {MCP_TOOL_READ, "{\"path\":\"\"}", "argument 'path': expected the path of a file"},
    {MCP_TOOL_READ, "{\"path\":\"src/\"}", "argument 'path': it names a folder"},
    {MCP_TOOL_READ, "{\"path\":\"/etc/passwd\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"/srv/shopping\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"/srv/shop\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"../x\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"a/../../x\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"a/..\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\".devs/devs.db\"}", "belong to devs"},
    {MCP_TOOL_READ, "{\"path\":\"a\",\"offset\":-1}", "argument 'offset'"},
    {MCP_TOOL_READ, "{\"path\":\"a\",\"length\":0}", "argument 'length'"},
    {MCP_TOOL_READ, "{\"path\":\"a\",\"length\":196609}", "argument 'length'"},
};

START_TEST(test_wrong_arguments_are_told)
{
    ck_assert_msg(!read_args(wrong[_i].tool, wrong[_i].args), "%s", wrong[_i].args);
    ck_assert_msg(strstr(err.message, wrong[_i].why), "%s: %s", wrong[_i].args, err.message);
}
END_TEST

static const struct {
    const char *given, *want;
} paths[] = {
    {"src/a.c", "src/a.c"}, {"/srv/shop/src/a.c", "src/a.c"}, {"/srv/shop//a.c", "a.c"},
    {"./a.c", "./a.c"},     {"a..b/..c", "a..b/..c"},
};

START_TEST(test_paths_are_relative_to_the_project)
{
    struct str args = {0};
    str_addf(&args, "{\"path\":\"%s\"}", paths[_i].given);
    ck_assert_msg(read_args(MCP_TOOL_READ, str_text(&args)), "%s", err.message);
    ck_assert_str_eq(request.path, paths[_i].want);
    str_done(&args);
}
END_TEST

/* The list is what the program reads, too. */
START_TEST(test_the_list_names_each_tool)
{
    struct str text = {0};
    struct json *list = NULL;
    enum mcp_tool tool = MCP_TOOL_COUNT;
    mcp_tool_list(&text);
    ck_assert_ptr_null(strchr(str_text(&text), '\n'));
    ck_assert(json_parse(str_text(&text), text.len, &list, NULL, NULL));
    ck_assert_uint_eq(json_count(list), MCP_TOOL_COUNT);
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *one = json_at(list, i);
        ck_assert(mcp_tool_parse(json_text(json_get(one, "name"), ""), &tool));
        ck_assert_uint_eq(tool, i);
        ck_assert_str_eq(json_text(json_get(json_get(one, "inputSchema"), "type"), ""), "object");
        ck_assert_int_eq(json_kind(json_get(one, "annotations")), JSON_KIND_OBJECT);
    }
    json_free(list);
    str_done(&text);
}
END_TEST

static void add_mcp_request_tests(Suite *suite)
{
    TCase *tcase = test_case(suite, "arguments");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_all_arguments_of_a_command);
    tcase_add_test(tcase, test_what_is_not_said);
    tcase_add_loop_test(tcase, test_wrong_arguments_are_told, 0, ARRAY_LEN(wrong));
    tcase_add_loop_test(tcase, test_paths_are_relative_to_the_project, 0, ARRAY_LEN(paths));
    tcase_add_test(test_case(suite, "list"), test_the_list_names_each_tool);
}

static char make[] = "make";
static char test_word[] = "test";
static char *const tests[] = {make, test_word, NULL};
static struct plan *base, *plan;

static const char base_text[] = "{\"version\":1,\"grows\":true,\"tasks\":[]}";

static void setup(void)
{
    struct violations violations = {0};
    ck_assert(plan_parse(base_text, strlen(base_text), &base, &violations));
    plan = plan_growing(base);
}

/* The call as the engine takes it: the one step of the last task. */
static const struct plan_step *grow(enum mcp_tool tool, const char *args, enum sandbox_kind kept)
{
    const struct mcp_setting set = {.tests = tests, .program = "/usr/bin/devs", .kept = kept};
    struct json *json = NULL;
    struct str text = {0};
    err = (struct err){0};
    mcp_request_done(&request);
    ck_assert(json_parse_data(args, strlen(args), &json, NULL, NULL));
    ck_assert_msg(mcp_request_read(tool, json, "/srv", &request, &err), "%s", err.message);
    ck_assert(mcp_task_write(&request, &set, plan->task_count + 1, &text, &err));
    ck_assert_msg(plan_grow(plan, str_text(&text), text.len, &err), "%s", err.message);
    json_free(json);
    str_done(&text);
    return plan->tasks[plan->task_count - 1].steps;
}

START_TEST(test_a_command_becomes_a_step)
{
    const struct plan_step *step =
        grow(MCP_TOOL_EXECUTE,
             "{\"argv\":[\"sh\",\"-c\",\"a\\n\\\"b\\\"\"],\"cwd\":\"x\",\"env\":{\"A\":\"1\","
             "\"B\":\"\"},\"timeout_s\":0.25,\"phase\":\"VERIFY\",\"idempotent\":true}",
             SANDBOX_NONE);
    ck_assert_str_eq(plan->tasks[0].id, "c00001");
    ck_assert_str_eq(plan->tasks[0].title, "execute_command sh -c a \"b\"");
    ck_assert_str_eq(step->argv[2], "a\n\"b\"");
    ck_assert_str_eq(step->cwd, "x");
    ck_assert_str_eq(step->env[0], "A=1");
    ck_assert_str_eq(step->env[1], "B=");
    ck_assert_int_eq(step->timeout_ms, 250);
    ck_assert_int_eq(step->phase, PHASE_VERIFY);
    ck_assert(step->idempotent);
}
END_TEST

START_TEST(test_a_call_that_may_not_be_repeated_has_one_attempt)
{
    const struct plan_step *step = grow(MCP_TOOL_EXECUTE, "{\"argv\":[\"x\"]}", SANDBOX_NONE);
    ck_assert_int_eq(plan_step_attempts(step), 1);
    step = grow(MCP_TOOL_EXECUTE, "{\"argv\":[\"x\"],\"idempotent\":true}", SANDBOX_NONE);
    ck_assert_int_eq(plan_step_attempts(step), 3);
    step = grow(MCP_TOOL_EXECUTE, "{\"argv\":[\"x\"],\"idempotent\":true,\"phase\":\"RED\"}",
                SANDBOX_NONE);
    ck_assert_int_eq(plan_step_attempts(step), 1);
}
END_TEST

START_TEST(test_tests_are_the_projects_unless_others_are_named)
{
    const struct plan_step *step = grow(MCP_TOOL_TESTS, "{}", SANDBOX_NONE);
    ck_assert_str_eq(step->argv[1], "test");
    step = grow(MCP_TOOL_TESTS, "{\"argv\":[\"pytest\",\"-k\",\"tax\"]}", SANDBOX_NONE);
    ck_assert_str_eq(step->argv[0], "pytest");
    ck_assert_str_eq(plan->tasks[1].title, "run_tests pytest -k tax");
}
END_TEST

START_TEST(test_tests_that_nobody_named_are_refused)
{
    const struct mcp_setting set = {.program = "/usr/bin/devs"};
    struct str text = {0};
    err = (struct err){0};
    ck_assert(mcp_request_read(MCP_TOOL_TESTS, NULL, "/srv", &request, &err));
    ck_assert(!mcp_task_write(&request, &set, 1, &text, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.hint, "devs.config.json"));
    str_done(&text);
}
END_TEST

START_TEST(test_files_are_read_and_written_by_steps)
{
    const struct plan_step *step =
        grow(MCP_TOOL_READ, "{\"path\":\"-a b\",\"offset\":7}", SANDBOX_NONE);
    static const char *const want[] = {"/usr/bin/devs", "mcp", "--read-file", "-a b",
                                       "--offset",      "7",   "--length",    "196608"};
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        ck_assert_pstr_eq(step->argv[i], want[i]);
    step = grow(MCP_TOOL_WRITE, "{\"path\":\"a\",\"content\":\"x\"}", SANDBOX_NONE);
    ck_assert_str_eq(step->argv[2], "--write-file");
    ck_assert_str_eq(plan->tasks[1].title, "write_file a");
    step = grow(MCP_TOOL_READ, "{\"path\":\"a/b\"}", SANDBOX_BWRAP);
    ck_assert_str_eq(step->argv[0], "/bin/sh");
    ck_assert_str_eq(step->argv[4], "a/b");
    ck_assert_str_eq(step->argv[5], "0");
    ck_assert_str_eq(step->argv[6], "196608");
}
END_TEST

/* What the sandboxed call runs, in a folder of the test, without the sandbox. */
static int run_script(const struct plan_step *step, const char *folder)
{
    int status = -1;
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        const int input = chdir(folder) == 0 ? open("input", O_RDONLY | O_CLOEXEC) : -1;
        if (dup2(input, STDIN_FILENO) == STDIN_FILENO)
            (void)execv(step->argv[0], step->argv);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void make_file(const char *folder, const char *name, const char *text, mode_t mode)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    ck_assert_int_eq(fchmod(fileno(file), mode), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_a_file_written_in_a_sandbox_keeps_its_mode)
{
    const char *folder = test_tmpdir();
    char path[PATH_MAX];
    struct stat info;
    make_file(folder, "input", "echo new\n", 0600);
    make_file(folder, "go.sh", "echo old\n", 0755);
    const struct plan_step *step =
        grow(MCP_TOOL_WRITE, "{\"path\":\"go.sh\",\"content\":\"\"}", SANDBOX_BWRAP);
    ck_assert_int_eq(run_script(step, folder), 0);
    (void)snprintf(path, sizeof(path), "%s/go.sh", folder);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0755);
    char *text = test_read_file(path);
    ck_assert_str_eq(text, "echo new\n");
    free(text);
}
END_TEST

START_TEST(test_no_file_is_written_into_a_folder_of_its_name)
{
    const char *folder = test_tmpdir();
    char path[PATH_MAX];
    make_file(folder, "input", "x", 0600);
    (void)snprintf(path, sizeof(path), "%s/sub", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    const struct plan_step *step =
        grow(MCP_TOOL_WRITE, "{\"path\":\"sub\",\"content\":\"\"}", SANDBOX_BWRAP);
    ck_assert_int_eq(run_script(step, folder), FILE_ACT_NO_FILE);
    ck_assert_int_eq(rmdir(path), 0); /* it is empty */
}
END_TEST

static const struct {
    const char *path; /* written in a sandbox; NULL: the file "f" */
    const char *text; /* of "f" before */
    bool is_refused;
} sandboxed[] = {
    {NULL, "{\"version\":1,\"tasks\":[]}", true},
    {NULL, "{ \"tasks\" : [ ],\n\"version\" : 2 }", true},
    {NULL, "{\"\\u0076ersion\":1,\"tasks\":[]}", true},
    {NULL, "{\"version\":1,\"t\\u0061sks\":[]}", true},
    {NULL, "{\"version\":\"2.0.0\",\"tasks\":[]}", false},
    {NULL, "{\"text\":\"\\u003cb\\u003e\"}", false},
    {NULL, "no plan", false},
    {".git./x", "", true},
    {".git /x", "", true},
    {".git::$INDEX_ALLOCATION/x", "", true},
    {"DEVS~1/x", "", true},
    {"a/Plan.json. ", "", true},
    {"meta/config", "", true},
    {"meta/hooks/new/x", "", true},
    {"real.json", "", true},
    {"to-git/config", "", true},
    {"sub/.gitignore", "", false},
    {"second", "", false},
};

/* "meta" is what .git leads to, "real.json" what devs.config.json leads to; "second" is another
 * name of a file in .git. */
static void make_links(const char *folder)
{
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("meta", 0700), 0);
    ck_assert_int_eq(mkdir("meta/hooks", 0700), 0);
    make_file(".", "meta/config", "old", 0600);
    make_file(".", "real.json", "old", 0600);
    ck_assert_int_eq(symlink("meta", ".git"), 0);
    ck_assert_int_eq(symlink(".git", "to-git"), 0);
    ck_assert_int_eq(symlink("real.json", "devs.config.json"), 0);
    ck_assert_int_eq(link("meta/config", "second"), 0);
}

static void want_old(const char *path)
{
    char *text = test_read_file(path);
    ck_assert_pstr_eq(text, "old");
    free(text);
}

START_TEST(test_a_sandboxed_write_is_guarded)
{
    const char *path = sandboxed[_i].path ? sandboxed[_i].path : "f";
    struct str args = {0};
    make_links(test_tmpdir());
    make_file(".", "input", "new", 0600);
    make_file(".", "f", sandboxed[_i].text, 0600);
    str_addf(&args, "{\"path\":\"%s\",\"content\":\"\"}", path);
    const struct plan_step *step = grow(MCP_TOOL_WRITE, str_text(&args), SANDBOX_BWRAP);
    ck_assert_msg(run_script(step, ".") == (sandboxed[_i].is_refused ? FILE_ACT_NO_FILE : 0), "%s",
                  path);
    ck_assert_int_ne(access("meta/hooks/new", F_OK), 0);
    want_old("meta/config");
    want_old("real.json");
    str_done(&args);
}
END_TEST

/* The plan check covers the whole file. */
START_TEST(test_a_long_plan_is_not_overwritten_in_a_sandbox)
{
    struct str text = {0};
    ck_assert_int_eq(chdir(test_tmpdir()), 0);
    str_add(&text, "{\"//\":\"");
    for (int i = 0; i < 100000; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\",\"version\":1,\"tasks\":[]}");
    make_file(".", "input", "new", 0600);
    make_file(".", "f", str_text(&text), 0600);
    const struct plan_step *step =
        grow(MCP_TOOL_WRITE, "{\"path\":\"f\",\"content\":\"\"}", SANDBOX_BWRAP);
    ck_assert_int_eq(run_script(step, "."), FILE_ACT_NO_FILE);
    str_done(&text);
}
END_TEST

static void add_mcp_task_tests(Suite *suite)
{
    TCase *tcase = test_case(suite, "tasks");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_command_becomes_a_step);
    tcase_add_test(tcase, test_a_call_that_may_not_be_repeated_has_one_attempt);
    tcase_add_test(tcase, test_tests_are_the_projects_unless_others_are_named);
    tcase_add_test(tcase, test_tests_that_nobody_named_are_refused);
    tcase_add_test(tcase, test_files_are_read_and_written_by_steps);
    tcase_add_test(tcase, test_a_file_written_in_a_sandbox_keeps_its_mode);
    tcase_add_test(tcase, test_no_file_is_written_into_a_folder_of_its_name);
    tcase_add_loop_test(tcase, test_a_sandboxed_write_is_guarded, 0, ARRAY_LEN(sandboxed));
    tcase_add_test(tcase, test_a_long_plan_is_not_overwritten_in_a_sandbox);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("mcp_request");
    add_mcp_request_tests(suite);
    add_mcp_task_tests(suite);
    return suite;
}
