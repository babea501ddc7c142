/*
 * view_bookmark.h - keeping moments of a recording: the name one types. Part of a view; pure.
 */
#ifndef DEVS_VIEW_BOOKMARK_H
#define DEVS_VIEW_BOOKMARK_H

#include <stdint.h>

#include "bookmark.h"

struct view;
struct view_facts;
struct view_todo;

/* The bookmark of the moment that is shown, NULL if it has none. Borrowed. */
const struct bookmark *view_bookmark_here(const struct view_facts *facts);

/* m: asks for a name, or takes away the one that is here. */
struct view_todo view_bookmark(struct view *view, const struct view_facts *facts);
/* A key while the name is typed. */
struct view_todo view_bookmark_key(struct view *view, uint32_t key);

#endif
