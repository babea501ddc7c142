/*
 * view_terminal.h - the terminal itself: copying, $PAGER, a screen that stands still, and the
 * mouse: a click chooses what is under it or is the key that is named there, the wheel scrolls and
 * never chooses, dragging along the line of time moves in it. Part of a view; pure.
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

/* Append what is to be copied, and to `words` what it is, for the message line: id and title of the
 * chosen task, or of all that are marked; the lines of a log that are in sight; the section of the
 * forensics. False: there is nothing. */
bool view_copy_text(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

/* The same of a path: of the workspace of the chosen task, else of the log's file. */
bool view_copy_path(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

enum { VIEW_WHEEL_ROWS = 3, VIEW_SEEK_WHOLE = 1000 };

/* `canvas` is what the person sees: its zones say what is where. */
struct view_todo view_mouse(struct view *view, const struct view_facts *facts,
                            const struct canvas *canvas, const struct mouse *mouse);

#endif
