/*
 * view_report.h - a text over the screen that was asked for with `=`: two tries side by side, or
 * what other policies would have made of the run. Part of a view; pure.
 */
#ifndef DEVS_VIEW_REPORT_H
#define DEVS_VIEW_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "keymap.h"
#include "line_edit.h"
#include "view_try.h"

struct view;
struct view_facts;
struct view_todo;

enum view_report_kind { REPORT_NONE, REPORT_COMPARE, REPORT_WHAT_IF };

struct view_report {
    enum view_report_kind kind; /* that is open */
    int top, last, page;        /* rows: the first one in sight, the last one that may be it */
    struct line_edit file;      /* of other policies; open while it is typed */
    struct view_try marked;     /* to be compared with another; attempt 0 = none */
};

/* =: on Detail and Log two tries are compared, elsewhere other policies are asked for. */
struct view_todo view_report_ask(struct view *view, const struct view_facts *facts);
/* A key while the name of a file is typed. */
struct view_todo view_report_type(struct view *view, uint32_t key);
/* It has so many rows, and so many are in sight. */
void view_report_fit(struct view *view, int rows, int page);
/* What a key's act does while the report is open: scrolls, or closes it. */
void view_report_act(struct view *view, enum act act);

#endif
