/*
 * config.h - devs.config.json: the project's settings, in the run's folder or one
 * above it.
 */
#ifndef DEVS_CONFIG_H
#define DEVS_CONFIG_H

#include "attr.h"
#include "err.h"
#include "plan.h"

/* Find and apply the settings to a plan. *plan is replaced (and the old one freed)
 * where they change it; *changed says so. Keys: sandbox.transientRetries. A file that
 * is not right is ERR_INVALID, no file is no error. */
ATTR_MUST_USE bool config_apply(const char *dir, struct plan **plan, bool *changed,
                                struct err *err);

#endif
