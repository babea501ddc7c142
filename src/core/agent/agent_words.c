/* agent_words.c - an agent's words as lines for people. */
#include <string.h>

#include "agent_stream.h"
#include "budget.h"
#include "str.h"
#include "text.h"

/* Clean text, each line behind `before`; at most `most` lines, 0 = all, and how many are left. */
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

static void add_result(const struct agent_item *item, struct str *out)
{
    add_lines(out, item->text, "  ", AGENT_SHOWN_LINES);
    if (item->exit > 0)
        str_addf(out, "  exit %d\n", item->exit);
    else if (item->failed)
        str_add(out, "  failed\n");
}

static void add_retry(const struct agent_item *item, struct str *out)
{
    static const double second_ms = 1000;
    str_add(out, "! it tries again by itself");
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
        budget_cost_words(used->cost_micro, out);
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
        add_result(item, out);
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
