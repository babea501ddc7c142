/* compare_rows.c - lays out a comparison, or any other report, in rows of a given width. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "content_internal.h"
#include "report_rows.h"
#include "shown.h"
#include "text.h"
#include "xalloc.h"

enum {
    LABEL_COLUMNS = 8,
    FACTS_COLUMNS = 80, /* width if none is given */
    STACKED_BELOW = 60, /* in narrower columns, the two sides are shown one below the other */
    CONTEXT = 2,        /* equal lines shown before and after a change */
    FOLD_MIN = 3,       /* shorter runs of equal lines are not folded */
};

struct laying {
    const struct compare *compare;
    const struct compare_look *look;
    struct report_rows *rows;
    struct str line, fitted; /* owned; scratch */
    size_t missing;          /* rows that did not fit in REPORT_ROWS_MAX */
};

static void add_row(struct laying *laying, enum report_mark mark)
{
    const struct str *line = &laying->line;
    str_clear(&laying->fitted);
    if (laying->look->columns > 0)
        text_fit(&laying->fitted, str_text(line), laying->look->columns,
                 laying->look->ascii ? TEXT_ASCII : TEXT_PLAIN);
    else
        str_add_n(&laying->fitted, str_text(line), line->len);
    if (!report_rows_add(laying->rows, str_text(&laying->fitted), laying->fitted.len, mark))
        laying->missing++;
}

static void begin_row(struct laying *laying)
{
    str_clear(&laying->line);
}

static void add_head(struct laying *laying, const char *words)
{
    if (laying->rows->count > 0) {
        begin_row(laying);
        add_row(laying, REPORT_ROW_PLAIN);
    }
    begin_row(laying);
    str_add(&laying->line, words);
    add_row(laying, REPORT_ROW_HEAD);
}

static void add_cell(struct laying *laying, const char *text, int columns)
{
    text_fit(&laying->line, text, columns, TEXT_PAD | (laying->look->ascii ? TEXT_ASCII : 0));
}

/* Adds a row such as "class test-fail rate-limit". If the values do not fit side by side, puts one
 * below the other, or only one if they are equal. */
static void add_pair(struct laying *laying, const char *label, const char *const values[2],
                     enum report_mark mark)
{
    const int columns = laying->look->columns > 0 ? laying->look->columns : FACTS_COLUMNS;
    const int half = (columns - LABEL_COLUMNS - 2) / 2;
    begin_row(laying);
    add_cell(laying, label, LABEL_COLUMNS);
    const bool fits = text_width(values[0], strlen(values[0])) <= half &&
                      text_width(values[1], strlen(values[1])) <= half;
    if (fits && columns >= STACKED_BELOW) {
        str_add_char(&laying->line, ' ');
        add_cell(laying, values[0], half);
        str_add_char(&laying->line, ' ');
        text_fit(&laying->line, values[1], half, laying->look->ascii ? TEXT_ASCII : TEXT_PLAIN);
        add_row(laying, mark);
        return;
    }
    str_addf(&laying->line, " %s", values[0]);
    add_row(laying, mark);
    if (strcmp(values[0], values[1]) == 0)
        return;
    begin_row(laying);
    add_cell(laying, "", LABEL_COLUMNS);
    str_addf(&laying->line, " %s", values[1]);
    add_row(laying, mark);
}

static void add_facts(struct laying *laying)
{
    const struct compare_side *sides = laying->compare->sides;
    const char *dash = laying->look->ascii ? "-" : "\xe2\x80\x94";
    add_pair(laying, "", (const char *const[]){str_text(&sides[0].name), str_text(&sides[1].name)},
             REPORT_ROW_HEAD);
    /* Both sides have the same facts, some perhaps unknown. */
    assert(sides[0].facts.count == sides[1].facts.count);
    for (size_t i = 0; i < sides[0].facts.count; i++) {
        const struct str *first = &sides[0].facts.items[i].value;
        const struct str *second = &sides[1].facts.items[i].value;
        const bool differs = strcmp(str_text(first), str_text(second)) != 0;
        if (first->len == 0 && second->len == 0)
            continue;
        add_pair(laying, sides[0].facts.items[i].label,
                 (const char *const[]){first->len > 0 ? first->data : dash,
                                       second->len > 0 ? second->data : dash},
                 differs ? REPORT_ROW_DIFFERS : REPORT_ROW_PLAIN);
    }
}

