/*
 * frame_timeline.h - the Timeline screen, and the same as a pane of other screens: pure, as
 * frame.h.
 */
#ifndef DEVS_FRAME_TIMELINE_H
#define DEVS_FRAME_TIMELINE_H

#include "canvas.h"
#include "frame.h"
#include "view.h"

/* The screen. The view should have been fitted. */
void frame_timeline(struct canvas *canvas, const struct frame_input *input);
/* Fit the view to it (view_timeline_fit()); nothing where another screen is shown. */
void frame_timeline_fit(struct view *view, int rows, int columns, const struct frame_input *input);

/* As a pane: the view's rows, around the chosen one where there are too many, and the axis in the
 * box's last row; and a rule above it that says from when to when, and what the signs mean. */
void frame_timeline_pane(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input);
/* The rule above the pane, from this place on over spot.width columns. */
void frame_timeline_rule(struct canvas *canvas, struct spot spot, const struct frame_input *input);

/* The chosen task alone, as long as it is old: its bar, and the axis where the box has two rows. */
void frame_timeline_task(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input);

#endif
