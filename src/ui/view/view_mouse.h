/*
 * view_mouse.h - what the mouse does to a view: a click chooses what is under it or is the key that
 * stands there, the wheel scrolls and never chooses, dragging along the line of time moves in it.
 * Part of a view; pure.
 */
#ifndef DEVS_VIEW_MOUSE_H
#define DEVS_VIEW_MOUSE_H

#include "canvas.h"
#include "mouse.h"

struct view;
struct view_facts;
struct view_todo;

enum { VIEW_WHEEL_ROWS = 3, VIEW_SEEK_WHOLE = 1000 };

/* `canvas` is what the person sees: its zones say what is where. */
struct view_todo view_mouse(struct view *view, const struct view_facts *facts,
                            const struct canvas *canvas, const struct mouse *mouse);

#endif
