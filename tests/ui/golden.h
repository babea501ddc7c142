/*
 * golden.h - compares a frame with tests/data/frames/NAME.txt.
 */
#ifndef DEVS_TEST_GOLDEN_H
#define DEVS_TEST_GOLDEN_H

#include "canvas.h"

/* Fails the test if they differ. DEVS_UPDATE_FRAMES=1 rewrites the file instead. */
void golden_check(const struct canvas *canvas, const char *frame);
/* Like golden_check(), for a frame that is already text. */
void golden_check_text(const char *text, const char *frame);

#endif
