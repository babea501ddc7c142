/* adapter_test.c - tests of an adapter's rules: do they hold of a value, of a line? */
#include <string.h>

#include "adapter_rule.h"

/* One value, and what it must be. */
struct matching {
    const struct json *wanted;
    bool found;
};

static bool is_equal(const struct json *value, const struct json *wanted)
{
    const char *text = json_text(wanted, NULL);
    if (text)
        return strcmp(json_text(value, ""), text) == 0 && json_kind(value) == JSON_KIND_STRING;
    if (json_kind(wanted) == JSON_KIND_INTEGER)
        return json_kind(value) == JSON_KIND_INTEGER && json_i64(value, 0) == json_i64(wanted, 0);
    return json_kind(value) == json_kind(wanted) && json_kind(wanted) != JSON_KIND_REAL;
}

static bool fits(const struct json *value, const struct json *wanted)
{
    const char *starts = json_text(json_get(wanted, "starts"), "");
    const char *has = json_text(json_get(wanted, "has"), "");
    const char *ends = json_text(json_get(wanted, "ends"), "");
    const char *text = json_text(value, NULL);
    if (json_kind(wanted) != JSON_KIND_OBJECT)
        return is_equal(value, wanted);
    return text && strncmp(text, starts, strlen(starts)) == 0 && strstr(text, has) != NULL &&
           strlen(text) >= strlen(ends) && strcmp(text + strlen(text) - strlen(ends), ends) == 0;
}

static bool look(void *ctx, const struct json *value)
{
    struct matching *matching = ctx;
    matching->found = fits(value, matching->wanted);
    return !matching->found;
}

/* As deep as "not" and lists stand in each other: the schema allows two. */
static bool holds(const struct adapter_path *path, const struct json *value,
                  const struct json *wanted, int depth)
{
    enum { DEPTH_MAX = 3 };
    const struct json *inner = json_get(wanted, "not");
    const struct json *there = json_get(wanted, "there");
    if (depth == DEPTH_MAX)
        return false;
    if (inner)
        return !holds(path, value, inner, depth + 1);
    if (there) {
        const struct json *first = adapter_path_first(path, value);
        return (first && json_kind(first) != JSON_KIND_NULL) == json_bool(there, true);
    }
    if (json_kind(wanted) == JSON_KIND_ARRAY) {
        for (size_t i = 0; i < json_count(wanted); i++) {
            if (holds(path, value, json_at(wanted, i), depth + 1))
                return true;
        }
        return false;
    }
    struct matching matching = {.wanted = wanted};
    adapter_path_walk(path, value, look, &matching);
    return matching.found;
}

bool adapter_tests_hold(const struct adapter_tests *tests, const struct json *value)
{
    for (size_t i = 0; i < tests->count; i++) {
        if (!holds(&tests->items[i].path, value, tests->items[i].wanted, 0))
            return false;
    }
    return true;
}

bool adapter_line_holds(const struct adapter_rule *rule, const struct json *line)
{
    static const struct adapter_path itself = {0};
    return rule->line && holds(&itself, line, rule->line, 0);
}

bool adapter_rule_failed(const struct adapter_rule *rule, const struct json *value)
{
    bool failed = rule->fails;
    for (size_t i = 0; i < rule->failed_count && !failed; i++)
        failed = adapter_tests_hold(&rule->failed[i], value);
    return failed;
}
