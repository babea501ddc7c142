/*
 * plan_surroundings.h - what is around the steps of a plan: where they work, how they are
 * kept apart, their limits, and what happens when the terminal goes away. Plans and settings
 * have the same four keys.
 */
#ifndef DEVS_PLAN_SURROUNDINGS_H
#define DEVS_PLAN_SURROUNDINGS_H

#include "plan_reader.h"
#include "str.h"

/* Reads the value on top of `base`, key by key, and reports errors; anything else than a workspace
 * leaves it as it is. Keys that only the base's kind may have are dropped with another kind. The
 * caller ends *out with workspace_spec_done(). */
void plan_workspace_read(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value, const struct workspace_spec *base,
                         struct workspace_spec *out);
/* The same without reporting errors, for values needed before the walk reaches them. */
void plan_workspace_load(struct plan_reader *reader, const struct json *value,
                         const struct workspace_spec *base, struct workspace_spec *out);
/* plan_workspace_read() for a sandbox. The caller ends *out with sandbox_spec_done(). */
void plan_sandbox_read(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value, const struct sandbox_spec *base,
                       struct sandbox_spec *out);

/* As they are where nothing is said; loops too. */
void plan_surroundings_init(struct plan *plan);
/* Those of the settings, which the plan has as its defaults from now on. */
void plan_surroundings_take(struct plan *plan, const struct settings *settings);

/* What the document says of them, without a word. */
void plan_surroundings_load(struct plan_reader *reader, const struct json *root);
/* Rows of the walk: say what is wrong. */
void plan_surroundings_check_workspace(struct plan_reader *reader, const struct json_pointer *path,
                                       const struct json *value);
/* The same of a "sandbox". */
void plan_surroundings_check_sandbox(struct plan_reader *reader, const struct json_pointer *path,
                                     const struct json *value);

/* Settings: take them, and say what is wrong. *settings is otherwise untouched. */
void plan_surroundings_read(struct plan_reader *reader, const struct json *root,
                            struct settings *settings);

/* The keys of a plan that says something of them. */
void plan_surroundings_write(const struct plan *plan, struct str *out);

#endif
