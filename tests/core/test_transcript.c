#include "transcript.h"

#include <stdlib.h>
#include <string.h>

#include "item_name.h"
#include "str.h"
#include "test_main.h"

/* What comes out of a file, an item a line: "call 1 Bash make", "result 1 exit 2: ...". */
static struct str items;
static int64_t first_ms, last_ms, took_ms;

static void take(void *ctx, const struct transcript_item *it)
{
    const struct agent_item *item = &it->item;
    (void)ctx;
    ck_assert_ptr_nonnull(item->used);
    first_ms = first_ms == 0 ? it->at_ms : first_ms;
    last_ms = it->at_ms;
    took_ms = it->took_ms > 0 ? it->took_ms : took_ms;
    if (item->kind == AGENT_ITEM_USED)
        return;
    str_addf(&items, "%s%s", it->is_side ? "side " : "",
             it->is_prompt ? "prompt" : item_name(item->kind));
    if (item->number > 0)
        str_addf(&items, " %lld", (long long)item->number);
    if (item->kind == AGENT_ITEM_CALL)
        str_addf(&items, " %s", item->tool);
    if (item->kind == AGENT_ITEM_RESULT && item->exit >= 0)
        str_addf(&items, " exit %d", item->exit);
    if (item->failed)
        str_add(&items, " failed");
    if (item->what && item->kind == AGENT_ITEM_CALL)
        str_addf(&items, " %s", item->what);
    if (item->text)
        str_addf(&items, ": %s", item->text);
    str_add_char(&items, '\n');
}

/* The whole file in pieces of `size` bytes. */
static struct transcript *read_in(const char *text, size_t size)
{
    struct transcript *t = NULL;
    struct err err = {0};
    const size_t len = strlen(text);
    str_clear(&items);
    first_ms = last_ms = took_ms = 0;
    transcript_open(&t, NULL, NULL, take, NULL);
    for (size_t at = 0; at < len; at += size)
        ck_assert_msg(transcript_add(t, text + at, len - at < size ? len - at : size, &err), "%s",
                      err.message);
    ck_assert_msg(transcript_end(t, &err), "%s", err.message);
    return t;
}

#define CLAUDE_LINE                                                                                \
    "\"sessionId\":\"83ca3d6e-0001\",\"cwd\":\"/shop\",\"uuid\":\"u\",\"isSidechain\":false,"
static const char claude[] =
    "{\"type\":\"summary\",\"summary\":\"tax\",\"leafUuid\":\"x\"}\n"
    "{" CLAUDE_LINE "\"timestamp\":\"2026-11-20T10:00:00Z\",\"type\":\"user\","
    "\"message\":{\"role\":\"user\",\"content\":\"fix it\"}}\n"
    "{" CLAUDE_LINE "\"timestamp\":\"2026-11-20T10:00:01Z\",\"type\":\"assistant\",\"message\":"
    "{\"id\":\"m1\",\"content\":[{\"type\":\"text\",\"text\":\"I look.\"}],"
    "\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}\n"
    "{" CLAUDE_LINE "\"timestamp\":\"2026-11-20T10:00:02Z\",\"type\":\"assistant\",\"message\":"
    "{\"id\":\"m1\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\","
    "\"input\":{\"command\":\"make\"}}],\"usage\":{\"input_tokens\":10,\"output_tokens\":9}}}\n"
    "{\"sessionId\":\"83ca3d6e-0001\",\"uuid\":\"u\",\"isSidechain\":true,\"type\":\"assistant\","
    "\"timestamp\":\"2026-11-20T10:00:03Z\",\"message\":{\"id\":\"s1\",\"content\":[{\"type\":"
    "\"tool_use\",\"id\":\"t2\",\"name\":\"Grep\",\"input\":{\"pattern\":\"x\"}}]}}\n"
    "{" CLAUDE_LINE "\"timestamp\":\"2026-11-20T10:00:05.500Z\",\"type\":\"user\",\"message\":"
    "{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"is_error\":true,"
    "\"content\":[{\"type\":\"text\",\"text\":\"Exit code 2\\nred\"}]}]}}\n"
    "{" CLAUDE_LINE "\"type\":\"system\",\"subtype\":\"compact_boundary\","
    "\"compactMetadata\":{\"preTokens\":9}}\n"
    "{" CLAUDE_LINE "\"type\":\"user\",\"isCompactSummary\":true,\"message\":{\"content\":"
    "\"what was before\"}}\n"
    "{" CLAUDE_LINE "\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"Caveat\"}}\n"
    "{" CLAUDE_LINE "\"type\":\"of-tomorrow\"}\n"
    "no JSON\n"
    "{" CLAUDE_LINE "\"type\":\"assistant\",\"message\":{\"id\":\"m2\",\"content\":"
    "[{\"type\":\"text\",\"text\":\"Done.\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}";

