/*
 * frame_pager.h - the whole output of an attempt over the whole frame. For frame.c and the app.
 */
#ifndef DEVS_FRAME_PAGER_H
#define DEVS_FRAME_PAGER_H

#include "frame.h"

/* How much of it a screen of this size shows. */
struct view_log_room frame_pager_room(int rows, int columns, const struct frame_input *input);

/* facts->pager has the lines in its window. */
void frame_pager(struct canvas *canvas, const struct frame_input *input);

#endif
