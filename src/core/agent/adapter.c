/* Adapters: how an agent's CLI is invoked and how its output is parsed. One adapter is a JSON
 * document; a set of adapters holds the built-in adapters and those of a configuration. */
#include "adapter.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "adapter_claude_json.h"
#include "adapter_codex_json.h"
#include "adapter_copilot_json.h"
#include "adapter_gemini_json.h"
#include "adapter_generic_json.h"
#include "adapter_kimi_json.h"
#include "adapter_opencode_json.h"
#include "adapter_pi_json.h"
#include "adapter_qwen_json.h"
#include "agent_internal.h"
#include "agent_stream.h"
#include "attr.h"
#include "contract.h"
#include "field.h"
#include "json.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

/*
 * One adapter: an object with the members described in docs/agents.md. The built-in ones are
 * files of assets/agents; settings and plans may add others, or change some members of an
 * existing one ("like"). Immutable once made, so any thread may read it.
 */

static void read_events(struct field_reader *reader, const struct json_pointer *path,
                        const struct json *value)
{
    struct json **events = reader->at;
    (void)path;
    if (json_kind(value) != JSON_KIND_ARRAY)
        return;
    json_free(*events);
    *events = json_clone(value);
}

static void write_events(const void *object, struct str *out)
{
    const struct adapter *adapter = object;
    if (!adapter->events)
        return;
    str_json_key(out, "events");
    json_write(out, adapter->events);
}

static const char *prompt_word(int prompt)
{
    static const char *const words[] = {
        [ADAPTER_PROMPT_STDIN] = "stdin", [ADAPTER_PROMPT_ARGUMENT] = "argument"};
    static_assert(ARRAY_LEN(words) == ADAPTER_PROMPT_COUNT, "every way has a name");
    return words[prompt];
}

static const char *output_word(int output)
{
    static const char *const words[] = {[ADAPTER_OUTPUT_TEXT] = "text",
                                        [ADAPTER_OUTPUT_JSON] = "json",
                                        [ADAPTER_OUTPUT_JSONL] = "jsonl"};
    static_assert(ARRAY_LEN(words) == ADAPTER_OUTPUT_COUNT, "every form has a name");
    return words[output];
}

enum {
    PROGRAM_MAX = 4096,
    LINE_MAX_CHARS = 1024,
    ARG_MAX_CHARS = 65536,
    MEMBER_NAME_MAX = 64,
    UNKNOWN_MAX = 16,
};

