/*
 * plan_kind.h - keys whose other values are for later versions: kinds of a workspace
 * and of a sandbox, and the words for agents.
 */
#ifndef DEVS_PLAN_KIND_H
#define DEVS_PLAN_KIND_H

#include "plan_reader.h"

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
