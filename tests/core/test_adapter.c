#include "adapter.h"

#include <string.h>

#include "contract.h"
#include "json.h"
#include "plan.h"
#include "str.h"
#include "test_main.h"

static const char *const builtin[] = {"claude", "codex",    "copilot", "gemini", "generic",
                                      "kimi",   "opencode", "pi",      "qwen"};

static struct json *parse(const char *text)
{
    struct json *json = NULL;
    struct err err = {0};
    ck_assert_msg(json_parse(text, strlen(text), &json, NULL, &err), "%s: %s", err.message, text);
    return json;
}

static struct adapters *adapters;
static struct str shown; /* violations */

static void setup(void)
{
    adapters = NULL;
    shown = (struct str){0};
}

static void teardown(void)
{
    adapters_free(adapters);
    str_done(&shown);
}

/* Reads "agents" over those below. Returns NULL if it is wrong. */
static struct adapters *read_over(const struct adapters *below, const char *text)
{
    struct json *json = parse(text);
    struct violations wrong = {0};
    struct adapters *made = NULL;
    const bool ok = adapters_read(below, json, &wrong, &made);
    ck_assert_int_eq(ok, wrong.count == 0);
    violations_display(&wrong, &shown);
    violations_done(&wrong);
    json_free(json);
    return ok ? made : NULL;
}

static void check_argv(const struct adapter *adapter, const struct adapter_call *call,
                       const char *want)
{
    struct str line = {0};
    char **argv = NULL;
    adapter_argv(adapter, call, &argv);
    for (int i = 0; argv[i]; i++)
        str_addf(&line, "%s%s", i > 0 ? "|" : "", argv[i]);
    ck_assert_str_eq(str_text(&line), want);
    adapter_argv_free(argv);
    str_done(&line);
}

START_TEST(test_builtin_agents_exist)
{
    const struct adapter *adapter = adapters_find(NULL, builtin[_i]);
    ck_assert_ptr_nonnull(adapter);
    ck_assert_str_eq(adapter_name(adapter), builtin[_i]);
    ck_assert(adapter_is_builtin(adapter));
    ck_assert_ptr_eq(adapter, adapters_find(NULL, builtin[_i]));
    ck_assert_ptr_eq(adapter, adapters_at(NULL, (size_t)_i));
    const bool is_generic = strcmp(builtin[_i], "generic") == 0;
    ck_assert_int_eq(adapter_program(adapter)[0] == '\0', is_generic);
    ck_assert_int_eq(adapter_resumes(adapter), !is_generic);
    ck_assert_int_eq(adapter_install(adapter)[0] == '\0', is_generic);
}
END_TEST

/* The built-in agents are written as people write theirs. */
START_TEST(test_builtin_agents_match_the_schema)
{
    struct str text = {0};
    struct violations wrong = {0};
    str_addf(&text, "{\"agents\":{\"own\":");
    adapter_write(adapters_find(NULL, builtin[_i]), &text);
    str_add(&text, "}}");
    struct json *json = parse(str_text(&text));
    const bool fits = contract_check(settings_schema(), json, &wrong);
    violations_display(&wrong, &shown);
    ck_assert_msg(fits, "%s: %s", builtin[_i], str_text(&shown));
    violations_done(&wrong);
    json_free(json);
    str_done(&text);
}
END_TEST

/* Agents ask for permissions unless a person says otherwise. */
START_TEST(test_no_builtin_agent_skips_permissions)
{
    static const char *const words[] = {"dangerously",        "bypass",           "yolo",
                                        "danger-full-access", "skip-permissions", "--auto"};
    char **argv = NULL;
    adapter_argv(adapters_find(NULL, builtin[_i]), &(struct adapter_call){.prompt = "x"}, &argv);
    for (int i = 0; argv[i]; i++) {
        for (int j = 0; j < TABLE_LEN(words); j++)
            ck_assert_msg(!strstr(argv[i], words[j]) || strcmp(argv[i], "auto_edit") == 0, "%s: %s",
                          builtin[_i], argv[i]);
    }
    adapter_argv_free(argv);
}
END_TEST

