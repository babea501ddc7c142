/* agent_event_call.c - an agent's stream: calls, their results, and refused calls. */
#include <stdlib.h>
#include <string.h>

#include "agent_taking.h"
#include "agent_what.h"
#include "xalloc.h"

static char *what_of(const struct json *args)
{
    struct str what = {0};
    agent_call_what(args, &what);
    return what.data ? what.data : xstrdup("");
}

/* A call begins: it is numbered, told, and waits for its result. */
static void open_call(const struct agent_taking *taking, const struct json *value, const char *id)
{
    struct agent_stream *stream = taking->stream;
    struct str tool = {0};
    agent_taking_text(taking, ADAPTER_TOOL, value, &tool);
    struct agent_call call = {
        .id = id[0] != '\0' ? xstrdup(id) : NULL,
        .tool = xstrdup(str_text(&tool)),
        .args = adapter_args(&taking->rule->members[ADAPTER_ARGS], value),
        .number = ++stream->used.calls,
    };
    call.what = what_of(call.args);
    stream->used_changed = true;
    stream->ends_refused = false;
    str_clear(&stream->last_call);
    str_add(&stream->last_call, id);
    agent_turn_open(stream);
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_CALL);
    item.tool = call.tool;
    item.what = call.what;
    item.args = call.args;
    item.number = call.number;
    agent_stream_tell(stream, &item);
    agent_calls_add(&stream->calls, &call);
    str_done(&tool);
}

void agent_call_take(const struct agent_taking *taking, const struct json *value)
{
    struct str id = {0};
    agent_message_end(taking->stream);
    agent_taking_text(taking, ADAPTER_ID, value, &id);
    open_call(taking, value, str_text(&id));
    str_done(&id);
}

static void tell_result(const struct agent_taking *taking, const struct json *value,
                        const struct agent_call *call)
{
    enum { EXIT_MOST = 255 };
    struct str output = {0};
    agent_taking_text(taking, ADAPTER_OUTPUT_TEXT_OF, value, &output);
    const int64_t code = agent_taking_number(taking, ADAPTER_EXIT, value, -1);
    struct agent_item item = agent_item_new(taking->stream, AGENT_ITEM_RESULT);
    item.text = str_text(&output);
    item.tool = call->tool;
    item.what = call->what;
    item.args = call->args;
    item.number = call->number;
    item.failed = adapter_rule_failed(taking->rule, value) || code > 0;
    item.exit = code <= EXIT_MOST ? (int)code : -1;
    taking->stream->turn_is_open = false;
    agent_stream_tell(taking->stream, &item);
    str_done(&output);
}

void agent_result_take(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_call call = {0};
    struct str id = {0};
    agent_message_end(stream);
    agent_taking_text(taking, ADAPTER_ID, value, &id);
    const char *name = id.len > 0 ? str_text(&id) : NULL;
    bool is_known = agent_calls_take(&stream->calls, name, &call);
    if (!is_known && taking->rule->members[ADAPTER_TOOL].count > 0) {
        open_call(taking, value, str_text(&id));
        is_known = agent_calls_take(&stream->calls, name, &call);
    }
    if (!is_known && name)
        call.id = xstrdup(name);
    tell_result(taking, value, &call);
    str_clear(&stream->failure);
    agent_call_done(&call);
    str_done(&id);
}

/* Remembers the call, unless it was reported before. Without an id each report is a call. */
static bool is_first_report(struct agent_stream *stream, const char *id)
{
    struct str *ids = &stream->refused_ids;
    struct str line = {0};
    str_addf(&line, "\n%s\n", id);
    const bool is_known = id[0] != '\0' && strstr(str_text(ids), line.data) != NULL;
    const bool is_full = ids->len + line.len > AGENT_REFUSED_IDS;
    if (id[0] != '\0' && !is_known && !is_full)
        str_add(ids, line.data);
    str_done(&line);
    return id[0] == '\0' || (!is_known && !is_full);
}

/* The tool and the call in one line: as the call was reported, else as the refusal says. */
static void name_call(const struct agent_taking *taking, const struct json *value, const char *id,
                      struct str *tool, struct str *what)
{
    const struct agent_call *call = agent_calls_find(&taking->stream->calls, id);
    if (call) {
        str_add(tool, call->tool);
        str_add(what, call->what);
        return;
    }
    struct json *args = adapter_args(&taking->rule->members[ADAPTER_ARGS], value);
    agent_taking_text(taking, ADAPTER_TOOL, value, tool);
    if (args)
        agent_call_what(args, what);
    else
        agent_taking_text(taking, ADAPTER_TEXT, value, what);
    json_free(args);
}

void agent_refused_take(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str id = {0};
    struct str tool = {0};
    struct str what = {0};
    agent_taking_text(taking, ADAPTER_ID, value, &id);
    if (is_first_report(stream, str_text(&id))) {
        name_call(taking, value, str_text(&id), &tool, &what);
        stream->used.refused++;
        stream->used_changed = true;
        stream->ends_refused = stream->ends_refused || id.len == 0 ||
                               strcmp(str_text(&stream->last_call), str_text(&id)) == 0;
        str_clear(&stream->refused);
        str_addf(&stream->refused, "%s%s%s", str_text(&tool), what.len > 0 ? ": " : "",
                 str_text(&what));
        struct agent_item item = agent_item_new(stream, AGENT_ITEM_REFUSED);
        item.tool = str_text(&tool);
        item.what = str_text(&what);
        agent_stream_tell(stream, &item);
    }
    str_done(&id);
    str_done(&tool);
    str_done(&what);
}
