/* Transcripts: reads the sessions of agents item by item, in any of the known formats. */
#include "transcript.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_internal.h"
#include "agent_stream.h"
#include "attr.h"
#include "moment_text.h"
#include "xalloc.h"

/*
 * Emitting items, whatever the format.
 */

static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash != 0 ? hash : 1;
}

/* Sets the time in milliseconds since 1970, from RFC 3339 or from a number of seconds or ms. */
void transcript_set_time(struct transcript *t, const struct json *value)
{
    enum { MS_PER_S = 1000 };
    const int64_t ms_from = INT64_C(100000000000); /* smaller numbers are seconds; in ms this is
                                                      1973 */
    const int64_t ms_max = INT64_C(1) << 53;
    const char *text = json_text(value, NULL);
    int64_t ms = 0;
    if (text) {
        if (!moment_text_rfc3339(text, strlen(text), &ms) || ms >= ms_max)
            ms = 0;
    } else {
        const double number = json_number(value, 0);
        if (number > 0 && number < (double)ms_max)
            ms = number < (double)ms_from ? (int64_t)(number * MS_PER_S) : (int64_t)number;
    }
    t->at_ms = ms > 0 ? ms : t->at_ms;
}

static void emit_item(struct transcript *t, struct agent_item *item, int64_t took_ms,
                      bool is_prompt)
{
    item->used = &t->used;
    const struct transcript_item it = {.at_ms = t->at_ms,
                                       .took_ms = took_ms,
                                       .is_prompt = is_prompt,
                                       .is_side = t->is_side,
                                       .item = *item};
    if (item->kind != AGENT_ITEM_SESSION)
        t->prompt = is_prompt ? hash_text(item->text) : 0;
    if (!t->is_side) {
        t->is_answered = item->kind == AGENT_ITEM_TEXT && !is_prompt;
        t->has_failed = item->failed && item->kind == AGENT_ITEM_NOTICE;
    }
    t->fn(t->ctx, &it);
}

/* Copies the string if it fits completely. Returns false if nothing changed. */
static bool keep_text(char *to, size_t size, const char *text)
{
    const size_t len = strlen(text);
    if (len == 0 || len >= size || strcmp(to, text) == 0)
        return false;
    memcpy(to, text, len + 1);
    return true;
}

/* Keeps only the first id: a forked or resumed session may mention others. */
void transcript_set_session(struct transcript *t, const char *id)
{
    if (!adapter_session_is_id(id) || t->session[0] != '\0' ||
        !keep_text(t->session, sizeof(t->session), id))
        return;
    const bool answered = t->is_answered, failed = t->has_failed;
    emit_item(t, &(struct agent_item){.kind = AGENT_ITEM_SESSION, .text = t->session}, 0, false);
    t->is_answered = answered;
    t->has_failed = failed;
}

