/* adapters.c - the adapters there are: built in, and a person's own. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "adapter_claude_json.h"
#include "adapter_codex_json.h"
#include "adapter_copilot_json.h"
#include "adapter_gemini_json.h"
#include "adapter_generic_json.h"
#include "adapter_kimi_json.h"
#include "adapter_opencode_json.h"
#include "adapter_parts.h"
#include "adapter_pi_json.h"
#include "adapter_qwen_json.h"
#include "attr.h"
#include "json.h"
#include "json_pointer.h"
#include "str.h"
#include "violation.h"
#include "xalloc.h"

enum { POINTER_MAX = 1024 }; /* bytes of a place's text */

static bool is_left_out(const char *key)
{
    return strcmp(key, "like") == 0 || strncmp(key, "//", 2) == 0;
}

static void add_members(struct str *out, const struct json *from, const struct json *hidden_by)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(from, &iter, &key, &value)) {
        if (is_left_out(key) || json_get(hidden_by, key))
            continue;
        if (out->len > 1)
            str_add_char(out, ',');
        str_add_json(out, key, strlen(key));
        str_add_char(out, ':');
        json_write(out, value);
    }
}

/* The members of `own` (an object), and those of `model` that it lacks, without "like" and
 * comments. The program is the name if neither has one. The caller frees. */
static struct json *adapters_merge(const struct json *model, const struct json *own,
                                   const char *name)
{
    struct json *json = NULL;
    struct json *named = NULL;
    struct str text = {0};
    const bool has_program =
        json_text(json_get(own, "program"), "")[0] != '\0' ||
        (!json_get(own, "program") && json_text(json_get(model, "program"), "")[0] != '\0');
    if (!has_program) {
        str_add(&text, "{");
        str_json_text(&text, "program", name);
        str_add(&text, "}");
        const bool ok = json_parse(str_text(&text), text.len, &named, NULL, NULL);
        assert(ok);
        (void)ok;
        str_clear(&text);
    }
    str_add_char(&text, '{');
    add_members(&text, named, NULL);
    add_members(&text, own, named);
    struct json *front = NULL;
    const size_t len = text.len;
    str_add_char(&text, '}');
    bool ok = json_parse(str_text(&text), text.len, &front, NULL, NULL);
    assert(ok); /* of members that were parsed */
    str_cut(&text, len);
    add_members(&text, model, front);
    str_add_char(&text, '}');
    ok = json_parse(str_text(&text), text.len, &json, NULL, NULL);
    assert(ok);
    (void)ok;
    json_free(front);
    json_free(named);
    str_done(&text);
    return json;
}

static void add_violation(struct violations *wrong, const char *name, const char *key,
                          const char *message, const char *expected)
{
    static const struct json_pointer root = {0};
    const struct json_pointer agents = {.up = &root, .key = "agents"};
    const struct json_pointer agent = {.up = &agents, .key = name};
    const struct json_pointer place = {.up = &agent, .key = key};
    struct str path = {0};
    json_pointer_add(&path, key ? &place : &agent, POINTER_MAX);
    violations_add(wrong, VIOLATION_INVALID_VALUE, str_text(&path), message, expected, NULL);
    str_done(&path);
}

static bool has_word(char *const *texts, const char *word)
{
    for (size_t i = 0; texts && texts[i]; i++) {
        if (strstr(texts[i], word))
            return true;
    }
    return false;
}

/* Reports errors of a merged adapter that no schema can express; `own` is what was written. */
static void adapters_check(const struct adapter *adapter, const struct json *own,
                           struct violations *wrong)
{
    const bool session_is_missing =
        json_get(own, "argv_resume") && !has_word(adapter->argv_resume, "{session}");
    const bool model_is_missing =
        json_count(json_get(own, "model_args")) > 0 && !has_word(adapter->model_args, "{model}");
    if (session_is_missing)
        add_violation(wrong, adapter->name, "argv_resume", "no argument has the session in it",
                      "\"{session}\" in one of them");
    if (model_is_missing)
        add_violation(wrong, adapter->name, "model_args", "no argument has the model in it",
                      "\"{model}\" in one of them");
}

