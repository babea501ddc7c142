#include "agent_stream.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_internal.h"
#include "item_name.h"
#include "str.h"
#include "test_main.h"

/* What the callback was told, an item a line, and the lines for people. */
struct heard {
    struct str items;
    struct str words;
};

static void hear(void *ctx, const struct agent_item *item)
{
    struct heard *heard = ctx;
    str_add(&heard->items, item_name(item->kind));
    if (item->number > 0)
        str_addf(&heard->items, " #%lld", (long long)item->number);
    if (item->tool)
        str_addf(&heard->items, " %s(%s)", item->tool, item->what);
    if (item->kind == AGENT_ITEM_RESULT)
        str_addf(&heard->items, " exit %d%s", item->exit, item->failed ? " failed" : "");
    if (item->kind == AGENT_ITEM_END)
        str_add(&heard->items, item->failed ? " failed" : " done");
    if (item->kind == AGENT_ITEM_USED)
        str_addf(&heard->items, " %lld/%lld/%lld/%lld", (long long)item->used->turns,
                 (long long)item->used->calls, (long long)item->used->cost_micro,
                 (long long)item->used->tokens);
    if (item->kind == AGENT_ITEM_RETRY)
        str_addf(&heard->items, " %lld/%lld +%lld ms HTTP %lld", (long long)item->attempt,
                 (long long)item->most, (long long)item->delay_ms, (long long)item->status);
    if (item->text && item->text[0] != '\0')
        str_addf(&heard->items, ": %s", item->text);
    str_add_char(&heard->items, '\n');
    agent_item_words(item, &heard->words);
}

static void heard_done(struct heard *heard)
{
    str_done(&heard->items);
    str_done(&heard->words);
}

/* Read a text in pieces of that size. */
static struct agent_stream *read_pieces(const char *agent, const char *text, size_t size,
                                        struct heard *heard)
{
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapters_find(NULL, agent), hear, heard);
    const size_t len = strlen(text);
    for (size_t at = 0; at < len; at += size)
        agent_stream_add(stream, text + at, len - at < size ? len - at : size);
    agent_stream_end(stream);
    return stream;
}

#define CLAUDE_CALL(id, command)                                                                   \
    "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"Bash\",\"input\":{\"command\":\"" command \
    "\"}}"
#define CLAUDE_RESULT(id, text, failed)                                                            \
    "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"" text                     \
    "\",\"is_error\":" failed "}"

