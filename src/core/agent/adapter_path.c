#include "adapter_path.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

void adapter_path_init(struct adapter_path *path, const char *text)
{
    *path = (struct adapter_path){0};
    if (text[0] == '\0' || strcmp(text, ".") == 0)
        return;
    path->text = xstrdup(text);
    for (char *part = path->text; part && path->count < ADAPTER_PATH_PARTS_MAX;) {
        char *dot = strchr(part, '.');
        if (dot)
            *dot = '\0';
        path->parts[path->count++] = part;
        part = dot ? dot + 1 : NULL;
    }
}

void adapter_path_done(struct adapter_path *path)
{
    free(path->text);
    *path = (struct adapter_path){0};
}

/* The element that a part names; NULL if it is no number or there is none. */
static const struct json *element(const struct json *array, const char *part)
{
    enum { DECIMAL = 10 };
    char *end = NULL;
    long index = strtol(part, &end, DECIMAL);
    if (end == part || *end != '\0')
        return NULL;
    if (index < 0)
        index += (long)json_count(array);
    return index < 0 ? NULL : json_at(array, (size_t)index);
}

/* As deep as the path is long. */
static bool walk(const struct adapter_path *path, int at, const struct json *value,
                 adapter_found_fn *found, void *ctx)
{
    if (!value)
        return true;
    if (at == path->count)
        return found(ctx, value);
    const char *part = path->parts[at];
    if (json_kind(value) != JSON_KIND_ARRAY)
        return walk(path, at + 1, json_get(value, part), found, ctx);
    if (strcmp(part, "*") != 0)
        return walk(path, at + 1, element(value, part), found, ctx);
    const size_t count = json_count(value);
    for (size_t i = 0; i < count; i++) {
        if (!walk(path, at + 1, json_at(value, i), found, ctx))
            return false;
    }
    return true;
}

void adapter_path_walk(const struct adapter_path *path, const struct json *root,
                       adapter_found_fn *found, void *ctx)
{
    (void)walk(path, 0, root, found, ctx);
}

static bool keep_first(void *ctx, const struct json *value)
{
    const struct json **first = ctx;
    *first = value;
    return false;
}

const struct json *adapter_path_first(const struct adapter_path *path, const struct json *root)
{
    const struct json *first = NULL;
    adapter_path_walk(path, root, keep_first, &first);
    return first;
}
