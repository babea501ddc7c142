/* transcript_emit.c - what the readers of transcripts tell, whatever the form. */
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "agent_what.h"
#include "moment_text.h"
#include "transcript_parts.h"
#include "xalloc.h"

static uint64_t hash(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash != 0 ? hash : 1;
}

/* Milliseconds since 1970 of a text as RFC 3339 or a number of seconds or ms; 0 = none. */
static int64_t time_of(const struct json *value)
{
    enum { MS_PER_S = 1000 };
    const int64_t ms_from = INT64_C(100000000000); /* below: seconds; in ms that is 1973 */
    const int64_t ms_max = INT64_C(1) << 53;
    const char *text = json_text(value, NULL);
    int64_t ms = 0;
    if (text)
        return moment_text_rfc3339(text, strlen(text), &ms) && ms > 0 && ms < ms_max ? ms : 0;
    const double number = json_number(value, 0);
    if (!(number > 0) || number >= (double)ms_max)
        return 0;
    return number < (double)ms_from ? (int64_t)(number * MS_PER_S) : (int64_t)number;
}

void transcript_set_time(struct transcript *t, const struct json *value)
{
    const int64_t ms = time_of(value);
    t->at_ms = ms > 0 ? ms : t->at_ms;
}

static void emit(struct transcript *t, struct agent_item *item, int64_t took_ms, bool is_prompt)
{
    item->used = &t->used;
    const struct transcript_item it = {.at_ms = t->at_ms,
                                       .took_ms = took_ms,
                                       .is_prompt = is_prompt,
                                       .is_side = t->is_side,
                                       .item = *item};
    if (item->kind != AGENT_ITEM_SESSION)
        t->prompt = is_prompt ? hash(item->text) : 0;
    if (!t->is_side) {
        t->is_answered = item->kind == AGENT_ITEM_TEXT && !is_prompt;
        t->has_failed = item->failed && item->kind == AGENT_ITEM_NOTICE;
    }
    t->fn(t->ctx, &it);
}

/* Copies what fits; false if nothing has changed. */
static bool keep(char *to, size_t size, const char *text)
{
    const size_t len = strlen(text);
    if (len == 0 || len >= size || strcmp(to, text) == 0)
        return false;
    memcpy(to, text, len + 1);
    return true;
}

/* The first one: a session that was forked, or gone on with, may tell of others. */
void transcript_set_session(struct transcript *t, const char *id)
{
    if (!adapter_session_is_id(id) || t->session[0] != '\0' ||
        !keep(t->session, sizeof(t->session), id))
        return;
    const bool answered = t->is_answered, failed = t->has_failed;
    emit(t, &(struct agent_item){.kind = AGENT_ITEM_SESSION, .text = t->session}, 0, false);
    t->is_answered = answered;
    t->has_failed = failed;
}

/* The first one: where a session moved to later says nothing of its beginning. */
void transcript_set_folder(struct transcript *t, const char *path)
{
    if (path && t->folder[0] == '\0')
        (void)keep(t->folder, sizeof(t->folder), path);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

void transcript_prompt(struct transcript *t, const char *text)
{
    if (!is_blank(text))
        emit(t, &(struct agent_item){.kind = AGENT_ITEM_TEXT, .text = text}, 0, !t->is_side);
}

bool transcript_is_said_again(const struct transcript *t, const char *text)
{
    return t->prompt == hash(text);
}

void transcript_text(struct transcript *t, const char *text)
{
    if (!is_blank(text))
        emit(t, &(struct agent_item){.kind = AGENT_ITEM_TEXT, .text = text}, 0, false);
}

void transcript_notice(struct transcript *t, const char *text, bool failed)
{
    struct agent_item item = {.kind = AGENT_ITEM_NOTICE, .text = text, .failed = failed};
    if (!is_blank(text))
        emit(t, &item, 0, false);
}

void transcript_retry(struct transcript *t, const struct agent_item *retry)
{
    struct agent_item item = *retry;
    item.kind = AGENT_ITEM_RETRY;
    t->used.own_retries++;
    emit(t, &item, 0, false);
}

static void forget(struct transcript_call *call)
{
    free(call->id);
    free(call->tool);
    json_free(call->args);
    *call = (struct transcript_call){0};
}

/* A free place, or that of the oldest. */
static struct transcript_call *place(struct transcript *t)
{
    for (int i = 0; i < AGENT_OPEN_CALLS_MAX; i++) {
        if (!t->calls[i].id)
            return &t->calls[i];
    }
    struct transcript_call *call = &t->calls[t->next_call];
    t->next_call = (t->next_call + 1) % AGENT_OPEN_CALLS_MAX;
    forget(call);
    return call;
}

static struct transcript_call *find(struct transcript *t, const char *id)
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
    if (find(t, id))
        return; /* it is told twice */
    struct transcript_call *call = place(t);
    *call = (struct transcript_call){.id = xstrdup(id ? id : ""),
                                     .tool = xstrdup(tool),
                                     .args = json_clone(object),
                                     .number = ++t->number,
                                     .at_ms = t->at_ms};
    t->used.calls++;
    agent_call_what(object, &what);
    emit(t,
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
    struct transcript_call *call = find(t, result->id);
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
    emit(t, &item, took_ms > 0 ? took_ms : 0, false);
    str_done(&what);
    forget(&taken);
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
    const uint64_t wanted = hash(id);
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

static void add_part(const struct json *part, struct str *out)
{
    const char *text = json_text(part, NULL);
    if (!text)
        text = json_text(json_get(part, "text"), NULL);
    if (!text && json_text(json_get(part, "type"), NULL))
        text = strcmp(json_text(json_get(part, "type"), ""), "image") == 0 ? "(a picture)" : NULL;
    if (!text)
        return;
    str_add(out, out->len > 0 && out->data[out->len - 1] != '\n' ? "\n" : "");
    str_add(out, text);
}

void transcript_content(const struct json *content, struct str *out)
{
    if (json_kind(content) != JSON_KIND_ARRAY) {
        add_part(content, out);
        return;
    }
    for (size_t i = 0; i < json_count(content); i++)
        add_part(json_at(content, i), out);
}

void transcript_result_of(struct transcript *t, const struct json *object, const char *id_key,
                          const char *failed_key)
{
    struct str text = {0};
    transcript_content(json_get(object, "content"), &text);
    const struct transcript_result result = {.id = json_text(json_get(object, id_key), NULL),
                                             .text = str_text(&text),
                                             .exit = -1,
                                             .failed =
                                                 json_bool(json_get(object, failed_key), false)};
    transcript_result(t, &result);
    str_done(&text);
}
