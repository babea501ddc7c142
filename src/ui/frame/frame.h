/* frame.h - draws the screens as a pure function of the run's state, the view and the time. The
 * result is a canvas of cells. Each screen has its own file; see `drawers` in frame.c.
 *
 * Works for any size: the least important parts are left out first. */
#ifndef DEVS_FRAME_H
#define DEVS_FRAME_H

#include "canvas.h"
#include "view.h"

struct frame_input {
    const struct view_facts *facts; /* borrowed, like everything below */
    const struct view *view;
    const char *name; /* name of the run; untrusted text */
    int64_t number;   /* number of the run */
    bool is_session;  /* the run belongs to an agent that devs did not start */
};

struct frame_box {
    int row, column, rows, columns; /* rows 0: not shown */
};

/* The rows around a screen's body; -1: not shown. */
struct frame_edges {
    int banner, bottom_rule, message, transport, scrubber, footer;
};

/* Position of each part; -1 for a row that is not shown. */
struct frame_layout {
    bool small;     /* only counts and the selected task */
    unsigned panes; /* VIEW_HAS_* */
    struct frame_edges edges;
    int gate;  /* line about a source whose limit holds tasks back */
    int heads; /* column headings */
    struct frame_box list, preview, timeline, log;
    struct frame_box events; /* records of a recording; the row above has the heading */
    struct frame_box status; /* sort order, filter and the latest act */
    int preview_rule, timeline_rule, log_rule;
    int divider; /* column of the line between list and preview */
};

/* Lays out the Tasks screen. */
struct frame_layout frame_layout(int rows, int columns, const struct frame_input *input);

/* Stores in the view how much fits on a frame of this size. `view` must be input->view. */
void frame_fit(struct view *view, int rows, int columns, const struct frame_input *input);

/* Draws the frame over the whole canvas. Call frame_fit() first. */
void frame_draw(struct canvas *canvas, const struct frame_input *input);

/* Returns how much of the selected section a screen of this size shows. */
struct view_room frame_forensics_room(int rows, int columns, const struct frame_input *input);

/* Returns how much of the log a screen of this size shows. */
struct view_log_room frame_pager_room(int rows, int columns, const struct frame_input *input);

/* Returns how many of `rows` rows of text fit: all rows if possible, covering the lower part of the
 * screen, but never the heading, the divider line and the last row. */
int frame_report_rows(int canvas_rows, size_t rows);
/* Returns how many rows a screen of this size has for the list; a run takes one or two. */
int frame_runs_rows(int rows, int columns, const struct frame_input *input);

#endif