#define AT(member) offsetof(struct adapter, member)
static const struct field adapter_rows[] = {
    {"like", FIELD_TEXT, .least = 1, .most = ADAPTER_NAME_MAX, .elsewhere = true, .values = "name",
     .means = "the adapter to take missing members from; default: the adapter with the same name, "
              "otherwise `generic`"},
    {"program", FIELD_TEXT, AT(program), 0, PROGRAM_MAX, .values = "name or path",
     .means = "the program; default: the adapter's name"},
    {"install", FIELD_TEXT, AT(install), 0, LINE_MAX_CHARS, .values = "text",
     .means = "how to get the program, in one line"},
    {"argv", FIELD_LIST, AT(argv), 0, ADAPTER_ARGS_MAX, 0, ARG_MAX_CHARS,
     .means = "arguments for a new session"},
    {"argv_resume", FIELD_LIST, AT(argv_resume), 0, ADAPTER_ARGS_MAX, 0, ARG_MAX_CHARS,
     .means = "arguments to continue a session, one of which contains `{session}`; without them, "
              "or if the list is empty, the agent cannot continue sessions"},
    {"model_args", FIELD_LIST, AT(model_args), 0, ADAPTER_ARGS_MAX, 0, ARG_MAX_CHARS,
     .means = "arguments that select the model, one of which contains `{model}`"},
    {"permission_args", FIELD_LIST, AT(permission_args), 0, ADAPTER_ARGS_MAX, 0, ARG_MAX_CHARS,
     .means = "arguments that grant permissions, unless the step sets its own"},
    {"allow", FIELD_TEXT, AT(allow), 0, LINE_MAX_CHARS, .values = "text",
     .means =
         "how a person can allow a refused tool, for `devs why`; `{tool}` stands for the tool"},
    {"prompt", FIELD_WORD, AT(prompt), .most = ADAPTER_PROMPT_COUNT, .word = prompt_word,
     .means =
         "how to pass the prompt; as an argument, the prompt replaces `{prompt}` or comes last"},
    {"env", FIELD_ENV, AT(env), 0, ADAPTER_ARGS_MAX, .own_shape = true,
     .means = "variables to add to the inherited environment"},
    {"output", FIELD_WORD, AT(output), .most = ADAPTER_OUTPUT_COUNT, .word = output_word,
     .means = "plain text, one JSON document, or one event per line"},
    {"unknown_session", FIELD_LIST, AT(unknown_session), 0, UNKNOWN_MAX, 1, LINE_MAX_CHARS,
     .means = "messages that the program prints if the session does not exist"},
    {"result_on_stderr", FIELD_BOOL, AT(result_on_stderr),
     .means = "a failure may be reported as JSON on standard error"},
    {"cut_member", FIELD_TEXT, AT(cut_member), 1, MEMBER_NAME_MAX, .values = "name",
     .means = "if the last line is too long to keep whole, devs reads only its end, starting at "
              "this member"},
    {"events", FIELD_OTHER, AT(events), .read = read_events, .write = write_events,
     .values = "array of rules, at most 128", .means = "how to interpret events",
     .see = "; see [below](#rules-for-events)"},
};
const struct fields adapter_fields = FIELDS(adapter_rows);
#undef AT

/* Makes an adapter with the members of `own` (may be NULL); missing members come from `model`.
 * Without a program, the name is used. A built-in adapter has no model. */
static struct adapter *adapter_new(const char *name, const struct adapter *model,
                                   const struct json *own)
{
    struct adapter *adapter = xcalloc(1, sizeof(*adapter));
    adapter->name = xstrdup(name);
    adapter->is_builtin = !model;
    adapter->env = xcalloc(1, sizeof(*adapter->env));
    if (model) {
        struct str text = {0};
        struct json *members = NULL;
        adapter_write(model, &text);
        const bool ok = json_parse(str_text(&text), text.len, &members, NULL, NULL);
        assert(ok); /* just written */
        (void)ok;
        fields_take(members, &adapter_fields, adapter);
        json_free(members);
        str_done(&text);
    }
    fields_take(own, &adapter_fields, adapter);
    if (model && adapter_program(adapter)[0] == '\0') {
        free(adapter->program);
        adapter->program = xstrdup(name);
    }
    adapter->called = adapter_program_of(adapter_program(adapter));

    const size_t count = json_count(adapter->events);
    adapter->rules = xcalloc(count + 1, sizeof(*adapter->rules));
    for (size_t i = 0; i < count && adapter->rule_count < ADAPTER_RULES_MAX; i++) {
        struct adapter_rule *rule = &adapter->rules[adapter->rule_count++];
        adapter_rule_init(rule, json_at(adapter->events, i));
        const struct adapter_sources *turn = &rule->members[ADAPTER_TURN];
        adapter->counts_turns = adapter->counts_turns || turn->always || turn->count > 0;
    }
    return adapter;
}

static void adapter_free(struct adapter *adapter)
{
    if (!adapter)
        return;
    for (size_t i = 0; i < adapter->rule_count; i++)
        adapter_rule_done(&adapter->rules[i]);
    free(adapter->rules);
    free(adapter->name);
    free(adapter->program);
    free(adapter->install);
    free(adapter->allow);
    free(adapter->cut_member);
    json_free(adapter->events);
    text_list_free(adapter->argv);
    text_list_free(adapter->argv_resume);
    text_list_free(adapter->model_args);
    text_list_free(adapter->permission_args);
    text_list_free(adapter->env);
    text_list_free(adapter->unknown_session);
    free(adapter);
}

