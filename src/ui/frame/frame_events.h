/*
 * frame_events.h - the records of a recording, around the moment that is shown.
 */
#ifndef DEVS_FRAME_EVENTS_H
#define DEVS_FRAME_EVENTS_H

#include "frame.h"

/* The rule above, and the records in the box: the present one stands where most of what led to it
 * has room, and what came later below it. A click on one goes there. */
void frame_events(struct canvas *canvas, const struct frame_box *box,
                  const struct frame_input *input);

#endif
