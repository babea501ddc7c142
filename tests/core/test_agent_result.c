#include "agent_result.h"

#include "adapter.h"
#include "judge.h"
#include "test_main.h"

static const struct {
    const char *name;
    int code;
    const char *out;
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
} agent_cases[] = {
    {"status", 1,
     "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":503,\"result\":\"no\"}\n",
     VERDICT_TRANSIENT, TRANSIENT_API_OVERLOADED, REASON_NONE},
    {"status outranks earlier words", 1,
     "{\"type\":\"user\",\"message\":\"429 ETIMEDOUT\"}\n"
     "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":401,\"result\":\"no\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_AUTH},
    {"billing outranks the status", 1,
     "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":429,"
     "\"result\":\"insufficient_quota\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_QUOTA},
    {"message alone", 1,
     "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":null,"
     "\"result\":\"API Error: Unable to connect to API (ECONNRESET)\"}\n",
     VERDICT_TRANSIENT, TRANSIENT_NETWORK_TIMEOUT, REASON_NONE},
    {"turn failed", 1,
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"last status: 429 Too Many Requests\"}}\n",
     VERDICT_TRANSIENT, TRANSIENT_API_RATE_LIMIT, REASON_NONE},
    {"error with data", 1,
     "{\"type\":\"error\",\"error\":{\"data\":{\"message\":\"x\",\"statusCode\":502}}}\n",
     VERDICT_TRANSIENT, TRANSIENT_API_OVERLOADED, REASON_NONE},
    {"turns used up", 1,
     "{\"type\":\"result\",\"subtype\":\"error_max_turns\",\"is_error\":true}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_LIMIT},
    {"unknown words", 1, "{\"type\":\"result\",\"is_error\":true,\"result\":\"hm\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_NONE},
    {"exit 0 but an error", 0,
     "[{\"type\":\"system\"},{\"type\":\"result\",\"is_error\":false,"
     "\"result\":\"[API Error: 404 The model `x` does not exist]\"}]\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_NOT_FOUND},
    {"exit 0 and well", 0,
     "{\"type\":\"result\",\"is_error\":false,\"result\":\"I fixed the 429 ETIMEDOUT\"}\n",
     VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE},
    {"exit 0 and no event", 0, "{\"error\":{\"code\":429}}\n", VERDICT_SUCCESS, TRANSIENT_NONE,
     REASON_NONE},
    {"exit 0 and a logged error", 0, "{\"type\":\"error\",\"message\":\"HTTP 429\"}\n",
     VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE},
    {"broken JSON", 1, "{\"type\":\"result\",\"is_error\":true\n", VERDICT_PERSISTENT,
     TRANSIENT_NONE, REASON_NONE},
    {"what the agent said is not an error", 1,
     "{\"type\":\"assistant\",\"text\":\"HTTP 429, connect ETIMEDOUT\"}\n", VERDICT_PERSISTENT,
     TRANSIENT_NONE, REASON_NONE},
};

START_TEST(test_agent)
{
    const struct verdict verdict = judge(agent_cases[_i].code, "", agent_cases[_i].out);

    ck_assert_msg(verdict.class == agent_cases[_i].class, "%s: %s by %s", agent_cases[_i].name,
                  verdict_class_name(verdict.class), verdict.rule);
    ck_assert_msg(verdict.type == agent_cases[_i].type, "%s: %s", agent_cases[_i].name,
                  verdict.rule);
    ck_assert_msg(verdict.reason == agent_cases[_i].reason, "%s: %s", agent_cases[_i].name,
                  verdict.rule);
}
END_TEST

static const struct {
    const char *name;
    const char *agent;
    int code;
    const char *err;
    const char *out;
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
} named_cases[] = {
    {"claude: usage window in an event of its own", "claude", 1, "",
     "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
     "\"resets_at\":1795227600}}\n"
     "{\"type\":\"result\",\"is_error\":true,\"result\":\"You've hit your limit\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_QUOTA},
    {"claude: plain words", "claude", 1, "", "Invalid API key \xc2\xb7 Fix external API key\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_AUTH},
    {"claude: the stream was cut", "claude", 0, "",
     "{\"type\":\"system\",\"subtype\":\"init\"}\n{\"type\":\"assistant\"}\n", VERDICT_TRANSIENT,
     TRANSIENT_RESOURCE_BUSY, REASON_NONE},
    {"claude: an escaped NUL is no hindrance", "claude", 1, "",
     "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":500,\"result\":\"a\\u0000b\"}\n",
     VERDICT_TRANSIENT, TRANSIENT_API_OVERLOADED, REASON_NONE},
    {"claude: refuses", "claude", 0, "",
     "{\"type\":\"result\",\"is_error\":false,\"result\":\"I'm sorry, but I can't help with "
     "that.\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_REFUSAL},
    {"claude: an answer that holds such words", "claude", 0, "",
     "{\"type\":\"result\",\"is_error\":false,\"result\":\"I can't help but notice a bug. Fixed "
     "it.\"}\n",
     VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE},
    {"codex: only turn.failed is final", "codex", 0, "",
     "{\"type\":\"error\",\"message\":\"Reconnecting... 2/5 (429 Too Many Requests)\"}\n"
     "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Done.\"}}\n"
     "{\"type\":\"turn.completed\",\"usage\":{}}\n",
     VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE},
    {"codex: refuses", "codex", 0, "",
     "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"I can't "
     "help\"}}\n"
     "{\"type\":\"turn.completed\",\"usage\":{}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_REFUSAL},
    {"gemini: JSON on stderr, behind a trace", "gemini", 1,
     "    at main (x.js:1:2) {\n  status: 500\n}\n{\n  \"session_id\": \"s\",\n  \"error\": {\n"
     "    \"type\": \"Error\",\n    \"message\": \"You have run out\",\n    \"code\": 503\n  "
     "}\n}\n",
     "", VERDICT_TRANSIENT, TRANSIENT_API_OVERLOADED, REASON_NONE},
    {"gemini: an exit code is an HTTP status", "gemini", 147, "", "", VERDICT_PERSISTENT,
     TRANSIENT_NONE, REASON_AUTH},
    {"gemini: exit 0 with an error", "gemini", 0, "",
     "{\"type\":\"error\",\"severity\":\"error\",\"message\":\"the service is overloaded\"}\n"
     "{\"type\":\"result\",\"status\":\"error\",\"stats\":{}}\n",
     VERDICT_TRANSIENT, TRANSIENT_API_OVERLOADED, REASON_NONE},
    {"gemini: in circles", "gemini", 0, "",
     "{\"type\":\"error\",\"severity\":\"warning\",\"message\":\"Loop detected, stopping\"}\n"
     "{\"type\":\"result\",\"status\":\"success\",\"stats\":{}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_LOOP},
    {"qwen: in circles", "qwen", 1, "",
     "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,"
     "\"error\":{\"message\":\"Loop detection halted the run after 5 calls\"}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_LOOP},
    {"opencode: rejects a permission", "opencode", 0,
     "! permission requested: bash (touch x); auto-rejecting\n",
     "{\"type\":\"step_start\"}\n{\"type\":\"tool_use\",\"part\":{\"tool\":\"bash\",\"callID\":"
     "\"c\","
     "\"state\":{\"status\":\"error\",\"error\":\"The user rejected permission to use this "
     "specific tool call.\"}}}\n"
     "{\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\"}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_PERMISSION},
    {"claude: a call is put off", "claude", 0, "",
     "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"\","
     "\"stop_reason\":\"tool_deferred\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_PERMISSION},
    {"gemini: an answer over many lines", "gemini", 0, "",
     "{\n  \"session_id\": \"s\",\n  \"response\": \"HTTP 429\"\n}\n", VERDICT_SUCCESS,
     TRANSIENT_NONE, REASON_NONE},
    {"opencode: the body tells more than the status", "opencode", 1, "",
     "{\"type\":\"error\",\"error\":{\"name\":\"APIError\",\"data\":{\"message\":\"no\","
     "\"statusCode\":429,\"responseBody\":\"{\\\"code\\\":\\\"insufficient_quota\\\"}\"}}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_QUOTA},
    {"opencode: cut by length", "opencode", 0, "",
     "{\"type\":\"step_finish\",\"part\":{\"reason\":\"length\"}}\n", VERDICT_PERSISTENT,
     TRANSIENT_NONE, REASON_LIMIT},
    {"opencode: in the middle of its work", "opencode", 0, "",
     "{\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\"}}\n", VERDICT_TRANSIENT,
     TRANSIENT_RESOURCE_BUSY, REASON_NONE},
    {"qwen: success is a failure", "qwen", 0, "",
     "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,"
     "\"result\":\"[API Error: 401 Incorrect API key provided]\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_AUTH},
    {"qwen: plain words", "qwen", 0, "", "[API Error: 503 Service Unavailable]\n",
     VERDICT_TRANSIENT, TRANSIENT_API_OVERLOADED, REASON_NONE},
    {"pi: exit 0, the last message tells", "pi", 0, "",
     "{\"type\":\"agent_end\",\"messages\":[{\"role\":\"user\"},{\"role\":\"assistant\","
     "\"stopReason\":\"error\",\"errorMessage\":\"401 Incorrect API key provided\"}]}\n"
     "{\"type\":\"compaction_start\",\"reason\":\"overflow\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_AUTH},
    {"pi: gave up trying", "pi", 0, "",
     "{\"type\":\"auto_retry_end\",\"success\":false,\"finalError\":\"Connection error.\"}\n",
     VERDICT_TRANSIENT, TRANSIENT_NETWORK_TIMEOUT, REASON_NONE},
    {"codex: no credits are left", "codex", 1, "",
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"Your workspace is out of credits.\"}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_QUOTA},
    {"codex: words of credit that no rule names", "codex", 1, "",
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"The prepaid funds of this team were used "
     "up.\"}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_QUOTA},
    {"codex: a login that is gone", "codex", 1, "",
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"Your access token could not be refreshed. "
     "Sign in again.\"}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_AUTH},
    {"codex: what was asked is not done", "codex", 1, "",
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"This content was flagged for a "
     "risk.\"}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_REFUSAL},
    {"codex: too much to read", "codex", 1, "",
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"The conversation is above the token "
     "limit.\"}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_CONTEXT_LENGTH},
    {"codex: a line that broke", "codex", 1, "",
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"The transport was dropped by the "
     "peer\"}}\n",
     VERDICT_TRANSIENT, TRANSIENT_NETWORK_TIMEOUT, REASON_NONE},
    {"codex: a server in trouble", "codex", 1, "",
     "{\"type\":\"turn.failed\",\"error\":{\"message\":\"Our systems are under heavy load.\"}}\n",
     VERDICT_TRANSIENT, TRANSIENT_API_OVERLOADED, REASON_NONE},
    {"codex: the same words of a program decide nothing", "codex", 1,
     "The prepaid funds of this team were used up.", "", VERDICT_PERSISTENT, TRANSIENT_NONE,
     REASON_NONE},
    {"claude: more than that the request was bad", "claude", 1, "",
     "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":400,\"result\":\"Output "
     "blocked by our content filtering policy\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_REFUSAL},
    {"claude: it stopped to refuse", "claude", 0, "",
     "{\"type\":\"result\",\"is_error\":false,\"stop_reason\":\"refusal\",\"result\":\"\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_REFUSAL},
    {"claude: it stopped in a sentence", "claude", 0, "",
     "{\"type\":\"result\",\"is_error\":false,\"stop_reason\":\"max_tokens\",\"result\":\"half "
     "a\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_LIMIT},
    {"codex: it cannot help with all of it", "codex", 0, "",
     "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"I can't help "
     "with the deploy, but the fix is done\"}}\n{\"type\":\"turn.completed\",\"usage\":{}}\n",
     VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE},
    {"qwen: an answer that quotes an error", "qwen", 0, "",
     "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"It prints "
     "[API Error: 500 boom]\"}],"
     "\"usage\":{\"output_tokens\":9}}}\n"
     "{\"type\":\"result\",\"is_error\":false,\"result\":\"It prints [API Error: 500 "
     "boom]\",\"usage\":{"
     "\"output_tokens\":30}}\n",
     VERDICT_SUCCESS, TRANSIENT_NONE, REASON_NONE},
    {"qwen: an answer that broke off", "qwen", 0, "",
     "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"It pri[API "
     "Error: terminated]\"}],"
     "\"usage\":{\"output_tokens\":0}}}\n"
     "{\"type\":\"result\",\"is_error\":false,\"result\":\"It pri[API Error: "
     "terminated]\",\"usage\":{"
     "\"output_tokens\":30}}\n",
     VERDICT_TRANSIENT, TRANSIENT_NETWORK_TIMEOUT, REASON_NONE},
    {"qwen: a quota in its own words", "qwen", 0, "",
     "{\"type\":\"result\",\"is_error\":false,\"result\":\"Qwen OAuth quota exceeded: come back "
     "tomorrow\"}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_QUOTA},
    {"qwen: who asks", "qwen", 1, "No auth type is selected. Please configure one.\n", "",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_AUTH},
    {"pi: who asks", "pi", 1, "No API key found for anthropic.\n", "", VERDICT_PERSISTENT,
     TRANSIENT_NONE, REASON_AUTH},
    {"opencode: a name alone", "opencode", 1, "",
     "{\"type\":\"error\",\"error\":{\"name\":\"MessageOutputLengthError\",\"data\":{}}}\n",
     VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_LIMIT},
    {"what a tool printed is not read", "pi", 1, "",
     "{\"type\":\"message_update\",\"text\":\"HTTP 429 connect ETIMEDOUT\"}\n", VERDICT_PERSISTENT,
     TRANSIENT_NONE, REASON_NONE},
    {"an agent that is not known", "cursor-agent", 1, "HTTP 429\n", "", VERDICT_TRANSIENT,
     TRANSIENT_API_RATE_LIMIT, REASON_NONE},
};

START_TEST(test_named_agent)
{
    const struct verdict verdict = judge_agent(named_cases[_i].agent, named_cases[_i].code,
                                               named_cases[_i].err, named_cases[_i].out);

    ck_assert_msg(verdict.class == named_cases[_i].class, "%s: %s by %s", named_cases[_i].name,
                  verdict_class_name(verdict.class), verdict.rule);
    ck_assert_msg(verdict.type == named_cases[_i].type, "%s: %s", named_cases[_i].name,
                  verdict.rule);
    ck_assert_msg(verdict.reason == named_cases[_i].reason, "%s: %s by %s", named_cases[_i].name,
                  reason_name(verdict.reason), verdict.rule);
}
END_TEST

#define DENIED(words)                                                                              \
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"a\","       \
    "\"name\":"                                                                                    \
    "\"Bash\",\"input\":{\"command\":\"make test\"}}]}}\n"                                         \
    "{\"type\":\"result\",\"is_error\":false,\"result\":\"" words                                  \
    "\",\"permission_denials\":[{\"tool_name\":\"Bash\",\"tool_use_id\":\"a\",\"tool_input\":"     \
    "{\"command\":\"make test\"}}]}\n"
#define OTHER_CALL                                                                                 \
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"b\","       \
    "\"name\":"                                                                                    \
    "\"Edit\",\"input\":{}}]}}\n"

/* A refused call, by what checks the work, and what the agent says. */
static const struct {
    enum classify_checks checks;
    const char *out;
    bool stopped;
} refused_cases[] = {
    {CLASSIFY_CHECKS_NONE, DENIED("All done."), true}, /* it was the last call */
    {CLASSIFY_CHECKS_FOLLOW, DENIED("All done."), false},
    {CLASSIFY_CHECKS_UNKNOWN, DENIED("All done."), false},
    {CLASSIFY_CHECKS_UNKNOWN, DENIED(""), true},
    {CLASSIFY_CHECKS_FOLLOW, DENIED(""), false},
    {CLASSIFY_CHECKS_UNKNOWN, DENIED("I need your permission to run `make test`."), true},
    {CLASSIFY_CHECKS_UNKNOWN, DENIED("Please approve the command and I will go on."), true},
    {CLASSIFY_CHECKS_UNKNOWN, DENIED("I was unable to complete the task."), true},
    {CLASSIFY_CHECKS_UNKNOWN, DENIED("I couldn't commit the change: Bash is not allowed."), true},
    {CLASSIFY_CHECKS_FOLLOW, DENIED("I was unable to complete the task."), false},
    {CLASSIFY_CHECKS_UNKNOWN, DENIED("Bash could not be used, so I made the change with Edit."),
     false},
    {CLASSIFY_CHECKS_UNKNOWN,
     DENIED("I could not apply the patch with git, but Edit worked. All tests pass."), false},
    {CLASSIFY_CHECKS_NONE, OTHER_CALL DENIED("All done."), true},
};

START_TEST(test_a_refused_call_that_stopped_the_work_needs_a_person)
{
    const struct classify_text out = {.bytes = refused_cases[_i].out,
                                      .len = strlen(refused_cases[_i].out)};
    const struct classify_input input = {.outcome = {.kind = OUTCOME_EXIT},
                                         .out = out,
                                         .agent = adapters_find(NULL, "claude"),
                                         .one_shot = true,
                                         .checks = refused_cases[_i].checks,
                                         .memory_killed = -1};
    struct verdict verdict;
    classify(judge_classifier(), &input, &verdict);
    if (!refused_cases[_i].stopped) {
        ck_assert_int_eq(verdict.class, VERDICT_SUCCESS);
        return;
    }
    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.reason, REASON_PERMISSION);
    ck_assert(verdict.ask);
    ck_assert_str_eq(verdict.rule, "agent.refused");
    ck_assert_str_eq(verdict.match, "refused: Bash: make test");
}
END_TEST

START_TEST(test_evidence_is_the_event)
{
    const struct verdict verdict =
        judge_agent("codex", 1, "",
                    "{\"type\":\"turn.started\"}\n"
                    "{\"type\":\"turn.failed\",\"error\":{\"message\":\"HTTP 503\"}}\n");

    ck_assert_int_eq(verdict.stream, VERDICT_STREAM_OUT);
    ck_assert_int_eq(verdict.offset, 24);
    ck_assert_str_eq(verdict.match, "HTTP 503");
}
END_TEST

START_TEST(test_near_misses_stand_where_the_event_does)
{
    const struct verdict verdict =
        judge_agent("codex", 1, "",
                    "{\"type\":\"turn.started\"}\n"
                    "{\"type\":\"turn.failed\",\"error\":{\"message\":\"insufficient_quota: HTTP "
                    "429\"}}\n");

    ck_assert_str_eq(verdict.rule, "message.billing");
    ck_assert_int_gt(verdict.near_count, 0);
    ck_assert_str_eq(verdict.near[0].rule, "b1.http-429");
    ck_assert_int_eq(verdict.near[0].why, NEAR_OUTRANKED);
    ck_assert_int_eq(verdict.near[0].stream, VERDICT_STREAM_OUT);
    ck_assert_int_eq(verdict.near[0].offset, 24);
}
END_TEST

START_TEST(test_a_session_that_is_longer_than_what_is_kept)
{
    struct str out = {0};
    str_add(&out, "{\"type\":\"agent_end\",\"messages\":[{\"role\":\"user\",\"content\":\"");
    while (out.len < CLASSIFY_TAIL_MAX + 100)
        str_add(&out, "do it well; ");
    const size_t session = out.len;
    str_add(&out, "\"},{\"role\":\"assistant\",\"stopReason\":\"error\",\"timestamp\":1,"
                  "\"errorMessage\":\"503 The engine is overloaded\"}]}\n");
    ck_assert_int_eq(judge_agent("pi", 0, "", str_text(&out)).type, TRANSIENT_API_OVERLOADED);

    out.len = session;
    str_add(&out, "\"},{\"role\":\"assistant\",\"stopReason\":\"stop\",\"timestamp\":1}]}\n");
    ck_assert_int_eq(judge_agent("pi", 0, "", str_text(&out)).class, VERDICT_SUCCESS);

    out.len = session;
    str_add(&out, "}]}\n");
    ck_assert_int_eq(judge_agent("pi", 0, "", str_text(&out)).class, VERDICT_SUCCESS);
    str_done(&out);
}
END_TEST

START_TEST(test_success_has_no_near_misses)
{
    const struct verdict verdict = judge_agent(
        "claude", 0, "", "{\"type\":\"result\",\"result\":\"I can see it now. Done.\"}\n");

    ck_assert_int_eq(verdict.class, VERDICT_SUCCESS);
    ck_assert_int_eq(verdict.near_count, 0);
}
END_TEST

#define WORKS "{\"type\":\"assistant\",\"session_id\":\"s-1\"}\n"
#define FAILED                                                                                     \
    "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":401,\"result\":\"no\"}\n"

static const struct {
    const char *name, *agent;
    int signal;
    const char *out;
    enum verdict_class class;
    const char *rule;
} signals[] = {
    {"asked to end", "claude", 15, WORKS, VERDICT_TRANSIENT, "agent.cut"},
    {"interrupted", "claude", 2, WORKS, VERDICT_TRANSIENT, "agent.cut"},
    {"before its first word", "codex", 15, "", VERDICT_TRANSIENT, "agent.cut"},
    {"its last event decides", "claude", 15, FAILED, VERDICT_PERSISTENT, NULL},
    {"a crash", "claude", 11, WORKS, VERDICT_PERSISTENT, "known.signal"},
    {"has no events", "generic", 15, "", VERDICT_PERSISTENT, "known.signal"},
};

/* Some CLIs end with a code of their own when they are interrupted, others by the signal. */
START_TEST(test_a_signal_that_asks_an_agent_to_end_cuts_it_short)
{
    struct verdict verdict;
    const struct classify_input input = {
        .outcome = {.kind = OUTCOME_SIGNAL, .code = signals[_i].signal},
        .out = text_of(signals[_i].out),
        .err = text_of(""),
        .agent = adapters_find(NULL, signals[_i].agent),
        .memory_killed = -1};
    classify(judge_classifier(), &input, &verdict);
    ck_assert_msg(verdict.class == signals[_i].class, "%s: %s", signals[_i].name, verdict.rule);
    if (signals[_i].rule)
        ck_assert_str_eq(verdict.rule, signals[_i].rule);
    else
        ck_assert_int_eq(verdict.reason, REASON_AUTH);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("agent_result");
    TCase *shapes = judge_case(suite, "shapes");
    tcase_add_loop_test(shapes, test_agent, 0, TABLE_LEN(agent_cases));
    TCase *named = judge_case(suite, "named");
    tcase_add_loop_test(named, test_named_agent, 0, TABLE_LEN(named_cases));
    tcase_add_loop_test(named, test_a_signal_that_asks_an_agent_to_end_cuts_it_short, 0,
                        TABLE_LEN(signals));
    tcase_add_loop_test(named, test_a_refused_call_that_stopped_the_work_needs_a_person, 0,
                        TABLE_LEN(refused_cases));
    tcase_add_test(named, test_evidence_is_the_event);
    tcase_add_test(named, test_near_misses_stand_where_the_event_does);
    tcase_add_test(named, test_a_session_that_is_longer_than_what_is_kept);
    tcase_add_test(named, test_success_has_no_near_misses);
    return suite;
}
