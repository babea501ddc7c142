#include "plan_shape.h"

#include <string.h>

#include "json_pointer.h"
#include "plan_reader.h"
#include "str.h"
#include "violation_order.h"

/* The keys of contracts where these begin; the name of one is a string as any other. */
static bool is_contract(const char *key, const struct json *value)
{
    return json_kind(value) == JSON_KIND_OBJECT &&
           (strcmp(key, "contract") == 0 || strcmp(key, "contracts") == 0);
}

static void check_string(const struct json_pointer *path, const struct json *value,
                         struct violations *wrong)
{
    size_t len = 0;
    const char *text = json_bytes(value, &len);
    if (!text || strlen(text) == len)
        return;
    struct str place = {0};
    json_pointer_add(&place, path, PLAN_POINTER_MAX);
    violations_add(wrong, VIOLATION_INVALID_VALUE, str_text(&place),
                   "U+0000 is not allowed in a string", NULL, NULL);
    str_done(&place);
}

/* As deep as the parser lets values be within each other. */
static void check_strings(const struct json_pointer *path, const struct json *value,
                          struct violations *wrong)
{
    struct json_pointer place = {.up = path};
    void *iter = NULL;
    const struct json *member;
    const size_t elements = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    check_string(path, value, wrong);
    while (json_next(value, &iter, &place.key, &member)) {
        if (!plan_reader_is_comment(place.key) && !is_contract(place.key, member))
            check_strings(&place, member, wrong);
    }
    place.key = NULL;
    for (; place.index < elements; place.index++)
        check_strings(&place, json_at(value, place.index), wrong);
}

bool plan_shape_check(const struct contract *schema, const struct json *root,
                      struct violations *wrong)
{
    static const struct json_pointer path = {0};
    struct violations of_strings = {0};
    bool fits = contract_check(schema, root, wrong);
    check_strings(&path, root, &of_strings);
    fits = fits && of_strings.count == 0;
    violations_merge(wrong, &of_strings, root);
    return fits;
}
