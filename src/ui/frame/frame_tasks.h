/*
 * frame_tasks.h - the Tasks screen: the list, the chosen task, and what there is room for beside
 * them.
 */
#ifndef DEVS_FRAME_TASKS_H
#define DEVS_FRAME_TASKS_H

#include "frame.h"

/* The whole screen; on too small a canvas the lines that frame_small() has for it. */
void frame_tasks(struct canvas *canvas, const struct frame_input *input);

/* As frame_fit(), for this screen; also for those that have nothing to say of a view's panes. */
void frame_tasks_fit(struct view *view, int rows, int columns, const struct frame_input *input);

#endif
