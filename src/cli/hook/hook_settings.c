#include "hook_settings.h"

#include <string.h>

#include "json.h"
#include "jsonc.h"

enum { OURS_MAX = 1000 /* hooks of ours that are removed from one file */ };

/* "devs hook ...", with or without a folder and quotes. */
static bool is_ours(const char *command)
{
    const bool quoted = command[0] == '\'' || command[0] == '"';
    const char *word = command + quoted;
    const size_t len = quoted ? strcspn(word, command[0] == '"' ? "\"" : "'") : strcspn(word, " ");
    const char *behind = word + len + (quoted && word[len] != '\0');
    const bool is_devs =
        len >= 4 && strncmp(word + len - 4, "devs", 4) == 0 && (len == 4 || word[len - 5] == '/');
    return is_devs && strncmp(behind, " hook", 5) == 0 && (behind[5] == ' ' || behind[5] == '\0');
}

/* A hook within the settings. */
struct where {
    const char *event; /* borrowed from the tree */
    size_t group, hook;
    bool exact; /* it is the very command that was looked for */
};

static bool find_in_list(const struct json *list, const char *command, struct where *out)
{
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *hooks = json_get(json_at(list, i), "hooks");
        for (size_t j = 0; json_kind(hooks) == JSON_KIND_ARRAY && j < json_count(hooks); j++) {
            const char *text = json_text(json_get(json_at(hooks, j), "command"), "");
            if (!is_ours(text))
                continue;
            out->group = i;
            out->hook = j;
            out->exact = command && strcmp(command, text) == 0;
            return true;
        }
    }
    return false;
}

/* The first of our hooks. */
static bool find_ours(const struct json *tree, struct where *out)
{
    const char *event = NULL;
    const struct json *list = NULL;
    void *iter = NULL;
    while (json_next(json_get(tree, "hooks"), &iter, &event, &list)) {
        out->event = event;
        if (json_kind(list) == JSON_KIND_ARRAY && find_in_list(list, NULL, out))
            return true;
    }
    return false;
}

static bool check_form(const struct json *tree, struct err *err)
{
    const struct json *hooks = json_get(tree, "hooks");
    const char *event = NULL;
    const struct json *list = NULL;
    void *iter = NULL;
    if (hooks && json_kind(hooks) != JSON_KIND_OBJECT)
        return err_set(err, ERR_INVALID, "\"hooks\" is no object there, but %s",
                       json_kind_name(hooks));
    while (json_next(hooks, &iter, &event, &list)) {
        const bool is_known =
            json_kind(list) == JSON_KIND_ARRAY || hook_kind_of(event) == HOOK_OTHER;
        if (!is_known)
            return err_set(err, ERR_INVALID, "\"hooks\": \"%s\" is no list there, but %s", event,
                           json_kind_name(list));
    }
    return true;
}

static bool open_checked(struct jsonc *jsonc, const struct str *text, struct err *err)
{
    return jsonc_open(jsonc, text, err) && check_form(jsonc->tree, err);
}

/* The hooks of an event, or what they would stand in. */
struct spans {
    struct json_span root;
    struct json_member hooks, event;
    bool has_hooks, has_event;
};

static struct spans find_spans(const struct jsonc *jsonc, const char *event)
{
    const char *plain = jsonc->plain.data;
    struct spans spans = {.root = json_edit_root(plain)};
    spans.has_hooks = json_edit_member_of(plain, spans.root, "hooks", &spans.hooks);
    spans.has_event =
        spans.has_hooks && json_edit_member_of(plain, spans.hooks.value, event, &spans.event);
    return spans;
}

static void add_one(struct jsonc *jsonc, const struct hook_agent *agent, const char *event,
                    const char *command)
{
    struct str group = {0};
    struct str member = {0};
    if (!find_spans(jsonc, event).has_hooks)
        jsonc_add(jsonc, json_edit_root(jsonc->plain.data), "\"hooks\": {}");
    str_add(&group, "{\n\t\"hooks\": [\n\t\t{\"type\": \"command\", \"command\": ");
    str_add_json(&group, command, strlen(command));
    str_addf(&group, ", \"timeout\": %d}\n\t]\n}", agent->timeout);
    struct spans spans = find_spans(jsonc, event);
    if (!spans.has_event) {
        str_addf(&member, "\"%s\": []", event);
        jsonc_add(jsonc, spans.hooks.value, str_text(&member));
        spans = find_spans(jsonc, event);
    }
    jsonc_add(jsonc, spans.event.value, str_text(&group));
    str_done(&member);
    str_done(&group);
}

