/*
 * view_detail.h - the keys of Detail: one task, its tries, its output. Part of a view; pure.
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

#endif