/* Keeps only the first folder: where a session moved later does not matter. */
void transcript_set_folder(struct transcript *t, const char *path)
{
    if (path && t->folder[0] == '\0')
        (void)keep_text(t->folder, sizeof(t->folder), path);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

void transcript_prompt(struct transcript *t, const char *text)
{
    if (!is_blank(text))
        emit_item(t, &(struct agent_item){.kind = AGENT_ITEM_TEXT, .text = text}, 0, !t->is_side);
}

bool transcript_is_said_again(const struct transcript *t, const char *text)
{
    return t->prompt == hash_text(text);
}

void transcript_text(struct transcript *t, const char *text)
{
    if (!is_blank(text))
        emit_item(t, &(struct agent_item){.kind = AGENT_ITEM_TEXT, .text = text}, 0, false);
}

void transcript_notice(struct transcript *t, const char *text, bool failed)
{
    struct agent_item item = {.kind = AGENT_ITEM_NOTICE, .text = text, .failed = failed};
    if (!is_blank(text))
        emit_item(t, &item, 0, false);
}

void transcript_retry(struct transcript *t, const struct agent_item *retry)
{
    struct agent_item item = *retry;
    item.kind = AGENT_ITEM_RETRY;
    t->used.own_retries++;
    emit_item(t, &item, 0, false);
}

static void forget_call(struct transcript_call *call)
{
    free(call->id);
    free(call->tool);
    json_free(call->args);
    *call = (struct transcript_call){0};
}

static struct transcript_call *find_call(struct transcript *t, const char *id)
{
    for (int i = 0; id && i < AGENT_OPEN_CALLS_MAX; i++) {
        if (t->calls[i].id && strcmp(t->calls[i].id, id) == 0)
            return &t->calls[i];
    }
    return NULL;
}

void transcript_call(struct transcript *t, const char *id, const char *tool,
                     const struct json *args)
{
    struct str what = {0};
    const struct json *object = json_kind(args) == JSON_KIND_OBJECT ? args : NULL;
    if (find_call(t, id))
        return; /* reported before */
    struct transcript_call *call = NULL;
    for (int i = 0; i < AGENT_OPEN_CALLS_MAX && !call; i++)
        call = t->calls[i].id ? NULL : &t->calls[i];
    if (!call) { /* all slots are taken: forget the oldest call */
        call = &t->calls[t->next_call];
        t->next_call = (t->next_call + 1) % AGENT_OPEN_CALLS_MAX;
        forget_call(call);
    }
    *call = (struct transcript_call){.id = xstrdup(id ? id : ""),
                                     .tool = xstrdup(tool),
                                     .args = json_clone(object),
                                     .number = ++t->number,
                                     .at_ms = t->at_ms};
    t->used.calls++;
    agent_call_what(object, &what);
    emit_item(t,
              &(struct agent_item){.kind = AGENT_ITEM_CALL,
                                   .tool = tool,
                                   .what = str_text(&what),
                                   .args = object,
                                   .number = call->number},
              0, false);
    str_done(&what);
}

int transcript_exit(const char *text)
{
    static const char *const words[] = {"Exit code ",
                                        "Exit code: ", "Exit Code: ", "exited with code "};
    enum { LOOK_BYTES = 400, EXIT_MAX = 255 };
    const size_t len = strlen(text);
    const char *const looks[] = {text, len > LOOK_BYTES ? text + len - LOOK_BYTES : NULL};
    for (size_t look = 0; look < ARRAY_LEN(looks) && looks[look]; look++) {
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
            const char *at = strstr(looks[look], words[i]);
            char *end = NULL;
            if (!at || at - looks[look] > LOOK_BYTES)
                continue;
            const char *digits = at + strlen(words[i]);
            const long code = strtol(digits, &end, 10);
            if (end != digits && code >= 0 && code <= EXIT_MAX)
                return (int)code;
        }
    }
    return -1;
}

void transcript_result(struct transcript *t, const struct transcript_result *result)
{
    struct str what = {0};
    struct transcript_call none = {0};
    struct transcript_call *call = find_call(t, result->id);
    struct transcript_call taken = call ? *call : none;
    if (call)
        *call = none;
    struct agent_item item = {.kind = AGENT_ITEM_RESULT,
                              .text = result->text,
                              .tool = taken.tool,
                              .args = taken.args,
                              .number = taken.number,
                              .exit =
                                  result->exit >= 0 ? result->exit : transcript_exit(result->text),
                              .failed = result->failed};
    item.failed = item.failed || item.exit > 0;
    if (taken.tool)
        agent_call_what(taken.args, &what);
    item.what = taken.tool ? str_text(&what) : NULL;
    const int64_t took_ms = taken.at_ms > 0 ? t->at_ms - taken.at_ms : 0;
    emit_item(t, &item, took_ms > 0 ? took_ms : 0, false);
    str_done(&what);
    forget_call(&taken);
}

void transcript_count(struct transcript *t)
{
    const struct transcript_item it = {
        .at_ms = t->at_ms,
        .is_side = t->is_side,
        .item = {.kind = AGENT_ITEM_USED, .used = &t->used},
    };
    t->fn(t->ctx, &it);
}

struct transcript_message *transcript_message(struct transcript *t, const char *id, bool *is_new)
{
    const uint64_t wanted = hash_text(id);
    for (int i = 0; i < TRANSCRIPT_SEEN_MAX; i++) {
        if (t->messages[i].id != wanted)
            continue;
        *is_new = false;
        return &t->messages[i];
    }
    struct transcript_message *message = &t->messages[t->next_message];
    t->next_message = (t->next_message + 1) % TRANSCRIPT_SEEN_MAX;
    *message = (struct transcript_message){.id = wanted};
    *is_new = true;
    return message;
}

