/*
 * plan_workspace.h - the key "workspace" of plans, tasks and settings.
 */
#ifndef DEVS_PLAN_WORKSPACE_H
#define DEVS_PLAN_WORKSPACE_H

#include "plan_reader.h"

/* What the value makes of `base`, key by key; anything that is no workspace leaves it as it
 * is. Another kind than that of the base has none of what only the base's kind may have.
 * Says what is wrong. The caller ends *out with workspace_spec_done(). */
void plan_workspace_read(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out);
/* The same without a word; where one is needed before the walk has come to it. */
void plan_workspace_load(struct plan_reader *reader, const struct json *value,
                         const struct workspace_spec *base, struct workspace_spec *out);

#endif