START_TEST(test_reads_a_session_of_claude_code)
{
    static const size_t sizes[] = {1, 7, 100, 100000};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct transcript *t = read_in(claude, sizes[i]);
        ck_assert_str_eq(str_text(&items), "session: 83ca3d6e-0001\n"
                                           "prompt: fix it\n"
                                           "text: I look.\n"
                                           "call 1 Bash make\n"
                                           "side call 2 Grep x\n"
                                           "result 1 exit 2 failed: Exit code 2\nred\n"
                                           "notice: the conversation was compacted (9 tokens)\n"
                                           "notice: what was before\n"
                                           "text: Done.\n");
        ck_assert_int_eq(transcript_form(t), TRANSCRIPT_CLAUDE);
        ck_assert_str_eq(transcript_agent(t), "claude");
        ck_assert_str_eq(transcript_session(t), "83ca3d6e-0001");
        ck_assert_str_eq(transcript_folder(t), "/shop");
        ck_assert_int_eq(transcript_used(t)->turns, 2);
        ck_assert_int_eq(transcript_used(t)->calls, 2);
        ck_assert_int_eq(transcript_used(t)->tokens, 21);
        ck_assert_int_eq(transcript_state(t), AGENT_END_DONE);
        ck_assert_int_eq(transcript_counts(t).lines, 12);
        ck_assert_int_eq(transcript_counts(t).unknown, 1);
        ck_assert_int_eq(transcript_counts(t).broken, 1);
        ck_assert_int_eq(first_ms, INT64_C(1795168800000));
        ck_assert_int_eq(last_ms - first_ms, 5500);
        ck_assert_int_eq(took_ms, 3500);
        transcript_close(t);
    }
}
END_TEST

