/* What the output of an agent's CLI says about its end, and the verdict on it. */
#include "agent_result.h"

#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "json.h"
#include "judge.h"
#include "row_file.h"
#include "test_main.h"

static struct rows results, endings;

START_TEST(test_verdict_on_an_agent)
{
    const struct row *row = &results.items[_i];
    struct judge_run run;
    struct str got = {0};
    judge_run_read(&run, row->input);
    const struct verdict verdict =
        judge_agent(run.agent, run.code, str_text(&run.err), str_text(&run.out));
    str_add(&got, verdict_class_name(verdict.class));
    if (verdict.type != TRANSIENT_NONE)
        str_addf(&got, " %s", transient_type_name(verdict.type));
    if (verdict.reason != REASON_NONE)
        str_addf(&got, " %s", reason_name(verdict.reason));
    str_add_char(&got, '\n');
    row_check(row, str_text(&got));
    judge_run_done(&run);
    str_done(&got);
}
END_TEST

/* Refused calls, evidence and signals */

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

START_TEST(test_near_misses_have_the_place_of_the_event)
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

/* How the output ends */

static void add_lines(struct str *out, const char *prefix, const struct str *text)
{
    const char *at = str_text(text);
    while (*at != '\0') {
        const size_t len = strcspn(at, "\n");
        str_addf(out, "%s: %.*s\n", prefix, (int)len, at);
        at += len + (at[len] == '\n');
    }
}

START_TEST(test_events_tell_the_end)
{
    static const char *const ends[] = {[AGENT_END_UNKNOWN] = "unknown",
                                       [AGENT_END_DONE] = "done",
                                       [AGENT_END_FAILED] = "failed",
                                       [AGENT_END_CUT] = "cut"};
    const struct row *row = &endings.items[_i];
    struct judge_run run;
    struct agent_result result;
    struct str got = {0};
    judge_run_read(&run, row->input);
    const struct classify_input input = {
        .agent = judge_run_adapter(&run),
        .out = {.bytes = str_text(&run.out), .len = run.out.len},
        .err = {.bytes = str_text(&run.err), .len = run.err.len},
    };
    agent_result_init(&result, &input);
    str_add(&got, ends[result.end]);
    if (result.status != 0)
        str_addf(&got, " %lld", (long long)result.status);
    if (result.offset != 0 || result.on_err)
        str_addf(&got, " at %lld%s", (long long)result.offset, result.on_err ? " of stderr" : "");
    str_add_char(&got, '\n');
    add_lines(&got, "said", &result.said);
    add_lines(&got, "words", &result.words);
    row_check(row, str_text(&got));
    agent_result_done(&result);
    judge_run_done(&run);
    str_done(&got);
}
END_TEST

/* A long answer is not a refusal. */
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

#define TURN_FAILED "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no\"}}"
#define ON          "{\"type\":\"item.started\"}\n"
#define ON8         ON ON ON ON ON ON ON ON

/* Outputs that lines of text cannot show. */
static const struct {
    const char *agent, *out;
    enum agent_end end;
    int64_t offset;
} odd[] = {
    {"codex", "", AGENT_END_UNKNOWN, 0},
    {"codex", " \t\r\n", AGENT_END_UNKNOWN, 0},
    {"codex", ON TURN_FAILED " \t\r\n\n", AGENT_END_FAILED, sizeof(ON) - 1},
    {"codex", TURN_FAILED "\n" ON8 ON8 ON8 ON8 ON8 ON8 ON8 ON8, AGENT_END_FAILED, 0},
    {"qwen", "[API Error", AGENT_END_UNKNOWN, 0},
    {"qwen", "There was an [API Error: 503]", AGENT_END_UNKNOWN, 0},
};

START_TEST(test_odd_outputs_end_too)
{
    struct agent_result result;
    const struct classify_input input = {.agent = adapters_find(NULL, odd[_i].agent),
                                         .out = text_of(odd[_i].out)};
    agent_result_init(&result, &input);
    ck_assert_int_eq(result.end, odd[_i].end);
    ck_assert_int_eq(result.offset, odd[_i].offset);
    ck_assert_int_eq(result.status, 0);
    ck_assert(!result.on_err);
    agent_result_done(&result);
}
END_TEST

/* Captured runs */

enum { ROWS = 242 };

/*
 * Each row of tests/data/agent-runs.jsonl is an input of devs classify, with the right verdict:
 * "expect" is "ok", "transient" (with "type"), "persistent" (with "reason"), or null for a run that
 * was cut short from outside, which must not pass.
 */

typedef void row_fn(const char *line, const struct json *row);

static void each_row(row_fn *check)
{
    char *text = test_read_file(test_source_path("tests/data/agent-runs.jsonl"));
    int rows = 0;
    for (char *line = text; line && *line != '\0';) {
        char *end = strchr(line, '\n');
        struct json *row = NULL;
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        ck_assert(json_parse(line, strlen(line), &row, NULL, NULL));
        check(line, row);
        json_free(row);
        line = end + 1;
        rows++;
    }
    ck_assert_int_eq(rows, ROWS);
    free(text);
}

