/*
 * plan_check.h - can this machine give a plan what it asks for? Asked before the run is in the
 * log. Runs probes, within limits: for the thread that starts the engine.
 */
#ifndef DEVS_PLAN_CHECK_H
#define DEVS_PLAN_CHECK_H

#include "attr.h"
#include "err.h"
#include "place.h"
#include "plan.h"

/* ERR_INVALID: a key of a sandbox or a limit cannot be enforced here, and the plan does not say
 * that best effort will do; or a step has a sandbox and the log is not in a directory of its own,
 * where all of it can be hidden from that step. */
ATTR_MUST_USE bool plan_check(const struct plan *plan, const struct place *place,
                              const char *run_dir, struct err *err);

#endif