static struct json_span whole(const struct json_member *member)
{
    return (struct json_span){member->name.start, member->value.end};
}

static bool is_empty(const struct jsonc *jsonc, struct json_span container)
{
    return container.end - container.start == 2 && strchr("[{", jsonc->text.data[container.start]);
}

/* What holds nothing any more goes too. */
static void remove_empty(struct jsonc *jsonc, const char *event)
{
    struct spans spans = find_spans(jsonc, event);
    if (spans.has_event && is_empty(jsonc, spans.event.value))
        jsonc_remove(jsonc, spans.hooks.value, whole(&spans.event));
    spans = find_spans(jsonc, event);
    if (spans.has_hooks && is_empty(jsonc, spans.hooks.value))
        jsonc_remove(jsonc, spans.root, whole(&spans.hooks));
}

static void remove_one(struct jsonc *jsonc, const struct where *where)
{
    struct str event = {0};
    struct json_span group;
    struct json_span hook;
    struct json_member list;
    const char *plain = jsonc->plain.data;
    const struct json *groups = json_get(json_get(jsonc->tree, "hooks"), where->event);
    const bool is_alone = json_count(json_get(json_at(groups, where->group), "hooks")) == 1;
    str_add(&event, where->event);
    const struct spans spans = find_spans(jsonc, where->event);
    if (json_edit_element(plain, spans.event.value, where->group, &group) &&
        json_edit_member_of(plain, group, "hooks", &list) &&
        json_edit_element(plain, list.value, where->hook, &hook)) {
        jsonc_remove(jsonc, is_alone ? spans.event.value : list.value, is_alone ? group : hook);
        remove_empty(jsonc, str_text(&event));
    }
    str_done(&event);
}

static void remove_all(struct jsonc *jsonc)
{
    struct where where = {0};
    for (int i = 0; i < OURS_MAX && find_ours(jsonc->tree, &where); i++)
        remove_one(jsonc, &where);
}

/* How many events of the agent have a hook of ours, or this very one. */
static size_t count_events(const struct json *tree, const struct hook_agent *agent,
                           const char *command)
{
    size_t count = 0;
    for (size_t i = 0; i < HOOK_EVENTS_MAX && agent->events[i]; i++) {
        struct where where = {0};
        const struct json *list = json_get(json_get(tree, "hooks"), agent->events[i]);
        count += find_in_list(list, command, &where) && (where.exact || !command);
    }
    return count;
}

static size_t events_of(const struct hook_agent *agent)
{
    size_t count = 0;
    while (count < HOOK_EVENTS_MAX && agent->events[count])
        count++;
    return count;
}

static void give_back(struct jsonc *jsonc, struct str *text)
{
    str_clear(text);
    str_add_n(text, str_text(&jsonc->text), jsonc->text.len);
}

bool hook_settings_add(struct str *text, const struct hook_agent *agent, const char *command,
                       struct err *err)
{
    struct jsonc jsonc;
    const bool ok = open_checked(&jsonc, text, err);
    if (ok && count_events(jsonc.tree, agent, command) < events_of(agent)) {
        remove_all(&jsonc);
        for (size_t i = 0; i < events_of(agent); i++)
            add_one(&jsonc, agent, agent->events[i], command);
        give_back(&jsonc, text);
    }
    jsonc_close(&jsonc);
    return ok;
}

bool hook_settings_remove(struct str *text, struct err *err)
{
    struct jsonc jsonc;
    struct where where = {0};
    const bool ok = open_checked(&jsonc, text, err);
    if (ok && find_ours(jsonc.tree, &where)) {
        remove_all(&jsonc);
        give_back(&jsonc, text);
    }
    jsonc_close(&jsonc);
    return ok;
}

bool hook_settings_disabled(const struct str *text)
{
    struct jsonc jsonc = {0};
    const bool ok = jsonc_open(&jsonc, text, NULL);
    const bool disabled = ok && json_bool(json_get(jsonc.tree, "disableAllHooks"), false);
    jsonc_close(&jsonc);
    return disabled;
}

bool hook_settings_count(const struct str *text, const struct hook_agent *agent, size_t *count_out,
                         struct err *err)
{
    struct jsonc jsonc;
    const bool ok = open_checked(&jsonc, text, err);
    if (ok)
        *count_out = count_events(jsonc.tree, agent, NULL);
    jsonc_close(&jsonc);
    return ok;
}
