/*
 * view_marks.h - tasks that are marked, so that an act is about all of them. Part of a view; pure.
 *
 * Marks are by task, never by row: order and filter do not change them.
 */
#ifndef DEVS_VIEW_MARKS_H
#define DEVS_VIEW_MARKS_H

#include <stdbool.h>

#include "keymap.h"

struct view;
struct view_facts;

struct view_marks {
    bool *of;       /* owned; by task */
    bool *before;   /* owned; as they were before the last key that changed them, */
    bool *standing; /* owned; and without the range that is open */
    int room;
    int count;
    int range_from; /* the task where a range began, -1 = none is open */
};

void view_marks_init(struct view_marks *marks);
void view_marks_done(struct view_marks *marks);
/* There are so many tasks now; marks of those that are gone are gone. */
void view_marks_take_tasks(struct view_marks *marks, int task_count, int before);

/* How many tasks are marked. */
int view_marked(const struct view *view);
/* Is this task? False for a number that is none. */
bool view_is_marked(const struct view *view, int task);
/* How many of them have no row, not even that of a fold. */
int view_marked_hidden(const struct view *view);

/* Take one of the acts UI_MARK, UI_MARK_RANGE, UI_MARK_ALL, UI_UNMARK. */
void view_marks_act(struct view *view, const struct view_facts *facts, enum act act);
/* An open range reaches to the chosen row: after each key that may have moved. */
void view_marks_stretch(struct view *view);
/* End an open range and drop what it marked. False if none is open. */
bool view_marks_drop_range(struct view *view);
/* As they were before the last key that changed them; again goes forth. */
void view_marks_undo(struct view *view);

#endif
