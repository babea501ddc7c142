/*
 * view_terminal.h - keys about the terminal itself: copying, the mouse, $PAGER, and a screen that
 * stands still. Part of a view; pure.
 */
#ifndef DEVS_VIEW_TERMINAL_H
#define DEVS_VIEW_TERMINAL_H

#include <stdbool.h>

#include "keymap.h"

struct view;
struct view_facts;
struct view_todo;

/* Carry out a key about the terminal; false for any other. */
bool view_terminal_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out);
/* Any key while the screen stands still: what moves it on, and what changes nothing on it. */
struct view_todo view_frozen_act(struct view *view, const struct view_facts *facts, enum act act);

#endif
