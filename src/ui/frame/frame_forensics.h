/*
 * frame_forensics.h - the forensics of an attempt over the whole frame: left what there is,
 * right what it says. For frame.c and the app.
 */
#ifndef DEVS_FRAME_FORENSICS_H
#define DEVS_FRAME_FORENSICS_H

#include "frame.h"

/* How much of the chosen section a screen of this size shows. */
struct view_room frame_forensics_room(int rows, int columns, const struct frame_input *input);

/* The whole screen, as far as it has been read. */
void frame_forensics(struct canvas *canvas, const struct frame_input *input);

#endif
