/* adapter_take.c - values out of an agent's JSON, where an adapter's sources lead. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapter_rule.h"

/* Texts that are put one behind the other. */
struct texts {
    struct str *out;
    const char *between;
    const char *after; /* only what follows these words; NULL = all */
    bool any;
};

static bool add_text(void *ctx, const struct json *value)
{
    struct texts *texts = ctx;
    const enum json_kind kind = json_kind(value);
    const char *text = json_text(value, "");
    const bool is_number = kind == JSON_KIND_INTEGER || kind == JSON_KIND_REAL;
    if (texts->after && !is_number) {
        const char *found = strstr(text, texts->after);
        text = found ? found + strlen(texts->after) : "";
    }
    if (!is_number && text[0] == '\0')
        return true;
    if (texts->any)
        str_add(texts->out, texts->between);
    if (is_number)
        json_write(texts->out, value);
    else
        str_add(texts->out, text);
    texts->any = true;
    return true;
}

static void add_texts(struct texts *texts, const struct adapter_source *source,
                      const struct json *value)
{
    texts->after = source->after;
    if (!source->word) {
        adapter_path_walk(&source->path, value, add_text, texts);
        return;
    }
    if (texts->any)
        str_add(texts->out, texts->between);
    str_add(texts->out, source->word);
    texts->any = true;
}

bool adapter_texts(const struct adapter_sources *sources, const struct json *value,
                   const char *between, struct str *out)
{
    struct texts texts = {.out = out, .between = between};
    for (size_t i = 0; i < sources->count; i++)
        add_texts(&texts, &sources->items[i], value);
    return texts.any;
}

bool adapter_first_text(const struct adapter_sources *sources, const struct json *value,
                        struct str *out)
{
    struct texts texts = {.out = out, .between = "\n"};
    for (size_t i = 0; i < sources->count && !texts.any; i++)
        add_texts(&texts, &sources->items[i], value);
    return texts.any;
}

/* The number that a text has behind certain words. */
static bool number_after(const char *text, const char *words, double *out)
{
    enum { DECIMAL = 10, DIGITS_MAX = 15 };
    const char *found = strstr(text, words);
    if (!found)
        return false;
    found += strlen(words);
    const size_t digits = strspn(found, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX)
        return false;
    *out = (double)strtoll(found, NULL, DECIMAL);
    return true;
}

/* Numbers that are looked for. */
struct numbers {
    const char *after;
    double sum;
    bool any;
    bool first_only;
};

static bool take_number(void *ctx, const struct json *value)
{
    struct numbers *numbers = ctx;
    const enum json_kind kind = json_kind(value);
    double number = 0;
    bool is_one = kind == JSON_KIND_INTEGER || kind == JSON_KIND_REAL;
    if (is_one)
        number = json_number(value, 0);
    else if (numbers->after)
        is_one = number_after(json_text(value, ""), numbers->after, &number);
    if (!is_one || !isfinite(number))
        return true;
    numbers->sum += number;
    numbers->any = true;
    return !numbers->first_only;
}

static bool take_numbers(const struct adapter_sources *sources, const struct json *value,
                         bool first_only, double *out)
{
    struct numbers numbers = {.first_only = first_only};
    for (size_t i = 0; i < sources->count && !(first_only && numbers.any); i++) {
        numbers.after = sources->items[i].after;
        if (!sources->items[i].word)
            adapter_path_walk(&sources->items[i].path, value, take_number, &numbers);
    }
    if (numbers.any)
        *out = numbers.sum;
    return numbers.any;
}

bool adapter_number(const struct adapter_sources *sources, const struct json *value, double *out)
{
    return take_numbers(sources, value, true, out);
}

bool adapter_sum(const struct adapter_sources *sources, const struct json *value, double *out)
{
    return take_numbers(sources, value, false, out);
}

const struct json *adapter_value(const struct adapter_sources *sources, const struct json *value)
{
    const struct json *found = NULL;
    for (size_t i = 0; i < sources->count && !found; i++) {
        if (!sources->items[i].word)
            found = adapter_path_first(&sources->items[i].path, value);
    }
    return found && json_kind(found) != JSON_KIND_NULL ? found : NULL;
}

/* An object of several members, each from a place of its own. */
static struct json *put_together(const struct adapter_sources *sources, const struct json *value)
{
    struct str text = {0};
    struct json *object = NULL;
    str_add_char(&text, '{');
    for (size_t i = 0; i < sources->count; i++) {
        const struct adapter_source *source = &sources->items[i];
        const struct json *found = adapter_path_first(&source->path, value);
        if (source->word) {
            str_json_text(&text, source->key, source->word);
        } else if (found) {
            str_json_key(&text, source->key);
            json_write(&text, found);
        }
    }
    str_add_char(&text, '}');
    if (!json_parse_data(str_text(&text), text.len, &object, NULL, NULL))
        object = NULL;
    str_done(&text);
    return object;
}

/* Keeps arguments that are text but not a JSON object: different calls must stay different. */
static struct json *text_as_args(const char *text)
{
    struct str object = {0};
    struct json *args = NULL;
    str_add_char(&object, '{');
    str_json_text(&object, "input", text);
    str_add_char(&object, '}');
    if (!json_parse_data(str_text(&object), object.len, &args, NULL, NULL))
        args = NULL;
    str_done(&object);
    return args;
}

struct json *adapter_args(const struct adapter_sources *sources, const struct json *value)
{
    if (sources->count > 0 && sources->items[0].key)
        return put_together(sources, value);
    const struct json *args = adapter_value(sources, value);
    const char *text = json_text(args, NULL);
    struct json *object = NULL;
    if (json_kind(args) == JSON_KIND_OBJECT)
        return json_clone(args);
    if (!text || text[0] == '\0')
        return NULL;
    const bool is_json = json_parse_data(text, strlen(text), &object, NULL, NULL);
    if (is_json && json_kind(object) == JSON_KIND_OBJECT)
        return object;
    json_free(object);
    return text_as_args(text);
}
