/* json_pointer.c - writes and reads the position of a value in a document as a JSON pointer (RFC
 * 6901). */
#include "json_pointer.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parse.h"

void json_pointer_add(struct str *out, const struct json_pointer *pointer, size_t max)
{
    if (!pointer->up)
        return;
    json_pointer_add(out, pointer->up, max);
    if (out->len > max)
        return;
    str_add_char(out, '/');
    if (!pointer->key) {
        str_addf(out, "%zu", pointer->index);
        return;
    }
    for (const char *key = pointer->key;;) {
        const size_t plain = strcspn(key, "~/");
        str_add_n(out, key, plain);
        if (!key[plain])
            return;
        str_add(out, key[plain] == '~' ? "~0" : "~1");
        key += plain + 1;
    }
}

/* Appends the unescaped key. Fails if a '~' is not part of an escape. */
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

const struct json *json_pointer_find(const struct json *root, const char *text)
{
    const struct json *value = root;
    struct str key = {0};
    while (value && *text) {
        const size_t len = *text == '/' ? strcspn(text + 1, "/") : 0;
        str_clear(&key);
        if (*text != '/' || !read_key(&key, text + 1, len)) {
            value = NULL;
        } else if (json_kind(value) == JSON_KIND_ARRAY) {
            const char *number = str_text(&key);
            int64_t index = 0;
            const bool has_zeros = number[0] == '0' && number[1];
            const bool is_index = strspn(number, "0123456789") == strlen(number) && !has_zeros &&
                                  parse_i64(number, 0, INT32_MAX, &index, NULL);
            value = is_index ? json_at(value, (size_t)index) : NULL;
        } else {
            value = json_get(value, str_text(&key));
        }
        text += *text == '/' ? len + 1 : 0;
    }
    str_done(&key);
    return value;
}
