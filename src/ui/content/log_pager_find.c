/* log_pager_find.c - looking through the output for a text and for errors; see log_pager.h. */
#include <stdio.h>
#include <string.h>

#include "error_line.h"
#include "log_pager_parts.h"
#include "text.h"
#include "words.h"
#include "xalloc.h"

size_t pager_set_rank(const struct pager_set *set, size_t line)
{
    size_t from = 0;
    size_t to = set->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (set->lines[middle] <= line)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void pager_set_cut(struct pager_set *set, size_t line)
{
    const size_t left = line > 0 ? pager_set_rank(set, line - 1) : 0;
    set->is_full = set->is_full && left == set->count;
    set->count = left;
    set->upto = set->upto < line ? set->upto : line;
}

static void set_add(struct pager_set *set, size_t line)
{
    set->is_full = set->count == PAGER_SET_MAX;
    if (set->is_full)
        return;
    set->lines = xgrow(set->lines, &set->cap, set->count + 1, sizeof(*set->lines));
    set->lines[set->count++] = line;
}

enum pager_next log_pager_next(const struct log_pager *pager, const struct pager_set *set,
                               int64_t from, int step, size_t *line_out)
{
    const bool is_looked = pager->is_through && set->upto >= log_pager_said(pager);
    const bool is_over = is_looked || set->is_full;
    if (step > 0) {
        const size_t after = from < 0 ? 0 : pager_set_rank(set, (size_t)from);
        if (after == set->count)
            return is_over ? PAGER_NEXT_NONE : PAGER_NEXT_LATER;
        *line_out = set->lines[after];
        return PAGER_NEXT_FOUND;
    }
    const size_t before = from <= 0 ? 0 : pager_set_rank(set, (size_t)from - 1);
    if (!is_over && (int64_t)set->upto < from)
        return PAGER_NEXT_LATER;
    if (before == 0)
        return PAGER_NEXT_NONE;
    *line_out = set->lines[before - 1];
    return PAGER_NEXT_FOUND;
}

void log_pager_search(struct log_pager *pager, const char *needle)
{
    if (strcmp(pager->needle, needle) == 0)
        return;
    (void)snprintf(pager->needle, sizeof(pager->needle), "%s", needle);
    pager_set_cut(&pager->found, 0);
    if (pager->only) {
        pager->line_count = 0;
        str_clear(&pager->text);
    }
}

void log_pager_set_rule(struct log_pager *pager, const struct verdict *verdict)
{
    const enum verdict_stream stream = verdict ? verdict->stream : VERDICT_STREAM_NONE;
    if (pager->rule_stream == stream && verdict && pager->rule_offset == verdict->offset)
        return;
    pager->rule_stream = stream;
    pager->rule_offset = verdict ? verdict->offset : 0;
    pager->rule[0] = '\0';
    if (verdict)
        (void)snprintf(pager->rule, sizeof(pager->rule), "%s", verdict->rule);
    pager->rule_line = SIZE_MAX;
    pager_set_cut(&pager->errors, 0);
}

static bool has_rule(const struct log_pager *pager, int stream, int64_t offset, size_t len)
{
    const int wanted = pager->rule_stream == VERDICT_STREAM_OUT   ? LOG_STREAM_OUT
                       : pager->rule_stream == VERDICT_STREAM_ERR ? LOG_STREAM_ERR
                                                                  : -1;
    return stream == wanted && pager->rule_offset >= offset &&
           pager->rule_offset <= offset + (int64_t)len;
}

bool log_pager_is_rule(const struct log_pager *pager, const struct pager_line *line)
{
    return line->number == pager->rule_line && line->stream != PAGER_ENGINE;
}

static size_t next_looked(struct pager_reading *reading)
{
    const struct log_pager *pager = reading->pager;
    reading->set->upto++;
    return reading->count < PAGER_LOOK_BYTES && reading->set->upto < log_pager_said(pager)
               ? reading->set->upto
               : SIZE_MAX;
}

static void look_for_needle(struct pager_reading *reading, const struct joined_line *line)
{
    struct str clean = {0};
    text_clean(&clean, line->bytes, line->len);
    if (words_find(str_text(&clean), clean.len, reading->pager->needle))
        set_add(reading->set, reading->wanted);
    reading->count += line->len + 1;
    str_done(&clean);
    reading->wanted = next_looked(reading);
}

static void look_for_error(struct pager_reading *reading, const struct joined_line *line)
{
    struct log_pager *pager = reading->pager;
    struct str clean = {0};
    text_clean(&clean, line->bytes, line->len < ERROR_LINE_BYTES ? line->len : ERROR_LINE_BYTES);
    const bool is_rule = has_rule(pager, line->stream, line->offset, line->len);
    if (is_rule)
        pager->rule_line = reading->wanted;
    if (is_rule || line_is_error(str_text(&clean), clean.len))
        set_add(reading->set, reading->wanted);
    reading->count += line->len + 1;
    str_done(&clean);
    reading->wanted = next_looked(reading);
}

static bool look_for(struct log_pager *pager, struct pager_set *set, pager_take_fn *take,
                     const struct log_source *source, struct err *err)
{
    struct pager_reading reading = {.pager = pager, .take = take, .set = set, .wanted = set->upto};
    const size_t said = log_pager_said(pager);
    if (set->upto >= said)
        return true;
    if (!pager_read(&reading, source, err))
        return false;
    if (reading.count == 0) /* what was there has made way: the news of it are to come */
        set->upto = said;
    return true;
}

bool pager_look(struct log_pager *pager, const struct log_source *source, struct err *err)
{
    const bool searches = pager->needle[0] != '\0' && !pager->found.is_full;
    if (searches && !look_for(pager, &pager->found, look_for_needle, source, err))
        return false;
    return pager->errors.is_full || look_for(pager, &pager->errors, look_for_error, source, err);
}
