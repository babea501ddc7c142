/*
 * plan_policy.h - policies in JSON: those of a plan, of the settings, and of a single
 * step; read and written by the same table.
 *
 * Policies are needed before the walk through the document comes to them: they are
 * loaded first, without a word; what is wrong is said when the walk is there.
 */
#ifndef DEVS_PLAN_POLICY_H
#define DEVS_PLAN_POLICY_H

#include "plan_reader.h"
#include "settings.h"
#include "str.h"

enum {
    SETTINGS_POLICIES_MAX = PLAN_POLICIES_MAX + 2, /* two have short words of their own */
    PLAN_POLICY_BUILTIN = 5, /* those that a change of policies makes the plan's own */
    /* The settings', the plan's, one of a command and these. */
    PLAN_POLICY_ROOM = SETTINGS_POLICIES_MAX + PLAN_POLICIES_MAX + 1 + PLAN_POLICY_BUILTIN,
};

/* Copy the policies of the settings into plan->policies, which is empty and has room for
 * PLAN_POLICY_ROOM. */
void plan_take_settings(struct plan *plan, const struct settings *settings);

/* Take the policies of the object `value` (anything else: none) into reader->policies,
 * which has room for PLAN_POLICIES_MAX more, as its inner ones. */
void plan_policies_load(struct plan_reader *reader, const struct json *value);
/* Say what is wrong with them. */
void plan_policies_check(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value);

/* Make *out what the object `value` says of a policy, which begins as the one that it is
 * "like", else as `otherwise`. Its name is that one's with a '+'. */
void plan_policy_read_own(struct plan_reader *reader, const struct json_pointer *path,
                          const struct json *value, const struct policy *otherwise,
                          struct policy *out);

/* The policy that the string names; NULL if there is none. */
const struct policy *plan_policy_by_name(struct plan_reader *reader,
                                         const struct json_pointer *path, const struct json *value);

/* Read the fields of a policy into *reader->policy. */
void plan_policy_read_fields(struct plan_reader *reader, const struct json_pointer *path,
                             const struct json *value);

/* A JSON object with every field of the policy but its name. One of a step's own is
 * written as like the one that it began as. */
void plan_policy_write(const struct policy *policy, struct str *out);

#endif
