/*
 * view_filter.h - which tasks have a row: those that fit the filter a person typed (task_filter.h),
 * and what is hidden by a key. Part of a view; pure.
 */
#ifndef DEVS_VIEW_FILTER_H
#define DEVS_VIEW_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct view;
struct view_facts;
struct view_todo;

/* Read what is typed anew, for view_matches(). */
void view_filter_take(struct view *view);
/* Does the filter let this task through? */
bool view_matches(const struct view *view, const struct view_facts *facts, int task);
/* How many finished tasks H keeps back. */
int view_hidden(const struct view *view, const struct view_facts *facts);

/* Where a word of the filter fits no task, the state or class that was probably meant, as
 * in "nearest class: rate-limit (1)"; else what is wrong with it; nothing is appended if there is
 * neither. True if Enter takes it. */
bool view_nearest(const struct view *view, const struct view_facts *facts, struct str *out);

/* A key while the filter is typed. Enter keeps it, or takes the nearest word where nothing fits. */
struct view_todo view_filter_key(struct view *view, uint32_t key, const struct view_facts *facts);
/* Set it as if it had been typed; "" shows all. */
void view_filter_set(struct view *view, const struct view_facts *facts, const char *text);
/* H */
void view_filter_passed(struct view *view, const struct view_facts *facts);

#endif
