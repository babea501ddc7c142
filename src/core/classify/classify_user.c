/* classify_user.c - merges user rules with the built-in ones.
 *
 * The result is text in the form of the built-in rules, which rules_open() then compiles: first the
 * new rules, then the built-in ones, except for rules that the user replaces or turns off. */
#include "classify_internal.h"

#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "classify.h"
#include "contract.h"
#include "field.h"
#include "json.h"
#include "rules_json.h"

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

/* Returns the number of rules in a list; a single rule counts as a list with one rule. */
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
        return err_set(err, ERR_INVALID, "a rule must be an object, got %s",
                       json_kind(rules) == JSON_KIND_ARRAY ? "an empty list"
                                                           : json_kind_name(rules));
    for (size_t i = 0; i < count_of(rules); i++) {
        const struct json *rule = rule_at(rules, i);
        if (json_kind(rule) != JSON_KIND_OBJECT)
            return err_set(err, ERR_INVALID, "a rule must be an object, got %s",
                           json_kind_name(rule));
        if (*rule_list_name(rule) == '\0')
            return err_set(err, ERR_INVALID, "a rule needs a name");
        if (find_rule(rules, rule_list_name(rule)) != rule)
            return err_set(err, ERR_INVALID, "rule %s is listed twice", rule_list_name(rule));
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

static const char *const list_names[] = {"guards",  "errors",  "hints",   "said",
                                         "stopped", "service", "general", "rules"};

static bool is_off(const struct json *rule)
{
    return json_bool(json_get(rule, "off"), false);
}

static bool is_built_in(const struct json *root, const char *id)
{
    for (size_t i = 0; i < ARRAY_LEN(list_names); i++) {
        if (find_rule(json_get(root, list_names[i]), id))
            return true;
    }
    return false;
}

/* Adds the errors of a user rule, with JSON Pointers into it. */
static void check_rule(const struct json *root, const struct json *user, size_t index,
                       struct violations *wrong)
{
    const struct json *rule = json_at(user, index);
    const char *name = rule_list_name(rule);
    const char *message = NULL;
    if (json_kind(rule) != JSON_KIND_OBJECT)
        message = "expected an object";
    else if (name[0] == '\0')
        message = "name is missing";
    else if (find_rule(user, name) != rule)
        message = "an earlier rule has the same name";
    else if (is_off(rule) && !is_built_in(root, name))
        message = "cannot disable it: no built-in rule has this name";
    else if (!is_off(rule) && !find_rule(json_get(root, "rules"), name) && is_built_in(root, name))
        message = "a built-in guard or hint has the same name";
    if (message)
        violations_add(wrong, VIOLATION_INVALID_VALUE, "", message, NULL, NULL);
    else if (!is_off(rule))
        rule_check(rule, wrong);
}

static bool check_rules(const struct json *root, const struct json *user, struct err *err)
{
    if (json_kind(user) != JSON_KIND_ARRAY)
        return err_set(err, ERR_INVALID, "rules: expected a list, got %s", json_kind_name(user));
    if (json_count(user) > USER_RULES_MAX)
        return err_set(err, ERR_LIMIT, "rules: more than %d", USER_RULES_MAX);
    bool ok = true;
    for (size_t i = 0; ok && i < json_count(user); i++) {
        struct violations wrong = {0};
        check_rule(root, user, i, &wrong);
        ok = wrong.count == 0 || rule_fail(i, json_at(user, i), &wrong, err);
        violations_done(&wrong);
    }
    return ok;
}

void classifier_check(const struct json *rules, struct violations *wrong)
{
    static const struct json_pointer top = {0};
    const struct json_pointer list = {.up = &top, .key = "rules"};
    const struct field_reader reader = {.shape = wrong};
    struct json *root = NULL;
    if (json_kind(rules) != JSON_KIND_ARRAY ||
        !json_parse(rules_json, rules_json_len, &root, NULL, NULL))
        return;
    for (size_t i = 0; i < json_count(rules); i++) {
        const struct json_pointer place = {.up = &list, .index = i};
        const char *name = rule_list_name(json_at(rules, i));
        struct violations own = {0};
        if (field_reader_is_sound(&reader, &place))
            check_rule(root, rules, i, &own);
        for (size_t k = 0; k < own.count; k++) {
            const struct violation *one = &own.items[k];
            struct str path = {0};
            struct str message = {0};
            json_pointer_add(&path, &place, FIELD_POINTER_MAX);
            str_add(&path, one->path);
            if (name[0] != '\0')
                str_addf(&message, "rule '%s': ", name);
            str_add(&message, one->message);
            violations_add(wrong, one->code, str_text(&path), str_text(&message), one->expected,
                           one->actual);
            str_done(&path);
            str_done(&message);
        }
        violations_done(&own);
    }
    json_free(root);
}

static void begin_item(struct str *out)
{
    if (out->data[out->len - 1] != '[')
        str_add_char(out, ',');
}

/* Writes the members of a user rule in the form of a rule set. */
static void add_members(struct str *out, const struct json *members)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(members, &iter, &key, &value)) {
        if (strcmp(key, "only_if") == 0) {
            add_members(out, value);
        } else if (strcmp(key, "off") != 0) {
            const bool is_name = strcmp(key, "name") == 0;
            str_json_key(out, is_name ? "id" : strcmp(key, "verdict") == 0 ? "class" : key);
            json_write(out, value);
        }
    }
}

static void add_rule(struct str *out, const struct json *rule)
{
    str_add_char(out, '{');
    add_members(out, rule);
    str_json_key(out, "user");
    str_add(out, "true}");
}

/* Adds the new user rules, then the built-in rules without those that a user rule switches off; a
 * user rule of the same name replaces a built-in rule. */
static void add_list(struct str *out, const struct json *list, const struct json *user, bool rules)
{
    str_add_char(out, '[');
    for (size_t i = 0; rules && i < json_count(user); i++) {
        const struct json *rule = json_at(user, i);
        if (is_off(rule) || find_rule(list, rule_list_name(rule)))
            continue;
        begin_item(out);
        add_rule(out, rule);
    }
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *own = find_rule(user, rule_list_name(json_at(list, i)));
        if (own && is_off(own))
            continue;
        begin_item(out);
        if (own)
            add_rule(out, own);
        else
            json_write(out, json_at(list, i));
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
