/* agent_event_end.c - an agent's stream: its end. */
#include <string.h>

#include "agent_taking.h"

/* Headers that say when to come back, as a program would have printed them. */
static void read_headers(struct str *words, const struct json *headers)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(headers, &iter, &key, &value)) {
        const bool tells = strstr(key, "retry") || strstr(key, "ratelimit");
        if (tells && json_kind(value) == JSON_KIND_STRING)
            str_addf(words, "%s: %s\n", key, json_text(value, ""));
    }
}

static void take_failure(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_last *last = &stream->last;
    struct str ended = {0};
    struct str words = {0};
    last->status = agent_taking_status(taking, value);
    agent_taking_text(taking, ADAPTER_ENDED, value, &ended);
    (void)adapter_texts(&taking->rule->members[ADAPTER_WORDS], value, "\n", &words);
    str_add(&last->words, str_text(&stream->ended));
    if (ended.len > 0)
        str_addf(&last->words, "agent ended: %s\n", str_text(&ended));
    agent_words_add(&last->words, str_text(&words));
    read_headers(&last->words, adapter_value(&taking->rule->members[ADAPTER_HEADERS], value));
    if (words.len == 0)
        str_add(&last->words, str_text(&stream->error));
    str_add(&last->words, str_text(&stream->window));
    str_done(&ended);
    str_done(&words);
}

/* What the agent leaves. */
static void take_final(const struct agent_taking *taking, const struct json *value)
{
    const struct json *structured =
        adapter_value(&taking->rule->members[ADAPTER_STRUCTURED], value);
    struct str text = {0};
    if (structured)
        json_write(&text, structured);
    else
        agent_taking_text(taking, ADAPTER_TEXT, value, &text);
    if (text.len > 0)
        agent_final_set(taking->stream, str_text(&text), text.len, structured != NULL);
    str_done(&text);
}

void agent_end_take(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_last *last = &stream->last;
    const bool failed = adapter_rule_failed(taking->rule, value) || stream->ended.len > 0;
    agent_message_end(stream);
    str_clear(&last->words);
    last->end = taking->rule->is_cut ? AGENT_END_CUT : failed ? AGENT_END_FAILED : AGENT_END_DONE;
    last->closes = !taking->rule->is_logged;
    last->is_line = taking->rule->line != NULL;
    last->offset = stream->line_offset;
    last->status = 0;
    if (last->end == AGENT_END_FAILED) {
        take_failure(taking, value);
    } else {
        take_final(taking, value);
    }
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_END);
    item.failed = last->end != AGENT_END_DONE;
    item.status = last->status;
    item.text = last->words.len > 0 ? str_text(&last->words) : NULL;
    agent_stream_tell(stream, &item);
}
