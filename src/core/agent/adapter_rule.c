#include "adapter_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "xalloc.h"

/* One value, and what it must be. */
struct matching {
    const struct json *wanted;
    bool found;
};

static bool is_equal(const struct json *value, const struct json *wanted)
{
    const char *text = json_text(wanted, NULL);
    if (text)
        return strcmp(json_text(value, ""), text) == 0 && json_kind(value) == JSON_KIND_STRING;
    if (json_kind(wanted) == JSON_KIND_INTEGER)
        return json_kind(value) == JSON_KIND_INTEGER && json_i64(value, 0) == json_i64(wanted, 0);
    return json_kind(value) == json_kind(wanted) && json_kind(wanted) != JSON_KIND_REAL;
}

static bool value_fits(const struct json *value, const struct json *wanted)
{
    const char *starts = json_text(json_get(wanted, "starts"), "");
    const char *has = json_text(json_get(wanted, "has"), "");
    const char *ends = json_text(json_get(wanted, "ends"), "");
    const char *text = json_text(value, NULL);
    if (json_kind(wanted) != JSON_KIND_OBJECT)
        return is_equal(value, wanted);
    return text && strncmp(text, starts, strlen(starts)) == 0 && strstr(text, has) != NULL &&
           strlen(text) >= strlen(ends) && strcmp(text + strlen(text) - strlen(ends), ends) == 0;
}

static bool look_at_value(void *ctx, const struct json *value)
{
    struct matching *matching = ctx;
    matching->found = value_fits(value, matching->wanted);
    return !matching->found;
}

/* `depth` limits the nesting of "not" and lists; the schema allows two levels. */
static bool condition_holds(const struct adapter_path *path, const struct json *value,
                            const struct json *wanted, int depth)
{
    enum { DEPTH_MAX = 3 };
    const struct json *inner = json_get(wanted, "not");
    const struct json *there = json_get(wanted, "there");
    if (depth == DEPTH_MAX)
        return false;
    if (inner)
        return !condition_holds(path, value, inner, depth + 1);
    if (there) {
        const struct json *first = adapter_path_first(path, value);
        return (first && json_kind(first) != JSON_KIND_NULL) == json_bool(there, true);
    }
    if (json_kind(wanted) == JSON_KIND_ARRAY) {
        for (size_t i = 0; i < json_count(wanted); i++) {
            if (condition_holds(path, value, json_at(wanted, i), depth + 1))
                return true;
        }
        return false;
    }
    struct matching matching = {.wanted = wanted};
    adapter_path_walk(path, value, look_at_value, &matching);
    return matching.found;
}

bool adapter_tests_hold(const struct adapter_tests *tests, const struct json *value)
{
    for (size_t i = 0; i < tests->count; i++) {
        if (!condition_holds(&tests->items[i].path, value, tests->items[i].wanted, 0))
            return false;
    }
    return true;
}

bool adapter_line_holds(const struct adapter_rule *rule, const struct json *line)
{
    static const struct adapter_path itself = {0};
    return rule->line && condition_holds(&itself, line, rule->line, 0);
}

bool adapter_rule_failed(const struct adapter_rule *rule, const struct json *value)
{
    bool failed = rule->fails;
    for (size_t i = 0; i < rule->failed_count && !failed; i++)
        failed = adapter_tests_hold(&rule->failed[i], value);
    return failed;
}

/* Texts being joined. */
struct texts {
    struct str *out;
    const char *between;
    const char *after; /* only what follows these words; NULL = everything */
    bool any;
};

static bool add_text(void *ctx, const struct json *value)
{
    struct texts *texts = ctx;
    const enum json_kind kind = json_kind(value);
    const char *text = json_text(value, "");
    const bool is_number = kind == JSON_KIND_INTEGER || kind == JSON_KIND_REAL;
    if (texts->after && !is_number) {
        const char *found = strstr(text, texts->after);
        text = found ? found + strlen(texts->after) : "";
    }
    if (!is_number && text[0] == '\0')
        return true;
    if (texts->any)
        str_add(texts->out, texts->between);
    if (is_number)
        json_write(texts->out, value);
    else
        str_add(texts->out, text);
    texts->any = true;
    return true;
}

static void add_texts(struct texts *texts, const struct adapter_source *source,
                      const struct json *value)
{
    texts->after = source->after;
    if (!source->word) {
        adapter_path_walk(&source->path, value, add_text, texts);
        return;
    }
    if (texts->any)
        str_add(texts->out, texts->between);
    str_add(texts->out, source->word);
    texts->any = true;
}

