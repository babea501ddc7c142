/*
 * log_pager_parts.h - what the files of the pager share: log_pager*.c only.
 */
#ifndef DEVS_LOG_PAGER_PARTS_H
#define DEVS_LOG_PAGER_PARTS_H

#include "log_pager.h"

/* `to` is as `from`; each keeps memory of its own. */
void pager_place_copy(struct pager_place *to, const struct pager_place *from);
/* The next row. */
void pager_place_add(struct pager_place *place, const struct log_output_row *row,
                     const char *bytes);

/* No line is in memory. */
void pager_forget_window(struct log_pager *pager);
/* log_pager_lines.c: the line with this number if it is in memory, else NULL. */
const struct pager_line *pager_window_line(const struct log_pager *pager, size_t number);

/* log_pager_read.c: lines that are read again, each from the mark before it on. */
struct pager_reading;
/* Takes one of them; borrowed for the call. */
typedef void pager_take_fn(struct pager_reading *reading, const struct joined_line *line);
struct pager_reading {
    struct log_pager *pager;
    size_t wanted;       /* number of the line that is taken next; SIZE_MAX ends the reading */
    pager_take_fn *take; /* sets `wanted` anew, to a line further down */
    size_t count;        /* the taker's: how many it has */
    size_t want_count;   /* and is to have */
    size_t first;        /* and from which place on */
    struct pager_set *set;
};
/* As far as the walk has come; there the unfinished lines are taken, too. */
ATTR_MUST_USE bool pager_read(struct pager_reading *reading, const struct log_source *source,
                              struct err *err);

/* log_pager_find.c */
/* Lines that are at or after this one may be others now. */
void pager_set_cut(struct pager_set *set, size_t line);
/* Look through some more of what was walked through. */
ATTR_MUST_USE bool pager_look(struct log_pager *pager, const struct log_source *source,
                              struct err *err);

#endif