/* A file, what comes out of it, and how it ends. */
static const struct {
    const char *name, *text, *items;
    enum transcript_form form;
    enum agent_end end;
    int turns, tokens;
} files[] = {
    {"codex with envelopes",
     "{\"timestamp\":\"2026-01-02T03:04:05Z\",\"type\":\"session_meta\",\"payload\":{\"id\":\"c1\","
     "\"cwd\":\"/w\"}}\n"
     "{\"type\":\"session_meta\",\"payload\":{\"id\":\"of the parent\"}}\n"
     "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":"
     "[{\"type\":\"input_text\",\"text\":\"<environment_context>...\"}]}}\n"
     "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"user\",\"content\":"
     "[{\"type\":\"input_text\",\"text\":\"list\"}]}}\n"
     "{\"type\":\"event_msg\",\"payload\":{\"type\":\"user_message\",\"message\":\"list\"}}\n"
     "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\",\"name\":\"shell\","
     "\"arguments\":\"{\\\"command\\\":[\\\"bash\\\",\\\"-lc\\\",\\\"ls\\\"]}\",\"call_id\":\"a\"}}"
     "\n{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call_output\",\"call_id\":"
     "\"a\",\"output\":\"{\\\"output\\\":\\\"x\\\",\\\"metadata\\\":{\\\"exit_code\\\":1}}\"}}\n"
     "{\"type\":\"response_item\",\"payload\":{\"type\":\"custom_tool_call\",\"name\":"
     "\"apply_patch\",\"input\":\"*** Begin\",\"call_id\":\"b\"}}\n"
     "{\"type\":\"response_item\",\"payload\":{\"type\":\"custom_tool_call_output\",\"call_id\":"
     "\"b\",\"output\":\"Chunk ID: 4f\\nProcess exited with code 0\\nOutput:\\nok\"}}\n"
     "{\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":"
     "{\"total_token_usage\":{\"input_tokens\":5,\"output_tokens\":2}}}}\n"
     "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"assistant\","
     "\"content\":[{\"type\":\"output_text\",\"text\":\"Two files.\"}]}}\n",
     "session: c1\nprompt: list\ncall 1 shell ls\nresult 1 exit 1 failed: x\n"
     "call 2 apply_patch *** Begin\nresult 2 exit 0: ok\ntext: Two files.\n",
     TRANSCRIPT_CODEX, AGENT_END_DONE, 1, 7},
    {"codex without",
     "{\"id\":\"c2\",\"timestamp\":\"2025-08-18T01:16:13Z\",\"instructions\":null}\n"
     "{\"record_type\":\"state\"}\n"
     "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"
     "\"go\"}]}\n"
     "{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":\"{}\",\"call_id\":\"a\"}\n",
     "session: c2\nprompt: go\ncall 1 shell \n", TRANSCRIPT_CODEX, AGENT_END_CUT, 1, 0},
    {"pi",
     "{\"type\":\"session\",\"id\":\"p1\",\"timestamp\":\"2026-01-02T03:04:05Z\",\"cwd\":\"/w\"}\n"
     "{\"type\":\"model_change\"}\n"
     "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"go\",\"timestamp\":"
     "1767322000000}}\n"
     "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":"
     "\"toolCall\","
     "\"id\":\"a\",\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}],\"usage\":{\"input\":3,"
     "\"output\":1},\"stopReason\":\"toolUse\"}}\n"
     "{\"type\":\"message\",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"a\",\"content\":"
     "[{\"type\":\"text\",\"text\":\"Command exited with code 3\"}],\"isError\":true}}\n"
     "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[],\"stopReason\":"
     "\"error\",\"errorMessage\":\"429\"}}\n",
     "session: p1\nprompt: go\ncall 1 bash ls\n"
     "result 1 exit 3 failed: Command exited with code 3\nnotice failed: 429\n",
     TRANSCRIPT_PI, AGENT_END_FAILED, 2, 4},
    {"gemini, a message a line",
     "{\"sessionId\":\"g1\",\"projectHash\":\"h\",\"startTime\":\"2026-01-02T03:04:05Z\"}\n"
     "{\"id\":\"1\",\"type\":\"user\",\"content\":[{\"text\":\"go\"}]}\n"
     "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"I run.\",\"tokens\":{\"input\":2,\"output\":"
     "1}}\n{\"$set\":{\"lastUpdated\":\"t\"}}\n"
     "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"I run.\",\"toolCalls\":[{\"id\":\"a\","
     "\"name\":\"run_shell_command\",\"args\":{\"command\":\"ls\"},\"status\":\"success\","
     "\"result\":[{\"functionResponse\":{\"response\":{\"output\":\"Exit Code: 3\"}}}]}]}\n"
     "{\"id\":\"3\",\"type\":\"gemini\",\"content\":\"Done.\"}\n",
     "session: g1\nprompt: go\ntext: I run.\ncall 1 run_shell_command ls\n"
     "result 1 exit 3 failed: Exit Code: 3\ntext: Done.\n",
     TRANSCRIPT_GEMINI, AGENT_END_DONE, 2, 3},
    {"gemini, calls without ids",
     "{\"sessionId\":\"g3\",\"projectHash\":\"h\"}\n"
     "{\"id\":\"1\",\"type\":\"gemini\",\"content\":\"I run.\",\"toolCalls\":[{\"name\":\"a\"},"
     "{\"name\":\"b\"}]}\n{\"id\":\"1\",\"type\":\"gemini\",\"content\":\"I run.\","
     "\"toolCalls\":[{\"name\":\"a\"},{\"name\":\"b\"}]}\n",
     "session: g3\ntext: I run.\ncall 1 a \nresult 1: \ncall 2 b \nresult 2: \n", TRANSCRIPT_GEMINI,
     AGENT_END_CUT, 1, 0},
    {"gemini, one document",
     "{\n \"sessionId\": \"g2\",\n \"messages\": [\n  {\"id\":\"1\",\"type\":\"user\",\"content\":"
     "\"go\"},\n  {\"id\":\"2\",\"type\":\"gemini\",\"content\":\"Done.\"}\n ]\n}\n",
     "session: g2\nprompt: go\ntext: Done.\n", TRANSCRIPT_GEMINI, AGENT_END_DONE, 1, 0},
    {"a sub-agent of claude",
     "{\"sessionId\":\"s1\",\"agentId\":\"a7\",\"isSidechain\":true,\"uuid\":\"u\",\"type\":"
     "\"user\",\"message\":{\"content\":\"look\"}}\n"
     "{\"sessionId\":\"s1\",\"agentId\":\"a7\",\"isSidechain\":true,\"uuid\":\"u\",\"type\":"
     "\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"Seen.\"}],"
     "\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n",
     "session: s1/a7\nprompt: look\ntext: Seen.\n", TRANSCRIPT_CLAUDE, AGENT_END_DONE, 1, 2},
    {"a chat of qwen 0.24",
     "{\"uuid\":\"u1\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:15.843Z\",\"type"
     "\":\"user\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"message\":{\"role\":\"user\",\"parts"
     "\":[{\"text\":\"Look at seed.txt.\\n\\n\"}]}}\n"
     "{\"uuid\":\"u2\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:15.892Z\",\"type"
     "\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"attribution_snapshot\""
     ",\"systemPayload\":{}}\n"
     "{\"uuid\":\"u3\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:17.653Z\",\"type"
     "\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"syste"
     "mPayload\":{}}\n"
     "{\"uuid\":\"u4\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:17.661Z\",\"type"
     "\":\"assistant\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"message\":{\"role\":\"model\","
     "\"parts\":[{\"text\":\"let me look\"},{\"functionCall\":{\"id\":\"call_stub1\",\"name\":"
     "\"run_shell_command\",\"args\":{\"command\":\"echo bad >&2; exit 3\",\"description\":\"r"
     "un it\",\"is_background\":false}}}]},\"usageMetadata\":{\"promptTokenCount\":12,\"candid"
     "atesTokenCount\":5}}\n"
     "{\"uuid\":\"u5\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:18.856Z\",\"type"
     "\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"syste"
     "mPayload\":{}}\n"
     "{\"uuid\":\"u6\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:18.872Z\",\"type"
     "\":\"tool_result\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"message\":{\"role\":\"user\","
     "\"parts\":[{\"functionResponse\":{\"id\":\"call_stub1\",\"name\":\"run_shell_command\","
     "\"response\":{\"error\":\"Command: echo bad >&2; exit 3\\nDirectory: (root)\\nOutput: ba"
     "d\\nError: (none)\\nExit Code: 3\\nSignal: (none)\\nPGID: 8259\"}}}]},\"toolCallResult\""
     ":{\"callId\":\"call_stub1\",\"status\":\"error\"}}\n"
     "{\"uuid\":\"u7\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:19.074Z\",\"type"
     "\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"syste"
     "mPayload\":{}}\n"
     "{\"uuid\":\"u8\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:26:19.144Z\",\"type"
     "\":\"assistant\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"message\":{\"role\":\"model\","
     "\"parts\":[{\"text\":\"all done\"}]},\"usageMetadata\":{\"promptTokenCount\":12,\"candid"
     "atesTokenCount\":5}}\n",
     "session: q1\nprompt: Look at seed.txt.\n\n\ntext: let me look\n"
     "call 1 run_shell_command echo bad >&2; exit 3\n"
     "result 1 exit 3 failed: Command: echo bad >&2; exit 3\nDirectory: (root)\nOutput: bad\n"
     "Error: (none)\nExit Code: 3\nSignal: (none)\nPGID: 8259\ntext: all done\n",
     TRANSCRIPT_QWEN, AGENT_END_DONE, 2, 34},
    {"a chat of qwen 0.24 that the service refused",
     "{\"uuid\":\"u1\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:25:07.740Z\",\"type"
     "\":\"user\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"message\":{\"role\":\"user\",\"parts"
     "\":[{\"text\":\"Look at seed.txt.\\n\\n\"}]}}\n"
     "{\"uuid\":\"u2\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:25:07.795Z\",\"type"
     "\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"attribution_snapshot\""
     ",\"systemPayload\":{}}\n"
     "{\"uuid\":\"u3\",\"sessionId\":\"q1\",\"timestamp\":\"2026-11-28T22:25:10.503Z\",\"type"
     "\":\"system\",\"cwd\":\"/w\",\"version\":\"0.24.4\",\"subtype\":\"ui_telemetry\",\"syste"
     "mPayload\":{\"uiEvent\":{\"event.name\":\"qwen-code.api_error\",\"error_message\":\"400 "
     "Invalid value for 'messages'.\",\"status_code\":400}}}\n",
     "session: q1\nprompt: Look at seed.txt.\n\n\n"
     "notice failed: 400 Invalid value for 'messages'.\n",
     TRANSCRIPT_QWEN, AGENT_END_FAILED, 0, 0},
    {"what kimi wrote to stdout",
     "{\"role\":\"meta\",\"type\":\"system.version\",\"version\":\"2.1.0\"}\n"
     "{\"role\":\"assistant\",\"content\":\"Hi.\"}\n"
     "{\"role\":\"meta\",\"type\":\"session.resume_hint\",\"session_id\":\"session_1\"}\n",
     "text: Hi.\nsession: session_1\nend\n", TRANSCRIPT_STREAM, AGENT_END_DONE, 1, 0},
    {"what copilot wrote to stdout",
     "{\"type\":\"session.mcp_servers_loaded\",\"data\":{\"servers\":[]}}\n"
     "{\"type\":\"assistant.turn_start\",\"data\":{\"turnId\":\"0\"}}\n"
     "{\"type\":\"assistant.message\",\"data\":{\"content\":\"Hi.\"}}\n"
     "{\"type\":\"result\",\"sessionId\":\"s1\",\"exitCode\":0}\n",
     "text: Hi.\nsession: s1\nend\n", TRANSCRIPT_STREAM, AGENT_END_DONE, 1, 0},
    {"what claude wrote to stdout",
     "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s1\",\"cwd\":\"/w\"}\n"
     "{\"type\":\"assistant\",\"session_id\":\"s1\",\"message\":{\"id\":\"m\",\"content\":"
     "[{\"type\":\"text\",\"text\":\"Hi.\"}]}}\n"
     "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"Hi.\","
     "\"session_id\":\"s1\",\"num_turns\":1}\n",
     "session: s1\ntext: Hi.\nend\n", TRANSCRIPT_STREAM, AGENT_END_DONE, 1, 0},
};

