#include "hook.h"

#include <string.h>

#include "json.h"
#include "json_edit.h"
#include "test_main.h"

static struct hook_input input;

static void forget_input(void)
{
    input = (struct hook_input){0};
}

static void close_input(void)
{
    hook_input_done(&input);
}

static void read_as(const char *agent, const char *json)
{
    struct str text = {0};
    struct err err = {0};
    str_add(&text, test_json(json)); /* with ' for " */
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
     "'tool_response':{'stdout':'a\\nb','stderr':'warned','interrupted':false}", "a\nb\nwarned", 0},
    {"claude", "PostToolUseFailure", "'error':'Exit code 2\\nFAIL: x','is_interrupt':false",
     "Exit code 2\nFAIL: x", 2},
    {"claude", "PostToolUseFailure", "'error':'File does not exist.'", "File does not exist.", 1},
    {"claude", "PostToolUse", "'tool_response':{'filenames':['a.c','b.c'],'durationMs':7}",
     "a.c\nb.c", 0},
    {"claude", "PostToolUse",
     "'tool_response':{'type':'text','file':{'filePath':'/x','content':'text'}}", "text", 0},
    {"claude", "PostToolUse",
     "'tool_response':[{'type':'text','text':'one'},{'type':'text','text':'two'}]", "one\ntwo", 0},
    {"claude", "PostToolUse",
     "'tool_response':{'content':[{'type':'text','text':'no'}],'isError':true}", "no", 1},
    {"claude", "PostToolUse", "'tool_response':{'odd':[1,2],'totalDurationMs':99}", "odd: [1,2]",
     0},
    {"codex", "PostToolUse", "'turn_id':'1','tool_response':'plain'", "plain", 0},
    {"codex", "PostToolUse",
     "'turn_id':'1','tool_response':'{\\'output\\':\\'bad\\',\\'metadata\\':{\\'exit_code\\':101,"
     "\\'duration_seconds\\':0.2}}'",
     "bad", 101},
    {"codex", "PostToolUse",
     "'turn_id':'1','tool_response':'Process exited with code 3\\nOutput:\\nx'",
     "Process exited with code 3\nOutput:\nx", 3},
    {"codex", "PostToolUse", "'turn_id':'1','tool_response':'a.log: Process exited with code 3'",
     "a.log: Process exited with code 3", 0},
    {"gemini", "AfterTool",
     "'tool_response':{'llmContent':'Command: x\\nExit Code: 4','returnDisplay':'y'}",
     "Command: x\nExit Code: 4", 4},
    {"gemini", "AfterTool", "'tool_response':{'llmContent':'','error':{'message':'gone'}}", NULL,
     1},
    {"qwen", "PostToolUse", "'tool_response':null", "", 0},
    {"qwen", "PostToolUse", "'tool_response':17", "", 0},
    {"qwen", "PostToolUse", "'x':1", "", 0},
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

START_TEST(test_only_a_prompt_of_a_person_starts_over)
{
    read_as("claude", "{'session_id':'s','hook_event_name':'UserPromptSubmit','prompt':'go'}");
    ck_assert_int_eq(input.kind, HOOK_PROMPT);
    ck_assert_str_eq(input.text, "go");
    hook_input_done(&input);
    read_as("qwen", "{'session_id':'s','hook_event_name':'UserPromptSubmit','prompt':''}");
    ck_assert_int_eq(input.kind, HOOK_OTHER);
    hook_input_done(&input);
    read_as("qwen", "{'session_id':'s','hook_event_name':'UserPromptSubmit','prompt':'go on'}");
    ck_assert_int_eq(input.kind, HOOK_PROMPT);
    ck_assert_str_eq(input.text, "go on");
    hook_input_done(&input);
    read_as("qwen", "{'session_id':'s','hook_event_name':'UserPromptSubmit','prompt':'go\\n(more)',"
                    "'submitted_prompt':'go'}");
    ck_assert_int_eq(input.kind, HOOK_PROMPT);
    ck_assert_str_eq(input.text, "go");
}
END_TEST

START_TEST(test_an_unknown_event_is_ignored)
{
    read_as("claude", "{'session_id':'s','hook_event_name':'WorktreeCreate','new':[]}");
    ck_assert_int_eq(input.kind, HOOK_OTHER);
}
END_TEST

static const struct {
    const char *json;
    int64_t ms;
} times[] = {{"1500", 1500}, {"0.5", 0}, {"-1", 0}, {"1e300", 0}, {"\"1\"", 0}, {"null", 0}};

START_TEST(test_invalid_times_are_ignored)
{
    struct str json = {0};
    str_addf(&json, "{\"session_id\":\"s\",\"hook_event_name\":\"PostToolUse\",\"duration_ms\":%s}",
             times[_i].json);
    read_as("claude", str_text(&json));
    ck_assert_int_eq(input.ms, times[_i].ms);
    str_done(&json);
}
END_TEST

