/*
 * What agent CLIs really wrote, well and under faults: tests/data/agent-runs.jsonl.
 *
 * Each row is an input of devs classify with the verdict that is right: "expect" is "ok",
 * "transient" (with "type"), "persistent" (with "reason"), or null for a run that was cut short
 * from outside, which must not pass.
 */
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_stream.h"
#include "classify.h"
#include "json.h"
#include "judge.h"
#include "test_main.h"

enum { ROWS_LEAST = 100 };

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
    ck_assert_int_ge(rows, ROWS_LEAST);
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

static void hear_session(void *ctx, const struct agent_item *item)
{
    bool *is_told = ctx;
    *is_told = *is_told || (item->kind == AGENT_ITEM_SESSION && item->text[0] != '\0');
}

/* Copilot and Kimi do not report tokens. */
static bool reports_tokens(const struct json *row)
{
    const char *agent = word(row, "agent");
    return strcmp(agent, "copilot") != 0 && strcmp(agent, "kimi") != 0;
}

/* Runs that went well leave words, name their session, and were asked at least once; their calls
 * have ended. */
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
    agent_stream_open(&stream, adapters_find(NULL, word(row, "agent")), hear_session, &has_session);
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
    Suite *suite = suite_create("agent_runs");
    TCase *tcase = judge_case(suite, "runs");
    tcase_add_test(tcase, test_each_run_gets_its_verdict);
    tcase_add_test(tcase, test_each_run_that_went_well_is_read);
    return suite;
}
