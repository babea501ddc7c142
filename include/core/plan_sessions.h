/*
 * plan_sessions.h - which tasks of a plan go on in one session of an agent. Pure.
 *
 * An agent writes its session as it works: two that go on in one at the same time spoil it for
 * both. So one of two such tasks has to need the other, directly or by way of others.
 */
#ifndef DEVS_PLAN_SESSIONS_H
#define DEVS_PLAN_SESSIONS_H

#include <stdbool.h>

#include "attr.h"
#include "plan.h"
#include "violation.h"

/* Sessions that several tasks of a plan may share: each of them costs a look at all tasks. */
enum { PLAN_SESSIONS_SHARED_MAX = 64 };

/* May no two tasks be in one session at a time? Else a violation names each session's first two
 * that may. The plan has no circles (plan_parse() sees to that). O(tasks and needs), for each
 * session that is shared. */
ATTR_MUST_USE bool plan_sessions_check(const struct plan *plan, struct violations *violations);

#endif