static const struct {
    const char *agent;
    const char *text;
    const char *items;
} streams[] = {
    {"claude",
     "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}\n"
     "{\"type\":\"system\",\"subtype\":\"api_retry\",\"attempt\":1,\"max_retries\":10,"
     "\"retry_delay_ms\":530.5,\"error_status\":529,\"error\":\"overloaded\",\"session_id\":\"s-"
     "1\"}\n"
     "{\"type\":\"assistant\",\"session_id\":\"s-1\",\"message\":{\"id\":\"m1\",\"content\":["
     "{\"type\":\"text\",\"text\":\"I look.\"}],\"usage\":{\"input_tokens\":12,\"output_tokens\":"
     "1}}}\n"
     "{\"type\":\"assistant\",\"message\":{\"id\":\"m1\",\"content\":[" CLAUDE_CALL(
         "t1",
         "make test") "," CLAUDE_CALL("t2",
                                      "ls") "]}}\n"
                                            "{\"type\":\"user\",\"message\":{\"content\":"
                                            "[" CLAUDE_RESULT(
                                                "t2", "a.c",
                                                "false") "]}}\n"
                                                         "{\"type\":\"user\",\"message\":{"
                                                         "\"content\":[" CLAUDE_RESULT(
                                                             "t1", "Exit code 2\\nno rule",
                                                             "true") "]}}\n"
                                                                     "{\"type\":\"result\","
                                                                     "\"subtype\":\"success\",\"is_"
                                                                     "error\":false,\"result\":"
                                                                     "\"It is done.\","
                                                                     "\"num_turns\":2,\"total_cost_"
                                                                     "usd\":0.0421,\"usage\":{"
                                                                     "\"input_tokens\":24,\"output_"
                                                                     "tokens\":"
                                                                     "10}}\n",
     "session: s-1\n"
     "retry 1/10 +530 ms HTTP 529: overloaded\n"
     "used 0/0/0/0\n"
     "text: I look.\n"
     "used 1/0/0/13\n"
     "call #1 Bash(make test)\n"
     "call #2 Bash(ls)\n"
     "used 1/2/0/13\n"
     "result #2 Bash(ls) exit -1: a.c\n"
     "result #1 Bash(make test) exit 2 failed: Exit code 2\nno rule\n"
     "end done\n"
     "used 2/2/42100/34\n"},
    {"codex",
     "{\"type\":\"thread.started\",\"thread_id\":\"t-9\"}\n"
     "{\"type\":\"turn.started\"}\n"
     "{\"type\":\"error\",\"message\":\"Reconnecting... 2/5 (503)\"}\n"
     "{\"type\":\"item.started\",\"item\":{\"id\":\"i1\",\"type\":\"command_execution\","
     "\"command\":\"make\"}}\n"
     "{\"type\":\"item.completed\",\"item\":{\"id\":\"i1\",\"type\":\"command_execution\","
     "\"command\":\"make\",\"aggregated_output\":\"no\\n\",\"exit_code\":2,\"status\":\"failed\"}}"
     "\n"
     "{\"type\":\"item.completed\",\"item\":{\"id\":\"i2\",\"type\":\"agent_message\",\"text\":"
     "\"Done.\"}}\n"
     "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":20,\"output_tokens\":10}}\n",
     "session: t-9\n"
     "retry 2/5 +0 ms HTTP 0: Reconnecting... 2/5 (503)\n"
     "used 0/0/0/0\n"
     "call #1 shell(make)\n"
     "used 1/1/0/0\n"
     "result #1 shell(make) exit 2 failed: no\n\n"
     "text: Done.\n"
     "used 2/1/0/0\n"
     "end done\n"
     "used 2/1/0/30\n"},
    {"gemini",
     "YOLO is not on\n"
     "{\"type\":\"init\",\"session_id\":\"g-1\"}\n"
     "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"}\n"
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Hello \",\"delta\":true}\n"
     "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"world\",\"delta\":true}\n"
     "{\"type\":\"tool_use\",\"tool_name\":\"ls\",\"tool_id\":\"x\",\"parameters\":{\"path\":\"a\"}"
     "}"
     "\n"
     "{\"type\":\"tool_result\",\"tool_id\":\"x\",\"status\":\"error\",\"error\":{\"message\":"
     "\"no\"}}\n"
     "{\"type\":\"result\",\"status\":\"success\",\"stats\":{\"total_tokens\":17}}\n",
     "other: YOLO is not on\n"
     "session: g-1\n"
     "used 1/0/0/0\n"
     "text: Hello world\n"
     "call #1 ls(a)\n"
     "used 1/1/0/0\n"
     "result #1 ls(a) exit -1 failed: no\n"
     "end done\n"
     "used 1/1/0/17\n"},
    {"kimi",
     "{\"role\":\"meta\",\"type\":\"system.version\",\"version\":\"2.1.0\"}\n"
     "{\"role\":\"assistant\",\"content\":\"I look.\",\"tool_calls\":[{\"type\":\"function\","
     "\"id\":\"a\",\"function\":{\"name\":\"Bash\",\"arguments\":\"{\\\"command\\\":\\\"wc "
     "x\\\"}\"}},"
     "{\"type\":\"function\",\"id\":\"b\",\"function\":{\"name\":\"Patch\",\"arguments\":"
     "\"*** Begin\"}},{\"id\":\"c\",\"function\":{\"name\":\"Todo\",\"arguments\":\"[1]\"}},"
     "{\"id\":\"d\",\"function\":{\"name\":\"Done\",\"arguments\":\"\"}}]}\n"
     "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"bad\\nCommand failed with exit code: "
     "3.\"}\n"
     "{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":\"Invalid args for tool "
     "\\\"Patch\\\"\"}\n"
     "{\"role\":\"assistant\",\"content\":\"Done.\"}\n"
     "{\"role\":\"meta\",\"type\":\"session.resume_hint\",\"session_id\":\"session_1\"}\n",
     "text: I look.\n"
     "call #1 Bash(wc x)\n"
     "call #2 Patch(*** Begin)\n"
     "call #3 Todo([1])\n"
     "call #4 Done()\n"
     "used 1/4/0/0\n"
     "result #1 Bash(wc x) exit 3 failed: bad\nCommand failed with exit code: 3.\n"
     "result #2 Patch(*** Begin) exit -1 failed: Invalid args for tool \"Patch\"\n"
     "text: Done.\n"
     "used 2/4/0/0\n"
     "session: session_1\n"
     "end done\n"},
    {"opencode",
     "{\"type\":\"step_start\",\"sessionID\":\"ses_1\"}\n"
     "{\"type\":\"tool_use\",\"sessionID\":\"ses_1\",\"part\":{\"tool\":\"bash\",\"callID\":\"c1\","
     "\"state\":{\"status\":\"completed\",\"input\":{\"command\":\"false\"},\"output\":\"\","
     "\"metadata\":{\"exit\":1}}}}\n"
     "{\"type\":\"step_finish\",\"sessionID\":\"ses_1\",\"part\":{\"reason\":\"tool-calls\","
     "\"cost\":0.25,\"tokens\":{\"input\":12,\"output\":5,\"cache\":{\"read\":3}}}}\n"
     "{\"type\":\"text\",\"part\":{\"text\":\"ok\"}}\n"
     "{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\",\"cost\":0.25}}\n",
     "session: ses_1\n"
     "used 1/0/0/0\n"
     "call #1 bash(false)\n"
     "result #1 bash(false) exit 1 failed\n"
     "used 1/1/0/0\n"
     "used 1/1/250000/20\n"
     "text: ok\n"
     "end done\n"
     "used 1/1/500000/20\n"},
    {"pi",
     "{\"type\":\"session\",\"id\":\"p-1\"}\n"
     "{\"type\":\"turn_start\"}\n"
     "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"stopReason\":\"error\","
     "\"errorMessage\":\"503 busy\"}}\n"
     "{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"error\",\"errorMessage\":\"503 "
     "busy\"}]}\n"
     "{\"type\":\"auto_retry_start\",\"attempt\":1,\"maxAttempts\":3,\"delayMs\":2000,"
     "\"errorMessage\":\"503 busy\"}\n"
     "{\"type\":\"turn_start\"}\n"
     "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"stopReason\":\"stop\","
     "\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],\"usage\":{\"totalTokens\":17,\"cost\":{"
     "\"total\":0.001}}}}\n"
     "{\"type\":\"agent_end\",\"messages\":[{\"stopReason\":\"stop\",\"content\":[{\"type\":"
     "\"text\",\"text\":\"Hi\"}]}]}\n"
     "{\"type\":\"entry_appended\",\"entry\":{\"type\":\"message\"}}\n"
     "{\"type\":\"agent_settled\"}\n",
     "session: p-1\n"
     "used 1/0/0/0\n"
     "notice: 503 busy\n"
     "end failed: 503 busy\n\n"
     "retry 1/3 +2000 ms HTTP 0: 503 busy\n"
     "used 1/0/0/0\n"
     "used 2/0/0/0\n"
     "text: Hi\n"
     "used 2/0/1000/17\n"
     "end done\n"},
    {"qwen",
     "[{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"q-1\"},{\"type\":\"result\","
     "\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\"result\":\"[API Error: 401 "
     "no]\"}"
     "]\n",
     "session: q-1\n"
     "end failed: [API Error: 401 no]\n\n"
     "used 1/0/0/0\n"},
};