START_TEST(test_reads_what_other_clis_keep)
{
    struct transcript *t = read_in(files[_i].text, 11);
    ck_assert_msg(strcmp(str_text(&items), files[_i].items) == 0, "%s:\n%s", files[_i].name,
                  str_text(&items));
    ck_assert_int_eq(transcript_form(t), files[_i].form);
    ck_assert_msg(transcript_state(t) == files[_i].end, "%s ends as %d", files[_i].name,
                  transcript_state(t));
    ck_assert_int_eq(transcript_used(t)->turns, files[_i].turns);
    ck_assert_int_eq(transcript_used(t)->tokens, files[_i].tokens);
    ck_assert_int_eq(transcript_counts(t).unknown, 0);
    transcript_close(t);
}
END_TEST

/* Nothing comes out of what is no transcript. */
static const char *const strange[] = {
    "",
    "\n\n",
    "hello\n",
    "{\"a\":1}\n",
    "[1,2,3]",
    "{\"type\":\"user\"}\n{\"b\":2}\n",
    /* cursor-agent, as its documentation has it */
    "{\"type\":\"system\",\"subtype\":\"init\",\"apiKeySource\":\"login\",\"cwd\":\"/w\","
    "\"session_id\":\"c1\",\"model\":\"Auto\",\"permissionMode\":\"default\"}\n"
    "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
    "\"go\"}]},\"session_id\":\"c1\"}\n"
    "{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"t1\",\"tool_call\":"
    "{\"readToolCall\":{\"args\":{\"path\":\"a\"}}},\"session_id\":\"c1\"}\n"
    "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\","
    "\"text\":\"Hi.\"}]},\"session_id\":\"c1\"}\n"
    "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":9,"
    "\"result\":\"Hi.\",\"session_id\":\"c1\",\"request_id\":\"r1\"}\n",
    "{\n\"a\": 1\n}",
    "[[[[[[",
    "{\"type\":\"session\"}",
    "\"text\"",
    "null\n",
    /* of Cline: roles, where a chat of Gemini has types */
    "{\"version\":1,\"sessionId\":\"1795900000000_a\",\"messages\":[{\"role\":\"user\",\"content\":"
    "[{\"type\":\"text\",\"text\":\"go\"}]},{\"role\":\"assistant\",\"content\":[{\"type\":"
    "\"text\","
    "\"text\":\"Done.\"}]}]}",
    /* of nobody who is known: members of Claude Code around another message */
    "{\"sessionId\":\"s\",\"uuid\":\"u\",\"type\":\"user\",\"message\":{\"body\":\"go\"}}\n",
    "{\"sessionId\":\"s\",\"uuid\":\"u\",\"type\":\"of-tomorrow\"}\n",
    /* a session that Copilot keeps: it has no end that says how it ended */
    "{\"type\":\"session.start\",\"data\":{\"sessionId\":\"s1\"}}\n"
    "{\"type\":\"user.message\",\"data\":{\"content\":\"go\"}}\n"
    "{\"type\":\"assistant.message\",\"data\":{\"content\":\"Hi.\"}}\n",
};

