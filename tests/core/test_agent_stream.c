#include "agent_stream.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_internal.h"
#include "item_name.h"
#include "judge.h"
#include "row_file.h"
#include "str.h"
#include "test_main.h"

/* What the callback got: items, one per line, and the lines for people. */
struct heard {
    struct str items;
    struct str words;
};

static void hear(void *ctx, const struct agent_item *item)
{
    struct heard *heard = ctx;
    struct str *out = &heard->items;
    str_add(out, item_name(item->kind));
    if (item->number > 0)
        str_addf(out, " #%lld", (long long)item->number);
    if (item->tool)
        str_addf(out, " %s(%s)", item->tool, item->what);
    if (item->kind == AGENT_ITEM_RESULT)
        str_addf(out, " exit %d%s", item->exit, item->failed ? " failed" : "");
    if (item->kind == AGENT_ITEM_END)
        str_add(out, item->failed ? " failed" : " done");
    if (item->kind == AGENT_ITEM_USED)
        str_addf(out, " %lld turns, %lld calls, %lld micro, %lld tokens",
                 (long long)item->used->turns, (long long)item->used->calls,
                 (long long)item->used->cost_micro, (long long)item->used->tokens);
    if (item->kind == AGENT_ITEM_RETRY)
        str_addf(out, " %lld/%lld +%lld ms HTTP %lld", (long long)item->attempt,
                 (long long)item->most, (long long)item->delay_ms, (long long)item->status);
    if (item->text && item->text[0] != '\0') {
        str_add(out, ": ");
        str_add_json(out, item->text, strlen(item->text));
    }
    str_add_char(out, '\n');
    agent_item_words(item, &heard->words);
}

static struct rows streams, refusals;
static struct agent_stream *stream;
static struct heard heard;

static void setup(void)
{
    stream = NULL;
    heard = (struct heard){0};
}

static void teardown(void)
{
    agent_stream_close(stream);
    str_done(&heard.items);
    str_done(&heard.words);
}

/* Reads a text in pieces of that size, with a new stream. */
static void read_pieces(const char *agent, const char *text, size_t size)
{
    teardown();
    setup();
    agent_stream_open(&stream, adapters_find(NULL, agent), hear, &heard);
    const size_t len = strlen(text);
    for (size_t at = 0; at < len; at += size)
        agent_stream_add(stream, text + at, len - at < size ? len - at : size);
    agent_stream_end(stream);
}

static void check_stream(const struct row *row, size_t size)
{
    struct judge_run run;
    judge_run_read(&run, row->input);
    read_pieces(run.agent, str_text(&run.out), size);
    row_check(row, str_text(&heard.items));
    judge_run_done(&run);
}

/* Wherever the output is cut, the items are the same. */
START_TEST(test_items_of_each_agent)
{
    check_stream(&streams.items[_i], SIZE_MAX / 2);
    for (size_t size = 1; size < 100; size = size * 2 + 1)
        check_stream(&streams.items[_i], size);
}
END_TEST

static const struct {
    const char *agent;
    const char *text;
    enum agent_end state;
    const char *final; /* NULL = none */
    bool is_json;
} ends[] = {
    {"claude", "", AGENT_END_UNKNOWN, NULL, false},
    {"claude", "{\"type\":\"system\",\"subtype\":\"init\"}\n", AGENT_END_CUT, NULL, false},
    {"claude", "{\"type\":\"new_kind\"}\n", AGENT_END_CUT, NULL, false},
    {"claude", "{\"my\":\"answer\"}\n", AGENT_END_UNKNOWN, NULL, false},
    {"claude",
     "{\"type\":\"result\",\"is_error\":false,\"result\":\"{}\",\"structured_output\":{\"a\":[1]}}",
     AGENT_END_DONE, "{\"a\":[1]}", true},
    {"claude", "{\"type\":\"result\",\"is_error\":true,\"result\":\"no\"}", AGENT_END_FAILED, NULL,
     false},
    {"claude",
     "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,"
     "\"terminal_reason\":\"aborted_streaming\"}",
     AGENT_END_CUT, NULL, false},
    {"gemini", "{\n \"session_id\": \"x\",\n \"response\": \"fine\"\n}\n", AGENT_END_DONE, "fine",
     false},
    {"gemini", "{\n{\n \"response\": \"fine\"\n}\n", AGENT_END_DONE, "fine", false},
    {"gemini", "{\n \"response\": \"fine\"\n", AGENT_END_UNKNOWN, NULL, false},
    {"generic", "one\ntwo\n", AGENT_END_UNKNOWN, "one\ntwo\n", false},
    {"generic", "{\"type\":\"result\"}\n", AGENT_END_UNKNOWN, "{\"type\":\"result\"}\n", false},
};

