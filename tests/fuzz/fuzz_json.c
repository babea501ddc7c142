/*
 * Whatever bytes stand for JSON: what is read as JSON is JSON to the one who checks it without a
 * tree, too; written and read again it is the same value; members are found by their keys, and
 * elements by their numbers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_members(const struct json *json)
{
    void *iter = NULL;
    const char *key;
    const struct json *value;
    size_t count = 0;
    while (json_next(json, &iter, &key, &value)) {
        must(json_get(json, key) == value);
        count++;
    }
    must(json_kind(json) != JSON_KIND_OBJECT || count == json_count(json));
    must(json_at(json, json_count(json)) == NULL);
    for (size_t i = 0; json_kind(json) == JSON_KIND_ARRAY && i < json_count(json); i++)
        check_members(json_at(json, i));
}

static void check_again(const struct json *json)
{
    struct json *copy = json_clone(json);
    struct json *again = NULL;
    struct str text = {0};
    struct str written = {0};
    json_write(&text, copy);
    must(json_parse(str_text(&text), text.len, &again, NULL, NULL));
    json_write(&written, again);
    must(written.len == text.len && memcmp(written.data, text.data, text.len) == 0);
    str_done(&text);
    str_done(&written);
    json_free(again);
    json_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json *json = NULL;
    const char *text = size > 0 ? (const char *)data : "";
    if (memchr(text, '\0', size))
        return 0; /* the library takes one behind a number for the end */
    if (!json_parse(text, size, &json, NULL, NULL))
        return 0;
    struct str line = {0};
    must(json_line_add(text, size, &line));
    str_done(&line);
    check_members(json);
    check_again(json);
    json_free(json);
    return 0;
}
