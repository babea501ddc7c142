#include "settings_secrets.h"

#include "rule_pattern.h"
#include "xalloc.h"

static char **read_names(const struct json *value)
{
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    size_t taken = 0;
    if (count == 0)
        return NULL;
    char **names = xcalloc(count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        const char *name = json_text(json_at(value, i), NULL);
        if (name)
            names[taken++] = xstrdup(name);
    }
    return names;
}

/* Can it be used as it is? */
static void check_pattern(struct plan_reader *reader, const struct json_pointer *path,
                          const char *regex)
{
    struct rule_pattern *pattern = NULL;
    struct err why = {0};
    const struct json_pointer place = {.up = path, .key = "regex"};
    if (!plan_reader_is_sound(reader, &place))
        return;
    if (!rule_pattern_open(&pattern, regex, &why))
        plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place, why.message, NULL, NULL);
    rule_pattern_close(pattern);
}

static void read_patterns(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value, struct secret_settings *out)
{
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    out->patterns = xcalloc(count + 1, sizeof(*out->patterns));
    for (size_t i = 0; i < count; i++) {
        const struct json *item = json_at(value, i);
        const struct json_pointer place = {.up = path, .index = i};
        const char *name = json_text(json_get(item, "name"), NULL);
        const char *regex = json_text(json_get(item, "regex"), NULL);
        if (!name || !regex)
            continue;
        check_pattern(reader, &place, regex);
        out->patterns[out->pattern_count++] =
            (struct redact_pattern){.name = xstrdup(name), .regex = xstrdup(regex)};
    }
}

void settings_secrets_read(struct plan_reader *reader, const struct json *value,
                           struct secret_settings *out)
{
    static const struct json_pointer root = {0};
    const struct json_pointer path = {.up = &root, .key = "secrets"};
    const struct json_pointer patterns = {.up = &path, .key = "patterns"};
    out->names = read_names(json_get(value, "names"));
    out->keep = read_names(json_get(value, "keep"));
    read_patterns(reader, &patterns, json_get(value, "patterns"), out);
}