bool adapter_texts(const struct adapter_sources *sources, const struct json *value,
                   const char *between, struct str *out)
{
    struct texts texts = {.out = out, .between = between};
    for (size_t i = 0; i < sources->count; i++)
        add_texts(&texts, &sources->items[i], value);
    return texts.any;
}

bool adapter_first_text(const struct adapter_sources *sources, const struct json *value,
                        struct str *out)
{
    struct texts texts = {.out = out, .between = "\n"};
    for (size_t i = 0; i < sources->count && !texts.any; i++)
        add_texts(&texts, &sources->items[i], value);
    return texts.any;
}

/* Reads the number after certain words in a text. */
static bool number_after(const char *text, const char *words, double *out)
{
    enum { DECIMAL = 10, DIGITS_MAX = 15 };
    const char *found = strstr(text, words);
    if (!found)
        return false;
    found += strlen(words);
    const size_t digits = strspn(found, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX)
        return false;
    *out = (double)strtoll(found, NULL, DECIMAL);
    return true;
}

/* Numbers being collected. */
struct numbers {
    const char *after;
    double sum;
    bool any;
    bool first_only;
};

static bool take_number(void *ctx, const struct json *value)
{
    struct numbers *numbers = ctx;
    const enum json_kind kind = json_kind(value);
    double number = 0;
    bool is_one = kind == JSON_KIND_INTEGER || kind == JSON_KIND_REAL;
    if (is_one)
        number = json_number(value, 0);
    else if (numbers->after)
        is_one = number_after(json_text(value, ""), numbers->after, &number);
    if (!is_one || !isfinite(number))
        return true;
    numbers->sum += number;
    numbers->any = true;
    return !numbers->first_only;
}

static bool take_numbers(const struct adapter_sources *sources, const struct json *value,
                         bool first_only, double *out)
{
    struct numbers numbers = {.first_only = first_only};
    for (size_t i = 0; i < sources->count && !(first_only && numbers.any); i++) {
        numbers.after = sources->items[i].after;
        if (!sources->items[i].word)
            adapter_path_walk(&sources->items[i].path, value, take_number, &numbers);
    }
    if (numbers.any)
        *out = numbers.sum;
    return numbers.any;
}

bool adapter_number(const struct adapter_sources *sources, const struct json *value, double *out)
{
    return take_numbers(sources, value, true, out);
}

bool adapter_sum(const struct adapter_sources *sources, const struct json *value, double *out)
{
    return take_numbers(sources, value, false, out);
}

const struct json *adapter_value(const struct adapter_sources *sources, const struct json *value)
{
    const struct json *found = NULL;
    for (size_t i = 0; i < sources->count && !found; i++) {
        if (!sources->items[i].word)
            found = adapter_path_first(&sources->items[i].path, value);
    }
    return found && json_kind(found) != JSON_KIND_NULL ? found : NULL;
}

/* Makes an object of members that come from different places. */
static struct json *put_together(const struct adapter_sources *sources, const struct json *value)
{
    struct str text = {0};
    struct json *object = NULL;
    str_add_char(&text, '{');
    for (size_t i = 0; i < sources->count; i++) {
        const struct adapter_source *source = &sources->items[i];
        const struct json *found = adapter_path_first(&source->path, value);
        if (source->word) {
            str_json_text(&text, source->key, source->word);
        } else if (found) {
            str_json_key(&text, source->key);
            json_write(&text, found);
        }
    }
    str_add_char(&text, '}');
    if (!json_parse_data(str_text(&text), text.len, &object, NULL, NULL))
        object = NULL;
    str_done(&text);
    return object;
}

/* Keeps arguments that are text but not a JSON object: different calls must stay different. */
static struct json *text_as_args(const char *text)
{
    struct str object = {0};
    struct json *args = NULL;
    str_add_char(&object, '{');
    str_json_text(&object, "input", text);
    str_add_char(&object, '}');
    if (!json_parse_data(str_text(&object), object.len, &args, NULL, NULL))
        args = NULL;
    str_done(&object);
    return args;
}

struct json *adapter_args(const struct adapter_sources *sources, const struct json *value)
{
    if (sources->count > 0 && sources->items[0].key)
        return put_together(sources, value);
    const struct json *args = adapter_value(sources, value);
    const char *text = json_text(args, NULL);
    struct json *object = NULL;
    if (json_kind(args) == JSON_KIND_OBJECT)
        return json_clone(args);
    if (!text || text[0] == '\0')
        return NULL;
    const bool is_json = json_parse_data(text, strlen(text), &object, NULL, NULL);
    if (is_json && json_kind(object) == JSON_KIND_OBJECT)
        return object;
    json_free(object);
    return text_as_args(text);
}

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

/* true, one set of tests, or a list of sets. */
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