/* Reports a "like" that names no adapter, or that leads back to itself. */
static void adapters_complain_like(const char *name, const struct json *own, bool name_is_known,
                                   struct violations *wrong)
{
    const char *like = json_text(json_get(own, "like"), NULL);
    if (!like)
        add_violation(wrong, name, NULL, "too many agents", "at most 64");
    else if (strcmp(like, name) == 0 && !name_is_known)
        add_violation(wrong, name, "like", "no other agent has this name", "the name of an agent");
    else
        add_violation(wrong, name, "like", "no such agent, or they are like each other",
                      "the name of an agent");
}

struct adapters {
    struct adapter **items; /* owned, and so is each; own ones only, built-in ones are for all */
    size_t count;
};

/* The name that others are like if they do not say whom. */
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

/* As in plan_schema_text(): a value that is the same whoever makes it. */
static _Atomic(struct adapter *) builtin_made[ARRAY_LEN(builtin)];

static const struct adapter *builtin_at(size_t index)
{
    struct adapter *kept = atomic_load(&builtin_made[index]);
    if (kept)
        return kept;
    struct json *json = NULL;
    const bool ok = json_parse(builtin[index].text, strlen(builtin[index].text), &json, NULL, NULL);
    assert(ok); /* it is ours, and a test reads it */
    struct adapter *made = adapter_new(builtin[index].name, json, true);
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

static void add(struct adapters *adapters, struct adapter *adapter)
{
    assert(adapters->count < 2 * (size_t)ADAPTERS_MAX);
    adapters->items[adapters->count++] = adapter;
}

/* Whom the adapter is like: by "like", else the one of its own name, else the generic one. NULL:
 * it is there, and has to be made first, or there is none. */
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

/* Make those whose models are there; true if one was. */
static bool make_some(const struct adapters *below, const struct json *agents,
                      struct adapters *made)
{
    const size_t before = made->count;
    void *iter = NULL;
    const char *name = NULL;
    const struct json *own = NULL;
    while (json_next(agents, &iter, &name, &own) && made->count < ADAPTERS_MAX) {
        const bool is_comment = strncmp(name, "//", 2) == 0;
        if (is_comment || json_kind(own) != JSON_KIND_OBJECT || find_own(made, name))
            continue;
        const struct adapter *model = model_of(below, made, agents, name);
        if (model)
            add(made, adapter_new(name, adapters_merge(model->json, own, name), false));
    }
    return made->count > before;
}

/* What stands in the way of those that could not be made. */
static void complain(const struct adapters *below, const struct json *agents,
                     const struct adapters *made, struct violations *wrong)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *own = NULL;
    while (json_next(agents, &iter, &name, &own)) {
        const struct adapter *adapter = find_own(made, name);
        if (strncmp(name, "//", 2) == 0 || json_kind(own) != JSON_KIND_OBJECT)
            continue;
        if (adapter)
            adapters_check(adapter, own, wrong);
        else
            adapters_complain_like(name, own, adapters_find(below, name) != NULL, wrong);
    }
}

static void copy_below(struct adapters *out, const struct adapters *below)
{
    for (size_t i = 0; below && i < below->count && out->count < 2 * (size_t)ADAPTERS_MAX; i++) {
        const struct adapter *one = below->items[i];
        if (!find_own(out, one->name))
            add(out, adapter_new(one->name, json_clone(one->json), false));
    }
}

bool adapters_read(const struct adapters *below, const struct json *agents,
                   struct violations *wrong, struct adapters **out)
{
    const size_t before = wrong->count + wrong->dropped;
    struct adapters *made = xcalloc(1, sizeof(*made));
    made->items = xcalloc(2 * (size_t)ADAPTERS_MAX, sizeof(struct adapter *));
    while (make_some(below, agents, made))
        continue;
    complain(below, agents, made, wrong);
    copy_below(made, below);
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
