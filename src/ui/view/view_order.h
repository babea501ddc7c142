/*
 * view_order.h - in which order the tasks stand, and the menu that chooses it. Part of a view;
 * pure.
 */
#ifndef DEVS_VIEW_ORDER_H
#define DEVS_VIEW_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"

struct view;
struct view_facts;

enum order_by {
    ORDER_ADDED,   /* as the plan has them, those that need a person first */
    ORDER_STATE,   /* in the order of enum shown */
    ORDER_NEXT,    /* whose wait is over first */
    ORDER_TRY,     /* most tries first */
    ORDER_NAME,    /* by id; numbers in it count as numbers */
    ORDER_CLASS,   /* alphabetically; none last */
    ORDER_LONGEST, /* longest in its state first; what has ended last */
    ORDER_COUNT,
};

/* All zero: as the tasks were added. */
struct view_order {
    enum order_by by;
    bool is_turned;   /* the other way round */
    bool is_open;     /* the menu is */
    enum order_by at; /* its chosen line */
};

/* "as added", "state", ...: what follows "order". Static. */
const char *view_order_name(enum order_by by);
/* False if no order is called so. */
bool view_order_named(const char *name, enum order_by *out);
/* The same in full: "as added, needs-you first", "try, turned round". Static. */
const char *view_order_words(const struct view *view);

/* The numbers of all tasks as they are to stand; `out` has room for view->order_count. */
void view_order_sort(const struct view *view, const struct view_facts *facts, int *out);

/* Order by it from now on, at once. */
void view_order_take(struct view *view, const struct view_facts *facts, enum order_by by);
/* S */
void view_order_turn(struct view *view, const struct view_facts *facts);

/* s: the menu, in the last rows of the screen; a digit, or Enter, takes an order. */
void view_order_open(struct view *view);
/* Take a key while the menu is open; one that means nothing here is dropped. */
void view_order_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Draw the open menu over what is there. */
void view_order_draw(const struct view *view, struct canvas *canvas);

#endif
