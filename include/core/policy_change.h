/*
 * policy_change.h - policies other than those of a run: the file of `devs debug --what-if`, and its
 * effect on a plan.
 *
 * There are three forms. The first two may be combined; a policy by name takes precedence:
 *
 *   {"policies": {"default": {"cap_ms": 20000}}}   by name, as in devs.config.json, whose other
 *                                                  keys are ignored
 *   {"policy": {"cap_ms": 20000}}                  of every step; or a name: {"policy": "research"}
 *   {"cap_ms": 20000}                              the same
 *
 * Fields that are not set stay as in the run. "like" starts from another policy instead, a built-in
 * one or one of the file. Failed starts ("infrastructure") are changed only by that name. A step's
 * own policy cannot be changed by name.
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

/* Reads the text with the checks of settings. On failure returns false and adds everything that is
 * wrong to *violations. The caller frees *out with policy_change_free() and *violations with
 * violations_done(). Immutable; any thread may read it. */
ATTR_MUST_USE bool policy_change_read(const char *text, size_t len, struct policy_change **out,
                                      struct violations *violations);
/* Accepts NULL. */
void policy_change_free(struct policy_change *change);

/* Gives the steps of the plan, which plan_parse() has read, the policies of the change. */
void policy_change_apply(const struct policy_change *change, struct plan *plan);

/* Appends the change as one line: "cap 20 s, 2 equal results end it", "default: 5 tries; mine: cap
 * 1 s". */
void policy_change_words(const struct policy_change *change, struct str *out);

#endif
