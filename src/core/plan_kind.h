/*
 * plan_kind.h - keys that are for later versions: the words for agents.
 */
#ifndef DEVS_PLAN_KIND_H
#define DEVS_PLAN_KIND_H

#include "plan_reader.h"

/* A key for agents, which this version cannot run. */
void plan_agent_word_check(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value);

#endif
