/* agent_what.c - the actions of an agent as text: an item as lines, a call as one line.
 *
 * A call is shown by the argument that says most about it, such as the command or the file; a
 * command that runs in a shell is shown without the shell. */
#include "agent_stream.h"

#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "json.h"
#include "rounded.h"
#include "str.h"
#include "text.h"

/* Adds clean text with `before` at the beginning of each line: at most `most` lines (0 = all), then
 * how many more there are. */
static void add_lines(struct str *out, const char *text, const char *before, int most)
{
    struct str clean = {0};
    int lines = 0;
    int left = 0;
    text_clean(&clean, text, strlen(text));
    for (const char *line = str_text(&clean); *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t len = end ? (size_t)(end - line) : strlen(line);
        if (most > 0 && lines == most) {
            left++;
        } else if (len > 0 || most == 0) {
            str_addf(out, "%s%.*s\n", before, (int)len, line);
            lines++;
        }
        line += len + (end ? 1 : 0);
    }
    if (left > 0)
        str_addf(out, "%s... %d more line%s\n", before, left, left == 1 ? "" : "s");
    str_done(&clean);
}

static void add_one_line(struct str *out, const char *text)
{
    struct str clean = {0};
    text_clean(&clean, text, strlen(text));
    const char *end = strchr(str_text(&clean), '\n');
    const size_t len = end ? (size_t)(end - clean.data) : clean.len;
    str_add_n(out, str_text(&clean), text_cut(str_text(&clean), len, AGENT_WHAT_MAX));
    str_done(&clean);
}

static void add_call(const struct agent_item *item, const char *before, struct str *out)
{
    str_add(out, before);
    add_one_line(out, item->tool ? item->tool : "?");
    if (item->what && item->what[0] != '\0') {
        str_add(out, ": ");
        add_one_line(out, item->what);
    }
    str_add_char(out, '\n');
}

static void add_retry(const struct agent_item *item, struct str *out)
{
    static const double second_ms = 1000;
    str_add(out, "! the agent retries on its own");
    if (item->attempt > 0)
        str_addf(out, ", %lld", (long long)item->attempt);
    if (item->attempt > 0 && item->most > 0)
        str_addf(out, " of %lld", (long long)item->most);
    if (item->delay_ms > 0)
        str_addf(out, ", in %.1f s", (double)item->delay_ms / second_ms);
    if (item->status > 0)
        str_addf(out, ": HTTP %lld ", (long long)item->status);
    else if (item->text[0] != '\0')
        str_add(out, ": ");
    add_one_line(out, item->text);
    str_add_char(out, '\n');
}

void agent_cost_words(int64_t micro, struct str *out)
{
    enum { CENT = 10000, TEN_THOUSANDTH = 100, CENTS = 100 };
    const int64_t small = rounded(micro, TEN_THOUSANDTH);
    const int64_t cents = rounded(micro, CENT);
    if (micro > 0 && micro < TEN_THOUSANDTH)
        str_add(out, "<$0.0001");
    else if (micro > 0 && small < CENT / TEN_THOUSANDTH)
        str_addf(out, "$0.%04lld", (long long)small);
    else
        str_addf(out, "$%lld.%02lld", (long long)(cents / CENTS), (long long)(cents % CENTS));
}

static void add_end(const struct agent_item *item, struct str *out)
{
    const struct agent_used *used = item->used;
    if (item->failed) {
        add_lines(out, item->text ? item->text : "it was interrupted", "! ", AGENT_SHOWN_LINES);
        return;
    }
    str_addf(out, "done: %lld turn%s, %lld call%s", (long long)used->turns,
             used->turns == 1 ? "" : "s", (long long)used->calls, used->calls == 1 ? "" : "s");
    if (used->cost_micro > 0) {
        str_add(out, ", ");
        agent_cost_words(used->cost_micro, out);
    }
    str_add_char(out, '\n');
}

void agent_item_words(const struct agent_item *item, struct str *out)
{
    switch (item->kind) {
    case AGENT_ITEM_SESSION:
        str_add(out, "session ");
        add_one_line(out, item->text);
        str_add_char(out, '\n');
        break;
    case AGENT_ITEM_TEXT:
    case AGENT_ITEM_OTHER:
        add_lines(out, item->text, "", 0);
        break;
    case AGENT_ITEM_CALL:
        add_call(item, "> ", out);
        break;
    case AGENT_ITEM_RESULT:
        add_lines(out, item->text, "  ", AGENT_SHOWN_LINES);
        if (item->exit > 0)
            str_addf(out, "  exit %d\n", item->exit);
        else if (item->failed)
            str_add(out, "  failed\n");
        break;
    case AGENT_ITEM_RETRY:
        add_retry(item, out);
        break;
    case AGENT_ITEM_REFUSED:
        add_call(item, "! refused: ", out);
        break;
    case AGENT_ITEM_NOTICE:
        add_lines(out, item->text, item->failed ? "! " : "| ", 0);
        break;
    case AGENT_ITEM_END:
        add_end(item, out);
        break;
    case AGENT_ITEM_USED:
    case AGENT_ITEM_KIND_COUNT:
        break;
    }
}

enum { LOOKED_AT_BYTES = 4096 }; /* bytes read of an argument; more would not fit into the line */

/* The argument that says most about a call: the first one that exists. `beside` is added after
 * it, such as where a pattern is searched for. */
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

/* Adds a string, or the words of a command; for ["bash", "-lc", "make"], only the command of the
 * shell. */
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

void agent_call_what(const struct json *args, struct str *out)
{
    struct str text = {0};
    struct str clean = {0};
    struct str line = {0};
    add_arguments(args, &text);
    text_clean(&clean, str_text(&text), text.len);
    for (size_t i = 0; i < clean.len; i++) { /* collapses line feeds and runs of blanks */
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
    str_done(&text);
}