START_TEST(test_state_and_result_at_the_end)
{
    struct str final = {0};
    bool is_json = false;
    read_pieces(ends[_i].agent, ends[_i].text, 7);
    ck_assert_int_eq(agent_stream_state(stream), ends[_i].state);
    ck_assert_int_eq(agent_stream_final(stream, &final, &is_json), ends[_i].final != NULL);
    ck_assert_str_eq(str_text(&final), ends[_i].final ? ends[_i].final : "");
    ck_assert_int_eq(is_json, ends[_i].is_json);
    str_done(&final);
}
END_TEST

START_TEST(test_lines_for_people_have_no_control_characters)
{
    read_pieces(
        "claude",
        "plain \x1b[2J words\n"
        "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\","
        "\"text\":\"a\\u001b]0;title\\u0007b\\nc\"},{\"type\":\"tool_use\",\"id\":\"t\","
        "\"name\":\"Bash\",\"input\":{\"command\":\"printf \\\\033\\u001b[1m\"}}]}}\n"
        "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
        "\"tool_use_id\":\"t\",\"content\":\"1\\n2\\n3\\n4\\n5\\n6\",\"is_error\":true}]}}\n"
        "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":529,\"result\":"
        "\"Over\\u202e\"}",
        SIZE_MAX / 2);
    ck_assert_str_eq(str_text(&heard.words), "plain  words\n"
                                             "ab\nc\n"
                                             "> Bash: printf \\033\n"
                                             "  1\n  2\n  3\n  4\n  ... 2 more lines\n  failed\n"
                                             "! Over?\n");
}
END_TEST

/* With more open calls than are kept, the oldest is forgotten, and its result has no call. */
START_TEST(test_open_calls_are_bounded)
{
    struct str text = {0};
    for (int i = 0; i <= AGENT_OPEN_CALLS_MAX; i++)
        str_addf(&text,
                 "{\"type\":\"tool_use\",\"tool_name\":\"t\",\"tool_id\":\"c%d\",\"parameters\":{}}"
                 "\n",
                 i);
    str_add(&text, "{\"type\":\"tool_result\",\"tool_id\":\"c0\",\"output\":\"late\"}\n"
                   "{\"type\":\"tool_result\",\"tool_id\":\"c1\",\"output\":\"known\"}\n");
    read_pieces("gemini", str_text(&text), 1000);
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "result exit -1: \"late\"\n"));
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "result #2 t() exit -1: \"known\"\n"));
    ck_assert_int_eq(agent_stream_used(stream)->calls, AGENT_OPEN_CALLS_MAX + 1);
    str_done(&text);
}
END_TEST

/* Counts other items, and keeps nothing. */
static void count_other(void *ctx, const struct agent_item *item)
{
    int *count = ctx;
    *count += item->kind == AGENT_ITEM_OTHER;
    ck_assert(!item->text || strlen(item->text) <= AGENT_TEXT_MAX + 1);
}

START_TEST(test_a_line_without_an_end_is_bounded)
{
    enum { PIECE = 64 * 1024 };
    char *piece = calloc(1, PIECE);
    int others = 0;
    memset(piece, 'x', PIECE);
    agent_stream_open(&stream, adapters_find(NULL, "pi"), count_other, &others);
    for (size_t sent = 0; sent <= 3 * (size_t)AGENT_LINE_MAX; sent += PIECE)
        agent_stream_add(stream, piece, PIECE);
    ck_assert_int_eq(others, 1);
    static const char end[] = ",\"stopReason\":\"error\",\"errorMessage\":\"503 busy\"}]}\n";
    agent_stream_add(stream, end, sizeof(end) - 1);
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_FAILED);
    free(piece);
}
END_TEST

