/*
 * frame_page.h - what the screens about one subject share (all but the tasks): the path on top, at
 * the bottom message, transport and keys, the body between. For the screens' own files and frame.c.
 */
#ifndef DEVS_FRAME_PAGE_H
#define DEVS_FRAME_PAGE_H

#include <stddef.h>

#include "canvas.h"
#include "frame.h"
#include "keymap.h"
#include "str.h"

enum {
    PAGE_MESSAGE_ROWS = 12,  /* lower: no row of its own for messages */
    PAGE_CLOCK_COLUMNS = 40, /* narrower: the path goes before the clock */
    PAGE_PATH_COLUMNS = 60,  /* narrower: the path names its end only */
    PAGE_WIDE_COLUMNS = 120,
};

/* Where things are; rows of -1 are not there. */
struct frame_page {
    struct frame_box body; /* rows 0: no room for any */
    struct frame_edges edges;
};
/* Lay it out for a canvas of this size; what has no room is left out. */
struct frame_page frame_page_lay(int rows, int columns, const struct frame_input *input);

/* The keys that are named at the bottom, of those that do something now. */
struct frame_keys {
    const enum act *acts; /* borrowed */
    size_t count;
    const char *const *briefs; /* borrowed; by act, see struct footer */
    size_t kept;               /* how many of the last ones are there in any case; 0 = one */
    size_t most;               /* 0 = as many as there is room for */
};
/* frame_footer.c: draw them into this row. */
void frame_keys_draw(struct canvas *canvas, int row, const struct frame_input *input,
                     const struct frame_keys *keys);
/* All but the body; without a path the head is left out, too. */
void frame_page_draw(struct canvas *canvas, const struct frame_page *page,
                     const struct frame_input *input, const char *path,
                     const struct frame_keys *keys);

/* For paths: "Tasks > T-104 > step 2 > try 3", with more or less of it as there is room, and the
 * step only where the task has several. */
void frame_add_try(const struct frame_input *input, int columns, struct str *out);
/* "Tasks > T-104 checkout: tax rounding". */
void frame_add_task(const struct frame_input *input, int columns, struct str *out);

#endif