const char *adapter_name(const struct adapter *adapter)
{
    return adapter->name;
}

const char *adapter_program(const struct adapter *adapter)
{
    return adapter->program ? adapter->program : "";
}

const char *adapter_install(const struct adapter *adapter)
{
    return adapter->install ? adapter->install : "";
}

void adapter_allow_words(const struct adapter *adapter, const char *tool, struct str *out)
{
    static const char place[] = "{tool}";
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const char *text = adapter->allow ? adapter->allow : "";
    /* The name comes from the output of the agent, and people copy this text. */
    if (tool[strspn(tool, letters)] != '\0')
        tool = "TOOL";
    if (text[0] == '\0')
        text = "\"permission_args\" in its step";
    for (const char *at; (at = strstr(text, place)) != NULL; text = at + strlen(place)) {
        str_add_n(out, text, (size_t)(at - text));
        str_add(out, tool);
    }
    str_add(out, text);
}

bool adapter_is_builtin(const struct adapter *adapter)
{
    return adapter->is_builtin;
}

size_t adapter_rule_count(const struct adapter *adapter)
{
    return adapter->rule_count;
}

bool adapter_resumes(const struct adapter *adapter)
{
    return adapter->argv_resume != NULL;
}

bool adapter_prompt_on_stdin(const struct adapter *adapter)
{
    return adapter->prompt == ADAPTER_PROMPT_STDIN;
}

enum adapter_output adapter_output(const struct adapter *adapter)
{
    return adapter->output;
}

char *const *adapter_env(const struct adapter *adapter)
{
    return adapter->env;
}

bool adapter_session_is_unknown(const struct adapter *adapter, const char *bytes, size_t len)
{
    for (size_t i = 0; adapter->unknown_session && adapter->unknown_session[i]; i++) {
        const char *text = adapter->unknown_session[i];
        const size_t size = strlen(text);
        for (size_t at = 0; at + size <= len; at++) {
            if (memcmp(bytes + at, text, size) == 0)
                return true;
        }
    }
    return false;
}

const char *adapter_program_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void adapter_write(const struct adapter *adapter, struct str *out)
{
    fields_write_object(&adapter_fields, adapter, out);
}

static bool has_word(char *const *texts, const char *word)
{
    for (size_t i = 0; texts && texts[i]; i++) {
        if (strstr(texts[i], word))
            return true;
    }
    return false;
}

void adapter_argv(const struct adapter *adapter, const struct adapter_call *call, char ***out)
{
    const bool resumes = call->session && adapter->argv_resume;
    const bool says_prompt = call->prompt && adapter->prompt == ADAPTER_PROMPT_ARGUMENT;
    char *const *argv = resumes ? adapter->argv_resume : adapter->argv;
    const struct text_filling fillings[] = {
        {"{session}", resumes ? call->session : NULL},
        {"{model}", call->model},
        {"{prompt}", says_prompt ? call->prompt : NULL},
    };
    struct arg_list args = {0};
    arg_list_add(&args, adapter_program(adapter));
    arg_list_fill(&args, argv, fillings, ARRAY_LEN(fillings));
    if (call->model)
        arg_list_fill(&args, adapter->model_args, fillings, ARRAY_LEN(fillings));
    arg_list_add_all(&args,
                     call->permission_args ? call->permission_args : adapter->permission_args);
    arg_list_add_all(&args, call->args);
    if (says_prompt && !has_word(argv, "{prompt}"))
        arg_list_add(&args, call->prompt);
    *out = args.items;
}

bool adapter_session_is_id(const char *id)
{
    enum { DELETE = 0x7f };
    const size_t len = id ? strlen(id) : 0;
    bool is_id = len > 0 && len <= AGENT_SESSION_MAX && id[0] != '-';
    for (size_t i = 0; i < len && is_id; i++)
        is_id = (unsigned char)id[i] >= ' ' && id[i] != DELETE;
    return is_id;
}

void adapter_argv_free(char **argv)
{
    text_list_free(argv);
}

