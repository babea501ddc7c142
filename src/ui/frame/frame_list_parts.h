/*
 * frame_list_parts.h - a row of the list of tasks, between frame_list.c, which draws those of
 * tasks, and frame_list_fold.c, which draws those that stand for the tasks of one fault.
 */
#ifndef DEVS_FRAME_LIST_PARTS_H
#define DEVS_FRAME_LIST_PARTS_H

#include <stdbool.h>

#include "canvas.h"
#include "frame.h"
#include "frame_columns.h"
#include "shown.h"
#include "str.h"
#include "view.h"

/* One row as it is being drawn. */
struct list_row {
    struct canvas *canvas;
    const struct frame_input *input;
    const struct columns *columns;
    int row, column; /* of its first cell */
    int task;
    const struct view_fold *fold; /* the row is this one's; NULL = the task's own */
    bool chosen;
    enum shown shown;
    bool suspected; /* it may go in circles */
    bool no_more;   /* it runs, and is held: there is no try after this one */
};

/* frame_list.c: when the task goes on, or what it waits for. */
void list_row_add_next(const struct frame_input *input, int task, struct str *out);

/* frame_list_fold.c: "12 tasks", and when the first and the last of them are tried again. */
void list_fold_add_id(const struct view_fold *fold, struct str *out);
/* Append when they are tried again, or what they all wait for. */
void list_fold_add_next(const struct frame_input *input, const struct view_fold *fold,
                        struct str *out);
/* All cells of a row that stands for a fault but its sign. */
void list_fold_draw(const struct list_row *row);

#endif
