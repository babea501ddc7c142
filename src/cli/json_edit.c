#include "json_edit.h"

#include <string.h>

#include "ascii.h"
#include "json.h"

static size_t skip_blank(const char *text, size_t at)
{
    while (ascii_is_blank(text[at]))
        at++;
    return at;
}

/* From the opening quote to behind the closing one. */
static size_t skip_string(const char *text, size_t at)
{
    for (at++; text[at] != '\0' && text[at] != '"'; at++) {
        if (text[at] == '\\' && text[at + 1] != '\0')
            at++;
    }
    return text[at] == '"' ? at + 1 : at;
}

static size_t skip_nested(const char *text, size_t at)
{
    int depth = 0;
    do {
        if (text[at] == '"') {
            at = skip_string(text, at);
            continue;
        }
        if (text[at] == '{' || text[at] == '[')
            depth++;
        if (text[at] == '}' || text[at] == ']')
            depth--;
        at++;
    } while (depth > 0 && text[at] != '\0');
    return at;
}

static size_t skip_value(const char *text, size_t at)
{
    if (text[at] == '"')
        return skip_string(text, at);
    if (text[at] == '{' || text[at] == '[')
        return skip_nested(text, at);
    while (text[at] != '\0' && !ascii_is_blank(text[at]) && !strchr(",]}", text[at]))
        at++;
    return at;
}

/* The next value of a list or the next key of an object, after what ends at `at` (or the
 * opening bracket); false at the closing one. */
static bool next_item(const char *text, size_t at, struct json_span *out)
{
    at = skip_blank(text, at);
    if (text[at] == ',')
        at = skip_blank(text, at + 1);
    if (text[at] == '\0' || text[at] == ']' || text[at] == '}')
        return false;
    *out = (struct json_span){at, skip_value(text, at)};
    return true;
}

static struct json_span value_of(const char *text, struct json_span key)
{
    size_t at = skip_blank(text, key.end);
    if (text[at] == ':')
        at = skip_blank(text, at + 1);
    return (struct json_span){at, skip_value(text, at)};
}

struct json_span json_edit_root(const char *text)
{
    size_t start = skip_blank(text, 0);
    return (struct json_span){start, skip_value(text, start)};
}

bool json_edit_member_at(const char *text, struct json_span object, size_t index,
                         struct json_member *out)
{
    struct json_span name;
    size_t at = object.start + 1;
    for (size_t i = 0; next_item(text, at, &name); i++) {
        const struct json_span value = value_of(text, name);
        if (i == index) {
            *out = (struct json_member){.name = name, .value = value};
            return true;
        }
        at = value.end;
    }
    return false;
}

/* Names are the same however they are written: "a" is "\\u0061". */
static bool is_name(const char *text, struct json_span name, const char *key)
{
    const size_t len = name.end - name.start;
    struct json *decoded = NULL;
    if (!memchr(text + name.start, '\\', len))
        return len == strlen(key) + 2 && strncmp(text + name.start + 1, key, len - 2) == 0;
    const bool same = json_parse_data(text + name.start, len, &decoded, NULL, NULL) &&
                      strcmp(json_text(decoded, ""), key) == 0;
    json_free(decoded);
    return same;
}

bool json_edit_member_of(const char *text, struct json_span object, const char *key,
                         struct json_member *out)
{
    struct json_member member;
    for (size_t i = 0; json_edit_member_at(text, object, i, &member); i++) {
        if (is_name(text, member.name, key)) {
            *out = member;
            return true;
        }
    }
    return false;
}

bool json_edit_member(const char *text, const char *key, struct json_span *out)
{
    struct json_member member;
    const bool found = json_edit_member_of(text, json_edit_root(text), key, &member);
    if (found)
        *out = member.value;
    return found;
}

bool json_edit_element(const char *text, struct json_span list, size_t index, struct json_span *out)
{
    struct json_span element;
    size_t at = list.start + 1;
    for (size_t i = 0; next_item(text, at, &element); i++) {
        if (i == index) {
            *out = element;
            return true;
        }
        at = element.end;
    }
    return false;
}

void json_edit_replace(struct str *text, struct json_span part, const char *value)
{
    struct str edited = {0};
    str_add_n(&edited, text->data, part.start);
    str_add(&edited, value);
    str_add(&edited, text->data + part.end);
    str_done(text);
    *text = edited;
}

/* The blanks before `at` from the line's start on, with the line feed; a space where
 * something else stands on that line. */
static void add_indent(const char *text, size_t at, struct str *out)
{
    size_t start = at;
    while (start > 0 && ascii_is_blank(text[start - 1]) && text[start - 1] != '\n')
        start--;
    if (start > 0 && text[start - 1] == '\n')
        str_add_n(out, text + start - 1, at - start + 1);
    else
        str_add_char(out, ' ');
}

/* After the last item of a list or object. */
static void add_item(struct str *text, struct json_span last, const char *item)
{
    struct str added = {0};
    str_add_char(&added, ',');
    add_indent(text->data, last.start, &added);
    str_add(&added, item);
    json_edit_replace(text, (struct json_span){last.end, last.end}, added.data);
    str_done(&added);
}

void json_edit_append(struct str *text, struct json_span list, const char *value)
{
    struct json_span element;
    struct json_span last = {0};
    size_t at = list.start + 1;
    while (next_item(text->data, at, &element)) {
        last = element;
        at = element.end;
    }
    if (last.end > 0) {
        add_item(text, last, value);
        return;
    }
    struct str first = {0};
    str_addf(&first, "[\n    %s\n  ]", value);
    json_edit_replace(text, list, first.data);
    str_done(&first);
}

void json_edit_add_member(struct str *text, const char *key, const char *value)
{
    struct json_span root = json_edit_root(text->data);
    struct json_span name;
    struct json_span last = {0};
    size_t at = root.start + 1;
    while (next_item(text->data, at, &name)) {
        at = value_of(text->data, name).end;
        last = (struct json_span){name.start, at};
    }
    struct str member = {0};
    str_json_key(&member, key);
    str_addf(&member, " %s", value);
    if (last.end > 0) {
        add_item(text, last, member.data);
    } else {
        struct str object = {0};
        str_addf(&object, "{\n  %s\n}", member.data);
        json_edit_replace(text, root, object.data);
        str_done(&object);
    }
    str_done(&member);
}