START_TEST(test_an_unknown_name_has_no_adapter)
{
    ck_assert_ptr_null(adapters_find(NULL, "nobody"));
    ck_assert_ptr_null(adapters_find(NULL, NULL));
    ck_assert_ptr_null(adapters_of_program(NULL, "/usr/bin/make"));
    ck_assert_ptr_null(adapters_of_program(NULL, ""));
    ck_assert_ptr_null(adapters_of_program(NULL, NULL));
    ck_assert_ptr_null(adapters_at(NULL, TABLE_LEN(builtin)));
}
END_TEST

START_TEST(test_an_agent_is_known_by_its_program)
{
    ck_assert_str_eq(adapter_name(adapters_of_program(NULL, "/opt/bin/codex")), "codex");
    ck_assert_str_eq(adapter_name(adapters_of_program(NULL, "pi")), "pi");
    ck_assert_str_eq(adapter_program_of("/a/b/c"), "c");
    ck_assert_str_eq(adapter_program_of("c"), "c");
}
END_TEST

static char verbose[] = "--verbose";
static char ask[] = "--ask";
static char *const more[] = {verbose, NULL};
static char *const own_permissions[] = {ask, NULL};

static const struct {
    const char *agent;
    struct adapter_call call;
    const char *want;
} calls[] = {
    {"claude",
     {.prompt = "do it"},
     "claude|-p|--output-format|stream-json|--verbose|--permission-mode|acceptEdits"},
    {"claude",
     {.session = "s-1", .model = "opus", .args = more, .permission_args = own_permissions},
     "claude|-p|--output-format|stream-json|--verbose|--resume|s-1|--model|opus|--ask|--verbose"},
    {"codex",
     {.prompt = "do it"},
     "codex|exec|--json|--skip-git-repo-check|-c|sandbox_mode=workspace-write"},
    {"codex",
     {.session = "s-1"},
     "codex|exec|resume|--json|--skip-git-repo-check|s-1|-|-c|sandbox_mode=workspace-write"},
    {"gemini",
     {.session = "s-1"},
     "gemini|--output-format|stream-json|--resume|s-1|--approval-mode|auto_edit"},
    {"qwen", {.model = "m"}, "qwen|--output-format|stream-json|-m|m|--approval-mode|auto-edit"},
    {"opencode",
     {.session = "ses_1"},
     "opencode|run|--format|json|--print-logs|--log-level|ERROR|--session|ses_1"},
    {"pi", {.prompt = "do it"}, "pi|-p|--mode|json"},
    {"pi", {.session = "s-1"}, "pi|-p|--mode|json|--session|s-1"},
};

START_TEST(test_arguments_of_each_agent)
{
    check_argv(adapters_find(NULL, calls[_i].agent), &calls[_i].call, calls[_i].want);
}
END_TEST

START_TEST(test_placeholders_are_replaced_once)
{
    adapters = read_over(NULL, "{\"own\":{\"prompt\":\"argument\",\"argv\":"
                               "[\"--ask={prompt}\",\"{model}\",\"{other}\"]}}");
    const struct adapter *own = adapters_find(adapters, "own");
    check_argv(own, &(struct adapter_call){.prompt = "{model} {session}", .model = "m"},
               "own|--ask={model} {session}|m|{other}");
    check_argv(own, &(struct adapter_call){.prompt = "p", .session = "unused"},
               "own|--ask=p|{model}|{other}");
}
END_TEST

START_TEST(test_an_own_agent_is_like_the_generic_one)
{
    adapters = read_over(
        NULL, "{\"// x\":{},\"aider\":{\"argv\":[\"--yes\"],\"env\":{\"A\":\"1\",\"B\":\"2\"},"
              "\"install\":\"pip install aider\",\"unknown_session\":[\"gone\"]}}");
    const struct adapter *own = adapters_find(adapters, "aider");
    ck_assert_str_eq(adapter_program(own), "aider");
    ck_assert_str_eq(adapter_install(own), "pip install aider");
    ck_assert(!adapter_is_builtin(own));
    ck_assert(!adapter_resumes(own));
    ck_assert(adapter_prompt_on_stdin(own));
    ck_assert_int_eq(adapter_output(own), ADAPTER_OUTPUT_TEXT);
    ck_assert_str_eq(adapter_env(own)[0], "A=1");
    ck_assert_str_eq(adapter_env(own)[1], "B=2");
    ck_assert_ptr_null(adapter_env(own)[2]);
    ck_assert(adapter_session_is_unknown(own, "it is gone.", 11));
    ck_assert(!adapter_session_is_unknown(own, "it is gone.", 9));
    ck_assert_ptr_eq(adapters_at(adapters, 0), own);
    ck_assert_ptr_nonnull(adapters_at(adapters, TABLE_LEN(builtin)));
    ck_assert_ptr_null(adapters_at(adapters, TABLE_LEN(builtin) + 1));
}
END_TEST

