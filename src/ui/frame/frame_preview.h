/*
 * frame_preview.h - what the parts of the preview share: frame_preview.c, frame_state.c,
 * frame_circles.c, frame_tries.c, frame_agent.c and frame_fold.c only.
 */
#ifndef DEVS_FRAME_PREVIEW_H
#define DEVS_FRAME_PREVIEW_H

#include "frame_parts.h"

enum {
    PREVIEW_TEXT_COLUMN = 8,         /* where the lines begin, after their labels; */
    PREVIEW_TEXT_COLUMN_DETAIL = 10, /* on Detail */
    PREVIEW_WRAP_ROWS = 4,           /* rows one text may take where there is room */
};

/* The preview as it is being drawn, from the top down. */
struct preview {
    struct canvas *canvas;
    const struct frame_box *box;
    const struct frame_input *input;
    const struct run_state *state;
    enum frame_preview_kind kind;
    int task;
    int text_column; /* PREVIEW_TEXT_COLUMN* */
    int row;         /* the next free one, counted from the box's first */
};

/* Has the box no row left? */
bool preview_is_full(const struct preview *preview);
/* A labelled text: one row, or as many as it needs where there is room. */
void preview_put(struct preview *preview, const char *label, const char *text);
/* frame_preview.c: what is known beside state, reason and tries; nothing of a text that is "". */
void preview_put_misfits(struct preview *preview);
/* What its sandbox does not enforce, what is stale, and where its workspace is. */
void preview_put_place(struct preview *preview);
/* The call of its present step, as it is made; nothing where there is none. */
void preview_put_command(struct preview *preview);
/* Did any rule come near by more than a word of its pattern? */
bool preview_has_close_miss(const struct verdict *verdict);
/* How its step ended, and why so. */
void preview_put_ending(struct preview *preview);

/* frame_state.c: how the task stands: when it goes on and by what formula, or since when it
 * has ended. */
void preview_put_state(struct preview *preview);
/* The formula by which it waits; nothing where it does not. */
void preview_put_wait(struct preview *preview);

/* frame_tries.c: what is proven so far, and the tries of the present step. */
void preview_put_tries(struct preview *preview);
/* A line for each step up to the present one: what it is proven on. */
void preview_put_proofs(struct preview *preview);
/* A line for each try of the present step, and what they share. */
void preview_put_present_tries(struct preview *preview);

/* frame_circles.c: what makes it go in circles, or seem to; nothing where it does not. */
void preview_put_circles(struct preview *preview);

/* frame_agent.c: the agent of the task, what it used, its budget, its round and why; nothing where
 * it has none. */
void preview_put_agent(struct preview *preview);
/* What it said last, and whether that is proven; nothing where it has not spoken. */
void preview_put_said(struct preview *preview);

/* frame_fold.c: the tasks of one fault: how many, since when, and which. */
void preview_put_fold(struct preview *preview, const struct view_fold *fold);

#endif
