/*
 * adapter_rule.c - reads the rules of an adapter, and finds the values that they name.
 *
 * A rule says what an event means: tests that the event must pass, and the paths of its values
 * (agent_internal.h). The schema has checked the rules; what it rejects is ignored here.
 */
#include "agent_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "field.h"
#include "xalloc.h"

/* Splits the path at its dots. Ignores parts beyond the limit, which the schema rejects. */
static void init_path(struct adapter_path *path, const char *text)
{
    *path = (struct adapter_path){.is_set = true};
    if (text[0] == '\0' || strcmp(text, ".") == 0)
        return;
    path->text = xstrdup(text);
    for (char *part = path->text; part && path->count < ADAPTER_PATH_PARTS_MAX;) {
        char *dot = strchr(part, '.');
        if (dot)
            *dot = '\0';
        path->parts[path->count++] = part;
        part = dot ? dot + 1 : NULL;
    }
}

static void free_path(struct adapter_path *path)
{
    free(path->text);
    *path = (struct adapter_path){0};
}

/* Reports the values that the path leads to from part `at` on. Recurses as deep as the path is
 * long. */
static bool walk_path(const struct adapter_path *path, int at, const struct json *value,
                      adapter_found_fn *found, void *ctx)
{
    enum { DECIMAL = 10 };
    if (!value)
        return true;
    if (at == path->count)
        return found(ctx, value);
    const char *part = path->parts[at];
    if (json_kind(value) != JSON_KIND_ARRAY)
        return walk_path(path, at + 1, json_get(value, part), found, ctx);
    const size_t count = json_count(value);
    if (strcmp(part, "*") != 0) {
        char *end = NULL;
        long index = strtol(part, &end, DECIMAL);
        if (end == part || *end != '\0')
            return true; /* the part is not a number, so there is no element */
        if (index < 0)
            index += (long)count;
        return index < 0 || walk_path(path, at + 1, json_at(value, (size_t)index), found, ctx);
    }
    for (size_t i = 0; i < count; i++) {
        if (!walk_path(path, at + 1, json_at(value, i), found, ctx))
            return false;
    }
    return true;
}

void adapter_path_walk(const struct adapter_path *path, const struct json *root,
                       adapter_found_fn *found, void *ctx)
{
    (void)walk_path(path, 0, root, found, ctx);
}

static bool keep_first(void *ctx, const struct json *value)
{
    const struct json **first = ctx;
    *first = value;
    return false;
}

/* Returns the first value, or NULL. */
static const struct json *first_at_path(const struct adapter_path *path, const struct json *root)
{
    const struct json *first = NULL;
    adapter_path_walk(path, root, keep_first, &first);
    return first;
}

/* The value that the rule requires, and whether one was found. */
struct matching {
    const struct json *wanted;
    bool found;
};

static bool value_fits(const struct json *value, const struct json *wanted)
{
    const char *text = json_text(value, NULL);
    if (json_kind(wanted) == JSON_KIND_OBJECT) {
        const char *starts = json_text(json_get(wanted, "starts"), "");
        const char *has = json_text(json_get(wanted, "has"), "");
        const char *ends = json_text(json_get(wanted, "ends"), "");
        return text && strncmp(text, starts, strlen(starts)) == 0 && strstr(text, has) != NULL &&
               strlen(text) >= strlen(ends) &&
               strcmp(text + strlen(text) - strlen(ends), ends) == 0;
    }
    const char *wanted_text = json_text(wanted, NULL);
    if (wanted_text)
        return text && strcmp(text, wanted_text) == 0;
    if (json_kind(wanted) == JSON_KIND_INTEGER)
        return json_kind(value) == JSON_KIND_INTEGER && json_i64(value, 0) == json_i64(wanted, 0);
    return json_kind(value) == json_kind(wanted) && json_kind(wanted) != JSON_KIND_REAL;
}

static bool look_at_value(void *ctx, const struct json *value)
{
    struct matching *matching = ctx;
    matching->found = value_fits(value, matching->wanted);
    return !matching->found;
}

/* Returns true if the value at the path meets the condition. `depth` limits the nesting of "not"
 * and lists; the schema allows two levels. */
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
        const struct json *first = first_at_path(path, value);
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

bool adapter_condition_holds(const struct adapter_condition *condition, const struct json *value)
{
    bool holds = condition->always;
    for (size_t i = 0; i < condition->count && !holds; i++)
        holds = adapter_tests_hold(&condition->any[i], value);
    return holds;
}

