/*
 * classify_user.c - merges a person's rules with the built-in ones.
 *
 * The result is text in the form of the built-in rules, which rules_open() then compiles: first the
 * new rules, then the built-in ones, except those that the person replaces or turns off.
 */
#include "classify_internal.h"

#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "classify.h"
#include "json.h"
#include "text.h"

static bool parse_rules(const char *what, const char *text, struct json **out, struct err *err)
{
    struct json_place place = {0};
    struct err why = {0};
    size_t len = strlen(text);
    if (len > RULE_LIST_BYTES_MAX)
        return err_set(err, ERR_INVALID, "%s: longer than %d bytes", what, RULE_LIST_BYTES_MAX);
    if (json_parse(text, len, out, &place, &why))
        return true;
    return err_set(err, ERR_INVALID, "%s: line %d, column %d: %s", what, place.line, place.column,
                   why.message);
}

const char *rule_list_name(const struct json *rule)
{
    return json_text(json_get(rule, "name"), json_text(json_get(rule, "id"), ""));
}

/* A single rule counts as a list with one rule. */
static size_t count_of(const struct json *rules)
{
    return json_kind(rules) == JSON_KIND_OBJECT ? 1 : json_count(rules);
}

static const struct json *rule_at(const struct json *rules, size_t index)
{
    return json_kind(rules) == JSON_KIND_OBJECT ? rules : json_at(rules, index);
}

static const struct json *find_rule(const struct json *rules, const char *name)
{
    for (size_t i = 0; i < count_of(rules); i++) {
        if (strcmp(rule_list_name(rule_at(rules, i)), name) == 0)
            return rule_at(rules, i);
    }
    return NULL;
}

bool rule_list_has(const char *rules, const char *name)
{
    struct json *list = NULL;
    if (!rules || !json_parse(rules, strlen(rules), &list, NULL, NULL))
        return false;
    const bool has = find_rule(list, name) != NULL;
    json_free(list);
    return has;
}

static bool check_own_rules(const struct json *rules, struct err *err)
{
    if (count_of(rules) == 0)
        return err_set(err, ERR_INVALID, "a rule must be an object, not %s",
                       json_kind(rules) == JSON_KIND_ARRAY ? "an empty list"
                                                           : json_kind_name(rules));
    for (size_t i = 0; i < count_of(rules); i++) {
        const struct json *rule = rule_at(rules, i);
        if (json_kind(rule) != JSON_KIND_OBJECT)
            return err_set(err, ERR_INVALID, "a rule must be an object, not %s",
                           json_kind_name(rule));
        if (*rule_list_name(rule) == '\0')
            return err_set(err, ERR_INVALID, "a rule needs a name");
        if (find_rule(rules, rule_list_name(rule)) != rule)
            return err_set(err, ERR_INVALID, "rule %s: given twice", rule_list_name(rule));
    }
    return true;
}

static void append_rule(const struct json *rule, struct str *list)
{
    char *text = json_brief(rule, RULE_LIST_BYTES_MAX);
    if (list->len > 1)
        str_add_char(list, ',');
    str_add(list, text);
    free(text);
}

static void merge_lists(const struct json *old, const struct json *new, struct str *list)
{
    str_add_char(list, '[');
    for (size_t i = 0; i < json_count(old); i++) {
        const struct json *same = find_rule(new, rule_list_name(json_at(old, i)));
        append_rule(same ? same : json_at(old, i), list);
    }
    for (size_t i = 0; i < count_of(new); i++) {
        if (!find_rule(old, rule_list_name(rule_at(new, i))))
            append_rule(rule_at(new, i), list);
    }
    str_add_char(list, ']');
}

bool rule_list_add(const char *rules, const char *rule, struct str *out, struct err *err)
{
    struct json *old = NULL;
    struct json *new = NULL;
    struct str list = {0};
    bool ok =
        parse_rules("the rules", rules ? rules : "[]", &old, err) &&
        (json_kind(old) == JSON_KIND_ARRAY ||
         err_set(err, ERR_INVALID, "the rules: expected a list, got %s", json_kind_name(old))) &&
        parse_rules("the rule", rule, &new, err) && check_own_rules(new, err);
    if (ok) {
        merge_lists(old, new, &list);
        str_add(out, list.data);
    }
    str_done(&list);
    json_free(new);
    json_free(old);
    return ok;
}