/* Sets of adapters: the built-in adapters and those of a configuration. */

static void add_violation(struct violations *wrong, const char *name, const char *key,
                          const char *message, const char *expected)
{
    static const struct json_pointer root = {0};
    const struct json_pointer agents = {.up = &root, .key = "agents"};
    const struct json_pointer agent = {.up = &agents, .key = name};
    const struct json_pointer place = {.up = &agent, .key = key};
    struct str path = {0};
    json_pointer_add(&path, key ? &place : &agent, FIELD_POINTER_MAX);
    violations_add(wrong, VIOLATION_INVALID_VALUE, str_text(&path), message, expected, NULL);
    str_done(&path);
}

struct adapters {
    struct adapter **items; /* owned, like each item; built-in ones are shared */
    size_t count;
};

/* The default of "like". */
static const char generic_name[] = "generic";

static const struct {
    const char *name;
    const char *text;
} builtin[] = {
    {"claude", adapter_claude_json},     {"codex", adapter_codex_json},
    {"copilot", adapter_copilot_json},   {"gemini", adapter_gemini_json},
    {"generic", adapter_generic_json},   {"kimi", adapter_kimi_json},
    {"opencode", adapter_opencode_json}, {"pi", adapter_pi_json},
    {"qwen", adapter_qwen_json},
};

/* As in plan_schema_text(): the value is the same whichever thread makes it. */
static _Atomic(struct adapter *) builtin_made[ARRAY_LEN(builtin)];

static const struct adapter *builtin_at(size_t index)
{
    struct adapter *kept = atomic_load(&builtin_made[index]);
    if (kept)
        return kept;
    struct json *json = NULL;
    const bool ok = json_parse(builtin[index].text, strlen(builtin[index].text), &json, NULL, NULL);
    assert(ok); /* built in, and parsed by a test */
    struct adapter *made = adapter_new(builtin[index].name, NULL, json);
    json_free(json);
    if (atomic_compare_exchange_strong(&builtin_made[index], &kept, made))
        return made;
    adapter_free(made);
    return kept;
}

static const struct adapter *find_own(const struct adapters *adapters, const char *name)
{
    for (size_t i = 0; adapters && i < adapters->count; i++) {
        if (strcmp(adapters->items[i]->name, name) == 0)
            return adapters->items[i];
    }
    return NULL;
}

const struct adapter *adapters_find(const struct adapters *adapters, const char *name)
{
    const struct adapter *own = name ? find_own(adapters, name) : NULL;
    for (size_t i = 0; name && !own && i < ARRAY_LEN(builtin); i++) {
        if (strcmp(builtin[i].name, name) == 0)
            own = builtin_at(i);
    }
    return own;
}

const struct adapter *adapters_at(const struct adapters *adapters, size_t index)
{
    const size_t own = adapters ? adapters->count : 0;
    if (own == 0)
        return index < ARRAY_LEN(builtin) ? builtin_at(index) : NULL;
    if (index < own)
        return adapters->items[index];
    size_t number = own;
    for (size_t i = 0; i < ARRAY_LEN(builtin); i++) {
        if (!find_own(adapters, builtin[i].name) && number++ == index)
            return builtin_at(i);
    }
    return NULL;
}

char **adapters_own_env(struct adapters *adapters, size_t index)
{
    return adapters && index < adapters->count ? adapters->items[index]->env : NULL;
}

const struct adapter *adapters_of_program(const struct adapters *adapters, const char *path)
{
    const char *program = path ? adapter_program_of(path) : "";
    const struct adapter *adapter = NULL;
    for (size_t i = 0; program[0] != '\0' && (adapter = adapters_at(adapters, i)) != NULL; i++) {
        if (adapter->called[0] == program[0] && strcmp(adapter->called, program) == 0)
            return adapter;
    }
    return NULL;
}

static void add_adapter(struct adapters *adapters, struct adapter *adapter)
{
    assert(adapters->count < 2 * (size_t)ADAPTERS_MAX);
    adapters->items[adapters->count++] = adapter;
}

