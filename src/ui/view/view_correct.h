/*
 * view_correct.h - what C does to a view: the attempt it is about, and its keys. Pure.
 */
#ifndef DEVS_VIEW_CORRECT_H
#define DEVS_VIEW_CORRECT_H

#include "view.h"

/* Has the task a try that is over? */
bool view_correct_is_possible(const struct run_state *state, int task);
/* Open the prompt for the chosen task's latest attempt that is over: there is one. */
struct view_todo view_correct_open(struct view *view, const struct view_facts *facts);
/* Why not in a replay, and what does it instead. */
void view_correct_refuse(struct view *view, const struct view_facts *facts);
/* Take a key while it is open. */
struct view_todo view_correct_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Bring it up to date with the run. True if what it asks has changed. */
bool view_correct_update(struct view *view, const struct view_facts *facts);

#endif
