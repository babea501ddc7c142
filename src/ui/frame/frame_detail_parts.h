/*
 * frame_detail_parts.h - the parts of the Detail screen: frame_detail*.c only.
 */
#ifndef DEVS_FRAME_DETAIL_PARTS_H
#define DEVS_FRAME_DETAIL_PARTS_H

#include <stdbool.h>

#include "canvas.h"
#include "frame.h"
#include "frame_parts.h"
#include "run_state.h"
#include "str.h"
#include "view_try.h"

/* The task and the try that are looked at. */
struct detail {
    const struct frame_input *input; /* borrowed, as all below */
    const struct run_state *state;
    int task;
    struct view_try at;                  /* attempt 0: nothing was tried yet */
    const struct attempt_state *attempt; /* NULL: likewise */
    bool is_wide;                        /* there is room for everything */
};

/* frame_detail_head.c: how the task stands, in up to two lines. */
void detail_draw_head(struct canvas *canvas, const struct frame_box *box,
                      const struct detail *detail);

/* frame_detail_tries.c: the table of all tries, the next one last. */
/* Its rows without the heads. */
int detail_try_count(const struct detail *detail);
/* How many there is no room for in so many rows: "  4 more above"; nothing where all fit. */
void detail_add_hidden(const struct detail *detail, int rows, struct str *out);
/* Heads in row `heads` (-1: none), below as many tries as fit, the chosen one among them. */
void detail_draw_tries(struct canvas *canvas, int heads, const struct frame_box *box,
                       const struct detail *detail);

/* frame_detail_why.c: why the chosen try ended as it did; what is proven; the rest that is known
 * of the task. */
/* "why try 3 failed". */
void detail_add_why_title(const struct detail *detail, struct str *out);
/* Draw it. Returns how many rows of the box it took; with `kind` ROOMY all that is known. */
int detail_draw_why(struct canvas *canvas, const struct frame_box *box,
                    enum frame_preview_kind kind, const struct detail *detail);

#endif
