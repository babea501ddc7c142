/*
 * frame.h - the screens as a pure function: what is known of a run, how a person looks at it and
 * the time go in, a canvas of cells comes out. Each screen has a file of its own, see `drawers`.
 *
 * Nothing is refused: what a size has no room for is left out, least needed first.
 */
#ifndef DEVS_FRAME_H
#define DEVS_FRAME_H

#include "canvas.h"
#include "view.h"

struct frame_input {
    const struct view_facts *facts; /* borrowed, as all below */
    const struct view *view;
    const char *name; /* of the run; may be strange text */
    int64_t number;   /* of the run */
    bool is_session;  /* the run is of an agent that devs did not start */
};

struct frame_box {
    int row, column, rows, columns; /* rows 0: not shown */
};

/* The rows around what a screen is about; -1: not shown. */
struct frame_edges {
    int banner, bottom_rule, message, transport, scrubber, footer;
};

/* Where things are; a row of -1 is not shown. */
struct frame_layout {
    bool small;     /* counts and the chosen task only */
    unsigned panes; /* VIEW_HAS_* */
    struct frame_edges edges;
    int gate;  /* row of what a source keeps back */
    int heads; /* row of the column heads */
    struct frame_box list, preview, timeline, log;
    struct frame_box events; /* of a recording; its rule is the row above */
    struct frame_box status; /* how the list is made, and the last act */
    int preview_rule, timeline_rule, log_rule;
    int divider; /* column of the line between list and preview */
};

/* Of the Tasks screen. */
struct frame_layout frame_layout(int rows, int columns, const struct frame_input *input);

/* Tell the view, the input's own, what a frame of this size has room for. */
void frame_fit(struct view *view, int rows, int columns, const struct frame_input *input);

/* Draw the frame over the whole canvas; frame_fit() comes before it. */
void frame_draw(struct canvas *canvas, const struct frame_input *input);

/* How much of the chosen section a screen of this size shows. */
struct view_room frame_forensics_room(int rows, int columns, const struct frame_input *input);

/* How much of it a screen of this size shows. */
struct view_log_room frame_pager_room(int rows, int columns, const struct frame_input *input);

/* Rows of text that there is room for, of so many: all if the screen has them, over its lower rows;
 * at most all but the first row, the rule and the last one. */
int frame_report_rows(int canvas_rows, size_t rows);
/* How many lines the list has there; a run takes one or two. */
int frame_runs_rows(int rows, int columns, const struct frame_input *input);

#endif