START_TEST(test_items_of_each_agent)
{
    struct heard heard = {0};
    struct agent_stream *stream =
        read_pieces(streams[_i].agent, streams[_i].text, SIZE_MAX / 2, &heard);
    ck_assert_str_eq(str_text(&heard.items), streams[_i].items);
    agent_stream_close(stream);
    heard_done(&heard);
}
END_TEST

/* Wherever the output is cut, the items are the same. */
START_TEST(test_any_cut_gives_the_same_items)
{
    for (size_t size = 1; size < 100; size = size * 2 + 1) {
        struct heard heard = {0};
        struct agent_stream *stream =
            read_pieces(streams[_i].agent, streams[_i].text, size, &heard);
        ck_assert_str_eq(str_text(&heard.items), streams[_i].items);
        agent_stream_close(stream);
        heard_done(&heard);
    }
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

START_TEST(test_how_it_ends_and_what_is_left)
{
    struct heard heard = {0};
    struct str final = {0};
    bool is_json = false;
    struct agent_stream *stream = read_pieces(ends[_i].agent, ends[_i].text, 7, &heard);
    ck_assert_int_eq(agent_stream_state(stream), ends[_i].state);
    ck_assert_int_eq(agent_stream_final(stream, &final, &is_json), ends[_i].final != NULL);
    ck_assert_str_eq(str_text(&final), ends[_i].final ? ends[_i].final : "");
    ck_assert_int_eq(is_json, ends[_i].is_json);
    agent_stream_close(stream);
    heard_done(&heard);
    str_done(&final);
}
END_TEST

START_TEST(test_words_are_fit_for_a_terminal)
{
    struct heard heard = {0};
    struct agent_stream *stream = read_pieces(
        "claude",
        "plain \x1b[2J words\n"
        "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\","
        "\"text\":\"a\\u001b]0;title\\u0007b\\nc\"}," CLAUDE_CALL(
            "t", "printf \\\\033\\u001b[1m") "]}}\n"
                                             "{\"type\":\"user\",\"message\":{\"content\":"
                                             "[" CLAUDE_RESULT(
                                                 "t", "1\\n2\\n3\\n4\\n5\\n6",
                                                 "true") "]}}\n"
                                                         "{\"type\":\"result\",\"is_error\":true,"
                                                         "\"api_error_status\":529,\"result\":"
                                                         "\"Over\\u202e\"}",
        SIZE_MAX / 2, &heard);
    ck_assert_str_eq(str_text(&heard.words), "plain  words\n"
                                             "ab\nc\n"
                                             "> Bash: printf \\033\n"
                                             "  1\n  2\n  3\n  4\n  ... 2 more lines\n  failed\n"
                                             "! Over?\n");
    agent_stream_close(stream);
    heard_done(&heard);
}
END_TEST

/* More calls than are kept open: the oldest is forgotten, its result comes without it. */
START_TEST(test_open_calls_are_bounded)
{
    struct heard heard = {0};
    struct str text = {0};
    for (int i = 0; i <= AGENT_OPEN_CALLS_MAX; i++)
        str_addf(&text,
                 "{\"type\":\"tool_use\",\"tool_name\":\"t\",\"tool_id\":\"c%d\",\"parameters\":{}}"
                 "\n",
                 i);
    str_add(&text, "{\"type\":\"tool_result\",\"tool_id\":\"c0\",\"output\":\"late\"}\n"
                   "{\"type\":\"tool_result\",\"tool_id\":\"c1\",\"output\":\"known\"}\n");
    struct agent_stream *stream = read_pieces("gemini", str_text(&text), 1000, &heard);
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "result exit -1: late\n"));
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "result #2 t() exit -1: known\n"));
    ck_assert_int_eq(agent_stream_used(stream)->calls, AGENT_OPEN_CALLS_MAX + 1);
    agent_stream_close(stream);
    heard_done(&heard);
    str_done(&text);
}
END_TEST