static const char *word(const struct json *row, const char *key)
{
    return json_text(json_get(row, key), "");
}

static void check_verdict(const char *line, const struct json *row)
{
    static const struct classify_edge edge = {.now_ms = 1795330471000};
    struct str text = {0};
    struct str out = {0};
    struct json *told = NULL;
    struct err err = {0};
    str_add(&text, line);
    ck_assert_msg(classify_row(judge_classifier(), &text, &edge, &out, &err), "%s", err.message);
    ck_assert(json_parse(str_text(&out), out.len, &told, NULL, NULL));
    const char *want = word(row, "expect");
    const char *verdict = word(told, "verdict");
    const char *id = word(row, "id");
    if (want[0] == '\0') {
        ck_assert_msg(strcmp(verdict, "success") != 0, "%s: success by %s", id, word(told, "rule"));
    } else {
        ck_assert_msg(strcmp(verdict, strcmp(want, "ok") == 0 ? "success" : want) == 0,
                      "%s: %s by %s", id, verdict, word(told, "rule"));
        ck_assert_msg(strcmp(word(told, "type"), word(row, "type")) == 0, "%s: %s by %s", id,
                      word(told, "type"), word(told, "rule"));
        ck_assert_msg(strcmp(word(told, "reason"), word(row, "reason")) == 0, "%s: %s by %s", id,
                      word(told, "reason"), word(told, "rule"));
    }
    json_free(told);
    str_done(&out);
    str_done(&text);
}

START_TEST(test_each_run_gets_its_verdict)
{
    each_row(check_verdict);
}
END_TEST

static void note_session(void *ctx, const struct agent_item *item)
{
    bool *is_known = ctx;
    *is_known = *is_known || (item->kind == AGENT_ITEM_SESSION && item->text[0] != '\0');
}

/* Copilot and Kimi do not report tokens. */
static bool reports_tokens(const struct json *row)
{
    const char *agent = word(row, "agent");
    return strcmp(agent, "copilot") != 0 && strcmp(agent, "kimi") != 0;
}

/* A run that went well has last words, a session, and at least one turn. */
static void check_stream(const char *line, const struct json *row)
{
    (void)line;
    const char *out = word(row, "stdout");
    const char *id = word(row, "id");
    struct str final = {0};
    struct agent_stream *stream = NULL;
    bool has_session = false;
    if (strcmp(word(row, "expect"), "ok") != 0 || strchr(out, '{') != out)
        return;
    agent_stream_open(&stream, adapters_find(NULL, word(row, "agent")), note_session, &has_session);
    agent_stream_add(stream, out, strlen(out));
    agent_stream_end(stream);
    ck_assert_msg(agent_stream_state(stream) == AGENT_END_DONE, "%s", id);
    ck_assert_msg(has_session, "%s", id);
    ck_assert_msg(agent_stream_used(stream)->turns > 0, "%s", id);
    ck_assert_msg(agent_stream_used(stream)->tokens > 0 || !reports_tokens(row), "%s", id);
    ck_assert_msg(agent_stream_final(stream, &final, NULL), "%s", id);
    ck_assert_msg(agent_stream_used(stream)->calls > 0 || !strstr(id, "/tool"), "%s", id);
    agent_stream_close(stream);
    str_done(&final);
}

START_TEST(test_each_run_that_went_well_is_read)
{
    each_row(check_stream);
}
END_TEST

Suite *test_suite(void)
{
    results = rows_read("agents/results.txt");
    endings = rows_read("agents/endings.txt");
    Suite *suite = suite_create("agent_result");
    TCase *verdicts = judge_case(suite, "verdicts");
    tcase_add_loop_test(verdicts, test_verdict_on_an_agent, 0, results.count);
    tcase_add_loop_test(verdicts, test_a_signal_that_asks_an_agent_to_end_cuts_it_short, 0,
                        TABLE_LEN(signals));
    tcase_add_loop_test(verdicts, test_a_refused_call_that_stopped_the_work_needs_a_person, 0,
                        TABLE_LEN(refused_cases));
    tcase_add_test(verdicts, test_evidence_is_the_event);
    tcase_add_test(verdicts, test_near_misses_have_the_place_of_the_event);
    tcase_add_test(verdicts, test_a_session_that_is_longer_than_what_is_kept);
    tcase_add_test(verdicts, test_success_has_no_near_misses);
    TCase *ends = test_case(suite, "ends");
    tcase_add_loop_test(ends, test_events_tell_the_end, 0, endings.count);
    tcase_add_loop_test(ends, test_odd_outputs_end_too, 0, TABLE_LEN(odd));
    tcase_add_test(ends, test_long_last_words_are_not_kept);
    TCase *runs = judge_case(suite, "captured runs");
    tcase_add_test(runs, test_each_run_gets_its_verdict);
    tcase_add_test(runs, test_each_run_that_went_well_is_read);
    return suite;
}