/*
 * Reading. The format is detected from the first lines.
 */

static bool has_text(const struct json *line, const char *key)
{
    return json_text(json_get(line, key), NULL) != NULL;
}

bool transcript_is_of(const char *type, const char *const *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(types[i], type) == 0)
            return true;
    }
    return false;
}

static bool is_claude(const struct json *line, const char *type)
{
    static const char *const first[] = {"file-history-snapshot", "queue-operation", "summary"};
    static const char *const messages[] = {"user", "assistant"};
    if (transcript_is_of(type, first, ARRAY_LEN(first)))
        return true;
    if (!has_text(line, "sessionId") || json_get(line, "id"))
        return false;
    if (transcript_is_of(type, messages, ARRAY_LEN(messages)))
        return json_get(json_get(line, "message"), "content") != NULL;
    return strcmp(type, "system") == 0 ? has_text(line, "uuid") : transcript_claude_is_book(type);
}

static bool is_codex(const struct json *line, const char *type)
{
    static const char *const envelopes[] = {"session_meta", "turn_context", "response_item",
                                            "event_msg", "compacted"};
    if (transcript_is_of(type, envelopes, ARRAY_LEN(envelopes)) && json_get(line, "payload"))
        return true;
    return type[0] == '\0' && (has_text(line, "record_type") ||
                               (has_text(line, "id") && has_text(line, "timestamp") &&
                                (json_get(line, "instructions") || json_get(line, "git"))));
}

/* Returns true for gemini-cli's format. Documents of other agents have a session and messages, too,
 * but no messages of these types. */
static bool is_gemini(const struct json *line, const char *type)
{
    static const char *const types[] = {"user", "gemini", "info", "warning", "error"};
    const struct json *messages = json_get(line, "messages");
    if (type[0] != '\0')
        return strcmp(type, "gemini") == 0 && has_text(line, "id");
    if (!has_text(line, "sessionId"))
        return false;
    if (json_count(messages) > 0)
        return transcript_is_of(json_text(json_get(json_at(messages, 0), "type"), ""), types,
                                ARRAY_LEN(types));
    return has_text(line, "projectHash") || has_text(line, "startTime") || messages;
}

static bool has_any(const struct json *line, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (json_get(line, keys[i]))
            return true;
    }
    return false;
}

/* Returns true for the output of Claude Code. The stream of cursor-agent has the same types and
 * `session_id`, but none of these members. */
static bool is_claude_stream(const struct json *line, const char *type)
{
    static const char *const of_init[] = {"claude_code_version", "tools", "mcp_servers", "uuid"};
    static const char *const of_message[] = {"parent_tool_use_id", "uuid"};
    static const char *const of_result[] = {"num_turns", "total_cost_usd", "permission_denials",
                                            "api_error_status"};
    const struct json *message = json_get(line, "message");
    if (!has_text(line, "session_id"))
        return false;
    if (strcmp(type, "system") == 0)
        return !json_get(line, "apiKeySource") || has_any(line, of_init, ARRAY_LEN(of_init));
    if (strcmp(type, "result") == 0)
        return has_any(line, of_result, ARRAY_LEN(of_result));
    return (strcmp(type, "assistant") == 0 || strcmp(type, "user") == 0) &&
           (has_text(message, "id") || has_any(line, of_message, ARRAY_LEN(of_message)));
}

/* Returns the CLI whose output on stdout has lines like this one, or NULL. */
static const char *writer_of(const struct json *line, const char *type)
{
    static const char *const of_codex[] = {"thread.started", "turn.started", "item.started",
                                           "item.completed", "turn.completed"};
    static const char *const of_gemini[] = {"init", "message", "tool_use", "tool_result"};
    static const char *const of_copilot[] = {"session.skills_loaded", "session.mcp_servers_loaded",
                                             "session.tools_updated"};
    const char *role = json_text(json_get(line, "role"), "");
    if (transcript_is_of(type, of_copilot, ARRAY_LEN(of_copilot)) && json_get(line, "data"))
        return "copilot";
    if (strcmp(role, "meta") == 0 && strcmp(type, "system.version") == 0)
        return "kimi";
    if (json_get(line, "qwen_code_version"))
        return "qwen";
    if (transcript_is_of(type, of_codex, ARRAY_LEN(of_codex)))
        return "codex";
    if (is_claude_stream(line, type))
        return "claude";
    if (has_text(line, "sessionID"))
        return "opencode";
    if (transcript_is_of(type, of_gemini, ARRAY_LEN(of_gemini)) && has_text(line, "timestamp"))
        return "gemini";
    return NULL;
}

