/*
 * frame_empty.h - what stands in the place of tasks while there are none. Pure, as all frames.
 */
#ifndef DEVS_FRAME_EMPTY_H
#define DEVS_FRAME_EMPTY_H

#include "frame.h"

/* Why there is none, and what can be done next. */
void frame_no_tasks(struct canvas *canvas, const struct frame_box *box,
                    const struct frame_input *input);

#endif
