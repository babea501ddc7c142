/*
 * call_run.h - how the run of a session begins and ends: through the scheduler, like any other.
 * Private to store; any thread.
 */
#ifndef DEVS_CALL_RUN_H
#define DEVS_CALL_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "call_log.h"
#include "err.h"
#include "moment.h"
#include "place.h"

/* Begin a run for the session, whose attempt is under way when it returns, and free its owner
 * lock again. A log that is not there is made, an older one brought up to date. */
ATTR_MUST_USE bool call_run_begin(const struct place *place, const struct call_session *session,
                                  const struct moment *now, struct err *err);

/* End it: its attempt ended with this code. ERR_BUSY: somebody owns it. What has ended already
 * stays as it is. */
ATTR_MUST_USE bool call_run_end(const struct place *place, int64_t run, int exit,
                                const struct moment *at, struct err *err);

/* The thresholds of the detector in the run's plan. */
ATTR_MUST_USE bool call_run_limits(const struct place *place, int64_t run,
                                   struct entropy_limits *out, struct err *err);

#endif
