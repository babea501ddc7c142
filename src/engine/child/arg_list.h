/*
 * arg_list.h - a growing argv: owned texts, always NULL-terminated.
 *
 * All zero is an empty list. Any thread, one at a time.
 */
#ifndef DEVS_ARG_LIST_H
#define DEVS_ARG_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"

struct arg_list {
    char **items; /* owned, each; NULL while empty */
    size_t count, cap;
};

/* Append a copy of the text; `items` stays NULL-terminated. */
void arg_list_add(struct arg_list *list, const char *text);
/* Append one text as printf makes it, however long. */
ATTR_PRINTF(2, 3) void arg_list_addf(struct arg_list *list, const char *fmt, ...);
/* Each of a NULL-terminated array, of which NULL means empty. */
void arg_list_add_all(struct arg_list *list, char *const *texts);
/* Is the text in it? */
bool arg_list_has(const struct arg_list *list, const char *text);
void arg_list_done(struct arg_list *list);

#endif
