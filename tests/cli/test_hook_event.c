#include "hook.h"

#include <string.h>

#include "json.h"
#include "test_main.h"

static struct hook_input input;

static void setup(void)
{
    input = (struct hook_input){0};
}

static void teardown(void)
{
    hook_input_done(&input);
}

static void read_as(const char *agent, const char *json)
{
    struct str text = {0};
    struct err err = {0};
    str_add(&text, json);
    ck_assert_msg(hook_input_read(&text, agent ? hook_agent_named(agent) : NULL, &input, &err),
                  "%s", err.message);
    str_done(&text);
}

/* What the CLIs' documents say that a hook gets of a call that is over. */
static const struct {
    const char *agent;
    const char *event;
    const char *members;
    const char *output;
    int exit;
} results[] = {
    {"claude", "PostToolUse",
     "\"tool_response\":{\"stdout\":\"a\\nb\",\"stderr\":\"warned\",\"interrupted\":false}",
     "a\nb\nwarned", 0},
    {"claude", "PostToolUseFailure", "\"error\":\"Exit code 2\\nFAIL: x\",\"is_interrupt\":false",
     "Exit code 2\nFAIL: x", 2},
    {"claude", "PostToolUseFailure", "\"error\":\"File does not exist.\"", "File does not exist.",
     1},
    {"claude", "PostToolUse",
     "\"tool_response\":{\"filenames\":[\"a.c\",\"b.c\"],\"durationMs\":7}", "a.c\nb.c", 0},
    {"claude", "PostToolUse",
     "\"tool_response\":{\"type\":\"text\",\"file\":{\"filePath\":\"/x\",\"content\":\"text\"}}",
     "text", 0},
    {"claude", "PostToolUse",
     "\"tool_response\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"two\"}"
     "]",
     "one\ntwo", 0},
    {"claude", "PostToolUse",
     "\"tool_response\":{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}", "no",
     1},
    {"claude", "PostToolUse", "\"tool_response\":{\"odd\":[1,2],\"totalDurationMs\":99}",
     "odd: [1,2]", 0},
    {"codex", "PostToolUse", "\"turn_id\":\"1\",\"tool_response\":\"plain\"", "plain", 0},
    {"codex", "PostToolUse",
     "\"turn_id\":\"1\",\"tool_response\":\"{\\\"output\\\":\\\"bad\\\",\\\"metadata\\\":{"
     "\\\"exit_code\\\":101,\\\"duration_seconds\\\":0.2}}\"",
     "bad", 101},
    {"codex", "PostToolUse",
     "\"turn_id\":\"1\",\"tool_response\":\"Process exited with code 3\\nOutput:\\nx\"",
     "Process exited with code 3\nOutput:\nx", 3},
    {"codex", "PostToolUse",
     "\"turn_id\":\"1\",\"tool_response\":\"a.log: Process exited with code 3\"",
     "a.log: Process exited with code 3", 0},
    {"gemini", "AfterTool",
     "\"tool_response\":{\"llmContent\":\"Command: x\\nExit Code: 4\",\"returnDisplay\":\"y\"}",
     "Command: x\nExit Code: 4", 4},
    {"gemini", "AfterTool",
     "\"tool_response\":{\"llmContent\":\"\",\"error\":{\"message\":\"gone\"}}", NULL, 1},
    {"qwen", "PostToolUse", "\"tool_response\":null", "", 0},
    {"qwen", "PostToolUse", "\"tool_response\":17", "", 0},
    {"qwen", "PostToolUse", "\"x\":1", "", 0},
};

START_TEST(test_results_are_read_in_each_form)
{
    struct str json = {0};
    str_addf(&json,
             "{\"session_id\":\"s\",\"hook_event_name\":\"%s\",\"tool_name\":\"T\","
             "\"tool_input\":{\"command\":\"c\"},%s}",
             results[_i].event, results[_i].members);
    read_as(NULL, json.data);
    ck_assert_str_eq(input.tool, "T");
    ck_assert_str_eq(json_text(json_get(input.args, "command"), ""), "c");
    ck_assert_int_eq(input.exit, results[_i].exit);
    if (results[_i].output)
        ck_assert_str_eq(str_text(&input.output), results[_i].output);
    if (strcmp(results[_i].agent, "qwen") != 0) /* its events are called as claude's */
        ck_assert_str_eq(input.agent->name, results[_i].agent);
    str_done(&json);
}
END_TEST

START_TEST(test_only_a_person_begins_anew)
{
    read_as("claude", "{\"session_id\":\"s\",\"hook_event_name\":\"UserPromptSubmit\","
                      "\"prompt\":\"go\"}");
    ck_assert_int_eq(input.kind, HOOK_PROMPT);
    ck_assert_str_eq(input.text, "go");
    hook_input_done(&input);
    read_as("qwen", "{\"session_id\":\"s\",\"hook_event_name\":\"UserPromptSubmit\","
                    "\"prompt\":\"\"}");
    ck_assert_int_eq(input.kind, HOOK_OTHER);
    hook_input_done(&input);
    read_as("qwen", "{\"session_id\":\"s\",\"hook_event_name\":\"UserPromptSubmit\","
                    "\"prompt\":\"go on\"}");
    ck_assert_int_eq(input.kind, HOOK_PROMPT);
    ck_assert_str_eq(input.text, "go on");
    hook_input_done(&input);
    read_as("qwen", "{\"session_id\":\"s\",\"hook_event_name\":\"UserPromptSubmit\","
                    "\"prompt\":\"go\\n(more)\",\"submitted_prompt\":\"go\"}");
    ck_assert_int_eq(input.kind, HOOK_PROMPT);
    ck_assert_str_eq(input.text, "go");
}
END_TEST