/* Counts what is told, and keeps nothing. */
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
    struct agent_stream *stream = NULL;
    int others = 0;
    memset(piece, 'x', PIECE);
    agent_stream_open(&stream, adapters_find(NULL, "pi"), count_other, &others);
    for (size_t sent = 0; sent <= 3 * (size_t)AGENT_LINE_MAX; sent += PIECE)
        agent_stream_add(stream, piece, PIECE);
    ck_assert_int_eq(others, 1);
    static const char end[] = ",\"stopReason\":\"error\",\"errorMessage\":\"503 busy\"}]}\n";
    agent_stream_add(stream, end, sizeof(end) - 1);
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_FAILED);
    agent_stream_close(stream);
    free(piece);
}
END_TEST

START_TEST(test_an_answer_that_is_too_long_is_none)
{
    struct heard heard = {0};
    struct str text = {0};
    struct str final = {0};
    str_add(&text, "{\"response\":\"");
    for (int i = 0; i <= AGENT_TEXT_MAX; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\"}\n");
    struct agent_stream *stream = read_pieces("gemini", str_text(&text), 4096, &heard);
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_DONE);
    ck_assert(!agent_stream_final(stream, &final, NULL));
    agent_stream_close(stream);
    heard_done(&heard);
    str_done(&text);
    str_done(&final);
}
END_TEST