/* Returns the format that this line shows; UNKNOWN if it fits several formats. Sets *agent to the
 * adapter's name. */
static enum transcript_form transcript_look(const struct json *line, const char **agent)
{
    const char *type = json_text(json_get(line, "type"), "");
    if (is_gemini(line, type)) {
        *agent = "gemini";
        return TRANSCRIPT_GEMINI;
    }
    if (is_codex(line, type)) {
        *agent = "codex";
        return TRANSCRIPT_CODEX;
    }
    /* A line of Qwen has the members of Claude Code's, and other members in its message. */
    if (has_text(line, "sessionId") && has_text(line, "uuid") &&
        (json_get(line, "systemPayload") || json_get(json_get(line, "message"), "parts"))) {
        *agent = "qwen";
        return TRANSCRIPT_QWEN;
    }
    if (is_claude(line, type)) {
        *agent = "claude";
        return TRANSCRIPT_CLAUDE;
    }
    if (strcmp(type, "session") == 0 && has_text(line, "id")) {
        *agent = "pi";
        return TRANSCRIPT_PI;
    }
    *agent = writer_of(line, type);
    return *agent ? TRANSCRIPT_STREAM : TRANSCRIPT_UNKNOWN;
}

static const char *const words[] = {
    [TRANSCRIPT_UNKNOWN] = "no transcript",  [TRANSCRIPT_CLAUDE] = "Claude Code session",
    [TRANSCRIPT_CODEX] = "Codex rollout",    [TRANSCRIPT_PI] = "pi session",
    [TRANSCRIPT_GEMINI] = "Gemini chat",     [TRANSCRIPT_QWEN] = "Qwen chat",
    [TRANSCRIPT_STREAM] = "recorded output",
};
static_assert(ARRAY_LEN(words) == TRANSCRIPT_FORM_COUNT, "every form has its words");

static transcript_read_fn *const readers[] = {
    [TRANSCRIPT_UNKNOWN] = NULL,
    [TRANSCRIPT_CLAUDE] = transcript_read_claude,
    [TRANSCRIPT_CODEX] = transcript_read_codex,
    [TRANSCRIPT_PI] = transcript_read_pi,
    [TRANSCRIPT_GEMINI] = transcript_read_gemini,
    [TRANSCRIPT_QWEN] = transcript_read_qwen,
    [TRANSCRIPT_STREAM] = NULL,
};
static_assert(ARRAY_LEN(readers) == TRANSCRIPT_FORM_COUNT, "every form has its reader, or none");

void transcript_open(struct transcript **out, const struct adapters *adapters, const char *agent,
                     transcript_fn *item, void *ctx)
{
    struct transcript *t = xcalloc(1, sizeof(*t));
    t->adapters = adapters;
    t->wanted = agent;
    t->fn = item;
    t->ctx = ctx;
    *out = t;
}

void transcript_close(struct transcript *t)
{
    if (!t)
        return;
    for (int i = 0; i < AGENT_OPEN_CALLS_MAX; i++) {
        free(t->calls[i].id);
        free(t->calls[i].tool);
        json_free(t->calls[i].args);
    }
    agent_stream_close(t->stream);
    str_done(&t->line);
    free(t);
}

static void take_item(void *ctx, const struct agent_item *item)
{
    struct transcript *t = ctx;
    struct transcript_item it = {.at_ms = t->at_ms, .item = *item};
    if (item->number > 0) { /* the items of a CLI's own output have no time of their own */
        struct transcript_call *call = &t->calls[item->number % AGENT_OPEN_CALLS_MAX];
        if (item->kind == AGENT_ITEM_CALL)
            call->at_ms = t->at_ms;
        else if (item->kind == AGENT_ITEM_RESULT && call->at_ms > 0 && t->at_ms > call->at_ms)
            it.took_ms = t->at_ms - call->at_ms;
    }
    if (item->kind == AGENT_ITEM_OTHER)
        t->counts.broken++;
    t->used = *item->used;
    if (item->kind == AGENT_ITEM_SESSION && item->text && strlen(item->text) < sizeof(t->session))
        memcpy(t->session, item->text, strlen(item->text) + 1);
    t->fn(t->ctx, &it);
}

