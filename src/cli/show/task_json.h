/*
 * task_json.h - agents, loops and workspaces of a run as members of JSON objects. Pure. Each
 * function appends members inside the caller's braces.
 */
#ifndef DEVS_TASK_JSON_H
#define DEVS_TASK_JSON_H

#include "run_state.h"
#include "shown.h"
#include "str.h"

/* "turns", "calls", "cost_usd", "tokens", and "own_retries" and "refused" if there are any. */
void agent_used_json(const struct agent_used *used, struct str *out);
/* For a task that has an agent: "agent", "session_id" (as soon as they are known), "round",
 * "rounds", "turns", "calls", "cost_usd", "tokens", "own_retries", "refused", "refused_call" (the
 * last one of the latest attempt), "nudge", and "budgets" with "used" and "limit" for each that has
 * a limit. Nothing for any other task. */
void agent_json(const struct run_state *state, int task, const struct moment *now, struct str *out);
/* The same sums and budgets for a run; nothing if no task has an agent. "session_id" if all its
 * agents' sessions are one. */
void agents_json(const struct run_state *state, const struct moment *now, struct str *out);

/* "circles":{"level","rung","count","period","first_step","first_attempt","last_step",
 * "last_attempt","masked","masks","equal","words"}; nothing if `level` is ok. Steps and attempts
 * count from 1; members that do not apply are left out. */
void circles_json(const struct shown_circle *circle, enum entropy_level level, struct str *out);

/* "workspace": {"kind","path","branch","result"} if the task does not work in place, without a path
 * once the result is kept; "sandbox_lacks": the sandbox keys that are not enforced, in words; and
 * "proofs": what is known of each step that has passed. */
void place_json(const struct run_state *state, int task, struct str *out);

#endif
