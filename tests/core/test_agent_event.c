#include "agent_event.h"

#include <string.h>

#include "json.h"
#include "test_main.h"

/* Events of an agent's output, the last one first, as many as it takes to know the end. */
static const struct {
    const char *name;
    enum agent agent;
    const char *events[3];
    enum agent_step step; /* of the last one given */
    enum agent_end end;
    int64_t status;
    const char *words;
    const char *said;
} cases[] = {
    {.name = "no object", .agent = AGENT_CLAUDE, .events = {"[1]"}, .step = AGENT_STEP_NONE},
    {.name = "claude is done",
     .agent = AGENT_CLAUDE,
     .events = {"{\"type\":\"result\",\"is_error\":false,\"result\":\"ok\"}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE,
     .said = "ok"},
    {.name = "claude: the window stands before the result",
     .agent = AGENT_CLAUDE,
     .events = {"{\"type\":\"result\",\"is_error\":true,\"result\":\"limit\"}",
                "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
                "\"resetsAt\":1795223940}}",
                "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed\","
                "\"resets_at\":1795223941}}"},
     .step = AGENT_STEP_ON,
     .end = AGENT_END_FAILED,
     .words = "limit\n\"resets_at\":1795223940\n"},
    {.name = "claude: rejected, but until when it does not say",
     .agent = AGENT_CLAUDE,
     .events = {"{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\"}}"},
     .step = AGENT_STEP_ON},
    {.name = "claude: a result before the last is none",
     .agent = AGENT_CLAUDE,
     .events = {"{\"type\":\"result\",\"is_error\":true,\"result\":\"a\"}",
                "{\"type\":\"result\",\"is_error\":true,\"result\":\"b\"}"},
     .step = AGENT_STEP_ON,
     .end = AGENT_END_FAILED,
     .words = "a\n"},
    {.name = "claude: all that an error says",
     .agent = AGENT_CLAUDE,
     .events = {"{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"api_error_status\":529,"
                "\"errors\":[\"one\",\"two\"],\"error\":\"three\"}"},
     .step = AGENT_STEP_ON,
     .end = AGENT_END_FAILED,
     .status = 529,
     .words = "agent ended: error_max_turns\none\ntwo\nthree\n"},
    {.name = "qwen: something on the way",
     .agent = AGENT_QWEN,
     .events = {"{\"type\":\"assistant\"}"},
     .step = AGENT_STEP_ON},
    {.name = "qwen says it in the text",
     .agent = AGENT_QWEN,
     .events = {"{\"type\":\"result\",\"is_error\":false,\"result\":\"[API Error: 503]\"}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "[API Error: 503]\n"},
    {.name = "codex failed",
     .agent = AGENT_CODEX,
     .events = {"{\"type\":\"turn.failed\",\"error\":{\"message\":\"429\",\"code\":429}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .status = 429,
     .words = "429\n"},
    {.name = "codex: a code below 100 is an exit code",
     .agent = AGENT_CODEX,
     .events = {"{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\",\"code\":1}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "no\n"},
    {.name = "codex: its last message stands before the end",
     .agent = AGENT_CODEX,
     .events = {"{\"type\":\"turn.completed\"}",
                "{\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\",\"text\":\"hm\"}}",
                "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","
                "\"text\":\"done\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE,
     .said = "done"},
    {.name = "codex: a notice of a try is no end",
     .agent = AGENT_CODEX,
     .events = {"{\"type\":\"error\",\"message\":\"reconnecting 1/5\"}"},
     .step = AGENT_STEP_ON},
    {.name = "gemini: one object with an error",
     .agent = AGENT_GEMINI,
     .events = {"{\"error\":{\"message\":\"quota\",\"code\":429}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .status = 429,
     .words = "quota\n"},
    {.name = "gemini: one object with a response",
     .agent = AGENT_GEMINI,
     .events = {"{\"response\":\"fine\",\"stats\":{}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE,
     .said = "fine"},
    {.name = "gemini: words in pieces",
     .agent = AGENT_GEMINI,
     .events = {"{\"type\":\"result\",\"status\":\"success\"}",
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"world\"}",
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"hello \"}"},
     .step = AGENT_STEP_ON,
     .end = AGENT_END_DONE,
     .said = "hello world"},
    {.name = "gemini: what the person said is not said",
     .agent = AGENT_GEMINI,
     .events = {"{\"type\":\"result\",\"status\":\"success\"}",
                "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}"},
     .step = AGENT_STEP_ON,
     .end = AGENT_END_DONE},
    {.name = "gemini: a message without a result",
     .agent = AGENT_GEMINI,
     .events = {"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"x\"}"},
     .step = AGENT_STEP_ON},
    {.name = "gemini: a result with an error",
     .agent = AGENT_GEMINI,
     .events = {"{\"type\":\"result\",\"status\":\"error\",\"error\":{\"message\":\"no\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "no\n"},
    {.name = "gemini: the error stands before the result",
     .agent = AGENT_GEMINI,
     .events = {"{\"type\":\"result\",\"status\":\"error\"}",
                "{\"type\":\"error\",\"message\":\"quota\"}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "quota\n"},
    {.name = "gemini: a loop",
     .agent = AGENT_GEMINI,
     .events = {"{\"type\":\"error\",\"message\":\"Loop detected\"}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "agent ended: loop\nLoop detected\n"},
    {.name = "gemini: a warning",
     .agent = AGENT_GEMINI,
     .events = {"{\"type\":\"error\",\"message\":\"careful\"}"},
     .step = AGENT_STEP_ON},
    {.name = "opencode: facts under data, headers with them",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"error\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":"
                "\"slow\",\"statusCode\":429,\"responseBody\":\"body\",\"responseHeaders\":"
                "{\"retry-after\":\"3\",\"x-ratelimit-reset\":\"9\",\"retry-count\":2,"
                "\"date\":\"x\"}}}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .status = 429,
     .words = "APIError\nslow\nbody\nretry-after: 3\nx-ratelimit-reset: 9\n"},
    {.name = "opencode: an error before a good end does not count",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}",
                "{\"type\":\"error\",\"error\":{\"message\":\"x\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE},
    {.name = "opencode: its words stand before the end",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}", "{\"type\":\"tool\"}",
                "{\"type\":\"text\",\"part\":{\"text\":\"ok\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE,
     .said = "ok"},
    {.name = "opencode: a second end on the way",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}",
                "{\"type\":\"step_finish\",\"part\":{\"reason\":\"length\"}}"},
     .step = AGENT_STEP_ON,
     .end = AGENT_END_DONE},
    {.name = "opencode: cut by the length",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"length\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "agent ended: length\n"},
    {.name = "opencode: filtered",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"content-filter\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "agent ended: content-filter\n"},
    {.name = "opencode: between two steps",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\"}}"},
     .step = AGENT_STEP_ON},
    {.name = "opencode: words and no end",
     .agent = AGENT_OPENCODE,
     .events = {"{\"type\":\"text\",\"part\":{\"text\":\"ok\"}}"},
     .step = AGENT_STEP_ON},
    {.name = "pi stopped",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"error\"},{\"stopReason\":"
                "\"stop\",\"content\":[{\"text\":\"a\"},{\"text\":\"b\"}]}]}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE,
     .said = "b"},
    {.name = "pi stopped and said nothing",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"message_end\",\"message\":{\"stopReason\":\"stop\",\"content\":[]}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE},
    {.name = "pi: no message at all",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"agent_end\",\"messages\":[]}"},
     .step = AGENT_STEP_ON},
    {.name = "pi failed",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"turn_end\",\"message\":{\"stopReason\":\"error\",\"errorMessage\":"
                "\"529 overloaded\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "529 overloaded\n"},
    {.name = "pi: cut by the length",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"turn_end\",\"message\":{\"stopReason\":\"length\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "agent ended: length\n"},
    {.name = "pi: a message on the way",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"message_end\",\"message\":{\"stopReason\":\"toolUse\"}}"},
     .step = AGENT_STEP_ON},
    {.name = "pi: its own tries are used up",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"auto_retry_end\",\"finalError\":\"503\"}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "503\n"},
    {.name = "pi: its own tries went well",
     .agent = AGENT_PI,
     .events = {"{\"type\":\"auto_retry_end\",\"success\":true}"},
     .step = AGENT_STEP_ON},
    {.name = "not known whose: pi's shape",
     .agent = AGENT_NONE,
     .events = {"{\"type\":\"auto_retry_end\",\"finalError\":\"503\"}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "503\n"},
    {.name = "not known whose: an end of pi",
     .agent = AGENT_NONE,
     .events = {"{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"stop\"}]}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_DONE},
    {.name = "not known whose: a failed turn",
     .agent = AGENT_NONE,
     .events = {"{\"type\":\"turn.failed\",\"error\":{\"message\":\"x\"}}"},
     .step = AGENT_STEP_END,
     .end = AGENT_END_FAILED,
     .words = "x\n"},
    {.name = "not known whose: no end",
     .agent = AGENT_NONE,
     .events = {"{\"type\":\"assistant\"}"},
     .step = AGENT_STEP_NONE},
};

START_TEST(test_event_tells_the_end)
{
    struct agent_result result = {0};
    enum agent_step step = AGENT_STEP_NONE;
    for (int i = 0; i < 3 && cases[_i].events[i]; i++) {
        struct json *event = NULL;
        const char *text = cases[_i].events[i];
        ck_assert_msg(json_parse(text, strlen(text), &event, NULL, NULL), "%s", text);
        step = agent_event_read(cases[_i].agent, event, &result);
        json_free(event);
    }
    const char *name = cases[_i].name;
    const char *words = cases[_i].words ? cases[_i].words : "";
    const char *said = cases[_i].said ? cases[_i].said : "";
    ck_assert_msg(step == cases[_i].step, "%s: step %d", name, (int)step);
    ck_assert_msg(result.end == cases[_i].end, "%s: end %d", name, (int)result.end);
    ck_assert_msg(result.status == cases[_i].status, "%s: %lld", name, (long long)result.status);
    ck_assert_msg(strcmp(str_text(&result.words), words) == 0, "%s: %s", name,
                  str_text(&result.words));
    ck_assert_msg(strcmp(str_text(&result.said), said) == 0, "%s: %s", name,
                  str_text(&result.said));
    agent_result_done(&result);
}
END_TEST

/* A long answer is no refusal. */
START_TEST(test_long_last_words_are_not_kept)
{
    struct str text = {0};
    struct json *event = NULL;
    struct agent_result result = {0};
    str_add(&text, "{\"type\":\"result\",\"result\":\"");
    for (int i = 0; i <= AGENT_SAID_MAX; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\"}");
    ck_assert(json_parse(text.data, text.len, &event, NULL, NULL));
    ck_assert_int_eq(agent_event_read(AGENT_QWEN, event, &result), AGENT_STEP_END);
    ck_assert_uint_eq(result.said.len, 0);
    agent_result_done(&result);
    json_free(event);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("agent_event");
    TCase *tcase = test_case(suite, "events");
    tcase_add_loop_test(tcase, test_event_tells_the_end, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_long_last_words_are_not_kept);
    return suite;
}
