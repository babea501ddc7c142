/*
 * orphan.h - acts on a run that nobody owns any more: what needs no engine is
 * done, the rest refused. Private to store; any thread.
 */
#ifndef DEVS_ORPHAN_H
#define DEVS_ORPHAN_H

#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Take the run's owner lock and answer every control that is open. ERR_BUSY: it
 * has an owner after all, who will. */
ATTR_MUST_USE bool orphan_answer(const struct place *place, int64_t run, struct err *err);

#endif
