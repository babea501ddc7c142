/*
 * frame_timeline_parts.h - the parts of the timeline's frame, for frame_timeline*.c only.
 */
#ifndef DEVS_FRAME_TIMELINE_PARTS_H
#define DEVS_FRAME_TIMELINE_PARTS_H

#include <stdbool.h>

#include "canvas.h"
#include "frame.h"
#include "run_state.h"
#include "str.h"
#include "timeline.h"
#include "timeline_axis.h"
#include "timeline_bar.h"

/* What all rows are drawn with. */
struct timeline_look {
    struct canvas *canvas;
    const struct frame_input *input;
    struct timeline_axis axis;
    int column;               /* of the canvas: where the bars begin */
    struct timeline timeline; /* owned; of the row drawn last */
    struct bar_cell cells[CANVAS_COLUMNS_MAX];
};

enum {
    TIMELINE_NOTES_COLUMNS = 66, /* of the decision, where the sums are beside it */
    TIMELINE_MORE_COLUMNS = 72,  /* narrower: the decision's title needs its rule alone */
};

/* Text row by row, in a box. */
struct timeline_lines {
    struct canvas *canvas;
    const struct frame_box *box;
    int row; /* of the canvas: the next one */
};
/* Nothing for an empty text, or below the box. */
void timeline_put_line(struct timeline_lines *lines, const struct str *text);

/* An axis over the run, or over one task (-1: the run), for so many columns; not zoomed. */
void timeline_axis_of(struct timeline_axis *axis, const struct frame_input *input, int task,
                      int columns);
/* The same as the view has it: zoomed, around its cursor. */
void timeline_axis_of_view(struct timeline_axis *axis, const struct frame_input *input,
                           int columns);

/* A task's bar; `cursor`: its column is marked (-1 = none is). The look's timeline and cells are
 * the task's then. */
void timeline_draw_bar(struct timeline_look *look, int row, int task, int cursor);
/* Labels of time. */
void timeline_draw_axis(struct timeline_look *look, int row);
/* Where the cursor is, below the axis. */
void timeline_draw_cursor(struct timeline_look *look, int row, int cursor);
/* "13:50 to 14:04": what the axis shows. */
void timeline_add_window(const struct timeline_axis *axis, struct str *out);

/* frame_timeline_pane.c */
/* What stands before a bar, in so many columns: the task's id, or how many tasks the row of the
 * view's is. */
void timeline_add_id(const struct frame_input *input, int row, int columns, struct str *out);
/* The same at a column of the canvas, up to the bars. */
void timeline_draw_label(struct timeline_look *look, int row, int view_row, int column);
/* A click on a row chooses what is in it: of the view's rows the one with this index. */
void timeline_add_zone(struct timeline_look *look, int row, const struct frame_box *box, int index);

/* What the cursor is on: for frame_timeline_notes.c and frame_timeline_title.c. */
struct timeline_subject {
    const struct timeline_look *look;
    const struct run_state *state;
    const struct span *span; /* NULL = nothing */
    int task;
    struct stretch at; /* with what is planned of it */
};

/* frame_timeline_title.c: "T-104  14:02:10 to 14:02:55  backoff 45 s (planned)"; with its times, or
 * without. */
void timeline_add_title(const struct timeline_subject *subject, bool has_times, struct str *out);

/* frame_timeline_notes.c */
/* What is under the cursor: when, what was decided and by what; a rule and lines below it. */
void timeline_draw_decision(struct timeline_look *look, const struct frame_box *box);
/* frame_timeline_spent.c */
/* Where the time of all tasks went: a rule and four lines or more. */
void timeline_draw_spent(struct timeline_look *look, const struct frame_box *box);

/* frame_timeline_retries.c: does retrying help: a rule, a head and a line for each class. */
/* How many rows it would take; 0: nothing is known. */
int timeline_retries_rows(const struct frame_input *input);
/* Draw them into the box, which has that many rows. */
void timeline_draw_retries(const struct timeline_look *look, const struct frame_box *box);

/* frame_timeline_load.c: how many ran, and what failed, column by column: a rule and three lines.
 */
void timeline_draw_load(const struct timeline_look *look, int row);

#endif
