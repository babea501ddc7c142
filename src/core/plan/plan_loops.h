/*
 * plan_loops.h - the object "loops" of a plan and of the settings: from how many repeats
 * on something loops. The table of entropy_limits.h names its fields.
 */
#ifndef DEVS_PLAN_LOOPS_H
#define DEVS_PLAN_LOOPS_H

#include <stdbool.h>

#include "entropy_limits.h"
#include "json.h"
#include "str.h"

/* Take what the object says into *loops, the other fields stay; anything else says
 * nothing. *is_said becomes true if it was one. */
void plan_loops_read(const struct json *value, struct entropy_limits *loops, bool *is_said);

/* A JSON object with every field. */
void plan_loops_write(const struct entropy_limits *loops, struct str *out);

#endif
