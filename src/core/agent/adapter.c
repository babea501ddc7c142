#include "adapter.h"

#include <stdlib.h>
#include <string.h>

#include "adapter_parts.h"
#include "str.h"
#include "text_list.h"
#include "xalloc.h"

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