/* To parse it would take a hundred times its size. */
START_TEST(test_a_line_of_too_many_values_is_shown_and_not_read)
{
    struct str text = {0};
    struct heard heard = {0};
    str_add(&text, "{\"type\":\"result\",\"subtype\":\"success\",\"x\":[0");
    for (int i = 0; i < AGENT_VALUES_MAX; i++)
        str_add(&text, ",0");
    str_add(&text, "]}\n");
    struct agent_stream *stream = read_pieces("claude", str_text(&text), 4096, &heard);
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_UNKNOWN);
    ck_assert_uint_lt(heard.items.len, 5000);
    ck_assert(strncmp(str_text(&heard.items), "other: {", 8) == 0);
    agent_stream_close(stream);
    heard_done(&heard);
    str_done(&text);
}
END_TEST

/* Nor is the last piece of it one. */
START_TEST(test_a_message_in_pieces_that_is_too_long_is_none)
{
    static const char before[] =
        "{\"type\":\"message\",\"role\":\"assistant\",\"delta\":true,\"content\":\"";
    enum { PIECE = 64 * 1024 };
    char piece[PIECE + 1] = {0};
    struct heard heard = {0};
    struct str text = {0};
    struct str final = {0};
    memset(piece, 'x', PIECE);
    for (size_t sent = 0; sent <= AGENT_TEXT_MAX; sent += PIECE)
        str_addf(&text, "%s%s\"}\n", before, piece);
    str_addf(&text, "%send\"}\n", before);
    struct agent_stream *stream = read_pieces("gemini", str_text(&text), 4096, &heard);
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "text: end\n"));
    ck_assert(!agent_stream_final(stream, &final, NULL));
    agent_stream_close(stream);
    heard_done(&heard);

    str_addf(&text, "{\"type\":\"tool_use\"}\n%sshort\"}\n", before);
    stream = read_pieces("gemini", str_text(&text), 4096, &heard);
    ck_assert(agent_stream_final(stream, &final, NULL));
    ck_assert_str_eq(str_text(&final), "short");
    agent_stream_close(stream);
    heard_done(&heard);
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

START_TEST(test_what_may_be_the_id_of_a_session)
{
    ck_assert_int_eq(adapter_session_is_id(ids[_i].id), ids[_i].is_one);
}
END_TEST

START_TEST(test_a_session_without_an_id_is_none)
{
    struct str text = {0};
    struct heard heard = {0};
    str_add(&text, "{\"type\":\"thread.started\",\"thread_id\":\"--last\"}\n"
                   "{\"type\":\"thread.started\",\"thread_id\":\"");
    for (int i = 0; i <= AGENT_SESSION_MAX; i++)
        str_add_char(&text, 'x');
    str_add(&text, "\"}\n");
    struct agent_stream *stream = read_pieces("codex", str_text(&text), 64, &heard);
    ck_assert_uint_eq(heard.items.len, 0);
    ck_assert(!adapter_session_is_id(NULL));
    agent_stream_close(stream);
    heard_done(&heard);
    str_done(&text);
}
END_TEST

