/*
 * view_detail.h - the tries of one task: which one Detail, Log and Forensics show, and the keys of
 * Detail. Part of a view; pure.
 */
#ifndef DEVS_VIEW_DETAIL_H
#define DEVS_VIEW_DETAIL_H

#include <stdbool.h>

#include "keymap.h"

struct view;
struct view_facts;
struct view_todo;

/* Why an act cannot be done while it is shown, as keymap_say() takes it; NULL: it can. Static. */
const char *view_detail_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act);
/* Carry out a key while it is shown; false: the key means what it means elsewhere. */
bool view_detail_act(struct view *view, const struct view_facts *facts, enum act act,
                     struct view_todo *out);

struct run_state;

/* Look at the try in this row of the table, counted from 0 over all steps, and at the end of its
 * log; beyond the table nothing changes. A task is chosen. */
void view_detail_choose(struct view *view, const struct run_state *state, int row);

struct attempt_state;

/* One attempt. Attempt 0: the task's latest, whichever that is by then. */
struct view_try {
    int task, step, attempt;
};

/* The one that is looked at now: attempt 0 where nothing was tried yet. Task -1 where none is
 * chosen. */
struct view_try view_try_now(const struct view *view, const struct run_state *state);
/* NULL where there is none. */
const struct attempt_state *view_try_state(const struct run_state *state,
                                           const struct view_try *one);

/* Look at this one until another task is chosen. */
void view_try_choose(struct view *view, const struct view_try *one);
/* Look at what runs, else at the latest failure, else at the latest one. */
void view_try_choose_failure(struct view *view, const struct run_state *state);
/* Go from one to the try before (-1) or after (1) it, over all steps; false, and it stays, where
 * there is none. */
bool view_try_next(const struct run_state *state, struct view_try *one, int by);
/* Is there a try before (-1) or after (1)? */
bool view_try_has(const struct view *view, const struct run_state *state, int by);
/* Look at the try before (-1) or after (1); false, and nothing changes, where there is none. */
bool view_try_step(struct view *view, const struct run_state *state, int by);

#endif
