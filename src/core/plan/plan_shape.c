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

static bool check_all_strings(const struct json *root, struct violations *wrong)
{
    static const struct json_pointer path = {0};
    struct violations of_strings = {0};
    check_strings(&path, root, &of_strings);
    const bool fits = of_strings.count == 0;
    violations_merge(wrong, &of_strings, root);
    return fits;
}

bool plan_shape_check(const struct contract *schema, const struct json *root,
                      struct violations *wrong)
{
    const bool fits = contract_check(schema, root, wrong);
    return check_all_strings(root, wrong) && fits;
}

/* There is one way only to write it. */
static bool may_have_nul(const char *text, size_t len)
{
    static const char nul[] = "\\u0000";
    const char *end = text + len;
    const char *at = memchr(text, nul[0], len);
    while (at && (size_t)(end - at) >= strlen(nul)) {
        if (memcmp(at, nul, strlen(nul)) == 0)
            return true;
        at = memchr(at + 1, nul[0], (size_t)(end - at) - 1);
    }
    return false;
}

bool plan_shape_check_read(const struct contract *schema, const struct json *root, const char *text,
                           size_t len, struct violations *wrong)
{
    const bool fits = contract_check_read(schema, root, len, wrong);
    return (!may_have_nul(text, len) || check_all_strings(root, wrong)) && fits;
}