/* Returns the adapter that this one extends: the one named by "like", else the one of the same
 * name, else the generic one. Returns NULL if there is none, or if it has not been made yet. */
static const struct adapter *model_of(const struct adapters *below, const struct adapters *made,
                                      const struct json *agents, const char *name)
{
    const struct adapter *same = adapters_find(below, name);
    const char *like = json_text(json_get(json_get(agents, name), "like"), NULL);
    if (!like)
        return same ? same : adapters_find(NULL, generic_name);
    if (strcmp(like, name) == 0)
        return same;
    return json_get(agents, like) ? find_own(made, like) : adapters_find(below, like);
}

/* Makes the adapters whose models exist. Returns true if it made any. */
static bool make_adapters(const struct adapters *below, const struct json *agents,
                          struct adapters *made)
{
    const size_t before = made->count;
    void *iter = NULL;
    const char *name = NULL;
    const struct json *own = NULL;
    while (json_next(agents, &iter, &name, &own) && made->count < ADAPTERS_MAX) {
        if (field_is_comment(name) || json_kind(own) != JSON_KIND_OBJECT || find_own(made, name))
            continue;
        const struct adapter *model = model_of(below, made, agents, name);
        if (model)
            add_adapter(made, adapter_new(name, model, own));
    }
    return made->count > before;
}

/* Reports errors of adapters that no schema can express, and why an adapter could not be made, such
 * as a "like" that names no adapter or leads back to itself. */
static void check_adapters(const struct adapters *below, const struct json *agents,
                           const struct adapters *made, struct violations *wrong)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *own = NULL; /* as written, without the members that "like" adds */
    while (json_next(agents, &iter, &name, &own)) {
        const struct adapter *adapter = find_own(made, name);
        const char *like = json_text(json_get(own, "like"), NULL);
        if (field_is_comment(name) || json_kind(own) != JSON_KIND_OBJECT)
            continue;
        if (adapter) {
            if (json_count(json_get(own, "argv_resume")) > 0 &&
                !has_word(adapter->argv_resume, "{session}"))
                add_violation(wrong, name, "argv_resume", "no argument contains the session",
                              "\"{session}\" in one argument");
            if (json_count(json_get(own, "model_args")) > 0 &&
                !has_word(adapter->model_args, "{model}"))
                add_violation(wrong, name, "model_args", "no argument contains the model",
                              "\"{model}\" in one argument");
        } else if (!like) {
            add_violation(wrong, name, NULL, "too many agents", "at most 64");
        } else if (strcmp(like, name) == 0 && !adapters_find(below, name)) {
            add_violation(wrong, name, "like", "no other agent has this name",
                          "the name of an agent");
        } else {
            add_violation(wrong, name, "like", "no such agent, or a cycle of \"like\"",
                          "the name of an agent");
        }
    }
}

bool adapters_read(const struct adapters *below, const struct json *agents,
                   struct violations *wrong, struct adapters **out)
{
    const size_t before = wrong->count + wrong->dropped;
    struct adapters *made = xcalloc(1, sizeof(*made));
    made->items = xcalloc(2 * (size_t)ADAPTERS_MAX, sizeof(struct adapter *));
    while (make_adapters(below, agents, made))
        continue;
    check_adapters(below, agents, made, wrong);
    for (size_t i = 0; below && i < below->count && made->count < 2 * (size_t)ADAPTERS_MAX; i++) {
        const struct adapter *one = below->items[i];
        if (!find_own(made, one->name))
            add_adapter(made, adapter_new(one->name, one, NULL));
    }
    const bool ok = wrong->count + wrong->dropped == before;
    if (ok)
        *out = made;
    else
        adapters_free(made);
    return ok;
}

void adapters_free(struct adapters *adapters)
{
    if (!adapters)
        return;
    for (size_t i = 0; i < adapters->count; i++)
        adapter_free(adapters->items[i]);
    free(adapters->items);
    free(adapters);
}
