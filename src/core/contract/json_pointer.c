#include "json_pointer.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parse.h"

static void add_key(struct str *out, const char *key)
{
    for (;;) {
        const size_t plain = strcspn(key, "~/");
        str_add_n(out, key, plain);
        if (!key[plain])
            return;
        str_add(out, key[plain] == '~' ? "~0" : "~1");
        key += plain + 1;
    }
}

void json_pointer_add(struct str *out, const struct json_pointer *pointer, size_t max)
{
    if (!pointer->up)
        return;
    json_pointer_add(out, pointer->up, max);
    if (out->len > max)
        return;
    str_add_char(out, '/');
    if (pointer->key)
        add_key(out, pointer->key);
    else
        str_addf(out, "%zu", pointer->index);
}

/* False if a '~' stands for nothing. */
static bool read_key(struct str *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '~') {
            str_add_char(out, text[i]);
            continue;
        }
        i++;
        if (i == len || (text[i] != '0' && text[i] != '1'))
            return false;
        str_add_char(out, text[i] == '0' ? '~' : '/');
    }
    return true;
}

static const struct json *element(const struct json *array, const char *text)
{
    int64_t index = 0;
    const bool has_zeros = text[0] == '0' && text[1];
    const bool is_index = strspn(text, "0123456789") == strlen(text) && !has_zeros &&
                          parse_i64(text, 0, INT32_MAX, &index, NULL);
    return is_index ? json_at(array, (size_t)index) : NULL;
}

const struct json *json_pointer_find(const struct json *root, const char *text)
{
    const struct json *value = root;
    struct str key = {0};
    while (value && *text) {
        const size_t len = *text == '/' ? strcspn(text + 1, "/") : 0;
        str_clear(&key);
        if (*text != '/' || !read_key(&key, text + 1, len))
            value = NULL;
        else if (json_kind(value) == JSON_KIND_ARRAY)
            value = element(value, str_text(&key));
        else
            value = json_get(value, str_text(&key));
        text += *text == '/' ? len + 1 : 0;
    }
    str_done(&key);
    return value;
}