/* A number that no log takes is none; a sum stops where it is. */
START_TEST(test_sums_are_bounded)
{
    static const char text[] =
        "{\"type\":\"step_finish\",\"part\":{\"cost\":1e300,\"tokens\":{\"input\":-5}}}\n"
        "{\"type\":\"step_finish\",\"part\":{\"cost\":900000000,\"tokens\":{\"input\":7}}}\n"
        "{\"type\":\"step_finish\",\"part\":{\"cost\":900000000,\"tokens\":{\"input\":7}}}\n";
    struct heard heard = {0};
    struct agent_stream *stream = read_pieces("opencode", text, 64, &heard);
    ck_assert_int_eq(agent_stream_used(stream)->cost_micro, AGENT_USED_MAX);
    ck_assert_int_eq(agent_stream_used(stream)->tokens, 14);
    agent_stream_close(stream);
    heard_done(&heard);
}
END_TEST

START_TEST(test_tries_that_stand_on_stderr_are_counted)
{
    static const char err[] = "Warning: no color\nAttempt 2 failed with status 429. Retrying "
                              "with backoff... {\"a\":\n  at x\nAttempt 3 failed";
    struct heard heard = {0};
    struct str text = {0};
    struct agent_stream *stream = NULL;
    for (int i = 0; i < AGENT_ERR_LINE_MAX; i++)
        str_add(&text, "Attempt 1 failed ");
    agent_stream_open(&stream, adapters_find(NULL, "gemini"), hear, &heard);
    agent_stream_add_err(stream, str_text(&text), text.len);
    agent_stream_add_err(stream, "\n", 1);
    for (size_t i = 0; i < sizeof(err) - 1; i++)
        agent_stream_add_err(stream, err + i, 1);
    agent_stream_end(stream);
    ck_assert_int_eq(agent_stream_used(stream)->own_retries, 2);
    ck_assert_ptr_nonnull(strstr(str_text(&heard.items), "retry 2/0 +0 ms HTTP 429: Attempt 2"));
    ck_assert_int_eq(agent_stream_state(stream), AGENT_END_UNKNOWN);
    agent_stream_close(stream);
    heard_done(&heard);
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

START_TEST(test_own_retries_are_as_good_as_silence)
{
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapters_find(NULL, pieces[_i].agent), NULL, NULL);
    ck_assert(!agent_stream_has_spoken(stream));
    if (pieces[_i].on_err)
        agent_stream_add_err(stream, pieces[_i].text, strlen(pieces[_i].text));
    else
        agent_stream_add(stream, pieces[_i].text, strlen(pieces[_i].text));
    ck_assert_int_eq(agent_stream_has_spoken(stream), pieces[_i].has_spoken);
    ck_assert(!agent_stream_has_spoken(stream));
    agent_stream_close(stream);
}
END_TEST

START_TEST(test_turn_that_brings_nothing_is_told_as_a_message)
{
    struct heard heard = {0};
    struct agent_stream *stream =
        read_pieces("opencode",
                    "{\"type\":\"step_start\"}\n{\"type\":\"step_finish\",\"part\":{}}\n"
                    "{\"type\":\"step_start\"}\n"
                    "{\"type\":\"step_finish\",\"part\":{\"tokens\":{\"output\":3}}}\n"
                    "{\"type\":\"step_start\"}\n{\"type\":\"text\",\"part\":{\"text\":\"hi\"}}\n"
                    "{\"type\":\"step_start\"}\n{\"type\":\"error\",\"error\":{\"name\":\"no\"}}\n"
                    "{\"type\":\"step_start\"}\n",
                    SIZE_MAX / 2, &heard);
    ck_assert_str_eq(str_text(&heard.words), "(an empty turn)\nhi\n! no\n");
    ck_assert_int_eq(agent_stream_used(stream)->turns, 5);
    agent_stream_close(stream);
    heard_done(&heard);
}
END_TEST

START_TEST(test_log_lines_of_opencode_are_own_retries)
{
    static const char lines[] =
        "timestamp=2026-11-28T23:20:31.824Z level=ERROR message=\"stream error\" small=true "
        "agent=title error.error=\"AI_RetryError: no title\"\n"
        "timestamp=2026-11-28T23:20:34.501Z level=ERROR message=\"stream error\" small=false "
        "agent=build error.error=\"AI_APICallError: Overloaded\"\n";
    struct heard heard = {0};
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapters_find(NULL, "opencode"), hear, &heard);
    agent_stream_add_err(stream, lines, strlen(lines));
    ck_assert_int_eq(agent_stream_used(stream)->own_retries, 1);
    ck_assert_str_eq(str_text(&heard.words),
                     "! the agent retries on its own: \"AI_APICallError: Overloaded\"\n");
    agent_stream_close(stream);
    heard_done(&heard);
}
END_TEST

