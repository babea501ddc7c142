#include "rule_list.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

static bool parse(const char *what, const char *text, struct json **out, struct err *err)
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

/* One rule stands for a list of one. */
static size_t count_of(const struct json *rules)
{
    return json_kind(rules) == JSON_KIND_OBJECT ? 1 : json_count(rules);
}

static const struct json *rule_at(const struct json *rules, size_t index)
{
    return json_kind(rules) == JSON_KIND_OBJECT ? rules : json_at(rules, index);
}

static const struct json *find(const struct json *rules, const char *name)
{
    for (size_t i = 0; i < count_of(rules); i++) {
        if (strcmp(rule_list_name(rule_at(rules, i)), name) == 0)
            return rule_at(rules, i);
    }
    return NULL;
}

static bool check(const struct json *rules, struct err *err)
{
    if (count_of(rules) == 0)
        return err_set(err, ERR_INVALID, "a rule is an object, not %s",
                       json_kind(rules) == JSON_KIND_ARRAY ? "an empty list"
                                                           : json_kind_name(rules));
    for (size_t i = 0; i < count_of(rules); i++) {
        const struct json *rule = rule_at(rules, i);
        if (json_kind(rule) != JSON_KIND_OBJECT)
            return err_set(err, ERR_INVALID, "a rule is an object, not %s", json_kind_name(rule));
        if (*rule_list_name(rule) == '\0')
            return err_set(err, ERR_INVALID, "a rule needs a name");
        if (find(rules, rule_list_name(rule)) != rule)
            return err_set(err, ERR_INVALID, "rule %s: given twice", rule_list_name(rule));
    }
    return true;
}

static void add_rule(const struct json *rule, struct str *list)
{
    char *text = json_brief(rule, RULE_LIST_BYTES_MAX);
    if (list->len > 1)
        str_add_char(list, ',');
    str_add(list, text);
    free(text);
}

static void merge(const struct json *old, const struct json *new, struct str *list)
{
    str_add_char(list, '[');
    for (size_t i = 0; i < json_count(old); i++) {
        const struct json *same = find(new, rule_list_name(json_at(old, i)));
        add_rule(same ? same : json_at(old, i), list);
    }
    for (size_t i = 0; i < count_of(new); i++) {
        if (!find(old, rule_list_name(rule_at(new, i))))
            add_rule(rule_at(new, i), list);
    }
    str_add_char(list, ']');
}

bool rule_list_add(const char *rules, const char *rule, struct str *out, struct err *err)
{
    struct json *old = NULL;
    struct json *new = NULL;
    struct str list = {0};
    bool ok =
        parse("the rules", rules ? rules : "[]", &old, err) &&
        (json_kind(old) == JSON_KIND_ARRAY ||
         err_set(err, ERR_INVALID, "the rules: a list is expected, not %s", json_kind_name(old))) &&
        parse("the rule", rule, &new, err) && check(new, err);
    if (ok) {
        merge(old, new, &list);
        str_add(out, list.data);
    }
    str_done(&list);
    json_free(new);
    json_free(old);
    return ok;
}
