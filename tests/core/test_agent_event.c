#include "agent_result.h"

#include <string.h>

#include "test_main.h"

/* Events of an agent's output, the last one first, as many as it takes to know the end. */
static const struct {
    const char *name;
    const char *agent;
    const char *events[3];
    enum agent_end end;
    int64_t status;
    const char *words;
    const char *said;
} cases[] = {
    {.name = "no object", .agent = "claude", .events = {"[1]"}},
    {.name = "claude is done",
     .agent = "claude",
     .events = {"{\"type\":\"result\",\"is_error\":false,\"result\":\"ok\"}"},
     .end = AGENT_END_DONE,
     .said = "ok"},
    {.name = "claude: the window stands before the result",
     .agent = "claude",
     .events = {"{\"type\":\"result\",\"is_error\":true,\"result\":\"limit\"}",
                "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
                "\"resetsAt\":1795223940}}",
                "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"allowed\","
                "\"resets_at\":1795223941}}"},
     .end = AGENT_END_FAILED,
     .words = "limit\n\"resets_at\":1795223940\n"},
    {
        .name = "claude: rejected, but until when it does not say",
        .agent = "claude",
        .events = {"{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\"}}"},
        .end = AGENT_END_CUT,
    },
    {.name = "claude: a result before the last is none",
     .agent = "claude",
     .events = {"{\"type\":\"result\",\"is_error\":true,\"result\":\"a\"}",
                "{\"type\":\"result\",\"is_error\":true,\"result\":\"b\"}"},
     .end = AGENT_END_FAILED,
     .words = "a\n"},
    {.name = "claude: all that an error says",
     .agent = "claude",
     .events = {"{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"api_error_status\":529,"
                "\"errors\":[\"one\",\"two\"],\"error\":\"three\"}"},
     .end = AGENT_END_FAILED,
     .status = 529,
     .words = "agent ended: error_max_turns\none\ntwo\nthree\n"},
    {
        .name = "qwen: something on the way",
        .agent = "qwen",
        .events = {"{\"type\":\"assistant\"}"},
        .end = AGENT_END_CUT,
    },
    {.name = "qwen says it in the text",
     .agent = "qwen",
     .events = {"{\"type\":\"result\",\"is_error\":false,\"result\":\"[API Error: 503]\"}"},
     .end = AGENT_END_FAILED,
     .words = "[API Error: 503]\n"},
    {.name = "codex failed",
     .agent = "codex",
     .events = {"{\"type\":\"turn.failed\",\"error\":{\"message\":\"429\",\"code\":429}}"},
     .end = AGENT_END_FAILED,
     .status = 429,
     .words = "429\n"},
    {.name = "codex: a code below 100 is an exit code",
     .agent = "codex",
     .events = {"{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\",\"code\":1}}"},
     .end = AGENT_END_FAILED,
     .words = "no\n"},
    {.name = "codex: its last message stands before the end",
     .agent = "codex",
     .events = {"{\"type\":\"turn.completed\"}",
                "{\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\",\"text\":\"hm\"}}",
                "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\","
                "\"text\":\"done\"}}"},
     .end = AGENT_END_DONE,
     .said = "done"},
    {
        .name = "codex: a notice of a try is no end",
        .agent = "codex",
        .events = {"{\"type\":\"error\",\"message\":\"reconnecting 1/5\"}"},
        .end = AGENT_END_CUT,
    },
    {.name = "gemini: one object with an error",
     .agent = "gemini",
     .events = {"{\"error\":{\"message\":\"quota\",\"code\":429}}"},
     .end = AGENT_END_FAILED,
     .status = 429,
     .words = "quota\n"},
    {.name = "gemini: one object with a response",
     .agent = "gemini",
     .events = {"{\"response\":\"fine\",\"stats\":{}}"},
     .end = AGENT_END_DONE,
     .said = "fine"},
    {.name = "gemini: words in pieces",
     .agent = "gemini",
     .events =
         {"{\"type\":\"result\",\"status\":\"success\"}",
          "{\"type\":\"message\",\"role\":\"assistant\",\"delta\":true,\"content\":\"world\"}",
          "{\"type\":\"message\",\"role\":\"assistant\",\"delta\":true,\"content\":\"hello \"}"},
     .end = AGENT_END_DONE,
     .said = "hello world"},
    {.name = "gemini: what the person said is not said",
     .agent = "gemini",
     .events = {"{\"type\":\"result\",\"status\":\"success\"}",
                "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}"},
     .end = AGENT_END_DONE},
    {
        .name = "gemini: a message without a result",
        .agent = "gemini",
        .events = {"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"x\"}"},
        .end = AGENT_END_CUT,
    },
    {.name = "gemini: a result with an error",
     .agent = "gemini",
     .events = {"{\"type\":\"result\",\"status\":\"error\",\"error\":{\"message\":\"no\"}}"},
     .end = AGENT_END_FAILED,
     .words = "no\n"},
    {.name = "gemini: the error stands before the result",
     .agent = "gemini",
     .events = {"{\"type\":\"result\",\"status\":\"error\"}",
                "{\"type\":\"error\",\"message\":\"quota\"}"},
     .end = AGENT_END_FAILED,
     .words = "quota\n"},
    {.name = "gemini: a loop",
     .agent = "gemini",
     .events = {"{\"type\":\"result\",\"status\":\"success\"}",
                "{\"type\":\"error\",\"message\":\"Loop detected\"}"},
     .end = AGENT_END_FAILED,
     .words = "agent ended: loop\nLoop detected\n"},
    {
        .name = "gemini: a warning",
        .agent = "gemini",
        .events = {"{\"type\":\"error\",\"message\":\"careful\"}"},
        .end = AGENT_END_CUT,
    },
    {.name = "opencode: facts under data, headers with them",
     .agent = "opencode",
     .events = {"{\"type\":\"error\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":"
                "\"slow\",\"statusCode\":429,\"responseBody\":\"body\",\"responseHeaders\":"
                "{\"retry-after\":\"3\",\"x-ratelimit-reset\":\"9\",\"retry-count\":2,"
                "\"date\":\"x\"}}}}"},
     .end = AGENT_END_FAILED,
     .status = 429,
     .words = "APIError\nslow\nbody\nretry-after: 3\nx-ratelimit-reset: 9\n"},
    {.name = "opencode: an error before a good end does not count",
     .agent = "opencode",
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}",
                "{\"type\":\"error\",\"error\":{\"message\":\"x\"}}"},
     .end = AGENT_END_DONE},
    {.name = "opencode: its words stand before the end",
     .agent = "opencode",
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}", "{\"type\":\"tool\"}",
                "{\"type\":\"text\",\"part\":{\"text\":\"ok\"}}"},
     .end = AGENT_END_DONE,
     .said = "ok"},
    {.name = "opencode: a second end on the way",
     .agent = "opencode",
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}",
                "{\"type\":\"step_finish\",\"part\":{\"reason\":\"length\"}}"},
     .end = AGENT_END_DONE},
    {.name = "opencode: cut by the length",
     .agent = "opencode",
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"length\"}}"},
     .end = AGENT_END_FAILED,
     .words = "agent ended: length\n"},
    {.name = "opencode: filtered",
     .agent = "opencode",
     .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"content-filter\"}}"},
     .end = AGENT_END_FAILED,
     .words = "agent ended: content-filter\n"},
    {
        .name = "opencode: between two steps",
        .agent = "opencode",
        .events = {"{\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\"}}"},
        .end = AGENT_END_CUT,
    },
    {
        .name = "opencode: words and no end",
        .agent = "opencode",
        .events = {"{\"type\":\"text\",\"part\":{\"text\":\"ok\"}}"},
        .end = AGENT_END_CUT,
    },
    {.name = "pi stopped",
     .agent = "pi",
     .events = {"{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"error\"},{\"stopReason\":"
                "\"stop\",\"content\":[{\"text\":\"a\"},{\"text\":\"b\"}]}]}"},
     .end = AGENT_END_DONE,
     .said = "a\nb"},
    {.name = "pi stopped and said nothing",
     .agent = "pi",
     .events = {"{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"stop\",\"content\":[]}]}"},
     .end = AGENT_END_DONE},
    {
        .name = "pi: no message at all",
        .agent = "pi",
        .events = {"{\"type\":\"agent_end\",\"messages\":[]}"},
        .end = AGENT_END_CUT,
    },
    {.name = "pi failed",
     .agent = "pi",
     .events = {"{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"error\",\"errorMessage\":"
                "\"529 overloaded\"}]}"},
     .end = AGENT_END_FAILED,
     .status = 529,
     .words = "529 overloaded\n"},
    {.name = "pi: cut by the length",
     .agent = "pi",
     .events = {"{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"length\"}]}"},
     .end = AGENT_END_FAILED,
     .words = "agent ended: length\n"},
    {
        .name = "pi: a message on the way",
        .agent = "pi",
        .events = {"{\"type\":\"message_end\",\"message\":{\"stopReason\":\"toolUse\"}}"},
        .end = AGENT_END_CUT,
    },
    {.name = "pi: its own tries are used up",
     .agent = "pi",
     .events = {"{\"type\":\"auto_retry_end\",\"finalError\":\"503\"}"},
     .end = AGENT_END_FAILED,
     .words = "503\n"},
    {
        .name = "pi: its own tries went well",
        .agent = "pi",
        .events = {"{\"type\":\"auto_retry_end\",\"success\":true}"},
        .end = AGENT_END_CUT,
    },
    {.name = "not known whose: pi's shape",
     .agent = NULL,
     .events = {"{\"type\":\"auto_retry_end\",\"finalError\":\"503\"}"},
     .end = AGENT_END_FAILED,
     .words = "503\n"},
    {.name = "not known whose: an end of pi",
     .agent = NULL,
     .events = {"{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"stop\"}]}"},
     .end = AGENT_END_DONE},
    {.name = "not known whose: a failed turn",
     .agent = NULL,
     .events = {"{\"type\":\"turn.failed\",\"error\":{\"message\":\"x\"}}"},
     .end = AGENT_END_FAILED,
     .words = "x\n"},
    {
        .name = "not known whose: no end",
        .agent = NULL,
        .events = {"{\"type\":\"assistant\"}"},
    },
};