enum { VALUE_MAX = 1024 * 1024 };

static const char *const list_names[] = {"guards",  "errors",  "hints",   "said",
                                         "stopped", "service", "general", "rules"};

/* Members of a person's rule, and the names of the built-in rules' members. */
static const struct {
    const char *name;
    const char *internal; /* NULL: not passed on as it is */
    enum json_kind kind;  /* NONE: checked where it is read */
} members[] = {
    {"name", "id", JSON_KIND_STRING},
    {"id", "id", JSON_KIND_STRING},
    {"type", "type", JSON_KIND_STRING},
    {"verdict", "class", JSON_KIND_STRING},
    {"class", "class", JSON_KIND_STRING},
    {"pattern", "pattern", JSON_KIND_STRING},
    {"stream", "stream", JSON_KIND_STRING},
    {"unless", "unless", JSON_KIND_STRING},
    {"subtype", "subtype", JSON_KIND_STRING},
    {"reason", "reason", JSON_KIND_STRING},
    {"retry_after", "retry_after", JSON_KIND_INTEGER},
    {"ask", "ask", JSON_KIND_NONE},
    {"why", "why", JSON_KIND_STRING},
    {"need", "need", JSON_KIND_ARRAY},
    {"on_success", "on_success", JSON_KIND_TRUE},
    {"only_if", NULL, JSON_KIND_OBJECT},
    {"off", NULL, JSON_KIND_NONE},
};
static const char *const facts[] = {"exit", "signal", "kind", "program", "launcher"};

static bool is_off(const struct json *rule)
{
    return json_bool(json_get(rule, "off"), false);
}

static void add_value(struct str *out, const char *key, const struct json *value)
{
    char *text = json_brief(value, VALUE_MAX);
    str_json_key(out, key);
    str_add(out, text);
    free(text);
}

static bool add_facts(struct str *out, const struct json *only_if, struct err *err)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(only_if, &iter, &key, &value)) {
        if (!text_is_in(facts, ARRAY_LEN(facts), key))
            return err_set(err, ERR_INVALID,
                           "only_if may have exit, signal, kind, program and launcher, not '%s'",
                           key);
        add_value(out, key, value);
    }
    return true;
}

static const char *kind_words(enum json_kind kind)
{
    switch (kind) {
    case JSON_KIND_STRING:
        return "a string";
    case JSON_KIND_INTEGER:
        return "a number";
    case JSON_KIND_ARRAY:
        return "a list";
    case JSON_KIND_TRUE:
        return "true or false";
    default:
        return "an object";
    }
}

static bool add_member(struct str *out, const char *key, const struct json *value, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        if (strcmp(members[i].name, key) != 0)
            continue;
        const enum json_kind kind = members[i].kind;
        const bool fits = json_kind(value) == kind ||
                          (kind == JSON_KIND_TRUE && json_kind(value) == JSON_KIND_FALSE);
        if (kind != JSON_KIND_NONE && !fits)
            return err_set(err, ERR_INVALID, "%s is %s, got %s", key, kind_words(kind),
                           json_kind_name(value));
        if (members[i].internal)
            add_value(out, members[i].internal, value);
        return members[i].internal || add_facts(out, value, err);
    }
    return err_set(err, ERR_INVALID, "unknown key '%s'", key);
}

/* Writes a person's rule with the members of the built-in ones. */
static bool add_rule(struct str *out, const struct json *rule, struct err *err)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    const char *pattern = json_text(json_get(rule, "pattern"), "");
    if (!json_get(rule, "verdict") && !json_get(rule, "class"))
        return err_set(err, ERR_INVALID, "verdict is missing: 'transient' or 'persistent'");
    if (json_get(rule, "pattern") && pattern[0] == '\0' &&
        json_kind(json_get(rule, "pattern")) == JSON_KIND_STRING)
        return err_set(err, ERR_INVALID, "pattern is empty: it would match every line");
    if (strlen(pattern) > USER_PATTERN_MAX)
        return err_set(err, ERR_INVALID, "pattern is longer than %d bytes", USER_PATTERN_MAX);
    str_add_char(out, '{');
    while (json_next(rule, &iter, &key, &value)) {
        if (!add_member(out, key, value, err))
            return false;
    }
    str_json_key(out, "user");
    str_add(out, "true}");
    return true;
}

