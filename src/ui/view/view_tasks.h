/*
 * view_tasks.h - the keys of the Tasks screen that mean something else there than elsewhere. Part
 * of a view; pure.
 */
#ifndef DEVS_VIEW_TASKS_H
#define DEVS_VIEW_TASKS_H

#include <stdbool.h>

#include "keymap.h"

struct view;
struct view_facts;
struct view_todo;

/* Why an act cannot be done while it is shown, as keymap_say() takes it; NULL: it can. Static. */
const char *view_tasks_refusal(const struct view *view, const struct view_facts *facts,
                               enum act act);
/* Carry out a key while it is shown; false: the key means what it means everywhere. */
bool view_tasks_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out);

#endif
