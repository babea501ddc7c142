#include "agent_result.h"

#include <string.h>

#include "agent_event.h"
#include "attr.h"
#include "json.h"
#include "json_repair.h"

/* A part of a text, lines of it taken from the end. */
struct tail {
    const char *bytes;
    size_t end; /* behind what is left */
};

struct span {
    size_t start, end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The last line that holds anything. */
static bool take_line(struct tail *tail, struct span *out)
{
    while (tail->end > 0 && is_blank(tail->bytes[tail->end - 1]))
        tail->end--;
    if (tail->end == 0)
        return false;
    out->end = tail->end;
    out->start = tail->end;
    while (out->start > 0 && tail->bytes[out->start - 1] != '\n')
        out->start--;
    tail->end = out->start;
    return true;
}

static bool is_single(const struct tail *tail, const struct span *line, char c)
{
    return line->end == line->start + 1 && tail->bytes[line->start] == c;
}

/* A value written over many lines: from the last line that is one bracket. */
static bool take_block(struct tail *tail, struct span *block)
{
    const char closing = tail->bytes[block->start];
    struct tail rest = *tail;
    struct span line;
    while (take_line(&rest, &line)) {
        if (is_single(&rest, &line, closing == '}' ? '{' : '[')) {
            block->start = line.start;
            tail->end = line.start;
            return true;
        }
    }
    return false;
}

/* Parse what stands last, a value over many lines only where that is an agent's
 * own (any program may print a document); NULL, and the line is taken, if that is no JSON. */
static bool take_json(struct tail *tail, bool blocks, struct span *span, struct json **out)
{
    *out = NULL;
    if (!take_line(tail, span))
        return false;
    const bool closes = is_single(tail, span, '}') || is_single(tail, span, ']');
    if (closes && (!blocks || !take_block(tail, span)))
        return true;
    const char first = tail->bytes[span->start];
    if (first != '{' && first != '[')
        return true;
    struct str text = {0};
    json_repair(&text, tail->bytes + span->start, span->end - span->start);
    if (!json_parse(str_text(&text), text.len, out, NULL, NULL))
        *out = NULL;
    str_done(&text);
    return true;
}

/* One value: an event, or a list of them. */
static enum agent_step read_value(enum agent agent, const struct json *value,
                                  struct agent_result *result)
{
    if (json_kind(value) != JSON_KIND_ARRAY)
        return agent_event_read(agent, value, result);
    enum agent_step step = AGENT_STEP_NONE;
    const size_t count = json_count(value);
    const size_t most = agent == AGENT_NONE ? 1 : AGENT_LINES_MAX;
    for (size_t i = 0; i < count && i < most && step != AGENT_STEP_END; i++)
        step = agent_event_read(agent, json_at(value, count - 1 - i), result);
    return step;
}

static void read_stream(struct agent_result *result, enum agent agent,
                        const struct classify_text *text)
{
    struct tail tail = {.bytes = text->bytes, .end = text->len};
    struct span span;
    struct json *value = NULL;
    bool events = false; /* the output is one of events */
    enum agent_step step = AGENT_STEP_NONE;
    const int most = agent == AGENT_NONE ? 1 : AGENT_LINES_MAX;
    for (int i = 0;
         i < most && step != AGENT_STEP_END && take_json(&tail, agent != AGENT_NONE, &span, &value);
         i++) {
        const bool known = result->end != AGENT_END_UNKNOWN;
        step = value ? read_value(agent, value, result) : AGENT_STEP_NONE;
        json_free(value);
        events = events || (i == 0 && step != AGENT_STEP_NONE);
        if (!known && result->end != AGENT_END_UNKNOWN)
            result->offset = text->offset + (int64_t)span.start;
        if (i == 0 && step == AGENT_STEP_NONE && agent != AGENT_GEMINI)
            break; /* plain words */
    }
    if (events && result->end == AGENT_END_UNKNOWN && agent != AGENT_NONE)
        result->end = AGENT_END_CUT;
}

/* One CLI's last line repeats the whole session, and its beginning may be beyond
 * what is kept. The end of it tells how the last message ended. */
static void read_cut_line(struct agent_result *result, const struct classify_text *text)
{
    static const char mark[] = "\"stopReason\":";
    static const char closing[] = "}]}";
    struct tail tail = {.bytes = text->bytes, .end = text->len};
    struct span span;
    if (text->offset == 0 || !take_line(&tail, &span) || span.start > 0 ||
        span.end < sizeof(closing) ||
        memcmp(text->bytes + span.end - 3, closing, sizeof(closing) - 1) != 0)
        return;
    size_t at = span.end - sizeof(mark) + 1;
    while (at > 0 && memcmp(text->bytes + at, mark, sizeof(mark) - 1) != 0)
        at--;
    struct str event = {0};
    str_add(&event, "{\"type\":\"message_end\",\"message\":{");
    json_repair(&event, text->bytes + at, span.end - at - 2);
    str_add_char(&event, '}');
    struct json *value = NULL;
    if (json_parse(str_text(&event), event.len, &value, NULL, NULL)) {
        (void)agent_event_read(AGENT_PI, value, result);
        result->offset = text->offset + (int64_t)at;
    }
    json_free(value);
    str_done(&event);
}

/* Plain words: one CLI writes its API's errors as an answer, and exits with 0. */
static void read_plain(struct agent_result *result, const struct classify_text *text)
{
    static const char mark[] = "[API Error:";
    struct tail tail = {.bytes = text->bytes, .end = text->len};
    struct span span;
    if (!take_line(&tail, &span) || span.end - span.start < sizeof(mark) ||
        memcmp(text->bytes + span.start, mark, sizeof(mark) - 1) != 0)
        return;
    result->end = AGENT_END_FAILED;
    result->closes = true;
    result->offset = text->offset + (int64_t)span.start;
    str_add_n(&result->words, text->bytes + span.start, span.end - span.start);
    str_add_char(&result->words, '\n');
}

/* "503 The engine is overloaded", "[API Error: 401 ...": a status leads the words. */
static void read_status(struct agent_result *result)
{
    enum { DIGITS = 3 };
    static const char *const leads[] = {"", "API Error: ", "[API Error: "};
    const char *words = str_text(&result->words);
    for (size_t i = 0; i < ARRAY_LEN(leads) && result->status == 0; i++) {
        if (strncmp(words, leads[i], strlen(leads[i])) != 0)
            continue;
        const char *number = words + strlen(leads[i]);
        if (strspn(number, "0123456789") != DIGITS || (number[0] != '4' && number[0] != '5'))
            continue;
        if (number[DIGITS] == ' ' || number[DIGITS] == ':')
            result->status = (number[0] - '0') * 100 + (number[1] - '0') * 10 + (number[2] - '0');
    }
}

void agent_result_init(struct agent_result *result, enum agent agent,
                       const struct classify_text *out, const struct classify_text *err)
{
    *result = (struct agent_result){0};
    read_stream(result, agent, out);
    if (result->end == AGENT_END_UNKNOWN && agent != AGENT_NONE)
        read_plain(result, out);
    if (result->end == AGENT_END_UNKNOWN && agent == AGENT_PI)
        read_cut_line(result, out);
    read_status(result);
    if (result->end != AGENT_END_UNKNOWN || agent != AGENT_GEMINI)
        return;
    read_stream(result, agent, err); /* its JSON for a failure */
    result->on_err = result->end == AGENT_END_FAILED;
    if (!result->on_err)
        result->end = AGENT_END_UNKNOWN;
}

void agent_result_done(struct agent_result *result)
{
    str_done(&result->words);
    str_done(&result->said);
}