START_TEST(test_refuses_what_is_no_transcript)
{
    struct transcript *t = NULL;
    struct err err = {0};
    str_clear(&items);
    transcript_open(&t, NULL, NULL, take, NULL);
    const bool ok =
        transcript_add(t, strange[_i], strlen(strange[_i]), &err) && transcript_end(t, &err);
    ck_assert_msg(!ok, "'%s' was taken", strange[_i]);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_uint_eq(items.len, 0);
    transcript_close(t);
}
END_TEST

START_TEST(test_refuses_a_session_of_another_agent)
{
    struct transcript *t = NULL;
    struct err err = {0};
    transcript_open(&t, NULL, "codex", take, NULL);
    ck_assert(!transcript_add(t, claude, strlen(claude), &err));
    ck_assert_ptr_nonnull(strstr(err.message, "Claude Code session, not one of 'codex'"));
    transcript_close(t);
}
END_TEST

/* Lines that are too long, or hold too many values, are skipped; what is behind them is read. */
START_TEST(test_skips_lines_beyond_its_limits)
{
    struct str text = {0};
    struct transcript *t = NULL;
    str_add(&text, "{\"type\":\"session\",\"id\":\"p\"}\n{\"type\":\"x\",\"y\":\"");
    for (int i = 0; i < TRANSCRIPT_LINE_MAX / 16 + 1; i++)
        str_add(&text, "aaaaaaaaaaaaaaaa");
    str_add(&text, "\"}\n[");
    for (int i = 0; i <= TRANSCRIPT_VALUES_MAX; i++)
        str_add(&text, "1,");
    str_add(&text,
            "1]\n{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"go\"}}\n");
    t = read_in(str_text(&text), 65536);
    ck_assert_str_eq(str_text(&items), "session: p\nprompt: go\n");
    ck_assert_int_eq(transcript_counts(t).too_long, 2);
    transcript_close(t);
    str_done(&text);
}
END_TEST

