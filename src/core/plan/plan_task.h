/*
 * plan_task.h - reading the tasks of a plan: their ids, what they need, their steps.
 */
#ifndef DEVS_PLAN_TASK_H
#define DEVS_PLAN_TASK_H

#include "plan_reader.h"

/* What has to be known before the walk, so that the walk can complain in the order of
 * the document: ids, needs, circles. Nothing is complained about here. */
void plan_tasks_prepare(struct plan_reader *reader, const struct json *tasks);

/* Read one that is added to a plan that grows: reader->task, the last one, which has its id and
 * nothing else. It needs no others. `path`: the array's. */
void plan_task_read_added(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *task);

/* Read the array of tasks, which were prepared. */
void plan_tasks_read(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value);

#endif
