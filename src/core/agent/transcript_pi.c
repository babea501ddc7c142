/*
 * transcript_pi.c - a line of a session of pi, ~/.pi/agent/sessions/FOLDER/TIME_ID.jsonl, or of
 * what it writes with --mode json.
 *
 * {"type":"session","id","timestamp","cwd"}, then {"type":"message","timestamp","message":
 * {"role":"user|assistant|toolResult|bashExecution","content":[{"type":"text|thinking|toolCall"}],
 * "usage":{"input","output","cost":{"total"}},"stopReason","errorMessage"}}; on stdout the same
 * message is in "message_end".
 */
#include <string.h>

#include "attr.h"
#include "transcript_parts.h"

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* Lines about the session, and what is on its way: whole messages come as well. */
static bool is_bookkeeping(const char *type)
{
    static const char *const types[] = {
        "model_change",
        "thinking_level_change",
        "session_info",
        "label",
        "custom",
        "custom_message",
        "branch_summary",
        "usage",
        "agent_start",
        "agent_end",
        "turn_start",
        "turn_end",
        "message_start",
        "message_update",
        "tool_execution_start",
        "tool_execution_update",
        "tool_execution_end",
        "queue_update",
        "auto_retry_end",
        "agent_settled",
        "entry_appended",
    };
    return transcript_is_of(type, types, ARRAY_LEN(types));
}

static void count_answer(struct transcript *t, const struct json *message)
{
    const struct json *usage = json_get(message, "usage");
    const int64_t in = json_i64(json_get(usage, "input"), 0);
    const int64_t out = json_i64(json_get(usage, "output"), 0);
    const double cost = json_number(json_get(json_get(usage, "cost"), "total"), 0);
    const int64_t max = INT64_C(1) << 40;
    t->used.turns++;
    if (in >= 0 && out >= 0 && in < max && out < max)
        t->used.tokens = agent_used_sum(t->used.tokens, in + out);
    if (cost > 0 && cost < 1e6)
        t->used.cost_micro = agent_used_sum(t->used.cost_micro, (int64_t)(cost * 1e6));
    transcript_count(t);
}

static void read_assistant(struct transcript *t, const struct json *message)
{
    const struct json *content = json_get(message, "content");
    const char *stop = json_text(json_get(message, "stopReason"), "");
    const char *words = json_text(content, NULL);
    if (words)
        transcript_text(t, words);
    for (size_t i = 0; i < json_count(content); i++) {
        const struct json *part = json_at(content, i);
        const char *type = json_text(json_get(part, "type"), "");
        if (is(type, "text"))
            transcript_text(t, json_text(json_get(part, "text"), ""));
        else if (is(type, "toolCall"))
            transcript_call(t, json_text(json_get(part, "id"), NULL),
                            json_text(json_get(part, "name"), "?"), json_get(part, "arguments"));
    }
    count_answer(t, message);
    if (is(stop, "error"))
        transcript_notice(t, json_text(json_get(message, "errorMessage"), "an error"), true);
    else if (is(stop, "aborted"))
        transcript_notice(t, "the turn was interrupted", true);
    else if (is(stop, "length"))
        transcript_notice(t, "the answer was cut off: it met the limit of tokens", true);
}

static bool read_message(struct transcript *t, const struct json *message)
{
    const char *role = json_text(json_get(message, "role"), "");
    struct str text = {0};
    if (is(role, "assistant")) {
        read_assistant(t, message);
    } else if (is(role, "toolResult")) {
        transcript_result_of(t, message, "toolCallId", "isError");
    } else if (is(role, "user")) {
        transcript_content(json_get(message, "content"), &text);
        transcript_prompt(t, str_text(&text));
    } else {
        return is(role, "bashExecution") || is(role, "custom") || is(role, "system") ||
               is(role, "branchSummary") || is(role, "compactionSummary");
    }
    str_done(&text);
    return true;
}

bool transcript_read_pi(struct transcript *t, const struct json *line)
{
    const char *type = json_text(json_get(line, "type"), "");
    const struct json *message = json_get(line, "message");
    const struct json *at = json_get(line, "timestamp");
    if (is_bookkeeping(type))
        return true;
    transcript_set_time(t, at ? at : json_get(message, "timestamp"));
    if (is(type, "session")) {
        transcript_set_session(t, json_text(json_get(line, "id"), NULL));
        transcript_set_folder(t, json_text(json_get(line, "cwd"), NULL));
    } else if (is(type, "message") || is(type, "message_end")) {
        return read_message(t, message);
    } else if (is(type, "compaction") || is(type, "compaction_end")) {
        transcript_notice(t, "the conversation was compacted", false);
    } else if (is(type, "auto_retry_start")) {
        transcript_retry(t,
                         &(struct agent_item){.text = json_text(json_get(line, "errorMessage"), ""),
                                              .attempt = json_i64(json_get(line, "attempt"), 0),
                                              .most = json_i64(json_get(line, "maxAttempts"), 0),
                                              .delay_ms = json_i64(json_get(line, "delayMs"), 0)});
    } else {
        return false;
    }
    return true;
}
