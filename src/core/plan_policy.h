/*
 * plan_policy.h - the "policies" of a plan, read and written by the same table.
 */
#ifndef DEVS_PLAN_POLICY_H
#define DEVS_PLAN_POLICY_H

#include "plan_reader.h"
#include "str.h"

/* Read the object `value` (NULL: none) into the plan's policies. Complaints go to
 * reader->policy_violations. */
void plan_policies_read(struct plan_reader *reader, const struct json *value);

/* A JSON object with every field of the policy but its name. */
void plan_policy_write(const struct policy *policy, struct str *out);

#endif
