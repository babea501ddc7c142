/*
 * view_terminal.h - terminal features: copying, $PAGER, the frozen screen, and the mouse. A click
 * selects what is under it or acts as the key shown there; the wheel scrolls and never selects;
 * dragging along the time line moves in time. Part of a view; pure.
 */
#ifndef DEVS_VIEW_TERMINAL_H
#define DEVS_VIEW_TERMINAL_H

#include <stdbool.h>

#include "canvas.h"
#include "keymap.h"
#include "mouse.h"
#include "str.h"
#include "view.h"

struct view;
struct view_facts;
struct view_todo;

/* Appends the text to copy, and to `words` its description for the message line: id and title of
 * the selected task, or of all marked ones; the visible lines of a log; the section of the
 * forensics. Returns false if there is nothing to copy. */
bool view_copy_text(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

/* Like view_copy_text(), for a path: the workspace of the selected task, or else the log's file. */
bool view_copy_path(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

enum { VIEW_WHEEL_ROWS = 3, VIEW_SEEK_WHOLE = 1000 };

/* Handles a mouse event. `canvas` is what the user sees: its zones say what is where. */
struct view_todo view_mouse(struct view *view, const struct view_facts *facts,
                            const struct canvas *canvas, const struct mouse *mouse);

#endif