static const char *const bad_events[] = {
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

START_TEST(test_invalid_events_are_refused)
{
    struct str text = {0};
    struct err err = {0};
    str_add(&text, bad_events[_i]);
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
                               "call, it will be denied.\"}}\n");
    str_clear(&out);
    hook_input_done(&input);
    begin_as("claude", "PostToolUse");
    hook_answer_say(&input, true, "Circles.", &out);
    ck_assert_str_eq(out.data, "{\"decision\":\"block\",\"reason\":\"Stop. Circles. If you repeat "
                               "this call, it will be denied.\"}\n");
    str_clear(&out);
    hook_answer_say(&input, false, "Circles.", &out);
    ck_assert_str_eq(out.data, "{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\","
                               "\"additionalContext\":\"Circles.\"}}\n");
    str_done(&out);
}
END_TEST

static struct str text;
static const struct hook_agent *agent;

static void setup(void)
{
    text = (struct str){0};
    agent = hook_agent_named("codex");
}

static void teardown(void)
{
    str_done(&text);
}

static void add(const char *command)
{
    struct err err = {0};
    ck_assert_msg(hook_settings_add(&text, agent, command, &err), "%s", err.message);
}

static void take_out(void)
{
    struct err err = {0};
    ck_assert_msg(hook_settings_remove(&text, &err), "%s", err.message);
}

static size_t count(void)
{
    size_t count = 0;
    ck_assert(hook_settings_count(&text, agent, &count, NULL));
    return count;
}

/* Each comes back byte by byte, but for what the second text says. */
static const struct {
    const char *name;
    const char *text;
    const char *after; /* NULL: the same */
} trips[] = {
    {"none", "", "{}\n"},
    {"empty", "{}\n", NULL},
    {"empty, without a line feed", "{}", NULL},
    {"one line", "{'model':'x','env':{'A':'1'}}", NULL},
    {"two spaces", "{\n  'model': 'x',\n  'env': {\n    'A': '1'\n  }\n}\n", NULL},
    {"tabs", "{\n\t'model': 'x'\n}\n", NULL},
    {"CRLF", "{\r\n    'model': 'x'\r\n}\r\n", NULL},
    {"order and odd spaces", "{ 'z' : 1 ,\n 'a':[1,2 , 3]\n}", NULL},
    {"comments", "// mine\n{\n  // first\n  'a': 1, /* one */\n  'b': '//no' // last\n}\n// end\n",
     NULL},
    {"a comma too many", "{\n  'a': [1, 2, ],\n  'b': 1,\n}\n", NULL},
    {"a mark at the start", "\xef\xbb\xbf{\n  'a': 1\n}\n", NULL},
    {"large numbers", "{\n  'a': 123456789012345678901234567890,\n  'b': 1e300\n}\n", NULL},
    {"hooks of others",
     "{\n  'hooks': {\n    'Stop': [\n      {\n        'hooks': [\n          {\n            "
     "'type': 'command',\n            'command': 'say done'\n          }\n        ]\n      }\n    "
     "],\n    'Notification': [\n      {'hooks': [{'type': 'command', 'command': 'x'}]}\n    ]\n  "
     "},\n  'model': 'x'\n}\n",
     NULL},
    {"hooks of others, one line",
     "{'hooks':{'Stop':[{'hooks':[{'type':'command','command':'x'}]}]}}", NULL},
    {"hooks of others with comments",
     "{\n  'hooks': {\n    // when it stops\n    'Stop': [\n      {'hooks': [{'command': 'x'}]}, "
     "// mine\n    ], /* the end */\n  },\n}\n",
     NULL},
    {"hooks that are there and empty", "{\n  'hooks': {}\n}\n", "{}\n"},
    {"one line and a comment", "{'a': 1 // mine\n}\n", NULL},
    {"one line, a comma too many and a comment", "{'a': 1, // mine\n}", NULL},
    {"a comment where it ends", "{ // mine\n 'a': 1}", NULL},
    {"names with escapes",
     "{'ho\\u006fks': {'St\\u006fp': [{'h\\u006foks': [{'command': 'x'}]}]}}\n", NULL},
    {"brackets and quotes in texts", "{\n  'a': '}]\\'{[/*',\n  'b]': '//'\n}\n", NULL},
};

START_TEST(test_settings_come_back_as_they_were)
{
    str_add(&text, test_json(trips[_i].text));
    add("devs hook --agent codex");
    ck_assert_uint_eq(count(), 5);
    struct jsonc jsonc;
    struct err err = {0};
    ck_assert_msg(jsonc_open(&jsonc, &text, &err), "%s\n%s", err.message, text.data);
    const struct json *stop = json_get(json_get(jsonc.tree, "hooks"), "Stop");
    const struct json *last = json_at(stop, json_count(stop) - 1);
    ck_assert_str_eq(json_text(json_get(json_at(json_get(last, "hooks"), 0), "command"), ""),
                     "devs hook --agent codex");
    jsonc_close(&jsonc);
    take_out();
    ck_assert_uint_eq(count(), 0);
    const char *want = test_json(trips[_i].after ? trips[_i].after : trips[_i].text);
    ck_assert_msg(strcmp(str_text(&text), want) == 0, "%s: got\n%s", trips[_i].name,
                  str_text(&text));
}
END_TEST

