/*
 * frame_runs.h - the screen of all runs in the log. Pure, as all frames.
 */
#ifndef DEVS_FRAME_RUNS_H
#define DEVS_FRAME_RUNS_H

#include "frame.h"

/* The whole screen; its list where it has been read. */
void frame_runs(struct canvas *canvas, const struct frame_input *input);
/* How many lines the list has there; a run takes one or two. */
int frame_runs_rows(int rows, int columns, const struct frame_input *input);

#endif