START_TEST(test_an_answer_that_is_too_long_is_dropped)
{
    struct str text = {0};
    struct str final = {0};
    str_add(&text, "{\"response\":\"");
    for (int i = 0; i <= AGENT_TEXT_MAX; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\"}\n");
    read_pieces("gemini", str_text(&text), 4096);
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_DONE);
    ck_assert(!agent_stream_final(stream, &final, NULL));
    str_done(&text);
    str_done(&final);
}
END_TEST

/* Parsing it would take a hundred times its size. */
START_TEST(test_a_line_with_too_many_values_is_shown_but_not_parsed)
{
    struct str text = {0};
    str_add(&text, "{\"type\":\"result\",\"subtype\":\"success\",\"x\":[0");
    for (int i = 0; i < AGENT_VALUES_MAX; i++)
        str_add(&text, ",0");
    str_add(&text, "]}\n");
    read_pieces("claude", str_text(&text), 4096);
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_UNKNOWN);
    ck_assert_uint_lt(heard.items.len, 5000);
    ck_assert(strncmp(str_text(&heard.items), "other: \"{", 9) == 0);
    str_done(&text);
}
END_TEST

START_TEST(test_a_message_in_pieces_that_is_too_long_is_dropped)
{
    static const char before[] =
        "{\"type\":\"message\",\"role\":\"assistant\",\"delta\":true,\"content\":\"";
    enum { PIECE = 64 * 1024 };
    char piece[PIECE + 1] = {0};
    struct str text = {0};
    struct str final = {0};
    memset(piece, 'x', PIECE);
    for (size_t sent = 0; sent <= AGENT_TEXT_MAX; sent += PIECE)
        str_addf(&text, "%s%s\"}\n", before, piece);
    str_addf(&text, "%send\"}\n", before);
    read_pieces("gemini", str_text(&text), 4096);
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "text: \"end\"\n"));
    ck_assert(!agent_stream_final(stream, &final, NULL));

    str_addf(&text, "{\"type\":\"tool_use\"}\n%sshort\"}\n", before);
    read_pieces("gemini", str_text(&text), 4096);
    ck_assert(agent_stream_final(stream, &final, NULL));
    ck_assert_str_eq(str_text(&final), "short");
    str_done(&text);
    str_done(&final);
}
END_TEST

static const struct {
    const char *id;
    bool is_one;
} ids[] = {
    {"019a-2b", true}, {"ses_4f", true}, {"\xc3\xa9 1/2", true}, {"", false},
    {"-p", false},     {"a\nb", false},  {"\x1b[2J", false},     {"a\x7f", false},
};

START_TEST(test_ids_of_sessions)
{
    ck_assert_int_eq(adapter_session_is_id(ids[_i].id), ids[_i].is_one);
}
END_TEST

START_TEST(test_an_invalid_id_is_no_session)
{
    struct str text = {0};
    str_add(&text, "{\"type\":\"thread.started\",\"thread_id\":\"--last\"}\n"
                   "{\"type\":\"thread.started\",\"thread_id\":\"");
    for (int i = 0; i <= AGENT_SESSION_MAX; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\"}\n");
    read_pieces("codex", str_text(&text), 64);
    ck_assert_uint_eq(heard.items.len, 0);
    ck_assert(!adapter_session_is_id(NULL));
    str_done(&text);
}
END_TEST

/* A number that no log takes is ignored; a sum stops at its maximum. */
START_TEST(test_sums_are_bounded)
{
    static const char text[] =
        "{\"type\":\"step_finish\",\"part\":{\"cost\":1e300,\"tokens\":{\"input\":-5}}}\n"
        "{\"type\":\"step_finish\",\"part\":{\"cost\":900000000,\"tokens\":{\"input\":7}}}\n"
        "{\"type\":\"step_finish\",\"part\":{\"cost\":900000000,\"tokens\":{\"input\":7}}}\n";
    read_pieces("opencode", text, 64);
    ck_assert_int_eq(agent_stream_used(stream)->cost_micro, AGENT_USED_MAX);
    ck_assert_int_eq(agent_stream_used(stream)->tokens, 14);
}
END_TEST

