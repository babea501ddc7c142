/*
 * plan_step.h - reading the steps of one task.
 */
#ifndef DEVS_PLAN_STEP_H
#define DEVS_PLAN_STEP_H

#include "plan_reader.h"

/* Read the array of steps into the reader's present task. */
void plan_steps_read(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value);

#endif