#define BASH_CALL(id)                                                                              \
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"" id        \
    "\",\"name\":\"Bash\",\"input\":{\"command\":\"git push\"}}]}}\n"
#define BASH_RESULT(id, text)                                                                      \
    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" id \
    "\",\"is_error\":true,\"content\":\"" text "\"}]}}\n"
#define BASH_DENIED(id)                                                                            \
    "{\"tool_name\":\"Bash\",\"tool_use_id\":\"" id "\",\"tool_input\":{\"command\":\"git "        \
    "push\"}}"

/* Refused calls, as each CLI reports them. */
static const struct {
    const char *agent, *out, *err;
    int refused;
    bool ends_refused;
    const char *call;
} refusals[] = {
    {"claude",
     BASH_CALL("a") BASH_RESULT(
         "a", "Claude requested permissions to use Bash, but you haven't granted it "
              "yet.") "{\"type\":\"result\",\"permission_denials\":[" BASH_DENIED("a") "]}\n",
     "", 1, true, "Bash: git push"},
    {"claude",
     BASH_CALL("a") BASH_RESULT("a", "denied by a hook") BASH_CALL("b") BASH_RESULT("b", "exit 1")
         BASH_CALL("c") "{\"type\":\"result\",\"permission_denials\":[" BASH_DENIED(
             "a") "," BASH_DENIED("b") "]}\n",
     "", 2, false, "Bash: git push"},
    {"claude", BASH_CALL("a") "{\"type\":\"result\",\"permission_denials\":[]}\n", "", 0, false,
     NULL},
    {"qwen",
     "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"c\","
     "\"name\":\"run_shell_command\",\"input\":{\"command\":\"ls\"}}]}}\n"
     "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\","
     "\"is_error\":true,\"content\":\"Qwen Code requires permission to use "
     "\\\"run_shell_command\\\", "
     "but that permission was declined.\"}]}}\n"
     "{\"type\":\"result\",\"result\":\"Done.\",\"permission_denials\":[{\"tool_name\":"
     "\"run_shell_command\",\"tool_use_id\":\"c\",\"tool_input\":{\"command\":\"ls\"}}]}\n",
     "", 1, true, "run_shell_command: ls"},
    {"copilot",
     "{\"type\":\"tool.execution_start\",\"data\":{\"toolCallId\":\"c\",\"toolName\":\"bash\","
     "\"arguments\":{\"command\":\"echo hi\"}}}\n"
     "{\"type\":\"tool.execution_complete\",\"data\":{\"toolCallId\":\"c\",\"success\":false,"
     "\"error\":{\"message\":\"Permission denied\",\"code\":\"denied\"}}}\n",
     "", 1, true, "bash: echo hi"},
    {"opencode",
     "{\"type\":\"tool_use\",\"part\":{\"tool\":\"bash\",\"callID\":\"c\",\"state\":{\"input\":"
     "{\"command\":\"touch x\"},\"error\":\"The user rejected permission to use this call.\"}}}\n",
     "", 1, true, "bash: touch x"},
    {"codex",
     "{\"type\":\"item.completed\",\"item\":{\"id\":\"i1\",\"type\":\"mcp_tool_call\",\"tool\":"
     "\"ask\","
     "\"arguments\":{},\"status\":\"failed\",\"error\":{\"message\":\"MCP tool call requires "
     "approval, but approval policy is never\"}}}\n",
     "2026-11-28T10:00:00.1Z ERROR codex_core::tools::router: error=approval policy is Never; "
     "reject "
     "command \xe2\x80\x94 you cannot ask for escalated permissions if the approval policy is "
     "Never\n"
     "2026-11-28T10:00:01.1Z ERROR codex_core::tools::router: error=patch rejected: writing "
     "outside "
     "of the project; rejected by user approval settings\n"
     "2026-11-28T10:00:02.1Z ERROR codex_core::tools::router: error=exec_command failed: Exit "
     "code: 1\n",
     3, true, "apply_patch: writing outside of the project; rejected by user approval settings"},
    {"codex", "",
     "ERROR codex_core::tools::router: error=exec_command failed: CreateProcess { message: "
     "\"Rejected(\\\"`/bin/bash -lc 'rm -rf x'` rejected: blocked by policy\\\")\" }\n",
     1, true, NULL},
};

