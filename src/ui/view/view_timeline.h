/*
 * view_timeline.h - how a person looks at the timeline: how near, where the cursor is, what is
 * folded. The task is the view's chosen one. Part of a view; pure.
 */
#ifndef DEVS_VIEW_TIMELINE_H
#define DEVS_VIEW_TIMELINE_H

#include <stdbool.h>

#include "keymap.h"
#include "time_spent.h"
#include "timeline_axis.h"

struct view;
struct view_facts;
struct view_todo;

enum {
    TIMELINE_FOLD_MS = 30 * 60 * 1000, /* a longer run folds what is idle unless told otherwise */
    TIMELINE_ZOOM_MAX = 24,
    TIMELINE_SUM_MS = 1000, /* of many tasks it takes a while: it is made no more often */
};

enum timeline_folding { TIMELINE_FOLDS_LONG, TIMELINE_FOLDS, TIMELINE_FOLDS_NOT };

/* What is told of all tasks, as of a moment of a run. */
struct timeline_sum {
    bool is_there;
    uint64_t seed; /* the run's */
    struct moment started, at;
    bool orphaned;
    struct time_spent spent;
    struct timeline_axis axis; /* the load's */
    struct timeline_load load;
};

struct view_timeline {
    int zoom; /* 0: the whole run; each one more doubles the scale */
    enum timeline_folding folding;
    bool is_placed;            /* else the cursor is at now, wherever that goes */
    int64_t cursor_ms;         /* CLOCK_BOOTTIME; placed only */
    int top, rows;             /* first row in sight, and how many there is room for */
    struct timeline_axis axis; /* as it was drawn last */
    struct timeline_sum sum;
};

/* Go to the timeline. */
void view_timeline_open(struct view *view);

/* What the screen shows: the axis, and so many rows; scrolls so that the chosen one is there. */
void view_timeline_fit(struct view *view, const struct timeline_axis *axis, int rows);

/* Add up where the time went up to `now`, and what ran and failed along the axis as it is drawn,
 * unless that was done within the second. After view_timeline_fit(). */
void view_timeline_sum(struct view *view, const struct view_facts *facts, const struct moment *now);

/* Are idle stretches folded, of a run of this length? */
bool view_timeline_folds(const struct view_timeline *timeline, int64_t run_ms);

/* Where the cursor is (CLOCK_BOOTTIME, ms). */
int64_t view_timeline_cursor(const struct view_timeline *timeline, const struct moment *now);

/* Why an act cannot be done while it is shown, as keymap_say() takes it; NULL: it can. Static. */
const char *view_timeline_refusal(const struct view *view, const struct view_facts *facts,
                                  enum act act);
/* Carry out a key while it is shown; false: the key means what it means elsewhere. */
bool view_timeline_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out);

#endif
