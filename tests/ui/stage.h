/*
 * stage.h - what the tests of frames share: a story, a view of it, and a canvas to draw on. One at
 * a time.
 */
#ifndef DEVS_STAGE_H
#define DEVS_STAGE_H

#include <stdbool.h>

#include "frame.h"
#include "story.h"
#include "view.h"

extern struct story story;
extern struct view view;
extern struct view_facts facts;
extern struct canvas canvas;
extern const char *run_name;

/* A story in UTC, live, with this task chosen (NULL: the first). stage_close() ends it. */
void stage_open(void (*init)(struct story *story), const char *chosen);
void stage_close(void);

/* How it looks at this size, on a new canvas. */
void stage_draw(int rows, int columns, bool ascii);
/* The same in parts, for what has to be done between them. */
struct frame_input stage_input(void);
void stage_begin(int rows, int columns, bool ascii);
/* Is this on the canvas? Prints the canvas if it is not. */
bool stage_shows(const char *text);

#endif