START_TEST(test_an_agent_with_a_builtin_name_changes_it)
{
    adapters = read_over(NULL, "{\"claude\":{\"program\":\"/opt/claude\",\"permission_args\":[]}}");
    check_argv(adapters_find(adapters, "claude"), &(struct adapter_call){0},
               "/opt/claude|-p|--output-format|stream-json|--verbose");
    ck_assert_str_eq(adapter_name(adapters_of_program(adapters, "claude")), "claude");
    ck_assert(!adapter_is_builtin(adapters_of_program(adapters, "claude")));
    check_argv(adapters_find(NULL, "claude"), &(struct adapter_call){0},
               "claude|-p|--output-format|stream-json|--verbose|--permission-mode|acceptEdits");
}
END_TEST

START_TEST(test_an_empty_list_replaces_that_of_the_model)
{
    adapters = read_over(NULL, "{\"own\":{\"like\":\"claude\",\"argv_resume\":[]},"
                               "\"claude\":{\"like\":\"generic\",\"program\":\"c\"}}");
    ck_assert(!adapter_resumes(adapters_find(adapters, "own")));
    struct str text = {0};
    str_add(&text, "{\"claude\":");
    adapter_write(adapters_find(adapters, "claude"), &text);
    str_add_char(&text, '}');
    struct adapters *again = read_over(NULL, str_text(&text));
    ck_assert(!adapter_resumes(adapters_find(again, "claude"))); /* as the generic one */
    check_argv(adapters_find(again, "claude"), &(struct adapter_call){.model = "m"}, "c");
    adapters_free(again);
    str_done(&text);
}
END_TEST

/* Also of a later one, through several. */
START_TEST(test_like_another_agent_of_the_same_object)
{
    adapters = read_over(NULL, "{\"c\":{\"like\":\"b\"},\"b\":{\"like\":\"a\","
                               "\"model_args\":[\"{model}\"]},\"a\":{\"like\":\"codex\","
                               "\"program\":\"other\",\"argv\":[\"go\"]}}");
    check_argv(adapters_find(adapters, "c"), &(struct adapter_call){.model = "m"},
               "other|go|m|-c|sandbox_mode=workspace-write");
    ck_assert_int_eq(adapter_output(adapters_find(adapters, "c")), ADAPTER_OUTPUT_JSONL);
}
END_TEST

START_TEST(test_agents_of_a_plan_override_those_of_the_settings)
{
    struct adapters *below = read_over(NULL, "{\"x\":{\"program\":\"px\"},\"y\":{}}");
    adapters = read_over(below, "{\"y\":{\"program\":\"py\"},\"z\":{\"like\":\"x\"}}");
    adapters_free(below); /* nothing is borrowed */
    ck_assert_str_eq(adapter_program(adapters_find(adapters, "x")), "px");
    ck_assert_str_eq(adapter_program(adapters_find(adapters, "y")), "py");
    ck_assert_str_eq(adapter_program(adapters_find(adapters, "z")), "px");
    ck_assert_str_eq(adapter_program(adapters_find(adapters, "pi")), "pi");
}
END_TEST

/* A person copies the hint, and the tool's name comes from the agent's output. */
START_TEST(test_hint_to_allow_a_tool_repeats_plain_names_only)
{
    static const struct {
        const char *agent, *tool, *words;
    } cases[] = {
        {"claude", "mcp__db.run-1",
         "\"args\": [\"--allowedTools\", \"mcp__db.run-1\"] in its step"},
        {"claude", "x\", \"--dangerously-skip-permissions",
         "\"args\": [\"--allowedTools\", \"TOOL\"] in its step"},
        {"generic", "sh", "\"permission_args\" in its step"},
    };
    for (size_t i = 0; i < TABLE_LEN(cases); i++) {
        struct str words = {0};
        adapter_allow_words(adapters_find(NULL, cases[i].agent), cases[i].tool, &words);
        ck_assert_str_eq(str_text(&words), cases[i].words);
        str_done(&words);
    }
}
END_TEST

