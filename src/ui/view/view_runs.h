/*
 * view_runs.h - the screen of all runs: which is chosen, what the filter is. Part of a view; pure.
 */
#ifndef DEVS_VIEW_RUNS_H
#define DEVS_VIEW_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keymap.h"
#include "line_edit.h"

struct view;
struct view_facts;
struct view_todo;
struct runs_list;

struct view_runs {
    int64_t chosen; /* number of a run; 0 = the newest one that is listed */
    size_t top;     /* the first that is on the screen, of those the filter lets through */
    int page;       /* rows of them that fit, at most */
    struct line_edit filter;
};

/* The chosen one, by position in list->shown; of none that is there the nearest older one.
 * list->shown_count where the list is empty. */
size_t view_runs_chosen(const struct view_runs *runs, const struct runs_list *list);
/* Scroll so that the chosen one is among the `page` rows on the screen. */
void view_runs_fit(struct view_runs *runs, const struct runs_list *list, int page);

/* Why an act cannot be done on this screen, as keymap_say() takes it; NULL: it can. Static. */
const char *view_runs_refusal(const struct view *view, const struct view_facts *facts,
                              enum act act);
/* A key on this screen; false where it means what it does everywhere. */
bool view_runs_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out);
/* Two runs are compared on the command line: say how, of the chosen one and the next older one that
 * is listed, or newer where it is the oldest. False on another screen, or of fewer than two. */
bool view_runs_say_compare(struct view *view, const struct view_facts *facts);
/* A key while the filter is typed. */
void view_runs_type(struct view *view, uint32_t key);

#endif
