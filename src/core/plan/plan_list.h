/*
 * plan_list.h - lists of texts in plans and settings: paths, names, arguments.
 */
#ifndef DEVS_PLAN_LIST_H
#define DEVS_PLAN_LIST_H

#include "plan_reader.h"

/* Complain if the text at this place may not be. */
typedef void plan_list_fn(struct plan_reader *reader, const struct json_pointer *path,
                          const char *text);

/* Copy the array into *out, which is freed first; an empty one is NULL. Anything that is no
 * array of at most `max` strings is passed over: the schema has complained. */
void plan_list_read(struct plan_reader *reader, const struct json_pointer *path,
                    const struct json *value, size_t max, char ***out);
/* Let `check` look at each of the strings. */
void plan_list_check(struct plan_reader *reader, const struct json_pointer *path,
                     const struct json *value, plan_list_fn *check);

/* Does it stay within the folder that it is relative to: no "..", not absolute, not empty,
 * and not that folder itself? */
bool plan_path_is_within(const char *path);
/* Has it a part ".."? */
bool plan_path_climbs(const char *path);

#endif
