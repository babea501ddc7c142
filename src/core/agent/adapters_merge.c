#include "adapters_merge.h"

#include <assert.h>
#include <string.h>

#include "adapter_parts.h"
#include "json_pointer.h"
#include "str.h"

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

struct json *adapters_merge(const struct json *model, const struct json *own, const char *name)
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

void adapters_check(const struct adapter *adapter, const struct json *own, struct violations *wrong)
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

void adapters_complain_like(const char *name, const struct json *own, bool name_is_known,
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
