/*
 * view_panes.h - the panes of a screen: which there are, which of them has the keys, and which has
 * the screen to itself. Part of a view; pure.
 */
#ifndef DEVS_VIEW_PANES_H
#define DEVS_VIEW_PANES_H

#include <stdbool.h>

#include "keymap.h"

struct view;
struct view_facts;

/* In the order in which Tab goes round. */
enum view_pane {
    VIEW_PANE_LIST, /* the tasks; on Detail the tries */
    VIEW_PANE_PREVIEW,
    VIEW_PANE_TIMELINE,
    VIEW_PANE_LOG,
    VIEW_PANE_EVENTS, /* the records of a recording */
    VIEW_PANE_COUNT,
};
/* Sets of them. */
enum {
    VIEW_HAS_LIST = 1 << VIEW_PANE_LIST,
    VIEW_HAS_PREVIEW = 1 << VIEW_PANE_PREVIEW,
    VIEW_HAS_TIMELINE = 1 << VIEW_PANE_TIMELINE,
    VIEW_HAS_LOG = 1 << VIEW_PANE_LOG,
    VIEW_HAS_EVENTS = 1 << VIEW_PANE_EVENTS,
};

/* One pane has its screen to itself, until somebody ends that. */
struct view_zoom {
    bool is_on;
    enum screen screen;
};

/* How far the preview is scrolled, in rows; of another task it begins at its top. */
struct view_preview {
    int task;
    int top, last, page;
};

/* The screen has these panes now. One that is gone gives the keys to the list. */
void view_panes_take(struct view *view, unsigned panes);
/* The preview has so many rows in all, and so many of them are on the screen. */
void view_preview_fit(struct view *view, int rows, int page);
/* Scroll it where it has the keys and this is a key that moves; else false. */
bool view_preview_act(struct view *view, enum act act);
/* Does the pane that has the keys have the screen to itself? */
bool view_is_zoomed(const struct view *view);

/* Carry out a key about panes: the next one, the one before, zoom; false for any other. */
bool view_pane_act(struct view *view, enum act act);
/* Why such a key cannot be done now, as keymap_say() takes it; NULL: it can, or is another. */
const char *view_pane_refusal(const struct view *view, enum act act);

#endif
