/*
 * stage.h - shared by the tests of frames: a story, a view of it, and a canvas to draw on. One at a
 * time.
 */
#ifndef DEVS_STAGE_H
#define DEVS_STAGE_H

#include <stdbool.h>

#include "story.h"
#include "view.h"

extern struct story story;
extern struct view view;
extern struct view_facts facts;
extern struct canvas canvas;
extern const char *run_name;

/* Opens a live story in UTC with this task selected (NULL: the first). End it with
 * stage_close(). */
void stage_open(void (*init)(struct story *story), const char *chosen);
void stage_close(void);

/* Draws a frame of this size on a new canvas. */
void stage_draw(int rows, int columns, bool ascii);
/* Returns true if the canvas shows this text; otherwise prints the canvas. */
bool stage_shows(const char *text);
/* Opens the log of the try in view. It has the output of a failed test, or none. */
void stage_open_log(bool is_empty);
/* Adds lines to this output. */
void stage_more_output(int lines);

/* Draws the screen at many sizes: it works, draws nothing outside, and contains only what a canvas
 * allows. */
void stage_fits_every_size(void);
/* The same for every width, at 12 rows. */
void stage_fits_every_width(void);

#endif
