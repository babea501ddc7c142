#include "adapter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adapter_parts.h"
#include "adapter_path.h"
#include "agent_stream.h"
#include "str.h"
#include "text_list.h"
#include "xalloc.h"

void adapter_path_init(struct adapter_path *path, const char *text)
{
    *path = (struct adapter_path){0};
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

void adapter_path_done(struct adapter_path *path)
{
    free(path->text);
    *path = (struct adapter_path){0};
}

/* The element that a part names; NULL if it is not a number or does not exist. */
static const struct json *element(const struct json *array, const char *part)
{
    enum { DECIMAL = 10 };
    char *end = NULL;
    long index = strtol(part, &end, DECIMAL);
    if (end == part || *end != '\0')
        return NULL;
    if (index < 0)
        index += (long)json_count(array);
    return index < 0 ? NULL : json_at(array, (size_t)index);
}

/* As deep as the path is long. */
static bool walk(const struct adapter_path *path, int at, const struct json *value,
                 adapter_found_fn *found, void *ctx)
{
    if (!value)
        return true;
    if (at == path->count)
        return found(ctx, value);
    const char *part = path->parts[at];
    if (json_kind(value) != JSON_KIND_ARRAY)
        return walk(path, at + 1, json_get(value, part), found, ctx);
    if (strcmp(part, "*") != 0)
        return walk(path, at + 1, element(value, part), found, ctx);
    const size_t count = json_count(value);
    for (size_t i = 0; i < count; i++) {
        if (!walk(path, at + 1, json_at(value, i), found, ctx))
            return false;
    }
    return true;
}

void adapter_path_walk(const struct adapter_path *path, const struct json *root,
                       adapter_found_fn *found, void *ctx)
{
    (void)walk(path, 0, root, found, ctx);
}

static bool keep_first(void *ctx, const struct json *value)
{
    const struct json **first = ctx;
    *first = value;
    return false;
}

const struct json *adapter_path_first(const struct adapter_path *path, const struct json *root)
{
    const struct json *first = NULL;
    adapter_path_walk(path, root, keep_first, &first);
    return first;
}

/* The texts of an array, NULL if it is none. */
static char **read_texts(const struct json *value)
{
    const size_t count = json_count(value);
    size_t taken = 0;
    if (json_kind(value) != JSON_KIND_ARRAY)
        return NULL;
    char **texts = xcalloc(count + 1, sizeof(*texts));
    for (size_t i = 0; i < count && taken < ADAPTER_ARGS_MAX; i++) {
        const char *text = json_text(json_at(value, i), NULL);
        if (text)
            texts[taken++] = xstrdup(text);
    }
    return texts;
}

static char **read_env(const struct json *value)
{
    char **env = xcalloc(json_count(value) + 1, sizeof(*env));
    size_t taken = 0;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    while (json_next(value, &iter, &key, &member) && taken < ADAPTER_ARGS_MAX) {
        struct str pair = {0};
        if (json_kind(member) != JSON_KIND_STRING)
            continue;
        str_addf(&pair, "%s=%s", key, json_text(member, ""));
        env[taken++] = pair.data;
    }
    return env;
}

static enum adapter_output output_named(const char *name)
{
    if (strcmp(name, "jsonl") == 0)
        return ADAPTER_OUTPUT_JSONL;
    return strcmp(name, "json") == 0 ? ADAPTER_OUTPUT_JSON : ADAPTER_OUTPUT_TEXT;
}

static void read_rules(struct adapter *adapter, const struct json *events)
{
    const size_t count = json_kind(events) == JSON_KIND_ARRAY ? json_count(events) : 0;
    adapter->rules = xcalloc(count + 1, sizeof(*adapter->rules));
    for (size_t i = 0; i < count && adapter->rule_count < ADAPTER_RULES_MAX; i++) {
        struct adapter_rule *rule = &adapter->rules[adapter->rule_count++];
        adapter_rule_init(rule, json_at(events, i));
        adapter->counts_turns =
            adapter->counts_turns || rule->each_is_turn || rule->members[ADAPTER_TURN].count > 0;
    }
}

struct adapter *adapter_new(const char *name, struct json *json, bool is_builtin)
{
    struct adapter *adapter = xcalloc(1, sizeof(*adapter));
    const char *prompt = json_text(json_get(json, "prompt"), "stdin");
    *adapter = (struct adapter){
        .name = xstrdup(name),
        .json = json,
        .is_builtin = is_builtin,
        .program = json_text(json_get(json, "program"), ""),
        .install = json_text(json_get(json, "install"), ""),
        .allow = json_text(json_get(json, "allow"), ""),
        .prompt = strcmp(prompt, "argument") == 0 ? ADAPTER_PROMPT_ARGUMENT : ADAPTER_PROMPT_STDIN,
        .output = output_named(json_text(json_get(json, "output"), "text")),
        .argv = read_texts(json_get(json, "argv")),
        .argv_resume = read_texts(json_get(json, "argv_resume")),
        .model_args = read_texts(json_get(json, "model_args")),
        .permission_args = read_texts(json_get(json, "permission_args")),
        .env = read_env(json_get(json, "env")),
        .result_on_stderr = json_bool(json_get(json, "result_on_stderr"), false),
        .unknown_session = read_texts(json_get(json, "unknown_session")),
        .cut_member = json_text(json_get(json, "cut_member"), NULL),
    };
    adapter->called = adapter_program_of(adapter->program);
    read_rules(adapter, json_get(json, "events"));
    return adapter;
}

void adapter_free(struct adapter *adapter)
{
    if (!adapter)
        return;
    for (size_t i = 0; i < adapter->rule_count; i++)
        adapter_rule_done(&adapter->rules[i]);
    free(adapter->rules);
    free(adapter->name);
    json_free(adapter->json);
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
    return adapter->program;
}

const char *adapter_install(const struct adapter *adapter)
{
    return adapter->install;
}

void adapter_allow_words(const struct adapter *adapter, const char *tool, struct str *out)
{
    static const char place[] = "{tool}";
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const char *text = adapter->allow;
    /* The name comes from the agent's output, and a person copies what is said here. */
    if (tool[strspn(tool, letters)] != '\0')
        tool = "TOOL";
    if (text[0] == '\0')
        text = "\"permission_args\" of its step";
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

static bool holds(const char *bytes, size_t len, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= len; i++) {
        if (memcmp(bytes + i, text, size) == 0)
            return true;
    }
    return false;
}

bool adapter_session_is_unknown(const struct adapter *adapter, const char *bytes, size_t len)
{
    for (size_t i = 0; adapter->unknown_session && adapter->unknown_session[i]; i++) {
        if (holds(bytes, len, adapter->unknown_session[i]))
            return true;
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
    json_write(out, adapter->json);
}

/* Words in braces that an argument may contain, and their values. */
struct filling {
    const char *name;
    const char *value; /* NULL = the argument stays as it is */
};

enum { FILLINGS = 3 };

/* A list that grows. */
struct args {
    char **items;
    size_t count;
    size_t cap;
};

static void add_arg(struct args *args, char *text)
{
    assert(args->count + 1 < args->cap);
    args->items[args->count++] = text;
}

/* Copy `text`, each "{name}" in it that has a value filled in. True if `name` was among them. */
static bool fill(struct str *out, const char *text, const struct filling *fillings,
                 const char *name)
{
    bool filled = false;
    while (*text != '\0') {
        const size_t plain = strcspn(text, "{");
        str_add_n(out, text, plain);
        text += plain;
        size_t taken = 0;
        for (size_t i = 0; i < FILLINGS && taken == 0; i++) {
            const size_t len = strlen(fillings[i].name);
            if (!fillings[i].value || strncmp(text, fillings[i].name, len) != 0)
                continue;
            str_add(out, fillings[i].value);
            filled = filled || strcmp(fillings[i].name, name) == 0;
            taken = len;
        }
        if (taken == 0 && *text != '\0')
            str_add_char(out, *text++);
        else
            text += taken;
    }
    return filled;
}

/* Appends a list of arguments of the adapter; returns true if it contains the prompt. */
static bool add_filled(struct args *args, char *const *texts, const struct filling *fillings)
{
    bool has_prompt = false;
    for (size_t i = 0; texts && texts[i]; i++) {
        struct str text = {0};
        has_prompt = fill(&text, texts[i], fillings, "{prompt}") || has_prompt;
        add_arg(args, text.data ? text.data : xstrdup(""));
    }
    return has_prompt;
}

static void add_copies(struct args *args, char *const *texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        add_arg(args, xstrdup(texts[i]));
}

void adapter_argv(const struct adapter *adapter, const struct adapter_call *call, char ***out)
{
    const bool resumes = call->session && adapter->argv_resume;
    const bool says_prompt = call->prompt && adapter->prompt == ADAPTER_PROMPT_ARGUMENT;
    char *const *argv = resumes ? adapter->argv_resume : adapter->argv;
    char *const *permissions =
        call->permission_args ? call->permission_args : adapter->permission_args;
    const struct filling fillings[FILLINGS] = {
        {"{session}", resumes ? call->session : NULL},
        {"{model}", call->model},
        {"{prompt}", says_prompt ? call->prompt : NULL},
    };
    struct args args = {.cap = 3 + text_list_count(argv) + text_list_count(adapter->model_args) +
                               text_list_count(permissions) + text_list_count(call->args)};
    args.items = xcalloc(args.cap, sizeof(*args.items));

    add_arg(&args, xstrdup(adapter->program));
    const bool has_prompt = add_filled(&args, argv, fillings);
    if (call->model)
        (void)add_filled(&args, adapter->model_args, fillings);
    add_copies(&args, permissions);
    add_copies(&args, call->args);
    if (says_prompt && !has_prompt)
        add_arg(&args, xstrdup(call->prompt));
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
