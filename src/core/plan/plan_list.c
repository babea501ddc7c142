#include "plan_list.h"

#include <string.h>

#include "text_list.h"
#include "xalloc.h"

static bool is_texts(const struct json *value, size_t max)
{
    if (json_kind(value) != JSON_KIND_ARRAY || json_count(value) > max)
        return false;
    for (size_t i = 0; i < json_count(value); i++) {
        if (!json_text(json_at(value, i), NULL))
            return false;
    }
    return true;
}

void plan_list_read(struct plan_reader *reader, const struct json_pointer *path,
                    const struct json *value, size_t max, char ***out)
{
    if (!is_texts(value, max))
        return;
    const size_t count = json_count(value);
    text_list_free(*out);
    *out = count > 0 ? xcalloc(count + 1, sizeof(**out)) : NULL;
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer place = {.up = path, .index = i};
        plan_reader_text(reader, &place, json_at(value, i), &(*out)[i]);
    }
}

void plan_list_check(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value, plan_list_fn *check)
{
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer place = {.up = path, .index = i};
        const char *text = json_text(json_at(value, i), NULL);
        if (text && plan_reader_is_sound(reader, &place))
            check(reader, &place, text);
    }
}

/* Is there a part of the path that is not this one? With `same`, is there one that is? */
static bool has_part(const char *path, const char *part, bool same)
{
    while (*path != '\0') {
        path += strspn(path, "/");
        const size_t len = strcspn(path, "/");
        const bool equal = len == strlen(part) && strncmp(path, part, len) == 0;
        if (len > 0 && equal == same)
            return true;
        path += len;
    }
    return false;
}

bool plan_path_climbs(const char *path)
{
    return has_part(path, "..", true);
}

bool plan_path_is_within(const char *path)
{
    return path[0] != '/' && !plan_path_climbs(path) && has_part(path, ".", false);
}