START_TEST(test_an_unknown_event_is_let_be)
{
    read_as("claude", "{\"session_id\":\"s\",\"hook_event_name\":\"WorktreeCreate\",\"new\":[]}");
    ck_assert_int_eq(input.kind, HOOK_OTHER);
}
END_TEST

static const struct {
    const char *json;
    int64_t ms;
} times[] = {{"1500", 1500}, {"0.5", 0}, {"-1", 0}, {"1e300", 0}, {"\"1\"", 0}, {"null", 0}};

START_TEST(test_times_that_are_none_are_not_told)
{
    struct str json = {0};
    str_addf(&json, "{\"session_id\":\"s\",\"hook_event_name\":\"PostToolUse\",\"duration_ms\":%s}",
             times[_i].json);
    read_as("claude", str_text(&json));
    ck_assert_int_eq(input.ms, times[_i].ms);
    str_done(&json);
}
END_TEST

static const char *const wrong[] = {
    "",
    "{",
    "[]",
    "null",
    "{}",
    "{\"session_id\":\"s\"}",
    "{\"hook_event_name\":\"Stop\"}",
    "{\"session_id\":\"\",\"hook_event_name\":\"Stop\"}",
    "{\"session_id\":1,\"hook_event_name\":\"Stop\"}",
    "\xff\xfe{}",
};

START_TEST(test_what_is_no_event_is_refused)
{
    struct str text = {0};
    struct err err = {0};
    str_add(&text, wrong[_i]);
    ck_assert(!hook_input_read(&text, NULL, &input, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    str_done(&text);
}
END_TEST

static void begin_as(const char *agent, const char *event)
{
    struct str json = {0};
    str_addf(&json,
             "{\"session_id\":\"s\",\"hook_event_name\":\"%s\",\"tool_name\":\"T\","
             "\"tool_input\":{}}",
             event);
    read_as(agent, json.data);
    str_done(&json);
}

/* As each CLI's documents have it: codex takes what it does not know before a call for an error,
 * gemini hides a result that is blocked from its model. */
START_TEST(test_each_agent_is_answered_in_its_own_way)
{
    struct str out = {0};
    begin_as("claude", "PreToolUse");
    hook_answer_deny(&input, false, "why", &out);
    ck_assert_str_eq(out.data,
                     "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
                     "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"why\"}}\n");
    str_clear(&out);
    hook_answer_deny(&input, true, "why", &out);
    ck_assert_ptr_nonnull(strstr(out.data, "\"continue\":false,\"stopReason\":\"why\""));
    str_clear(&out);
    hook_input_done(&input);
    begin_as("codex", "PreToolUse");
    hook_answer_deny(&input, true, "why", &out);
    ck_assert_ptr_null(strstr(out.data, "continue"));
    str_clear(&out);
    hook_input_done(&input);
    begin_as("gemini", "BeforeTool");
    hook_answer_deny(&input, false, "why", &out);
    ck_assert_str_eq(out.data, "{\"decision\":\"deny\",\"reason\":\"why\"}\n");
    str_clear(&out);
    hook_input_done(&input);
    begin_as("gemini", "AfterTool");
    hook_answer_say(&input, true, "Circles.", &out);
    ck_assert_str_eq(out.data, "{\"hookSpecificOutput\":{\"hookEventName\":\"AfterTool\","
                               "\"additionalContext\":\"Stop. Circles. If you repeat this "
                               "call, it is denied.\"}}\n");
    str_clear(&out);
    hook_input_done(&input);
    begin_as("claude", "PostToolUse");
    hook_answer_say(&input, true, "Circles.", &out);
    ck_assert_str_eq(out.data, "{\"decision\":\"block\",\"reason\":\"Stop. Circles. If you repeat "
                               "this call, it is denied.\"}\n");
    str_clear(&out);
    hook_answer_say(&input, false, "Circles.", &out);
    ck_assert_str_eq(out.data, "{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\","
                               "\"additionalContext\":\"Circles.\"}}\n");
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hook_input");
    TCase *tcase = test_case(suite, "hook_input");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_results_are_read_in_each_form, 0,
                        (int)(sizeof(results) / sizeof(results[0])));
    tcase_add_test(tcase, test_only_a_person_begins_anew);
    tcase_add_test(tcase, test_an_unknown_event_is_let_be);
    tcase_add_loop_test(tcase, test_times_that_are_none_are_not_told, 0,
                        (int)(sizeof(times) / sizeof(times[0])));
    tcase_add_loop_test(tcase, test_what_is_no_event_is_refused, 0,
                        (int)(sizeof(wrong) / sizeof(wrong[0])));
    tcase_add_test(tcase, test_each_agent_is_answered_in_its_own_way);
    return suite;
}