START_TEST(test_added_twice_is_added_once)
{
    struct str first = {0};
    str_add(&text, "{\n  \"model\": \"x\" // mine\n}\n");
    add("devs hook --agent codex");
    str_add(&first, str_text(&text));
    add("devs hook --agent codex");
    ck_assert_str_eq(str_text(&text), str_text(&first));
    add("/opt/a b/devs hook --agent codex"); /* it has moved */
    ck_assert_uint_eq(count(), 0);           /* that is no word of a shell */
    take_out();
    add("'/opt/a b/devs' hook --agent codex");
    ck_assert_uint_eq(count(), 5);
    add("devs hook --agent codex");
    ck_assert_ptr_null(strstr(str_text(&text), "/opt/a b/devs' hook"));
    str_done(&first);
}
END_TEST

START_TEST(test_only_our_hooks_go)
{
    str_add(&text, "{\"hooks\":{\"Stop\":[{\"matcher\":\"*\",\"hooks\":["
                   "{\"command\":\"notdevs hook\"},{\"command\":\"/usr/bin/devs hook\"},"
                   "{\"command\":\"devs hooks\"},{\"command\":\"echo devs hook\"}]}]}}");
    take_out();
    ck_assert_str_eq(str_text(&text),
                     "{\"hooks\":{\"Stop\":[{\"matcher\":\"*\",\"hooks\":["
                     "{\"command\":\"notdevs hook\"},"
                     "{\"command\":\"devs hooks\"},{\"command\":\"echo devs hook\"}]}]}}");
}
END_TEST

/* What stands behind ours on its line stays out of the comment before it. */
static const struct {
    const char *text, *after;
} commented[] = {
    {"{'hooks': {'Stop': [ // mine\n  {'hooks': [{'command': 'devs hook'}]}, {}]}}",
     "{'hooks': {'Stop': [ // mine\n {}]}}"},
    {"{'hooks': {'Stop': [ // mine\n  {'hooks': [{'command': 'devs hook'}]}]}}",
     "{'hooks': {'Stop': [ // mine\n]}}"},
};

START_TEST(test_a_comment_before_ours_takes_nothing_in)
{
    str_add(&text, test_json(commented[_i].text));
    take_out();
    ck_assert_str_eq(str_text(&text), test_json(commented[_i].after));
}
END_TEST

static const char *const bad_settings[] = {
    "[]",
    "nonsense",
    "{\"a\": 1",
    "{\"a\": 1} {",
    "{\"hooks\": []}",
    "{\"hooks\": {\"Stop\": {}}}",
    "{\"hooks\": {\"Stop\": \"x\"}}",
    "{\"a\": 1, \"a\": 2}",
    "{\"a\": 1 /* no end }",
    "{,}",
    "{\"a\": [,]}",
};

START_TEST(test_settings_that_cannot_be_parsed_stay)
{
    struct err err = {0};
    str_add(&text, bad_settings[_i]);
    ck_assert(!hook_settings_add(&text, agent, "devs hook", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert(err.message[0] != '\0');
    ck_assert_str_eq(str_text(&text), bad_settings[_i]);
    ck_assert(!hook_settings_remove(&text, NULL));
    ck_assert_str_eq(str_text(&text), bad_settings[_i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hook");
    TCase *hook_input_cases = test_case(suite, "hook_input");
    tcase_add_checked_fixture(hook_input_cases, forget_input, close_input);
    tcase_add_loop_test(hook_input_cases, test_results_are_read_in_each_form, 0,
                        TABLE_LEN(results));
    tcase_add_test(hook_input_cases, test_only_a_prompt_of_a_person_starts_over);
    tcase_add_test(hook_input_cases, test_an_unknown_event_is_ignored);
    tcase_add_loop_test(hook_input_cases, test_invalid_times_are_ignored, 0, TABLE_LEN(times));
    tcase_add_loop_test(hook_input_cases, test_invalid_events_are_refused, 0,
                        TABLE_LEN(bad_events));
    tcase_add_test(hook_input_cases, test_each_agent_is_answered_in_its_own_way);
    TCase *hook_settings_cases = test_case(suite, "hook_settings");
    tcase_add_checked_fixture(hook_settings_cases, setup, teardown);
    tcase_add_loop_test(hook_settings_cases, test_settings_come_back_as_they_were, 0,
                        TABLE_LEN(trips));
    tcase_add_test(hook_settings_cases, test_added_twice_is_added_once);
    tcase_add_test(hook_settings_cases, test_only_our_hooks_go);
    tcase_add_loop_test(hook_settings_cases, test_a_comment_before_ours_takes_nothing_in, 0,
                        TABLE_LEN(commented));
    tcase_add_loop_test(hook_settings_cases, test_settings_that_cannot_be_parsed_stay, 0,
                        TABLE_LEN(bad_settings));
    return suite;
}
