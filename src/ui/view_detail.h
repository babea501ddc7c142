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

/* Carry out a key while it is shown; false: the key means what it means elsewhere. */
bool view_detail_act(struct view *view, const struct view_facts *facts, enum act act,
                     struct view_todo *out);

#endif