/* More calls than are remembered: the oldest is given up. */
START_TEST(test_remembers_so_many_open_calls)
{
    struct str text = {0};
    str_add(&text, "{\"type\":\"session\",\"id\":\"p\"}\n");
    for (int i = 0; i <= AGENT_OPEN_CALLS_MAX; i++)
        str_addf(&text,
                 "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":"
                 "\"toolCall\",\"id\":\"%d\",\"name\":\"bash\",\"arguments\":{}}]}}\n",
                 i);
    for (int i = 0; i < 2; i++)
        str_addf(&text,
                 "{\"type\":\"message\",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"%d\","
                 "\"content\":\"ok\"}}\n",
                 i);
    struct transcript *t = read_in(str_text(&text), 4096);
    ck_assert_ptr_nonnull(strstr(str_text(&items), "\nresult: ok\nresult 2: ok\n"));
    transcript_close(t);
    str_done(&text);
}
END_TEST

/* What no CLI would say is not believed, and no sum grows beyond what a log takes. */
START_TEST(test_believes_no_number_beyond_reason)
{
    struct str text = {0};
    str_add(&text,
            "{" CLAUDE_LINE "\"type\":\"system\",\"subtype\":\"api_error\",\"retryInMs\":1e300}\n"
            "{" CLAUDE_LINE "\"type\":\"system\",\"subtype\":\"api_error\",\"retryInMs\":-1}\n");
    for (int i = 0; i < 1100; i++)
        str_addf(&text,
                 "{" CLAUDE_LINE "\"type\":\"assistant\",\"costUSD\":999999,\"message\":{\"id\":"
                 "\"m%d\",\"content\":[],\"usage\":{\"input_tokens\":1000000000000,"
                 "\"output_tokens\":-1}}}\n",
                 i);
    struct transcript *t = read_in(str_text(&text), 65536);
    ck_assert_int_eq(transcript_used(t)->own_retries, 2);
    ck_assert_int_eq(transcript_used(t)->cost_micro, AGENT_USED_MAX);
    ck_assert_int_eq(transcript_used(t)->tokens, 0);
    transcript_close(t);
    str_done(&text);
}
END_TEST

static void drop_items(void)
{
    str_done(&items);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("transcript");
    TCase *tcase = test_case(suite, "transcript");
    tcase_add_checked_fixture(tcase, NULL, drop_items);
    tcase_add_test(tcase, test_reads_a_session_of_claude_code);
    tcase_add_loop_test(tcase, test_reads_what_other_clis_keep, 0, ARRAY_LEN(files));
    tcase_add_loop_test(tcase, test_refuses_what_is_no_transcript, 0, ARRAY_LEN(strange));
    tcase_add_test(tcase, test_refuses_a_session_of_another_agent);
    tcase_add_test(tcase, test_skips_lines_beyond_its_limits);
    tcase_add_test(tcase, test_remembers_so_many_open_calls);
    tcase_add_test(tcase, test_believes_no_number_beyond_reason);
    return suite;
}