START_TEST(test_refused_calls_are_counted_once)
{
    struct heard heard = {0};
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapters_find(NULL, refusals[_i].agent), hear, &heard);
    agent_stream_add(stream, refusals[_i].out, strlen(refusals[_i].out));
    agent_stream_add_err(stream, refusals[_i].err, strlen(refusals[_i].err));
    agent_stream_end(stream);
    ck_assert_int_eq(agent_stream_used(stream)->refused, refusals[_i].refused);
    ck_assert_int_eq(stream->ends_refused, refusals[_i].ends_refused);
    ck_assert_int_eq(agent_stream_refused(stream) != NULL, refusals[_i].refused > 0);
    if (refusals[_i].call) {
        struct str line = {0};
        str_addf(&line, "! refused: %s\n", refusals[_i].call);
        ck_assert_str_eq(agent_stream_refused(stream), refusals[_i].call);
        ck_assert_ptr_nonnull(strstr(str_text(&heard.words), line.data));
        str_done(&line);
    }
    agent_stream_close(stream);
    heard_done(&heard);
}
END_TEST

START_TEST(test_ids_of_refused_calls_are_bounded)
{
    enum { CALLS = 9000 };
    struct agent_stream *stream = NULL;
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
    agent_stream_close(stream);
    str_done(&line);
}
END_TEST

START_TEST(test_nobody_has_to_listen)
{
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapters_find(NULL, "codex"), NULL, NULL);
    agent_stream_add(stream, streams[1].text, strlen(streams[1].text));
    agent_stream_end(stream);
    ck_assert_int_eq(agent_stream_used(stream)->own_retries, 1);
    agent_stream_close(stream);
    agent_stream_close(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("agent_stream");
    TCase *tcase = test_case(suite, "stream");
    tcase_add_loop_test(tcase, test_items_of_each_agent, 0, TABLE_LEN(streams));
    tcase_add_loop_test(tcase, test_any_cut_gives_the_same_items, 0, TABLE_LEN(streams));
    tcase_add_loop_test(tcase, test_how_it_ends_and_what_is_left, 0, TABLE_LEN(ends));
    tcase_add_test(tcase, test_words_are_fit_for_a_terminal);
    tcase_add_test(tcase, test_open_calls_are_bounded);
    tcase_add_test(tcase, test_a_line_without_an_end_is_bounded);
    tcase_add_test(tcase, test_an_answer_that_is_too_long_is_none);
    tcase_add_test(tcase, test_a_line_of_too_many_values_is_shown_and_not_read);
    tcase_add_test(tcase, test_a_message_in_pieces_that_is_too_long_is_none);
    tcase_add_loop_test(tcase, test_what_may_be_the_id_of_a_session, 0, TABLE_LEN(ids));
    tcase_add_test(tcase, test_a_session_without_an_id_is_none);
    tcase_add_test(tcase, test_sums_are_bounded);
    tcase_add_test(tcase, test_tries_that_stand_on_stderr_are_counted);
    tcase_add_loop_test(tcase, test_own_retries_are_as_good_as_silence, 0, TABLE_LEN(pieces));
    tcase_add_test(tcase, test_turn_that_brings_nothing_is_told_as_a_message);
    tcase_add_test(tcase, test_log_lines_of_opencode_are_own_retries);
    tcase_add_loop_test(tcase, test_refused_calls_are_counted_once, 0, TABLE_LEN(refusals));
    tcase_add_test(tcase, test_ids_of_refused_calls_are_bounded);
    tcase_add_test(tcase, test_nobody_has_to_listen);
    return suite;
}