START_TEST(test_retries_on_stderr_are_counted)
{
    static const char err[] = "Warning: no color\nAttempt 2 failed with status 429. Retrying "
                              "with backoff... {\"a\":\n  at x\nAttempt 3 failed";
    struct str text = {0};
    for (int i = 0; i < AGENT_ERR_LINE_MAX; i++)
        str_add(&text, "Attempt 1 failed ");
    agent_stream_open(&stream, adapters_find(NULL, "gemini"), hear, &heard);
    agent_stream_add_err(stream, str_text(&text), text.len);
    agent_stream_add_err(stream, "\n", 1);
    for (size_t i = 0; i < sizeof(err) - 1; i++)
        agent_stream_add_err(stream, err + i, 1);
    agent_stream_end(stream);
    ck_assert_int_eq(agent_stream_used(stream)->own_retries, 2);
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "retry 2/0 +0 ms HTTP 429: \"Attempt 2"));
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_UNKNOWN);
    str_done(&text);
}
END_TEST

static const struct {
    const char *agent;
    bool on_err;
    const char *text;
    bool has_spoken;
} pieces[] = {
    {"claude", false, "{\"type\":\"system\",\"subtype\":\"api_retry\",\"attempt\":1}\n", false},
    {"claude", false, "{\"type\":\"system\",\"subtype\":\"init\"}\n", true},
    {"claude", false, "{\"type\":\"system\",\"subtype\":\"init\"}", false}, /* not whole yet */
    {"codex", false,
     "{\"type\":\"error\",\"message\":\"Reconnecting... waiting for network\"}\n"
     "{\"type\":\"error\",\"message\":\"Reconnecting... 2/5\"}\n",
     false},
    {"codex", false,
     "{\"type\":\"error\",\"message\":\"Reconnecting... 2/5\"}\n"
     "{\"type\":\"turn.started\"}\n",
     true},
    {"codex", false, "words\n", true},
    {"gemini", true, "Attempt 1 failed with status 429. Retrying with backoff...\n", false},
    {"gemini", true, "YOLO mode is enabled.\n", true},
    {"generic", false, "50 %", true},
    {"generic", true, "50 %", true},
};

START_TEST(test_own_retries_count_as_silence)
{
    agent_stream_open(&stream, adapters_find(NULL, pieces[_i].agent), NULL, NULL);
    ck_assert(!agent_stream_has_spoken(stream));
    if (pieces[_i].on_err)
        agent_stream_add_err(stream, pieces[_i].text, strlen(pieces[_i].text));
    else
        agent_stream_add(stream, pieces[_i].text, strlen(pieces[_i].text));
    ck_assert_int_eq(agent_stream_has_spoken(stream), pieces[_i].has_spoken);
    ck_assert(!agent_stream_has_spoken(stream));
}
END_TEST

START_TEST(test_an_empty_turn_is_shown_as_a_message)
{
    read_pieces("opencode",
                "{\"type\":\"step_start\"}\n{\"type\":\"step_finish\",\"part\":{}}\n"
                "{\"type\":\"step_start\"}\n"
                "{\"type\":\"step_finish\",\"part\":{\"tokens\":{\"output\":3}}}\n"
                "{\"type\":\"step_start\"}\n{\"type\":\"text\",\"part\":{\"text\":\"hi\"}}\n"
                "{\"type\":\"step_start\"}\n{\"type\":\"error\",\"error\":{\"name\":\"no\"}}\n"
                "{\"type\":\"step_start\"}\n",
                SIZE_MAX / 2);
    ck_assert_str_eq(str_text(&heard.words), "(an empty turn)\nhi\n! no\n");
    ck_assert_int_eq(agent_stream_used(stream)->turns, 5);
}
END_TEST

START_TEST(test_log_lines_of_opencode_are_own_retries)
{
    static const char lines[] =
        "timestamp=2026-11-28T23:20:31.824Z level=ERROR message=\"stream error\" small=true "
        "agent=title error.error=\"AI_RetryError: no title\"\n"
        "timestamp=2026-11-28T23:20:34.501Z level=ERROR message=\"stream error\" small=false "
        "agent=build error.error=\"AI_APICallError: Overloaded\"\n";
    agent_stream_open(&stream, adapters_find(NULL, "opencode"), hear, &heard);
    agent_stream_add_err(stream, lines, strlen(lines));
    ck_assert_int_eq(agent_stream_used(stream)->own_retries, 1);
    ck_assert_str_eq(str_text(&heard.words),
                     "! the agent retries on its own: \"AI_APICallError: Overloaded\"\n");
}
END_TEST

