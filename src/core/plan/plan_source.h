/*
 * plan_source.h - the sources of a plan: names of what steps share when its
 * service says "too many requests".
 */
#ifndef DEVS_PLAN_SOURCE_H
#define DEVS_PLAN_SOURCE_H

#include "plan_reader.h"

/* Read the "source" of the reader's present step. */
void plan_source_read(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value);

/* The source of a step that says none is this one, if there is room for it. */
void plan_source_take(struct plan *plan, struct plan_step *step, const char *name);
/* The source of a step that says none: the agent CLI that it starts, if it does. */
void plan_source_guess(struct plan *plan, struct plan_step *step);

#endif