/* Sets the error for an unknown format. Returns false. */
static bool fail_unknown(const struct transcript *t, struct err *err)
{
    if (t->counts.lines == 0)
        return err_set(err, ERR_INVALID, "it is empty");
    (void)err_set(err, ERR_INVALID, "not a transcript of a known agent (checked %d line%s)",
                  t->looked_at, t->looked_at == 1 ? "" : "s");
    return err_hint(err, "use --agent NAME to read it as the output of that agent");
}

/* Chooses the reader for the output of the wanted agent. Sessions kept by the CLI are recognized
 * without `wanted`. */
static bool choose_form(struct transcript *t, enum transcript_form form, const char *agent,
                        struct err *err)
{
    const bool is_other = t->wanted && agent && strcmp(t->wanted, agent) != 0;
    const bool is_kept = form != TRANSCRIPT_UNKNOWN && form != TRANSCRIPT_STREAM;
    if (is_kept && is_other)
        return err_set(err, ERR_INVALID, "this is a %s, not a transcript of '%s'", words[form],
                       t->wanted);
    t->agent = t->wanted ? t->wanted : agent;
    t->adapter = adapters_find(t->adapters, t->agent);
    t->form = form;
    if (is_kept)
        return true;
    if (!t->adapter) {
        (void)err_set(err, ERR_INVALID, "unknown agent '%s'", t->agent);
        return err_hint(err, "define it in the settings under \"agents\"; see docs/agents.md");
    }
    t->form = TRANSCRIPT_STREAM;
    agent_stream_open(&t->stream, t->adapter, take_item, t);
    return true;
}

static bool has_too_many_values(const char *text, size_t len)
{
    return json_values_at_most(text, len, TRANSCRIPT_VALUES_MAX + 1) > TRANSCRIPT_VALUES_MAX;
}

/* Passes a line of a CLI's own output to the adapter. Only the time and the folder are read
 * here. */
static void feed_adapter(struct transcript *t, const struct json *json, const char *text,
                         size_t len)
{
    transcript_set_time(t, json_get(json, "timestamp"));
    if (t->folder[0] == '\0')
        transcript_set_folder(t, json_text(json_get(json, "cwd"), NULL));
    agent_stream_add(t->stream, text, len);
    agent_stream_add(t->stream, "\n", 1);
}

static void read_value(struct transcript *t, const struct json *json)
{
    assert(readers[t->form]); /* the format is known and is not a stream */
    if (!readers[t->form](t, json))
        t->counts.unknown++;
}

/* Handles the elements of a document, or the object of a line. */
static bool take_json(struct transcript *t, const struct json *json, const char *text, size_t len,
                      struct err *err)
{
    const bool is_list = json_kind(json) == JSON_KIND_ARRAY;
    const struct json *first = is_list ? json_at(json, 0) : json;
    const char *agent = NULL;
    if (t->form == TRANSCRIPT_UNKNOWN) {
        const enum transcript_form form = transcript_look(first, &agent);
        t->looked_at++;
        if (form == TRANSCRIPT_UNKNOWN && !t->wanted) {
            t->counts.unknown++;
            return t->looked_at < TRANSCRIPT_LOOK_LINES || fail_unknown(t, err);
        }
        if (!choose_form(t, form, agent, err))
            return false;
    }
    if (t->form == TRANSCRIPT_STREAM)
        feed_adapter(t, json, text, len);
    else if (!is_list)
        read_value(t, json);
    for (size_t i = 0; is_list && t->form != TRANSCRIPT_STREAM && i < json_count(json); i++)
        read_value(t, json_at(json, i));
    return true;
}

