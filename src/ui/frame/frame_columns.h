/*
 * frame_columns.h - where the columns of the list are: pure numbers, for frame_list.c.
 */
#ifndef DEVS_FRAME_COLUMNS_H
#define DEVS_FRAME_COLUMNS_H

#include <stdbool.h>

enum { COLUMNS_FEW = 24 }; /* narrower: a title, tries and times are all there is */

enum column {
    COL_STATE,
    COL_ID,
    COL_TASK,
    COL_PHASE,
    COL_TRY,
    COL_NEXT,
    COL_CLASS,
    COL_NEW,
    COL_COUNT,
};

/* Where each column is. */
struct columns {
    int at[COL_COUNT];
    int width[COL_COUNT]; /* 0 = not shown */
    bool next_is_right;   /* times end in one column: there is no room for more than them */
};

/* Longest texts of the rows in sight. */
struct measures {
    int id, attempts, next;
};

/* The least there is. */
struct measures measures_new(void);
/* Make room for texts so long, up to what each column may take. */
void measures_take(struct measures *measures, const struct measures *texts);
/* What a list so wide has room for. */
struct columns columns_place(int columns, const struct measures *measures);

/* "NEXT/FOR". */
const char *column_head(enum column column);

#endif