START_TEST(test_event_tells_the_end)
{
    enum { EVENTS = TABLE_LEN(cases[0].events) };
    struct str out = {0};
    struct agent_result result;
    const char *name = cases[_i].name;
    const char *words = cases[_i].words ? cases[_i].words : "";
    const char *said = cases[_i].said ? cases[_i].said : "";
    for (int i = EVENTS; i > 0; i--) {
        if (cases[_i].events[i - 1])
            str_addf(&out, "%s\n", cases[_i].events[i - 1]);
    }
    const struct classify_input input = {
        .agent = adapters_find(NULL, cases[_i].agent),
        .out = {.bytes = str_text(&out), .len = out.len},
    };
    agent_result_init(&result, &input);
    ck_assert_msg(result.end == cases[_i].end, "%s: end %d", name, (int)result.end);
    ck_assert_msg(result.status == cases[_i].status, "%s: %lld", name, (long long)result.status);
    ck_assert_msg(strcmp(str_text(&result.words), words) == 0, "%s: %s", name,
                  str_text(&result.words));
    ck_assert_msg(strcmp(str_text(&result.said), said) == 0, "%s: %s", name,
                  str_text(&result.said));
    agent_result_done(&result);
    str_done(&out);
}
END_TEST

/* A long answer is no refusal. */
START_TEST(test_long_last_words_are_not_kept)
{
    struct str text = {0};
    struct agent_result result;
    str_add(&text, "{\"type\":\"result\",\"result\":\"");
    for (int i = 0; i <= AGENT_SAID_MAX; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\"}");
    const struct classify_input input = {
        .agent = adapters_find(NULL, "qwen"),
        .out = {.bytes = str_text(&text), .len = text.len},
    };
    agent_result_init(&result, &input);
    ck_assert_int_eq(result.end, AGENT_END_DONE);
    ck_assert_uint_eq(result.said.len, 0);
    agent_result_done(&result);
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
