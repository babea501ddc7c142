/*
 * frame_rest.h - the part of a screen that is still free while it is laid out: panes take rows
 * from its top. Pure; for frame*.c only.
 */
#ifndef DEVS_FRAME_REST_H
#define DEVS_FRAME_REST_H

#include "frame.h"

/* The smaller, or the larger one, of two numbers of rows or columns. */
int frame_least(int a, int b);
/* The larger one. */
int frame_most(int a, int b);

/* Take so many rows off the top of what is left, which may not be more than there are. */
struct frame_box frame_take(struct frame_box *rest, int rows);
/* Take one row; its number. */
int frame_take_row(struct frame_box *rest);

#endif
