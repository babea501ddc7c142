#include "agent_result.h"

#include <string.h>

#include "json.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void say(struct str *words, const struct json *value)
{
    const char *text = json_text(value, "");
    if (text[0] == '\0')
        return;
    str_add(words, text);
    str_add_char(words, '\n');
}

static bool is_type(const struct json *event, const char *type)
{
    return strcmp(json_text(json_get(event, "type"), ""), type) == 0;
}

static const struct json *first_of(const struct json *object, const char *const *keys)
{
    const struct json *value = NULL;
    for (size_t i = 0; !value && keys[i]; i++)
        value = json_get(object, keys[i]);
    return value;
}

/* An "error" member: an object in some CLIs, a text in others; one nests the
 * facts once more under "data". */
static void read_error(struct agent_result *result, const struct json *error)
{
    static const char *const status_keys[] = {"statusCode", "status", "code", NULL};
    const struct json *data = json_get(error, "data");
    const struct json *facts = data ? data : error;
    const int64_t status = json_i64(first_of(facts, status_keys), 0);
    if (status > 0)
        result->status = status;
    say(&result->words, json_get(facts, "message"));
    if (json_kind(error) == JSON_KIND_STRING)
        say(&result->words, error);
}

/* {"type":"result"}: "is_error" says that it failed; one CLI says so in the
 * text alone, another by "status". */
static bool read_result(struct agent_result *result, const struct json *event)
{
    static const char api_error[] = "[API Error:";
    result->closes = true;
    const struct json *said = json_get(event, "result");
    bool api = strncmp(json_text(said, ""), api_error, sizeof(api_error) - 1) == 0;
    bool status = strcmp(json_text(json_get(event, "status"), ""), "error") == 0;
    result->failed = api || status || json_bool(json_get(event, "is_error"), false);
    if (!result->failed)
        return true;

    result->status = json_i64(json_get(event, "api_error_status"), 0);
    const char *subtype = json_text(json_get(event, "subtype"), "");
    if (strncmp(subtype, "error_", 6) == 0)
        str_addf(&result->words, "agent ended: %s\n", subtype);
    say(&result->words, said);
    const struct json *errors = json_get(event, "errors");
    for (size_t i = 0; i < json_count(errors); i++)
        say(&result->words, json_at(errors, i));
    read_error(result, json_get(event, "error"));
    return true;
}

static bool read_event(struct agent_result *result, const struct json *event)
{
    if (is_type(event, "result"))
        return read_result(result, event);
    if (!is_type(event, "turn.failed") && !is_type(event, "error"))
        return false;
    result->failed = true;
    say(&result->words, json_get(event, "message"));
    read_error(result, json_get(event, "error"));
    return true;
}

bool agent_result_init(struct agent_result *result, const struct classify_text *text)
{
    *result = (struct agent_result){0};
    size_t end = text->len;
    while (end > 0 && is_blank(text->bytes[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && text->bytes[start - 1] != '\n')
        start--;
    if (start == end || !strchr("[{", text->bytes[start]) || text->bytes[start] == '\0')
        return false;

    struct json *root = NULL;
    if (!json_parse(text->bytes + start, end - start, &root, NULL, NULL))
        return false;
    const struct json *event = root;
    if (json_kind(root) == JSON_KIND_ARRAY)
        event = json_at(root, json_count(root) > 0 ? json_count(root) - 1 : 0);
    const bool found = read_event(result, event);
    result->offset = text->offset + (int64_t)start;
    json_free(root);
    return found;
}

void agent_result_done(struct agent_result *result)
{
    str_done(&result->words);
}
