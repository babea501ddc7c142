/* agent_lines.c - an agent's lines: whole ones, those that are too long, JSON over several. */
#include <string.h>

#include "agent_state.h"
#include "ascii.h"
#include "json_repair.h"
#include "text.h"

enum { OTHER_MAX = 4096 }; /* bytes of a line that no rule knows that are told */

static void tell_other(struct agent_stream *stream, const char *text, size_t len)
{
    struct str shown = {0};
    str_add_n(&shown, text, text_cut(text, len, OTHER_MAX));
    if (len > OTHER_MAX)
        str_add(&shown, "...");
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_OTHER);
    item.text = str_text(&shown);
    agent_stream_tell(stream, &item);
    str_done(&shown);
}

/* All that a program for text writes is what it leaves. */
static void keep_text(struct agent_stream *stream, const char *text, size_t len)
{
    stream->final_is_lost = stream->final_is_lost || stream->final.len + len >= AGENT_TEXT_MAX;
    if (stream->final_is_lost)
        return;
    str_add_n(&stream->final, text, len);
    str_add_char(&stream->final, '\n');
}

static void take_words(struct agent_stream *stream, const char *text, size_t len)
{
    struct str repaired = {0};
    agent_message_end(stream);
    if (stream->last.is_line && len > 0) {
        stream->last.is_line = false;
        stream->last.end = AGENT_END_UNKNOWN;
    }
    if (stream->adapter->output == ADAPTER_OUTPUT_TEXT)
        keep_text(stream, text, len);
    json_repair(&repaired, text, len);
    if (len > 0 && !agent_line_take(stream, str_text(&repaired), false))
        tell_other(stream, text, len);
    str_done(&repaired);
}

/* Events in a list are events one after the other. */
static bool take_value(struct agent_stream *stream, const struct json *value)
{
    const size_t count = json_count(value);
    bool is_known = false;
    if (json_kind(value) != JSON_KIND_ARRAY)
        return json_kind(value) == JSON_KIND_OBJECT && agent_event_take(stream, value);
    for (size_t i = 0; i < count; i++) {
        const struct json *event = json_at(value, i);
        const bool is_object = json_kind(event) == JSON_KIND_OBJECT;
        is_known = (is_object && agent_event_take(stream, event)) || is_known;
    }
    return is_known;
}

/* False: it is no JSON, or too much of it. */
static bool take_json(struct agent_stream *stream, const char *text, size_t len)
{
    struct str repaired = {0};
    struct json *value = NULL;
    if (json_values_at_most(text, len, AGENT_VALUES_MAX + 1) > AGENT_VALUES_MAX)
        return false;
    json_repair(&repaired, text, len);
    const bool is_json = json_parse_data(str_text(&repaired), repaired.len, &value, NULL, NULL);
    if (is_json && !take_value(stream, value)) {
        agent_message_end(stream);
        tell_other(stream, text, len);
    }
    if (is_json)
        json_free(value);
    str_done(&repaired);
    return is_json;
}

/* The end of a line whose beginning is lost: it may tell how a last message ended. */
static void take_cut_line(struct agent_stream *stream, const char *text, size_t len)
{
    static const char closing[] = "}]}";
    const size_t closing_len = sizeof(closing) - 1;
    struct str mark = {0};
    if (!stream->adapter->cut_member || len < closing_len ||
        memcmp(text + len - closing_len, closing, closing_len) != 0)
        return;
    str_addf(&mark, "\"%s\":", stream->adapter->cut_member);
    size_t at = len > mark.len ? len - mark.len : 0;
    while (at > 0 && memcmp(text + at, mark.data, mark.len) != 0)
        at--;
    if (len > mark.len && memcmp(text + at, mark.data, mark.len) == 0) {
        struct str event = {0};
        stream->line_offset += (int64_t)at;
        str_add(&event, "{\"cut\":{");
        str_add_n(&event, text + at, len - at - 2);
        str_add_char(&event, '}');
        (void)take_json(stream, str_text(&event), event.len);
        str_done(&event);
    }
    str_done(&mark);
}

static size_t trimmed_len(const char *text, size_t len)
{
    while (len > 0 && ascii_is_blank(text[len - 1]))
        len--;
    return len;
}

/* A value that is written over several lines begins and ends with a bracket alone. */
static bool is_alone(const char *text, size_t len, char bracket)
{
    return len == 1 && text[0] == bracket;
}

static void take_block_line(struct agent_stream *stream, const char *text, size_t len)
{
    str_add_n(&stream->block, text, len);
    str_add_char(&stream->block, '\n');
    const bool closes = is_alone(text, len, stream->block.data[0] == '{' ? '}' : ']');
    if (!closes && stream->block.len <= AGENT_LINE_MAX)
        return;
    if (!closes || !take_json(stream, stream->block.data, stream->block.len))
        take_words(stream, stream->block.data, trimmed_len(stream->block.data, stream->block.len));
    str_clear(&stream->block);
}

void agent_block_end(struct agent_stream *stream)
{
    if (stream->block.len > 0)
        take_words(stream, stream->block.data, trimmed_len(stream->block.data, stream->block.len));
    str_clear(&stream->block);
}

static void take_whole_line(struct agent_stream *stream, const char *text, size_t len)
{
    const bool opens = is_alone(text, len, '{') || is_alone(text, len, '[');
    if (opens) {
        agent_block_end(stream);
        str_add_n(&stream->block, text, len);
        str_add_char(&stream->block, '\n');
    } else if (stream->block.len > 0) {
        take_block_line(stream, text, len);
    } else if (len == 0 || (text[0] != '{' && text[0] != '[') || !take_json(stream, text, len)) {
        take_words(stream, text, len);
    }
}

void agent_line_end(struct agent_stream *stream)
{
    const char *text = str_text(&stream->line);
    const size_t len = trimmed_len(text, stream->line.len);
    const int64_t own_retries = stream->used.own_retries;
    if (stream->line_is_cut)
        take_cut_line(stream, text, len);
    else if (stream->adapter->output == ADAPTER_OUTPUT_TEXT)
        take_words(stream, text, len);
    else
        take_whole_line(stream, text, len);
    stream->has_spoken = stream->has_spoken || stream->used.own_retries == own_retries;
    str_clear(&stream->line);
    stream->line_is_cut = false;
    if (stream->block.len == 0)
        stream->line_offset = stream->offset;
}

void agent_line_cut(struct agent_stream *stream)
{
    const size_t half = stream->line.len / 2;
    if (!stream->line_is_cut)
        tell_other(stream, stream->line.data, stream->line.len);
    memmove(stream->line.data, stream->line.data + half, stream->line.len - half + 1);
    stream->line.len -= half;
    stream->line_offset += (int64_t)half;
    stream->line_is_cut = true;
    stream->has_spoken = true;
}