static bool is_built_in(const struct json *root, const char *id)
{
    for (size_t i = 0; i < ARRAY_LEN(list_names); i++) {
        if (find_rule(json_get(root, list_names[i]), id))
            return true;
    }
    return false;
}

static bool check_rule(const struct json *root, const struct json *user, size_t index,
                       struct err *err)
{
    const struct json *rule = json_at(user, index);
    const char *name = rule_list_name(rule);
    if (json_kind(rule) != JSON_KIND_OBJECT)
        return err_set(err, ERR_INVALID, "expected an object, got %s", json_kind_name(rule));
    if (name[0] == '\0')
        return err_set(err, ERR_INVALID, "name is missing");
    if (find_rule(user, name) != rule)
        return err_set(err, ERR_INVALID, "an earlier rule has the same name");
    if (is_off(rule) && !is_built_in(root, name))
        return err_set(err, ERR_INVALID, "there is no built-in rule of that name to switch off");
    if (!is_off(rule) && !find_rule(json_get(root, "rules"), name) && is_built_in(root, name))
        return err_set(err, ERR_INVALID, "that name is taken by a built-in guard or hint");
    struct str unused = {0};
    const bool ok = is_off(rule) || add_rule(&unused, rule, err);
    str_done(&unused);
    return ok;
}

static bool check_rules(const struct json *root, const struct json *user, struct err *err)
{
    if (json_kind(user) != JSON_KIND_ARRAY)
        return err_set(err, ERR_INVALID, "rules: expected a list, got %s", json_kind_name(user));
    if (json_count(user) > USER_RULES_MAX)
        return err_set(err, ERR_LIMIT, "rules: more than %d", USER_RULES_MAX);
    for (size_t i = 0; i < json_count(user); i++) {
        struct err why = {0};
        if (!check_rule(root, user, i, &why))
            return err_set(err, ERR_INVALID, "rule %zu '%s': %s", i + 1,
                           rule_list_name(json_at(user, i)), why.message);
    }
    return true;
}

static void begin_item(struct str *out)
{
    if (out->data[out->len - 1] != '[')
        str_add_char(out, ',');
}

/* New rules of a person first, then the built-in ones, replaced or left out as requested. */
static void add_list(struct str *out, const struct json *list, const struct json *user, bool rules)
{
    str_add_char(out, '[');
    for (size_t i = 0; rules && i < json_count(user); i++) {
        const struct json *rule = json_at(user, i);
        if (is_off(rule) || find_rule(list, rule_list_name(rule)))
            continue;
        begin_item(out);
        (void)add_rule(out, rule, NULL);
    }
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *own = find_rule(user, rule_list_name(json_at(list, i)));
        if (own && is_off(own))
            continue;
        begin_item(out);
        char *text = own ? NULL : json_brief(json_at(list, i), VALUE_MAX);
        if (own)
            (void)add_rule(out, own, NULL);
        else
            str_add(out, text);
        free(text);
    }
    str_add_char(out, ']');
}

bool user_rules_add(const char *built_in, size_t len, const char *user, struct str *out,
                    struct err *err)
{
    struct json *root = NULL;
    struct json *own = NULL;
    if (user && !json_parse(user, strlen(user), &own, NULL, err))
        return false;
    if (json_kind(own) == JSON_KIND_OBJECT)
        str_add(out, user);
    else if (json_count(own) == 0 && (!own || json_kind(own) == JSON_KIND_ARRAY))
        str_add_n(out, built_in, len);
    bool ok = out->len > 0;
    if (!ok && json_parse(built_in, len, &root, NULL, err) && check_rules(root, own, err)) {
        ok = true;
        str_add(out, "{\"version\":1");
        for (size_t i = 0; i < ARRAY_LEN(list_names); i++) {
            const struct json *list = json_get(root, list_names[i]);
            if (!list)
                continue;
            str_json_key(out, list_names[i]);
            add_list(out, list, own, strcmp(list_names[i], "rules") == 0);
        }
        str_add_char(out, '}');
    }
    json_free(root);
    json_free(own);
    return ok;
}
