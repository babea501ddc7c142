/* frame_list_fold.c - the row that stands for the tasks of one fault. */
#include <string.h>

#include "clock.h"
#include "frame_list_parts.h"
#include "frame_parts.h"

enum {
    CLOCK_WORD = 5, /* "next " before a fold's times */
};

void list_fold_add_id(const struct view_fold *fold, struct str *out)
{
    str_addf(out, "%d tasks", fold->fault.count);
}

/* "0:12..1:04", when the first and the last of them is tried again. */
static void add_fold_times(const struct frame_input *input, const struct view_fold *fold,
                           struct str *out)
{
    const struct moment now = frame_now(input);
    int64_t first_ms = fold->fault.due_first.mono_ms - now.mono_ms;
    int64_t last_ms = fold->fault.due_last.mono_ms - now.mono_ms;
    shown_left(first_ms, out);
    if (last_ms / 1000 == first_ms / 1000)
        return;
    str_add(out, "..");
    shown_left(last_ms, out);
}

/* Do they wait for a time? Else for a task or a person. */
static bool fold_counts(const struct frame_input *input, const struct view_fold *fold)
{
    return fold->held < fold->fault.count && !input->facts->orphaned;
}

void list_fold_add_next(const struct frame_input *input, const struct view_fold *fold,
                        struct str *out)
{
    if (fold_counts(input, fold))
        add_fold_times(input, fold, out);
    else
        list_row_add_next(input, fold->fault.first, out);
}

/* "one fault since 13:58:40", as much of it as there is room for. */
static void add_fold_words(const struct list_row *row, const struct view_fold *fold,
                           struct str *out)
{
    const struct run_state *state = row->input->facts->state;
    char hms[CLOCK_TEXT_MAX];
    bool has_id = row->columns->width[COL_ID] > 0;
    bool has_class = row->columns->width[COL_CLASS] > 0;
    if (!has_id) {
        list_fold_add_id(fold, out);
        str_add_char(out, ' ');
    }
    if (!has_class) {
        shown_class(state, fold->fault.first, out);
        str_add(out, ", ");
    }
    if (fold->leader >= 0)
        str_addf(out, "one fault, %s is sent", state->plan->tasks[fold->leader].id);
    else
        str_addf(out, "one fault since %s", clock_hms(fold->fault.since.at_ms, hms));
}

static void put_cell(const struct list_row *row, enum column column, struct str *text)
{
    struct spot spot = {row->row, row->column + row->columns->at[column],
                        row->columns->width[column]};
    if (spot.width > 0)
        (void)canvas_text(row->canvas, spot, STYLE_PLAIN, str_text(text));
    str_clear(text);
}

/* Where both do not fit the first one is enough. */
static void cut_times(struct str *text)
{
    char *dots = strstr(text->data, "..");
    if (!dots)
        return;
    *dots = '\0';
    text->len = (size_t)(dots - text->data);
}

/* Its words take the room of title, phases and tries. */
void list_fold_draw(const struct list_row *row)
{
    const struct view_fold *fold = row->fold;
    const struct columns *columns = row->columns;
    struct str text = {0};
    list_fold_add_id(fold, &text);
    put_cell(row, COL_ID, &text);
    shown_class(row->input->facts->state, fold->fault.first, &text);
    put_cell(row, COL_CLASS, &text);
    list_fold_add_next(row->input, fold, &text);
    if ((int)text.len > columns->width[COL_NEXT])
        cut_times(&text);
    put_cell(row, COL_NEXT, &text);

    int end = columns->at[COL_NEXT] - 1;
    bool has_word = fold_counts(row->input, fold) && columns->width[COL_ID] > 0;
    if (has_word) {
        end -= CLOCK_WORD;
        (void)canvas_text(row->canvas, (struct spot){row->row, row->column + end + 1, CLOCK_WORD},
                          STYLE_PLAIN, "next ");
    }
    struct spot spot = {row->row, row->column + columns->at[COL_TASK], end - columns->at[COL_TASK]};
    add_fold_words(row, fold, &text);
    if (spot.width > 0)
        (void)canvas_text(row->canvas, spot, STYLE_PLAIN, str_text(&text));
    str_done(&text);

    spot = (struct spot){row->row, row->column + columns->at[COL_STATE], columns->width[COL_STATE]};
    if (spot.width > 0)
        (void)canvas_text(row->canvas, spot, frame_style(row->shown), shown_word(row->shown));
}
