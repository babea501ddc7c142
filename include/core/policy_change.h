/*
 * policy_change.h - other policies than those that a run had: the file of
 * `devs debug --what-if`, and what it makes of a plan.
 *
 * Three forms, of which the first two may stand together; then what names a policy wins:
 *
 *   {"policies": {"default": {"cap_ms": 20000}}}   by name, as in devs.config.json, whose other
 *                                                  keys are passed over
 *   {"policy": {"cap_ms": 20000}}                  of every step; or a name: {"policy": "research"}
 *   {"cap_ms": 20000}                              the same
 *
 * A field that is not said stays as the run had it; "like" begins from another policy instead, a
 * built-in one or one of the file. Starts that fail ("infrastructure") are changed by that name
 * only. A step's own policy is no policy by name.
 */
#ifndef DEVS_POLICY_CHANGE_H
#define DEVS_POLICY_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "plan.h"
#include "str.h"
#include "violation.h"

enum { POLICY_CHANGE_BYTES_MAX = SETTINGS_BYTES_MAX };

struct policy_change;

/* Read the text with the checks of settings. False and *violations filled (all that is wrong) if
 * it is not right. The caller ends *out with policy_change_free(), *violations with
 * violations_done(). Does not change afterwards; any thread may read it. */
ATTR_MUST_USE bool policy_change_read(const char *text, size_t len, struct policy_change **out,
                                      struct violations *violations);
/* NULL is allowed. */
void policy_change_free(struct policy_change *change);

/* Give the steps of the plan, which plan_parse() has read, the policies that the change says. */
void policy_change_apply(const struct policy_change *change, struct plan *plan);

/* What it says, one line: "cap 20 s, 2 equal results end it", "default: 5 tries; mine: cap 1 s". */
void policy_change_words(const struct policy_change *change, struct str *out);

#endif
