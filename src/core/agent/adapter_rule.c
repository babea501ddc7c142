#include "adapter_rule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "xalloc.h"

static const char *const event_names[] = {
    [ADAPTER_EVENT_SESSION] = "session", [ADAPTER_EVENT_TEXT] = "text",
    [ADAPTER_EVENT_CALL] = "call",       [ADAPTER_EVENT_RESULT] = "result",
    [ADAPTER_EVENT_USED] = "used",       [ADAPTER_EVENT_RETRY] = "retry",
    [ADAPTER_EVENT_NOTICE] = "notice",   [ADAPTER_EVENT_ERROR] = "error",
    [ADAPTER_EVENT_BEGIN] = "begin",     [ADAPTER_EVENT_END] = "end",
    [ADAPTER_EVENT_KNOWN] = "known",     [ADAPTER_EVENT_REFUSED] = "refused",
};
static_assert(ARRAY_LEN(event_names) == ADAPTER_EVENT_COUNT, "every kind of event has a name");

static const char *const member_names[] = {
    [ADAPTER_SESSION] = "session",
    [ADAPTER_TEXT] = "text",
    [ADAPTER_TURN] = "turn",
    [ADAPTER_TOOL] = "tool",
    [ADAPTER_ARGS] = "args",
    [ADAPTER_ID] = "id",
    [ADAPTER_OUTPUT_TEXT_OF] = "output",
    [ADAPTER_EXIT] = "exit",
    [ADAPTER_STATUS] = "status",
    [ADAPTER_ATTEMPT] = "attempt",
    [ADAPTER_MOST] = "most",
    [ADAPTER_DELAY_MS] = "delay_ms",
    [ADAPTER_WORDS] = "words",
    [ADAPTER_ENDED] = "ended",
    [ADAPTER_HEADERS] = "headers",
    [ADAPTER_STRUCTURED] = "structured",
    [ADAPTER_TURNS] = "turns",
    [ADAPTER_COST_USD] = "cost_usd",
    [ADAPTER_TOKENS] = "tokens",
    [ADAPTER_RESETS_AT] = "resets_at",
};
static_assert(ARRAY_LEN(member_names) == ADAPTER_MEMBER_COUNT, "every member has a name");

static void add_test(struct adapter_tests *tests, const char *path, const struct json *wanted)
{
    adapter_path_init(&tests->items[tests->count].path, path);
    tests->items[tests->count++].wanted = wanted;
}

static void read_tests(struct adapter_tests *tests, const struct json *value)
{
    void *iter = NULL;
    const char *path = NULL;
    const struct json *wanted = NULL;
    if (json_kind(value) != JSON_KIND_OBJECT)
        return;
    tests->items = xcalloc(json_count(value) + 1, sizeof(*tests->items));
    while (json_next(value, &iter, &path, &wanted))
        add_test(tests, path, wanted);
}

static void tests_done(struct adapter_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++)
        adapter_path_done(&tests->items[i].path);
    free(tests->items);
}

/* "path", "=word", or {"in": "path", "after": "words"}. */
static void add_source(struct adapter_sources *sources, const struct json *value, const char *key)
{
    struct adapter_source source = {.key = key};
    const char *text = json_text(value, json_text(json_get(value, "in"), NULL));
    if (!text)
        return;
    source.after = json_text(json_get(value, "after"), NULL);
    if (text[0] == '=')
        source.word = text + 1;
    else
        adapter_path_init(&source.path, text);
    sources->items[sources->count++] = source;
}

static void read_sources(struct adapter_sources *sources, const struct json *value, bool has_keys)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    sources->items = xcalloc(json_count(value) + 1, sizeof(*sources->items));
    if (has_keys && json_kind(value) == JSON_KIND_OBJECT) {
        while (json_next(value, &iter, &key, &member))
            add_source(sources, member, key);
    } else if (json_kind(value) == JSON_KIND_ARRAY) {
        for (size_t i = 0; i < json_count(value); i++)
            add_source(sources, json_at(value, i), NULL);
    } else {
        add_source(sources, value, NULL);
    }
}

static void sources_done(struct adapter_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        adapter_path_done(&sources->items[i].path);
    free(sources->items);
}

/* true, one set of tests, or a list of such sets. */
static void read_failed(struct adapter_rule *rule, const struct json *value)
{
    const bool is_list = json_kind(value) == JSON_KIND_ARRAY;
    const size_t count = is_list ? json_count(value) : 1;
    rule->fails = json_bool(value, false);
    if (!value || rule->fails)
        return;
    rule->failed = xcalloc(count + 1, sizeof(*rule->failed));
    for (size_t i = 0; i < count; i++)
        read_tests(&rule->failed[rule->failed_count++], is_list ? json_at(value, i) : value);
}

const char *adapter_event_name(enum adapter_event event)
{
    return event_names[event];
}

static enum adapter_event event_named(const char *name)
{
    for (int i = 0; i < ADAPTER_EVENT_COUNT; i++) {
        if (strcmp(event_names[i], name) == 0)
            return (enum adapter_event)i;
    }
    return ADAPTER_EVENT_KNOWN;
}

void adapter_rule_init(struct adapter_rule *rule, const struct json *json)
{
    const char *each = json_text(json_get(json, "each"), NULL);
    const struct json *goes_on = json_get(json, "goes_on");
    *rule = (struct adapter_rule){
        .event = event_named(json_text(json_get(json, "is"), "")),
        .line = json_get(json, "line"),
        .on_err = json_bool(json_get(json, "stderr"), false),
        .has_each = each != NULL,
        .each_is_turn = json_bool(json_get(json, "turn"), false),
        .goes_on_always = json_bool(goes_on, false),
        .may_go_on = json_kind(goes_on) == JSON_KIND_OBJECT,
        .adds = json_bool(json_get(json, "adds"), false),
        .is_cut = json_bool(json_get(json, "cut"), false),
        .is_logged = json_bool(json_get(json, "logged"), false),
    };
    read_tests(&rule->when, json_get(json, "when"));
    read_tests(&rule->where, json_get(json, "where"));
    read_tests(&rule->goes_on, goes_on);
    read_failed(rule, json_get(json, "failed"));
    if (each)
        adapter_path_init(&rule->each, each);
    for (int i = 0; i < ADAPTER_MEMBER_COUNT; i++) {
        const struct json *value = json_get(json, member_names[i]);
        if (value)
            read_sources(&rule->members[i], value, i == ADAPTER_ARGS);
    }
}

void adapter_rule_done(struct adapter_rule *rule)
{
    tests_done(&rule->when);
    tests_done(&rule->where);
    tests_done(&rule->goes_on);
    for (size_t i = 0; i < rule->failed_count; i++)
        tests_done(&rule->failed[i]);
    free(rule->failed);
    adapter_path_done(&rule->each);
    for (int i = 0; i < ADAPTER_MEMBER_COUNT; i++)
        sources_done(&rule->members[i]);
}
