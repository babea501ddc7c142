/*
 * plan_sandbox.h - the key "sandbox" of plans, steps and settings.
 */
#ifndef DEVS_PLAN_SANDBOX_H
#define DEVS_PLAN_SANDBOX_H

#include "plan_reader.h"

/* What the value makes of `base`, key by key; anything that is no sandbox leaves it as it is.
 * Another kind than that of the base has none of what only the base's kind may have. Says
 * what is wrong. The caller ends *out with sandbox_spec_done(). */
void plan_sandbox_read(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out);
/* The same without a word; where one is needed before the walk has come to it. */
void plan_sandbox_load(struct plan_reader *reader, const struct json *value,
                       const struct sandbox_spec *base, struct sandbox_spec *out);

#endif
