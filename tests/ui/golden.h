/*
 * golden.h - a frame compared with tests/data/frames/NAME.txt.
 */
#ifndef DEVS_TEST_GOLDEN_H
#define DEVS_TEST_GOLDEN_H

#include "canvas.h"

/* Fails the test where they differ; DEVS_UPDATE_FRAMES=1 writes the file anew. */
void golden_check(const struct canvas *canvas, const char *frame);
/* The same of a frame that is text already. */
void golden_check_text(const char *text, const char *frame);

#endif