/* Handles a line that is not JSON: the beginning of a document of many lines, or a broken line. */
static bool take_broken(struct transcript *t, struct err *err)
{
    const char first = str_text(&t->line)[strspn(str_text(&t->line), " \t\r\n")];
    if (t->form == TRANSCRIPT_STREAM) {
        feed_adapter(t, NULL, str_text(&t->line), t->line.len);
        return true;
    }
    if (t->form == TRANSCRIPT_UNKNOWN && t->wanted && first != '{' && first != '[') {
        if (!choose_form(t, TRANSCRIPT_UNKNOWN, NULL, err))
            return false;
        feed_adapter(t, NULL, str_text(&t->line), t->line.len);
        return true;
    }
    t->counts.broken++;
    if (t->form != TRANSCRIPT_UNKNOWN)
        return true;
    t->is_document = t->counts.lines == 1 && (first == '{' || first == '[');
    t->looked_at++;
    return t->is_document || t->looked_at < TRANSCRIPT_LOOK_LINES || fail_unknown(t, err);
}

static bool take_line(struct transcript *t, struct err *err)
{
    struct json *json = NULL;
    if (t->is_too_long || has_too_many_values(str_text(&t->line), t->line.len)) {
        t->counts.lines++;
        t->counts.too_long++;
        return true;
    }
    if (strspn(str_text(&t->line), " \t\r\n") == t->line.len)
        return true;
    t->counts.lines++;
    if (!json_parse_data(t->line.data, t->line.len, &json, NULL, NULL))
        return take_broken(t, err);
    const bool ok = take_json(t, json, t->line.data, t->line.len, err);
    json_free(json);
    return ok;
}

static bool end_line(struct transcript *t, struct err *err)
{
    const bool ok = take_line(t, err);
    if (t->is_document) {
        str_add_char(&t->line, '\n');
        return ok;
    }
    str_clear(&t->line);
    t->is_too_long = false;
    return ok;
}

bool transcript_add(struct transcript *t, const char *bytes, size_t len, struct err *err)
{
    while (len > 0 && !t->is_document) {
        const char *end = memchr(bytes, '\n', len);
        const size_t part = end ? (size_t)(end - bytes) : len;
        t->is_too_long = t->is_too_long || t->line.len + part > TRANSCRIPT_LINE_MAX;
        if (!t->is_too_long)
            str_add_n(&t->line, bytes, part);
        if (end && !end_line(t, err))
            return false;
        bytes += part + (end ? 1 : 0);
        len -= part + (end ? 1 : 0);
    }
    if (len == 0)
        return true;
    if (t->line.len + len > TRANSCRIPT_DOCUMENT_MAX)
        return err_set(err, ERR_LIMIT, "a JSON value is larger than 32 MiB");
    str_add_n(&t->line, bytes, len);
    return true;
}

bool transcript_end(struct transcript *t, struct err *err)
{
    bool ok = true;
    if (t->is_document) {
        struct json *json = NULL;
        t->counts = (struct transcript_counts){.lines = 1};
        t->is_document = false;
        if (has_too_many_values(str_text(&t->line), t->line.len))
            ok = err_set(err, ERR_LIMIT, "more than %d JSON values", TRANSCRIPT_VALUES_MAX);
        else if (json_parse_data(t->line.data, t->line.len, &json, NULL, NULL))
            ok = take_json(t, json, t->line.data, t->line.len, err);
        else
            ok = fail_unknown(t, err);
        json_free(json);
    } else if (t->line.len > 0 || t->is_too_long) {
        ok = end_line(t, err);
    }
    str_clear(&t->line);
    if (ok && t->form == TRANSCRIPT_UNKNOWN)
        return fail_unknown(t, err);
    if (ok && t->stream)
        agent_stream_end(t->stream);
    return ok;
}

enum transcript_form transcript_form(const struct transcript *t)
{
    return t->form;
}

const char *transcript_form_words(enum transcript_form form)
{
    assert(form < TRANSCRIPT_FORM_COUNT);
    return words[form];
}

const char *transcript_agent(const struct transcript *t)
{
    return t->agent;
}

const char *transcript_session(const struct transcript *t)
{
    return t->session[0] != '\0' ? t->session : NULL;
}

const char *transcript_folder(const struct transcript *t)
{
    return t->folder[0] != '\0' ? t->folder : NULL;
}

const struct agent_used *transcript_used(const struct transcript *t)
{
    return &t->used;
}

enum agent_end transcript_state(const struct transcript *t)
{
    if (t->stream)
        return agent_stream_state(t->stream);
    if (t->has_failed)
        return AGENT_END_FAILED;
    return t->is_answered ? AGENT_END_DONE : AGENT_END_CUT;
}

struct transcript_counts transcript_counts(const struct transcript *t)
{
    return t->counts;
}
