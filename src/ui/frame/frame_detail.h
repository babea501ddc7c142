/*
 * frame_detail.h - the Detail screen: one task, all its tries, why the chosen one failed, what is
 * proven, its output. Pure.
 */
#ifndef DEVS_FRAME_DETAIL_H
#define DEVS_FRAME_DETAIL_H

#include "frame.h"

/* Draw it over the whole canvas. */
void frame_detail(struct canvas *canvas, const struct frame_input *input);
/* Tell the view what a screen of this size has room for. */
void frame_detail_fit(struct view *view, int rows, int columns, const struct frame_input *input);

#endif
