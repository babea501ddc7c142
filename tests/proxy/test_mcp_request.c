#include "mcp_request.h"

#include <string.h>

#include "attr.h"
#include "mcp_tool.h"
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
    {MCP_TOOL_EXECUTE, "[]", "arguments are an object"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[]}", "argument 'argv': an array of strings"},
    {MCP_TOOL_EXECUTE, "{\"argv\":\"make\"}", "argument 'argv': an array of strings"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"\"]}", "argument 'argv': the program has no name"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\",1]}", "argument 'argv': each is a string"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\\u0000\"]}", "argument 'argv': each is a string"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"cmd\":1}", "execute_command has no argument 'cmd'"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"cwd\":\"\"}", "argument 'cwd'"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"env\":{\"\":\"x\"}}", "argument 'env': names"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"env\":{\"A\":1}}", "argument 'env': names"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"stdin\":null}", "argument 'stdin': a string"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"timeout_s\":0}", "argument 'timeout_s': seconds"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"timeout_s\":1e99}", "argument 'timeout_s': seconds"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"phase\":\"green\"}", "argument 'phase': RED"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"idempotent\":1}", "argument 'idempotent': true"},
    {MCP_TOOL_EXECUTE, "{\"argv\":[\"a\"],\"path\":\"x\"}", "execute_command has no argument"},
    {MCP_TOOL_TESTS, "{\"stdin\":\"x\"}", "run_tests has no argument 'stdin'"},
    {MCP_TOOL_WRITE, "{\"path\":\"a\"}", "argument 'content': it is missing"},
    {MCP_TOOL_WRITE, "{\"content\":\"a\"}", "argument 'path': it is missing"},
    {MCP_TOOL_READ, "{\"path\":\"\"}", "argument 'path': the path of a file"},
    {MCP_TOOL_READ, "{\"path\":\"src/\"}", "argument 'path': it names a folder"},
    {MCP_TOOL_READ, "{\"path\":\"/etc/passwd\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"/srv/shopping\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"/srv/shop\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"../x\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"a/../../x\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\"a/..\"}", "is not inside the project"},
    {MCP_TOOL_READ, "{\"path\":\".devs/devs.db\"}", "belongs to devs"},
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("mcp_request");
    TCase *tcase = test_case(suite, "arguments");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_all_arguments_of_a_command);
    tcase_add_test(tcase, test_what_is_not_said);
    tcase_add_loop_test(tcase, test_wrong_arguments_are_told, 0, ARRAY_LEN(wrong));
    tcase_add_loop_test(tcase, test_paths_are_relative_to_the_project, 0, ARRAY_LEN(paths));
    tcase_add_test(test_case(suite, "list"), test_the_list_names_each_tool);
    return suite;
}