static void add_sum(struct laying *laying)
{
    const struct compare *compare = laying->compare;
    const struct compare_side *sides = compare->sides;
    add_head(laying, "only in the output of the second try");
    begin_row(laying);
    if (compare->fresh > 0) {
        str_addf(&laying->line, "%zu of its %zu lines; new ", compare->fresh,
                 compare->second_lines);
        shown_new((int)(compare->fresh * 1000 / compare->second_lines), &laying->line);
    } else {
        str_addf(&laying->line, "nothing%s",
                 digest_is_same(sides[0].fingerprint, sides[1].fingerprint) ? ": same result" : "");
    }
    add_row(laying, REPORT_ROW_PLAIN);
    unsigned masks = 0;
    for (int text = 0; text < COMPARE_DIFF; text++)
        masks |= sides[0].texts[text].masks | sides[1].texts[text].masks;
    if (masks == 0)
        return;
    begin_row(laying);
    str_add(&laying->line, "masked as <word>: ");
    shown_masks(masks, &laying->line);
    add_row(laying, REPORT_ROW_PLAIN);
}

static void add_line(struct laying *laying, const struct compare_lines *lines, size_t index,
                     enum report_mark mark)
{
    const struct compare_line *line = &lines->items[index];
    begin_row(laying);
    str_add(&laying->line, mark == REPORT_ROW_REMOVED ? "- "
                           : mark == REPORT_ROW_ADDED ? "+ "
                                                      : "  ");
    str_add_n(&laying->line, str_text(&lines->bytes) + line->start, line->len);
    add_row(laying, mark);
}

/* Adds equal lines. If there are enough of them, replaces all but the lines next to a change with a
 * fold. */
static void add_equal(struct laying *laying, const struct compare_lines *lines,
                      const struct line_diff_span *span, bool is_first, bool is_last)
{
    size_t head = is_first ? 0 : CONTEXT;
    size_t tail = is_last ? 0 : CONTEXT;
    const bool is_folded = span->count >= head + tail + FOLD_MIN;
    if (!is_folded) {
        head = span->count;
        tail = 0;
    }
    for (size_t i = 0; i < head; i++)
        add_line(laying, lines, span->first + i, REPORT_ROW_SAME);
    if (is_folded) {
        begin_row(laying);
        str_addf(&laying->line, "= %zu identical lines", span->count - head - tail);
        add_row(laying, REPORT_ROW_FOLD);
    }
    for (size_t i = span->count - tail; i < span->count; i++)
        add_line(laying, lines, span->first + i, REPORT_ROW_SAME);
}

static void add_note(struct laying *laying, const char *words)
{
    begin_row(laying);
    str_add(&laying->line, words);
    add_row(laying, REPORT_ROW_PLAIN);
}

static void add_text(struct laying *laying, enum compare_text text)
{
    const struct compare_lines *first = &laying->compare->sides[0].texts[text];
    const struct compare_lines *second = &laying->compare->sides[1].texts[text];
    const struct line_diff *diff = &laying->compare->diffs[text];
    struct str head = {0};
    if (first->count == 0 && second->count == 0)
        return;
    str_addf(&head, "%s: %zu and %zu lines", compare_text_name(text), first->count, second->count);
    if (diff->removed + diff->added == 0)
        str_add(&head, ", identical");
    else
        str_addf(&head, ", -%zu +%zu", diff->removed, diff->added);
    add_head(laying, head.data);
    str_done(&head);
    for (size_t i = 0; i < diff->count; i++) {
        const struct line_diff_span *span = &diff->spans[i];
        if (span->change == LINE_SAME) {
            add_equal(laying, first, span, i == 0, i + 1 == diff->count);
            continue;
        }
        const bool is_removed = span->change == LINE_REMOVED;
        for (size_t at = 0; at < span->count; at++)
            add_line(laying, is_removed ? first : second,
                     (is_removed ? span->first : span->second) + at,
                     is_removed ? REPORT_ROW_REMOVED : REPORT_ROW_ADDED);
    }
    if (diff->is_cut)
        add_note(laying, "too many changes to compare the rest");
    if (first->is_cut || second->is_cut)
        add_note(laying, "later lines were not compared");
}

