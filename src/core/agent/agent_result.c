#include "agent_result.h"

#include <string.h>

#include "agent_state.h"
#include "ascii.h"
#include "attr.h"
#include "json.h"
#include "json_repair.h"

/* The last line that holds anything. */
static struct classify_text last_line(const struct classify_text *text)
{
    size_t end = text->len;
    while (end > 0 && ascii_is_blank(text->bytes[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && text->bytes[start - 1] != '\n')
        start--;
    const bool is_cut = start == 0 && text->offset > 0;
    return (struct classify_text){.bytes = text->bytes ? text->bytes + start : NULL,
                                  .len = is_cut ? 0 : end - start,
                                  .offset = text->offset + (int64_t)start};
}

/* "503 The engine is overloaded", "[API Error: 401 ...": a status leads the words. */
static void read_status(struct agent_result *result)
{
    enum { DIGITS = 3 };
    static const char *const leads[] = {"", "API Error: ", "[API Error: "};
    const char *words = str_text(&result->words);
    const char *answer = strstr(words, "[API Error: "); /* behind a part of an answer */
    for (size_t i = 0; i < ARRAY_LEN(leads) && result->status == 0; i++) {
        const char *from = leads[i][0] == '[' && answer ? answer : words;
        if (strncmp(from, leads[i], strlen(leads[i])) != 0)
            continue;
        const char *number = from + strlen(leads[i]);
        if (strspn(number, "0123456789") != DIGITS || (number[0] != '4' && number[0] != '5'))
            continue;
        if (number[DIGITS] == ' ' || number[DIGITS] == ':')
            result->status = (number[0] - '0') * 100 + (number[1] - '0') * 10 + (number[2] - '0');
    }
}

static void take_stream(struct agent_result *result, const struct agent_stream *stream)
{
    const struct agent_last *last = &stream->last;
    result->end = agent_stream_state(stream);
    result->closes = last->closes;
    result->status = last->status;
    result->offset = last->offset;
    result->own_retries = stream->used.own_retries;
    str_add(&result->retry, str_text(&stream->retry));
    str_add(&result->words, str_text(&last->words));
    str_add(&result->failure, str_text(&stream->failure));
    result->is_empty = result->end == AGENT_END_DONE && stream->final.len == 0 &&
                       !stream->final_is_lost && !stream->begins_cut && stream->used.calls == 0;
    result->refused = stream->used.refused;
    result->ends_refused = stream->ends_refused;
    result->has_answer = stream->final.len > 0 || stream->final_is_lost;
    str_add(&result->refusal, str_text(&stream->refused));
    if (result->refused > 0 && stream->final.len <= AGENT_ANSWER_MAX)
        str_add(&result->answer, str_text(&stream->final));
    const bool is_short = !stream->final_is_lost && stream->final.len <= AGENT_SAID_MAX;
    const bool has_worked = stream->begins_cut || stream->used.calls > 0;
    if (result->end == AGENT_END_DONE && is_short && !has_worked)
        str_add(&result->said, str_text(&stream->final));
}

static void read_text(struct agent_result *result, const struct adapter *adapter,
                      const struct classify_text *text, const struct classify_text *err)
{
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapter, NULL, NULL);
    agent_stream_begin_cut(stream, text->offset);
    agent_stream_add(stream, text->bytes, text->len);
    agent_stream_add_err(stream, err->bytes, err->len);
    agent_stream_end(stream);
    take_stream(result, stream);
    agent_stream_close(stream);
}

/* The value that a line is, of a list the last one, as text. */
static void last_value(const struct classify_text *line, struct str *out)
{
    struct str repaired = {0};
    struct json *value = NULL;
    json_repair(&repaired, line->bytes, line->len);
    if (json_parse_data(str_text(&repaired), repaired.len, &value, NULL, NULL)) {
        const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
        if (count > 0 || json_kind(value) == JSON_KIND_OBJECT)
            json_write(out, count > 0 ? json_at(value, count - 1) : value);
        json_free(value);
    }
    str_done(&repaired);
}

/* Whose output it is nobody knows: what the last line can only be. */
static void read_shape(struct agent_result *result, const struct classify_text *text)
{
    static const char generic[] = "generic";
    struct adapter shape = *adapters_find(NULL, generic);
    const struct classify_text line = last_line(text);
    struct str value = {0};
    if (line.len == 0 || (line.bytes[0] != '{' && line.bytes[0] != '['))
        return;
    last_value(&line, &value);
    shape.output = ADAPTER_OUTPUT_JSONL;
    const struct classify_text whole = {.bytes = value.data, .len = value.len};
    read_text(result, &shape, &whole, &(struct classify_text){0});
    if (result->end == AGENT_END_CUT)
        result->end = AGENT_END_UNKNOWN;
    result->offset = result->end == AGENT_END_UNKNOWN ? 0 : line.offset;
    str_done(&value);
}

/* A failure may be told as JSON on stderr; anything else there is for people. */
static void read_stderr(struct agent_result *result, const struct classify_input *input)
{
    struct agent_result told = {0};
    if (!input->agent->result_on_stderr || result->end != AGENT_END_UNKNOWN)
        return;
    read_text(&told, input->agent, &input->err, &(struct classify_text){0});
    told.own_retries = result->own_retries;
    str_add(&told.retry, str_text(&result->retry));
    if (told.end == AGENT_END_FAILED) {
        agent_result_done(result);
        *result = told;
        result->on_err = true;
    } else {
        agent_result_done(&told);
    }
}

void agent_result_init(struct agent_result *result, const struct classify_input *input)
{
    *result = (struct agent_result){0};
    const bool is_read = input->agent && adapter_output(input->agent) != ADAPTER_OUTPUT_TEXT;
    if (is_read && input->stream)
        take_stream(result, input->stream);
    else if (is_read)
        read_text(result, input->agent, &input->out, &input->err);
    else
        read_shape(result, &input->out);
    if (input->agent)
        read_stderr(result, input);
    read_status(result);
}

void agent_result_done(struct agent_result *result)
{
    str_done(&result->retry);
    str_done(&result->failure);
    str_done(&result->words);
    str_done(&result->refusal);
    str_done(&result->answer);
    str_done(&result->said);
}
