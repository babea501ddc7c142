/*
 * view_move.h - how far the keys that move go: one table for lists, texts and tries. Pure.
 */
#ifndef DEVS_VIEW_MOVE_H
#define DEVS_VIEW_MOVE_H

#include <stdbool.h>

#include "keymap.h"

/* Lines that an act moves down (up: less than 0) where so many are in sight; to the first and the
 * last one it is farther than anything is long. 0: it does not move. */
int view_move_lines(enum act act, int page);
/* Is it by pages, or halves of them? */
bool view_move_is_by_page(enum act act);

#endif
