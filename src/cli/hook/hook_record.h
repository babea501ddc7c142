/*
 * hook_record.h - what an agent told a hook goes into the log, and comes back as an answer.
 */
#ifndef DEVS_HOOK_RECORD_H
#define DEVS_HOOK_RECORD_H

#include "attr.h"
#include "err.h"
#include "hook_event.h"
#include "place.h"
#include "str.h"

enum { HOOK_WAIT_MS_MAX = 3000 /* for others who write at the same time */ };

/* Record the event in the log; *answer gets what the agent is to be told, nothing if that is
 * nothing. `now` is taken from the clock. False: it could not be recorded. */
ATTR_MUST_USE bool hook_record(const struct place *place, const struct hook_input *input,
                               struct str *answer, struct err *err);

#endif
