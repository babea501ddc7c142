/* hook_output.c - what a tool gave back, as an agent's hook tells it. */
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "hook_input.h"
#include "json.h"

enum { PARTS_MAX = 1000 /* of a result in several parts */ };

/* Members that hold what a tool gave, in the order in which they are read. */
static const char *const members[] = {"stdout",    "stderr", "output", "llmContent",
                                      "content",   "text",   "result", "file",
                                      "filenames", "error",  "message"};

static void add_part(struct str *out, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    if (out->len > 0 && out->data[out->len - 1] != '\n')
        str_add_char(out, '\n');
    str_add_n(out, bytes, len);
}

/* The first line that begins with these words; NULL = none does. */
static const char *find_line(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    while (at && at > text && at[-1] != '\n')
        at = strstr(at + 1, words);
    return at;
}

/* "Exit Code: 2" and "Process exited with code 2" stand on a line of their own in what some tools
 * give as text. */
static void find_code(const char *text, int *exit_out)
{
    static const char *const words[] = {"Exit Code: ", "Exit code: ", "Process exited with code ",
                                        "Command exited with code "};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const char *at = find_line(text, words[i]);
        const char *number = at ? at + strlen(words[i]) : "";
        if (ascii_is_digit(*number)) {
            const long code = strtol(number, NULL, 10);
            *exit_out = code < 256 ? (int)code : 1;
            return;
        }
    }
}

static void read_code(const struct json *object, int *exit_out)
{
    static const char *const names[] = {"exit_code", "exitCode", "code"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const int64_t code = json_i64(json_get(object, names[i]), 0);
        if (code != 0)
            *exit_out = code > 0 && code < 256 ? (int)code : 1;
    }
    const bool says_so = json_bool(json_get(object, "isError"), false) ||
                         json_bool(json_get(object, "is_error"), false);
    if (says_so && *exit_out == 0)
        *exit_out = 1;
}

static void read_text_part(const struct json *value, struct str *out, int *exit_out)
{
    size_t len = 0;
    const char *text = json_bytes(value, &len);
    struct json *inner = NULL;
    const bool is_object = len > 1 && text[0] == '{' &&
                           json_parse_data(text, len, &inner, NULL, NULL) &&
                           json_get(inner, "output");
    if (is_object) { /* a result wrapped once more, as text */
        read_code(json_get(inner, "metadata"), exit_out);
        text = json_bytes(json_get(inner, "output"), &len);
    }
    add_part(out, text ? text : "", len);
    if (*exit_out == 0)
        find_code(str_text(out), exit_out);
    json_free(inner);
}

/* A part of a list: text, or an object with text in it. */
static void read_element(const struct json *value, struct str *out)
{
    size_t len = 0;
    const struct json *text =
        json_kind(value) == JSON_KIND_OBJECT ? json_get(value, "text") : value;
    const char *bytes = json_bytes(text, &len);
    struct str whole = {0};
    if (!bytes)
        json_write(&whole, value);
    add_part(out, bytes ? bytes : str_text(&whole), bytes ? len : whole.len);
    str_done(&whole);
}

static void read_list(const struct json *list, struct str *out)
{
    const size_t count = json_count(list) < PARTS_MAX ? json_count(list) : PARTS_MAX;
    for (size_t i = 0; i < count; i++)
        read_element(json_at(list, i), out);
}

/* One of the members above. */
static void read_member(const struct json *value, struct str *out, int *exit_out)
{
    if (json_kind(value) == JSON_KIND_STRING)
        read_text_part(value, out, exit_out);
    else if (json_kind(value) == JSON_KIND_ARRAY)
        read_list(value, out);
    else if (json_kind(value) == JSON_KIND_OBJECT)
        read_element(json_get(value, "content") ? json_get(value, "content") : value, out);
}

static bool is_duration(const char *key)
{
    const size_t len = strlen(key);
    return strstr(key, "uration") || (len > 2 && strcmp(key + len - 2, "Ms") == 0);
}

/* What has none of these members: all of it but how long it took. */
static void read_rest(const struct json *object, struct str *out)
{
    const char *key = NULL;
    const struct json *value = NULL;
    void *iter = NULL;
    struct str line = {0};
    while (json_next(object, &iter, &key, &value)) {
        if (is_duration(key))
            continue;
        str_clear(&line);
        str_addf(&line, "%s: ", key);
        json_write(&line, value);
        add_part(out, str_text(&line), line.len);
    }
    str_done(&line);
}

void hook_output_read(const struct json *response, struct str *out, int *exit_out)
{
    if (json_kind(response) == JSON_KIND_STRING) {
        read_text_part(response, out, exit_out);
        return;
    }
    if (json_kind(response) == JSON_KIND_ARRAY) {
        read_list(response, out);
        return;
    }
    bool has_one = false;
    read_code(response, exit_out);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        const struct json *value = json_get(response, members[i]);
        has_one = has_one || value;
        read_member(value, out, exit_out);
    }
    const enum json_kind error = json_kind(json_get(response, "error"));
    const bool failed = error == JSON_KIND_STRING || error == JSON_KIND_OBJECT;
    if (failed && *exit_out == 0)
        *exit_out = 1;
    if (!has_one)
        read_rest(response, out);
}