START_TEST(test_refused_calls_are_counted_once)
{
    const struct row *row = &refusals.items[_i];
    struct judge_run run;
    struct str got = {0}, line = {0};
    judge_run_read(&run, row->input);
    agent_stream_open(&stream, judge_run_adapter(&run), hear, &heard);
    agent_stream_add(stream, str_text(&run.out), run.out.len);
    agent_stream_add_err(stream, str_text(&run.err), run.err.len);
    agent_stream_end(stream);
    str_addf(&got, "%lld refused%s\n", (long long)agent_stream_used(stream)->refused,
             stream->ends_refused ? ", the last call too" : "");
    if (agent_stream_refused(stream)) {
        str_addf(&got, "%s\n", agent_stream_refused(stream));
        str_addf(&line, "! refused: %s\n", agent_stream_refused(stream));
        ck_assert_ptr_nonnull(strstr(str_text(&heard.words), line.data));
    }
    row_check(row, str_text(&got));
    judge_run_done(&run);
    str_done(&got);
    str_done(&line);
}
END_TEST

START_TEST(test_ids_of_refused_calls_are_bounded)
{
    enum { CALLS = 9000 };
    struct str line = {0};
    agent_stream_open(&stream, adapters_find(NULL, "claude"), NULL, NULL);
    for (int i = 0; i < CALLS; i++) {
        str_clear(&line);
        str_addf(&line, "{\"type\":\"result\",\"permission_denials\":[{\"tool_use_id\":\"%d\"}]}\n",
                 i);
        agent_stream_add(stream, str_text(&line), line.len);
    }
    ck_assert_int_gt(agent_stream_used(stream)->refused, 1000);
    ck_assert_int_lt(agent_stream_used(stream)->refused, CALLS);
    str_done(&line);
}
END_TEST

START_TEST(test_the_callback_is_optional)
{
    struct judge_run run;
    judge_run_read(&run, streams.items[_i].input);
    agent_stream_open(&stream, judge_run_adapter(&run), NULL, NULL);
    agent_stream_add(stream, str_text(&run.out), run.out.len);
    agent_stream_end(stream);
    ck_assert_int_ne(agent_stream_state(stream), AGENT_END_UNKNOWN);
    ck_assert_int_eq(agent_stream_used(stream)->own_retries > 0,
                     strstr(streams.items[_i].want, "retry ") != NULL);
    judge_run_done(&run);
    agent_stream_close(NULL);
}
END_TEST

Suite *test_suite(void)
{
    streams = rows_read("agents/streams.txt");
    refusals = rows_read("agents/refusals.txt");
    Suite *suite = suite_create("agent_stream");
    TCase *tcase = test_case(suite, "stream");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_items_of_each_agent, 0, streams.count);
    tcase_add_loop_test(tcase, test_state_and_result_at_the_end, 0, TABLE_LEN(ends));
    tcase_add_test(tcase, test_lines_for_people_have_no_control_characters);
    tcase_add_test(tcase, test_open_calls_are_bounded);
    tcase_add_test(tcase, test_a_line_without_an_end_is_bounded);
    tcase_add_test(tcase, test_an_answer_that_is_too_long_is_dropped);
    tcase_add_test(tcase, test_a_line_with_too_many_values_is_shown_but_not_parsed);
    tcase_add_test(tcase, test_a_message_in_pieces_that_is_too_long_is_dropped);
    tcase_add_loop_test(tcase, test_ids_of_sessions, 0, TABLE_LEN(ids));
    tcase_add_test(tcase, test_an_invalid_id_is_no_session);
    tcase_add_test(tcase, test_sums_are_bounded);
    tcase_add_test(tcase, test_retries_on_stderr_are_counted);
    tcase_add_loop_test(tcase, test_own_retries_count_as_silence, 0, TABLE_LEN(pieces));
    tcase_add_test(tcase, test_an_empty_turn_is_shown_as_a_message);
    tcase_add_test(tcase, test_log_lines_of_opencode_are_own_retries);
    tcase_add_loop_test(tcase, test_refused_calls_are_counted_once, 0, refusals.count);
    tcase_add_test(tcase, test_ids_of_refused_calls_are_bounded);
    tcase_add_loop_test(tcase, test_the_callback_is_optional, 0, streams.count);
    return suite;
}
