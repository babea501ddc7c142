/*
 * config.h - devs.config.json: the project's settings, in the run's folder or one
 * above it. Main thread.
 */
#ifndef DEVS_CONFIG_H
#define DEVS_CONFIG_H

#include "attr.h"
#include "err.h"

/* What the file says; -1 where it does not. */
struct config {
    int transient_retries; /* sandbox.transientRetries, 0..PLAN_TRANSIENT_RETRIES_MAX */
};

/* Find and read the settings. A file that is not right is ERR_INVALID, no file is no
 * error. */
ATTR_MUST_USE bool config_read(const char *dir, struct config *out, struct err *err);

#endif
