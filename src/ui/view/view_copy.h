/*
 * view_copy.h - what y and Y copy: of what is chosen, or of the pane that has the keys. Pure.
 */
#ifndef DEVS_VIEW_COPY_H
#define DEVS_VIEW_COPY_H

#include <stdbool.h>

#include "str.h"
#include "view.h"

/* Append what is to be copied, and to `words` what it is, for the message line: id and title of the
 * chosen task, or of all that are marked; the lines of a log that are in sight; the section of the
 * forensics. False: there is nothing. */
bool view_copy_text(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

/* The same of a path: of the workspace of the chosen task, else of the log's file. */
bool view_copy_path(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words);

#endif