/* Strings being joined. */
struct texts {
    struct str *out;
    const char *between;
    const char *after; /* reads only the text after these words; NULL = everything */
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

/* Numbers being collected. */
struct numbers {
    const char *after;
    double sum;
    bool any;
    bool first_only;
};

static bool take_number(void *ctx, const struct json *value)
{
    enum { DECIMAL = 10, DIGITS_MAX = 15 };
    struct numbers *numbers = ctx;
    const enum json_kind kind = json_kind(value);
    double number = 0;
    bool is_one = kind == JSON_KIND_INTEGER || kind == JSON_KIND_REAL;
    if (is_one) {
        number = json_number(value, 0);
    } else if (numbers->after) { /* the number after these words in a string */
        const char *found = strstr(json_text(value, ""), numbers->after);
        const char *digits = found ? found + strlen(numbers->after) : "";
        const size_t count = strspn(digits, "0123456789");
        is_one = count > 0 && count <= DIGITS_MAX;
        if (is_one)
            number = (double)strtoll(digits, NULL, DECIMAL);
    }
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
            found = first_at_path(&sources->items[i].path, value);
    }
    return found && json_kind(found) != JSON_KIND_NULL ? found : NULL;
}

/* Makes an object from values found in different places. */
static struct json *compose_args(const struct adapter_sources *sources, const struct json *value)
{
    struct str text = {0};
    struct json *object = NULL;
    str_add_char(&text, '{');
    for (size_t i = 0; i < sources->count; i++) {
        const struct adapter_source *source = &sources->items[i];
        const struct json *found = first_at_path(&source->path, value);
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

struct json *adapter_args(const struct adapter_sources *sources, const struct json *value)
{
    if (sources->count > 0 && sources->items[0].key)
        return compose_args(sources, value);
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
    /* Keeps text that is not a JSON object, because different calls must stay different. */
    struct str named = {0};
    str_add_char(&named, '{');
    str_json_text(&named, "input", text);
    str_add_char(&named, '}');
    if (!json_parse_data(str_text(&named), named.len, &object, NULL, NULL))
        object = NULL;
    str_done(&named);
    return object;
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

static void read_tests(struct adapter_tests *tests, const struct json *value)
{
    void *iter = NULL;
    const char *path = NULL;
    const struct json *wanted = NULL;
    if (json_kind(value) != JSON_KIND_OBJECT)
        return;
    tests->items = xcalloc(json_count(value) + 1, sizeof(*tests->items));
    while (json_next(value, &iter, &path, &wanted)) {
        init_path(&tests->items[tests->count].path, path);
        tests->items[tests->count++].wanted = wanted;
    }
}

static void tests_done(struct adapter_tests *tests)
{
    for (size_t i = 0; i < tests->count; i++)
        free_path(&tests->items[i].path);
    free(tests->items);
}

/* Adds a source: "path", "=word", or {"in": "path", "after": "words"}. */
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
        init_path(&source.path, text);
    sources->items[sources->count++] = source;
}

static void read_sources(struct field_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    struct adapter_sources *sources = reader->at;
    (void)path;
    sources->items = xcalloc(json_count(value) + 1, sizeof(*sources->items));
    sources->always = json_bool(value, false);
    if (json_kind(value) == JSON_KIND_ARRAY) {
        for (size_t i = 0; i < json_count(value); i++)
            add_source(sources, json_at(value, i), NULL);
    } else {
        add_source(sources, value, NULL);
    }
}

/* Reads one location, or an object with a location for each argument name. */
static void read_args(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    struct adapter_sources *sources = reader->at;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    if (json_kind(value) != JSON_KIND_OBJECT) {
        read_sources(reader, path, value);
        return;
    }
    sources->items = xcalloc(json_count(value) + 1, sizeof(*sources->items));
    while (json_next(value, &iter, &key, &member))
        add_source(sources, member, key);
}

static void read_when(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    (void)path;
    read_tests(reader->at, value);
}

/* Reads a boolean, a set of tests, or a list of sets. */
static void read_condition(struct field_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    struct adapter_condition *condition = reader->at;
    const bool is_list = json_kind(value) == JSON_KIND_ARRAY;
    (void)path;
    condition->always = json_bool(value, false);
    condition->count = is_list ? json_count(value) : json_kind(value) == JSON_KIND_OBJECT;
    condition->any = xcalloc(condition->count + 1, sizeof(*condition->any));
    for (size_t i = 0; i < condition->count; i++)
        read_tests(&condition->any[i], is_list ? json_at(value, i) : value);
}

static void read_line(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    const struct json **line = reader->at;
    (void)path;
    *line = value;
}

static void read_path(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    (void)path;
    if (json_text(value, NULL))
        init_path(reader->at, json_text(value, ""));
}

const char *adapter_event_name(enum adapter_event event)
{
    return event_names[event];
}

static const char *event_word(int event)
{
    return event_names[event];
}

#define AT(member) offsetof(struct adapter_rule, member)
#define SOURCES(member)                                                                            \
    FIELD_OTHER, AT(members[member]), .read = read_sources, .ref = "adapterSources",               \
                                      .values = "location"
static const struct field rule_rows[] = {
    {"is", FIELD_WORD, AT(event), .most = ADAPTER_EVENT_COUNT, .word = event_word, .values = "word",
     .means = "the kind of event", .see = "; required; see below"},
    {"when", FIELD_OTHER, AT(when), .read = read_when, .ref = "adapterTests",
     .values = "conditions on locations",
     .means = "which events the rule matches: all conditions must hold",
     .see = ". A condition is a value; a list of alternatives; `{\"starts\": T}`, `{\"has\": T}`, "
            "`{\"ends\": T}` for a string, or several of these; `{\"there\": true}`; `{\"not\": "
            "...}`"},
    {"line", FIELD_OTHER, AT(line), .read = read_line, .ref = "adapterWanted",
     .values = "condition", .means = "instead of `when`: the rule matches lines that are not JSON"},
    {"stderr", FIELD_BOOL, AT(on_err), .means = "`line` matches lines of standard error"},
    {"each", FIELD_OTHER, AT(each), .read = read_path, .ref = "adapterPath", .values = "location",
     .means = "apply the rest of the rule to each element of this array"},
    {"where", FIELD_OTHER, AT(where), .read = read_when, .ref = "adapterTests",
     .values = "conditions on locations",
     .means = "apply the rule only to elements that meet all these conditions"},
    {"failed", FIELD_OTHER, AT(failed), .read = read_condition,
     .values = "`true`, conditions, or a list of conditions",
     .means = "when the tool or, in an `end` event, the agent has failed"},
    {"goes_on", FIELD_OTHER, AT(goes_on), .read = read_condition, .values = "`true` or conditions",
     .means = "when the text is a piece of a message; devs joins the pieces"},
    {"adds", FIELD_BOOL, AT(adds),
     .means =
         "if true, the numbers are added to those of earlier events; if false, they are totals"},
    {"cut", FIELD_BOOL, AT(is_cut), .means = "the agent was interrupted, so this is not its end"},
    {"logged", FIELD_BOOL, AT(is_logged),
     .means = "programs that succeed also write this event, so it is not a failure after exit 0"},
    {"turn", FIELD_OTHER, AT(members[ADAPTER_TURN]), .read = read_sources,
     .values = "`true` or location",
     .means = "each such event, or each new value, is a turn of the model"},
    {"args", FIELD_OTHER, AT(members[ADAPTER_ARGS]), .read = read_args,
     .values = "location, or an object of locations",
     .means = "the arguments of a call: an object, a string that contains a JSON object, or each "
              "argument by name"},
    {"session", SOURCES(ADAPTER_SESSION), .means = "the id for continuing the session"},
    {"text", SOURCES(ADAPTER_TEXT), .means = "the text of the event"},
    {"tool", SOURCES(ADAPTER_TOOL), .means = "the name of the tool"},
    {"id", SOURCES(ADAPTER_ID), .means = "the id that a call and its result share"},
    {"output", SOURCES(ADAPTER_OUTPUT_TEXT_OF), .means = "the output of the tool"},
    {"exit", SOURCES(ADAPTER_EXIT), .means = "the exit code of the tool"},
    {"status", SOURCES(ADAPTER_STATUS), .means = "the HTTP status of a failed request"},
    {"attempt", SOURCES(ADAPTER_ATTEMPT), .means = "the number of the agent's own retry"},
    {"most", SOURCES(ADAPTER_MOST), .means = "maximum number of the agent's own retries"},
    {"delay_ms", SOURCES(ADAPTER_DELAY_MS), .means = "milliseconds until the agent retries"},
    {"words", SOURCES(ADAPTER_WORDS), .means = "the message of a failure; all locations are used"},
    {"ended", SOURCES(ADAPTER_ENDED),
     .means = "the agent's own limit that ended it, as a word; always a failure"},
    {"headers", SOURCES(ADAPTER_HEADERS), .means = "the HTTP headers of a failed request"},
    {"structured", SOURCES(ADAPTER_STRUCTURED), .means = "the result as JSON"},
    {"turns", SOURCES(ADAPTER_TURNS), .means = "number of turns of the agent"},
    {"cost_usd", SOURCES(ADAPTER_COST_USD), .means = "the cost of the agent, in US dollars"},
    {"tokens", SOURCES(ADAPTER_TOKENS),
     .means = "number of tokens; values at several locations are added up"},
    {"resets_at", SOURCES(ADAPTER_RESETS_AT), .means = "when a usage window ends"},
};
#undef SOURCES
#undef AT
const struct fields adapter_rule_fields = FIELDS(rule_rows);

void adapter_rule_init(struct adapter_rule *rule, const struct json *json)
{
    *rule = (struct adapter_rule){.event = ADAPTER_EVENT_KNOWN};
    fields_take(json, &adapter_rule_fields, rule);
}

static void condition_done(struct adapter_condition *condition)
{
    for (size_t i = 0; i < condition->count; i++)
        tests_done(&condition->any[i]);
    free(condition->any);
}

void adapter_rule_done(struct adapter_rule *rule)
{
    tests_done(&rule->when);
    tests_done(&rule->where);
    condition_done(&rule->failed);
    condition_done(&rule->goes_on);
    free_path(&rule->each);
    for (int i = 0; i < ADAPTER_MEMBER_COUNT; i++) {
        struct adapter_sources *sources = &rule->members[i];
        for (size_t k = 0; k < sources->count; k++)
            free_path(&sources->items[k].path);
        free(sources->items);
    }
}
