/*
 * plan_kind.h - keys that are for later versions: of a workspace and of a sandbox, and
 * the words for agents.
 */
#ifndef DEVS_PLAN_KIND_H
#define DEVS_PLAN_KIND_H

#include "plan_reader.h"

/* A "sandbox": {"kind": "none"} or "none"; keys for other kinds are refused. */
void plan_sandbox_check(struct plan_reader *reader, const struct json_pointer *path,
                        const struct json *value);
/* A "workspace": {"kind": "inplace"} or "inplace" likewise. */
void plan_workspace_check(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value);

/* A key for agents, which this version cannot run. */
void plan_agent_word_check(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value);

#endif
