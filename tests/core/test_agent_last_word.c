/* Where in an agent's output its last word stands. */
#include <string.h>

#include "agent_result.h"
#include "test_main.h"

#define FAILED "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}}"
#define ON     "{\"type\":\"item.started\"}\n"
#define ON8    ON ON ON ON ON ON ON ON

static const struct {
    const char *name;
    const char *agent;
    const char *out, *err;
    enum agent_end end;
    int64_t offset, status;
    bool on_err;
} cases[] = {
    {.name = "nothing", .agent = "codex", .out = ""},
    {.name = "blanks", .agent = "codex", .out = " \t\r\n"},
    {.name = "plain words", .agent = "codex", .out = "all done\n"},
    {.name = "a bracket is not JSON", .agent = "codex", .out = "}\n"},
    {.name = "a list's end alone", .agent = "codex", .out = "x\n]\n"},
    {.name = "broken", .agent = "codex", .out = "{\"type\":\n"},
    {.name = "the last line, blanks behind it",
     .agent = "codex",
     .out = ON FAILED " \t\r\n\n",
     .end = AGENT_END_FAILED,
     .offset = sizeof(ON) - 1},
    {.name = "a list in one line",
     .agent = "codex",
     .out = "[{\"type\":\"item.started\"}," FAILED "]",
     .end = AGENT_END_FAILED},
    {.name = "a list over lines",
     .agent = "codex",
     .out = "x\n[\n" FAILED "\n]\n",
     .end = AGENT_END_FAILED,
     .offset = 2},
    {.name = "an empty list", .agent = "codex", .out = "[]\n"},
    {.name = "an event over lines",
     .agent = "codex",
     .out = "{\n\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}\n}\n",
     .end = AGENT_END_FAILED},
    {.name = "not known whose: over lines is any program's",
     .agent = NULL,
     .out = "{\n\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}\n}\n"},
    {.name = "not known whose: the last of a list only",
     .agent = NULL,
     .out = "[" FAILED ",{\"type\":\"item.started\"}]"},
    {.name = "not known whose: the last line only", .agent = NULL, .out = FAILED "\n" ON},
    {.name = "events without an end", .agent = "codex", .out = ON ON, .end = AGENT_END_CUT},
    {.name = "an end far away",
     .agent = "codex",
     .out = FAILED "\n" ON8 ON8 ON8 ON8 ON8 ON8 ON8 ON8,
     .end = AGENT_END_FAILED},
    {.name = "the agent goes on after an end",
     .agent = "codex",
     .out = FAILED "\n{\"type\":\"turn.started\"}\n",
     .end = AGENT_END_CUT},
    {.name = "an error as an answer",
     .agent = "qwen",
     .out = "thinking\n[API Error: 503 overloaded]\n",
     .end = AGENT_END_FAILED,
     .offset = 9,
     .status = 503},
    {.name = "nearly one", .agent = "qwen", .out = "[API Error"},
    {.name = "long, but none", .agent = "qwen", .out = "There was an [API Error: 503]"},
    {.name = "a status before a colon",
     .agent = "codex",
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"API Error: 401: who\"}}",
     .end = AGENT_END_FAILED,
     .status = 401},
    {.name = "a number that is no status",
     .agent = "codex",
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"300 lines\"}}",
     .end = AGENT_END_FAILED},
    {.name = "a longer number",
     .agent = "codex",
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"5031 lines\"}}",
     .end = AGENT_END_FAILED},
    {.name = "a number with a unit",
     .agent = "codex",
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"500ms\"}}",
     .end = AGENT_END_FAILED},
    {.name = "gemini: on stderr, below a trace",
     .agent = "gemini",
     .out = "",
     .err = "at x\n{\"error\":{\"message\":\"no\",\"code\":403}}\n",
     .end = AGENT_END_FAILED,
     .offset = 5,
     .status = 403,
     .on_err = true},
    {.name = "gemini: on stderr, words below it",
     .agent = "gemini",
     .out = "",
     .err = "{\"error\":{\"message\":\"no\",\"code\":403}}\nbye\n",
     .end = AGENT_END_FAILED,
     .status = 403,
     .on_err = true},
    {.name = "gemini: an answer on stderr is none",
     .agent = "gemini",
     .out = "",
     .err = "{\"response\":\"fine\"}\n"},
};

static struct classify_text text_of(const char *text)
{
    return (struct classify_text){.bytes = text ? text : "", .len = text ? strlen(text) : 0};
}

START_TEST(test_last_word)
{
    struct agent_result result;
    const struct classify_input input = {
        .agent = adapters_find(NULL, cases[_i].agent),
        .out = text_of(cases[_i].out),
        .err = text_of(cases[_i].err),
    };
    agent_result_init(&result, &input);
    ck_assert_msg(result.end == cases[_i].end, "%s: end %d", cases[_i].name, (int)result.end);
    ck_assert_msg(result.offset == cases[_i].offset, "%s: at %lld", cases[_i].name,
                  (long long)result.offset);
    ck_assert_msg(result.status == cases[_i].status, "%s: %lld", cases[_i].name,
                  (long long)result.status);
    ck_assert_msg(result.on_err == cases[_i].on_err, "%s: stream", cases[_i].name);
    agent_result_done(&result);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("agent_last_word");
    TCase *tcase = test_case(suite, "streams");
    tcase_add_loop_test(tcase, test_last_word, 0, TABLE_LEN(cases));
    return suite;
}
