/* log_pager_lines.c - which lines there are: what was read, what devs says before and after it, all
 * or only those that were found. */
#include <string.h>

#include "log_pager_parts.h"
#include "text.h"

void log_pager_unsay(struct log_pager *pager)
{
    pager->before_count = 0;
    pager->after_count = 0;
    str_clear(&pager->words);
}

static void say(struct log_pager *pager, struct pager_line *lines, int *count, int64_t at_ms,
                const char *text)
{
    if (*count == PAGER_WORDS_MAX)
        return;
    const size_t start = pager->words.len;
    text_clean(&pager->words, text, strlen(text));
    for (size_t i = start; i < pager->words.len; i++) {
        if (pager->words.data[i] == '\n')
            pager->words.data[i] = ' ';
    }
    lines[(*count)++] = (struct pager_line){
        .start = start, .len = pager->words.len - start, .at_ms = at_ms, .stream = PAGER_ENGINE};
}

void log_pager_say_before(struct log_pager *pager, int64_t at_ms, const char *text)
{
    say(pager, pager->before, &pager->before_count, at_ms, text);
}

void log_pager_say_after(struct log_pager *pager, int64_t at_ms, const char *text)
{
    say(pager, pager->after, &pager->after_count, at_ms, text);
}

size_t log_pager_said(const struct log_pager *pager)
{
    return pager->walk.line + log_join_open(&pager->walk.join);
}

void log_pager_show_only(struct log_pager *pager, bool only)
{
    if (pager->only == only)
        return;
    pager->only = only;
    pager_forget_window(pager);
}

size_t log_pager_count(const struct log_pager *pager)
{
    if (pager->only)
        return pager->found.count;
    return log_pager_said(pager) + (size_t)(pager->before_count + pager->after_count);
}

size_t log_pager_number(const struct log_pager *pager, size_t index)
{
    if (pager->only)
        return index < pager->found.count ? pager->found.lines[index] : log_pager_said(pager);
    const size_t before = (size_t)pager->before_count;
    return index > before ? index - before : 0;
}

size_t log_pager_index(const struct log_pager *pager, size_t number)
{
    if (pager->only)
        return number > 0 ? pager_set_rank(&pager->found, number - 1) : 0;
    return number + (size_t)pager->before_count;
}

const struct pager_line *pager_window_line(const struct log_pager *pager, size_t number)
{
    size_t from = 0;
    size_t to = pager->line_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (pager->lines[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    const bool is_there = from < pager->line_count && pager->lines[from].number == number;
    return is_there ? &pager->lines[from] : NULL;
}

const struct pager_line *log_pager_line(const struct log_pager *pager, size_t index)
{
    const size_t before = pager->only ? 0 : (size_t)pager->before_count;
    const size_t said = log_pager_said(pager);
    if (index >= log_pager_count(pager))
        return NULL;
    if (index < before)
        return &pager->before[index];
    if (!pager->only && index - before >= said)
        return &pager->after[index - before - said];
    return pager_window_line(pager, log_pager_number(pager, index));
}

const char *log_pager_text(const struct log_pager *pager, const struct pager_line *line)
{
    const struct str *text = line->stream == PAGER_ENGINE ? &pager->words : &pager->text;
    return str_text(text) + line->start;
}
