/*
 * agent_json.h - the agents of a run as members of JSON objects. Pure.
 */
#ifndef DEVS_AGENT_JSON_H
#define DEVS_AGENT_JSON_H

#include "run_state.h"
#include "str.h"

/* "turns", "calls", "cost_usd", "tokens", and "own_retries" and "refused" if there are any. */
void agent_used_json(const struct agent_used *used, struct str *out);
/* Of a task that has an agent, inside the caller's braces: "agent", "session_id" (as soon as they
 * are known), "round", "rounds", "turns", "calls", "cost_usd", "tokens", "own_retries", "refused",
 * "refused_call" (the last one of the latest attempt), "nudge",
 * and "budgets" with "used" and "limit" for each that has a limit. Nothing for any other task. */
void agent_json(const struct run_state *state, int task, const struct moment *now, struct str *out);
/* The same sums and budgets of a run; nothing where no task has an agent. "session_id" where all
 * its agents' sessions are one. */
void agents_json(const struct run_state *state, const struct moment *now, struct str *out);

#endif
