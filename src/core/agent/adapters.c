/* adapters.c - the adapters there are: built in, and a person's own. */
#include <assert.h>
#include <stdatomic.h>
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
#include "adapters_merge.h"
#include "attr.h"
#include "violation.h"
#include "xalloc.h"

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

/* As in plan_schema.c: a value that is the same whoever makes it. */
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
