#include "agent_what.h"

#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "attr.h"
#include "json.h"
#include "str.h"
#include "text.h"

enum { LOOKED_AT_BYTES = 4096 }; /* of an argument; more of it is not in the line anyway */

/* What an argument is that says most of a call, the first that is there. `beside`: told behind
 * it, as where a pattern is looked for. */
static const struct {
    const char *key;
    const char *beside;
} keys[] = {
    {"command", NULL},     {"argv", NULL},          {"cmd", NULL},      {"pattern", "path"},
    {"query", "path"},     {"file_path", NULL},     {"filePath", NULL}, {"absolute_path", NULL},
    {"path", NULL},        {"notebook_path", NULL}, {"filename", NULL}, {"url", NULL},
    {"description", NULL}, {"code", NULL},          {"script", NULL},   {"prompt", NULL},
    {"input", NULL},       {"text", NULL},          {"message", NULL},
};

/* A text, or the words of a command; of ["bash", "-lc", "make"] what the shell is to do. */
static void add_value(const struct json *value, struct str *out)
{
    const char *text = json_text(value, NULL);
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    const char *flag = count == 3 ? json_text(json_at(value, 1), "") : "";
    const bool is_shell = strcmp(flag, "-lc") == 0 || strcmp(flag, "-c") == 0;
    if (text)
        str_add_n(out, text, strnlen(text, LOOKED_AT_BYTES));
    for (size_t i = is_shell ? 2 : 0; i < count && out->len < LOOKED_AT_BYTES; i++) {
        str_add(out, out->len > 0 ? " " : "");
        const char *word = json_text(json_at(value, i), "");
        str_add_n(out, word, strnlen(word, LOOKED_AT_BYTES));
    }
}

static void add_arguments(const struct json *args, struct str *out)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *beside =
            keys[i].beside ? json_text(json_get(args, keys[i].beside), NULL) : NULL;
        add_value(json_get(args, keys[i].key), out);
        if (out->len == 0)
            continue;
        if (beside)
            str_addf(out, " in %.*s", LOOKED_AT_BYTES, beside);
        return;
    }
    if (json_count(args) == 0)
        return;
    char *brief = json_brief(args, AGENT_WHAT_MAX);
    str_add(out, brief);
    free(brief);
}

/* Line feeds and runs of blanks are one blank. */
static void add_in_one_line(struct str *out, const struct str *text)
{
    struct str clean = {0};
    struct str line = {0};
    text_clean(&clean, str_text(text), text->len);
    for (size_t i = 0; i < clean.len; i++) {
        const bool is_blank = clean.data[i] == '\n' || clean.data[i] == ' ';
        if (!is_blank)
            str_add_char(&line, clean.data[i]);
        else if (line.len > 0 && line.data[line.len - 1] != ' ')
            str_add_char(&line, ' ');
    }
    size_t len = text_cut(str_text(&line), line.len, AGENT_WHAT_MAX);
    while (len > 0 && str_text(&line)[len - 1] == ' ')
        len--;
    str_add_n(out, str_text(&line), len);
    str_done(&line);
    str_done(&clean);
}

void agent_call_what(const struct json *args, struct str *out)
{
    struct str text = {0};
    add_arguments(args, &text);
    add_in_one_line(out, &text);
    str_done(&text);
}
