/* Where in an agent's output its last word stands. */
#include <string.h>

#include "agent_result.h"
#include "test_main.h"

#define FAILED "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}}"
#define ON     "{\"type\":\"item.started\"}\n"
#define ON8    ON ON ON ON ON ON ON ON

static const struct {
    const char *name;
    enum agent agent;
    const char *out, *err;
    enum agent_end end;
    int64_t offset, status;
    bool on_err;
} cases[] = {
    {.name = "nothing", .agent = AGENT_CODEX, .out = ""},
    {.name = "blanks", .agent = AGENT_CODEX, .out = " \t\r\n"},
    {.name = "plain words", .agent = AGENT_CODEX, .out = "all done\n"},
    {.name = "a bracket is not JSON", .agent = AGENT_CODEX, .out = "}\n"},
    {.name = "a list's end alone", .agent = AGENT_CODEX, .out = "x\n]\n"},
    {.name = "broken", .agent = AGENT_CODEX, .out = "{\"type\":\n"},
    {.name = "the last line, blanks behind it",
     .agent = AGENT_CODEX,
     .out = ON FAILED " \t\r\n\n",
     .end = AGENT_END_FAILED,
     .offset = sizeof(ON) - 1},
    {.name = "a list in one line",
     .agent = AGENT_CODEX,
     .out = "[{\"type\":\"item.started\"}," FAILED "]",
     .end = AGENT_END_FAILED},
    {.name = "a list over lines",
     .agent = AGENT_CODEX,
     .out = "x\n[\n" FAILED "\n]\n",
     .end = AGENT_END_FAILED,
     .offset = 2},
    {.name = "an empty list", .agent = AGENT_CODEX, .out = "[]\n"},
    {.name = "an event over lines",
     .agent = AGENT_CODEX,
     .out = "{\n\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}\n}\n",
     .end = AGENT_END_FAILED},
    {.name = "not known whose: over lines is any program's",
     .agent = AGENT_NONE,
     .out = "{\n\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}\n}\n"},
    {.name = "not known whose: the last of a list only",
     .agent = AGENT_NONE,
     .out = "[" FAILED ",{\"type\":\"item.started\"}]"},
    {.name = "not known whose: the last line only", .agent = AGENT_NONE, .out = FAILED "\n" ON},
    {.name = "events without an end", .agent = AGENT_CODEX, .out = ON ON, .end = AGENT_END_CUT},
    {.name = "the end is too far away",
     .agent = AGENT_CODEX,
     .out = FAILED "\n" ON8 ON8 ON8 ON8 ON8 ON8 ON8 ON8,
     .end = AGENT_END_CUT},
    {.name = "an error as an answer",
     .agent = AGENT_QWEN,
     .out = "thinking\n[API Error: 503 overloaded]\n",
     .end = AGENT_END_FAILED,
     .offset = 9,
     .status = 503},
    {.name = "nearly one", .agent = AGENT_QWEN, .out = "[API Error"},
    {.name = "long, but none", .agent = AGENT_QWEN, .out = "There was an [API Error: 503]"},
    {.name = "a status before a colon",
     .agent = AGENT_CODEX,
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"API Error: 401: who\"}}",
     .end = AGENT_END_FAILED,
     .status = 401},
    {.name = "a number that is no status",
     .agent = AGENT_CODEX,
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"300 lines\"}}",
     .end = AGENT_END_FAILED},
    {.name = "a longer number",
     .agent = AGENT_CODEX,
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"5031 lines\"}}",
     .end = AGENT_END_FAILED},
    {.name = "a number with a unit",
     .agent = AGENT_CODEX,
     .out = "{\"type\":\"turn.failed\",\"error\":{\"message\":\"500ms\"}}",
     .end = AGENT_END_FAILED},
    {.name = "gemini: on stderr, below a trace",
     .agent = AGENT_GEMINI,
     .out = "",
     .err = "at x\n{\"error\":{\"message\":\"no\",\"code\":403}}\n",
     .end = AGENT_END_FAILED,
     .offset = 5,
     .status = 403,
     .on_err = true},
    {.name = "gemini: on stderr, words below it",
     .agent = AGENT_GEMINI,
     .out = "",
     .err = "{\"error\":{\"message\":\"no\",\"code\":403}}\nbye\n",
     .end = AGENT_END_FAILED,
     .status = 403,
     .on_err = true},
    {.name = "gemini: an answer on stderr is none",
     .agent = AGENT_GEMINI,
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
    struct classify_text out = text_of(cases[_i].out);
    struct classify_text err = text_of(cases[_i].err);
    agent_result_init(&result, cases[_i].agent, &out, &err);
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
    Suite *suite = suite_create("agent_stream");
    TCase *tcase = test_case(suite, "streams");
    tcase_add_loop_test(tcase, test_last_word, 0, TABLE_LEN(cases));
    return suite;
}
