/*
 * plan_step.h - reading the steps of one task, and what plans and steps share.
 */
#ifndef DEVS_PLAN_STEP_H
#define DEVS_PLAN_STEP_H

#include "plan_reader.h"

/* Read the array of steps into the reader's present task. */
void plan_steps_read(struct plan_reader *reader, const struct plan_path *path,
                     const struct json *value);

/* Check a "sandbox": {"kind": "none"} or "none". */
void plan_sandbox_read(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value);
/* Check a "workspace": {"kind": "inplace"} or "inplace". */
void plan_workspace_read(struct plan_reader *reader, const struct plan_path *path,
                         const struct json *value);

/* A key for agents, which this version cannot run. */
void plan_agent_word_read(struct plan_reader *reader, const struct plan_path *path,
                          const struct json *value);

#endif