static const struct {
    const char *text;
    const char *want;
} wrong[] = {
    {"{\"a\":{\"like\":\"nobody\"}}", "/agents/a/like: no such agent"},
    {"{\"a\":{\"like\":\"a\"}}", "/agents/a/like: no other agent has this name"},
    {"{\"a\":{\"like\":\"b\"},\"b\":{\"like\":\"a\"}}", "/agents/b/like: no such agent"},
    {"{\"a\":{\"argv_resume\":[\"--resume\"]}}", "/agents/a/argv_resume: no argument contains"},
    {"{\"a\":{\"model_args\":[\"-m\"]}}", "/agents/a/model_args: no argument contains the model"},
};

START_TEST(test_errors_have_the_path)
{
    ck_assert_ptr_null(read_over(NULL, wrong[_i].text));
    ck_assert_msg(strstr(str_text(&shown), wrong[_i].want) != NULL, "%s", str_text(&shown));
}
END_TEST

START_TEST(test_agents_have_a_limit)
{
    struct str text = {0};
    str_add_char(&text, '{');
    for (int i = 0; i <= ADAPTERS_MAX; i++)
        str_addf(&text, "%s\"a%d\":{}", i > 0 ? "," : "", i);
    str_add_char(&text, '}');
    ck_assert_ptr_null(read_over(NULL, str_text(&text)));
    ck_assert_ptr_nonnull(strstr(str_text(&shown), "too many agents"));
    str_done(&text);
}
END_TEST

START_TEST(test_a_written_adapter_reads_back_equal)
{
    struct str first = {0};
    struct str second = {0};
    struct str text = {0};
    adapters = read_over(NULL, "{\"a\":{\"like\":\"pi\",\"// note\":1,\"env\":{\"X\":\"y\"}}}");
    adapter_write(adapters_find(adapters, "a"), &first);
    str_addf(&text, "{\"a\":%s}", str_text(&first));
    struct adapters *again = read_over(NULL, str_text(&text));
    adapter_write(adapters_find(again, "a"), &second);
    ck_assert_ptr_null(strstr(str_text(&first), "\"like\""));
    ck_assert_ptr_null(strstr(str_text(&first), "note"));
    struct json *a = parse(str_text(&first));
    struct json *b = parse(str_text(&second));
    ck_assert_uint_eq(json_count(a), json_count(b));
    check_argv(adapters_find(again, "a"), &(struct adapter_call){.prompt = "p"},
               "pi|-p|--mode|json");
    json_free(a);
    json_free(b);
    adapters_free(again);
    str_done(&first);
    str_done(&second);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("adapter");
    TCase *tcase = test_case(suite, "adapters");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_builtin_agents_exist, 0, TABLE_LEN(builtin));
    tcase_add_loop_test(tcase, test_builtin_agents_match_the_schema, 0, TABLE_LEN(builtin));
    tcase_add_loop_test(tcase, test_no_builtin_agent_skips_permissions, 0, TABLE_LEN(builtin));
    tcase_add_test(tcase, test_an_unknown_name_has_no_adapter);
    tcase_add_test(tcase, test_an_agent_is_known_by_its_program);
    tcase_add_loop_test(tcase, test_arguments_of_each_agent, 0, TABLE_LEN(calls));
    tcase_add_test(tcase, test_placeholders_are_replaced_once);
    tcase_add_test(tcase, test_an_own_agent_is_like_the_generic_one);
    tcase_add_test(tcase, test_an_agent_with_a_builtin_name_changes_it);
    tcase_add_test(tcase, test_an_empty_list_replaces_that_of_the_model);
    tcase_add_test(tcase, test_like_another_agent_of_the_same_object);
    tcase_add_test(tcase, test_agents_of_a_plan_override_those_of_the_settings);
    tcase_add_test(tcase, test_hint_to_allow_a_tool_repeats_plain_names_only);
    tcase_add_loop_test(tcase, test_errors_have_the_path, 0, TABLE_LEN(wrong));
    tcase_add_test(tcase, test_agents_have_a_limit);
    tcase_add_test(tcase, test_a_written_adapter_reads_back_equal);
    return suite;
}