static void add_counts(struct str *out, const struct compare_path *path)
{
    if (path->added >= 0 && path->removed >= 0)
        str_addf(out, "  +%lld -%lld", (long long)path->added, (long long)path->removed);
}

static bool are_alike(const struct compare_path *a, const struct compare_path *b)
{
    return a->letter == b->letter && a->added == b->added && a->removed == b->removed;
}

/* Adds a row for a path. `other` is the entry for the path on the other side; if it is NULL, the
 * row has the mark `only`. */
static void add_path(struct laying *laying, const struct compare_path *path,
                     const struct compare_path *other, enum report_mark only)
{
    const char sign =
        other ? (are_alike(path, other) ? '=' : ' ') : (only == REPORT_ROW_REMOVED ? '-' : '+');
    begin_row(laying);
    str_addf(&laying->line, "%c %c %s", sign, path->letter, path->path);
    add_counts(&laying->line, path);
    if (other && !are_alike(path, other)) {
        str_addf(&laying->line, "  then %c", other->letter);
        add_counts(&laying->line, other);
    }
    add_row(laying, other ? REPORT_ROW_SAME : only);
}

/* Returns the entry for the same path on the other side, or NULL. */
static const struct compare_path *find_path(const struct compare_side *side, const char *path)
{
    for (size_t i = 0; i < side->path_count; i++) {
        if (strcmp(side->paths[i].path, path) == 0)
            return &side->paths[i];
    }
    return NULL;
}

static void add_paths(struct laying *laying)
{
    const struct compare_side *first = &laying->compare->sides[0];
    const struct compare_side *second = &laying->compare->sides[1];
    if (!first->paths_known && !second->paths_known)
        return;
    add_head(laying, "workspace changes of each try");
    for (int i = 0; i < COMPARE_SIDES; i++) {
        const struct compare_side *side = &laying->compare->sides[i];
        if (!side->paths_known) {
            begin_row(laying);
            str_addf(&laying->line, "unknown for try %d%s", side->key.attempt,
                     side->passed ? ": it passed" : "");
            add_row(laying, REPORT_ROW_PLAIN);
        }
    }
    for (size_t i = 0; i < first->path_count; i++)
        add_path(laying, &first->paths[i], find_path(second, first->paths[i].path),
                 REPORT_ROW_REMOVED);
    for (size_t i = 0; i < second->path_count; i++) {
        if (!find_path(first, second->paths[i].path))
            add_path(laying, &second->paths[i], NULL, REPORT_ROW_ADDED);
    }
}

void compare_lay(const struct compare *compare, const struct compare_look *look,
                 struct report_rows *out)
{
    struct laying laying = {.compare = compare, .look = look, .rows = out};
    report_rows_clear(out);
    add_facts(&laying);
    add_sum(&laying);
    for (int text = 0; text < COMPARE_DIFF; text++)
        add_text(&laying, (enum compare_text)text);
    add_paths(&laying);
    add_text(&laying, COMPARE_DIFF);
    if (laying.missing > 0) {
        assert(out->count > 0); /* make room by dropping the last row */
        str_cut(&out->text, out->items[--out->count].start);
        begin_row(&laying);
        str_addf(&laying.line, "%zu more lines", laying.missing + 1);
        add_row(&laying, REPORT_ROW_PLAIN);
    }
    str_done(&laying.line);
    str_done(&laying.fitted);
}

bool report_rows_add(struct report_rows *rows, const char *text, size_t len, enum report_mark mark)
{
    if (rows->count == REPORT_ROWS_MAX)
        return false;
    rows->items = xgrow(rows->items, &rows->cap, rows->count + 1, sizeof(*rows->items));
    rows->items[rows->count++] =
        (struct report_row){.start = rows->text.len, .len = len, .mark = mark};
    str_add_n(&rows->text, text, len);
    str_add_char(&rows->text, '\n');
    return true;
}

void report_rows_clear(struct report_rows *rows)
{
    str_clear(&rows->text);
    rows->count = 0;
}

void report_rows_done(struct report_rows *rows)
{
    str_done(&rows->text);
    free(rows->items);
    *rows = (struct report_rows){0};
}
