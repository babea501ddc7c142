/*
 * view_report.h - a text over the screen that was asked for: two tries side by side, what other
 * policies would have made of the run (`=`), a run that is to be written as a file (`W`). Part of a
 * view; pure.
 */
#ifndef DEVS_VIEW_REPORT_H
#define DEVS_VIEW_REPORT_H

#include <stdint.h>

#include "keymap.h"
#include "line_edit.h"
#include "view_try.h"

struct view;
struct view_facts;
struct view_todo;

enum view_report_kind { REPORT_NONE, REPORT_COMPARE, REPORT_WHAT_IF, REPORT_BUNDLE };

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
/* A key, and the act that it means elsewhere, while the report is open: scrolls, closes it, or is
 * the answer to what it asks. */
struct view_todo view_report_key(struct view *view, uint32_t key, enum act act);
/* W: write the run that is shown, or the chosen one of all runs. */
struct view_todo view_report_bundle(struct view *view, const struct view_facts *facts);

#endif
