/*
 * agent_session.h - which session of its agent an attempt goes on in. Pure; any thread.
 */
#ifndef DEVS_AGENT_SESSION_H
#define DEVS_AGENT_SESSION_H

#include "run_state.h"

/* The session that the next attempt of this agent's step goes on in, as the state has it: the one
 * that the task's agent told last, else the plan's `resume`. NULL: a new one begins, for there is
 * none, the agent cannot go on in one, or its id is a secret that was cut. Borrowed from the state
 * or the plan. */
const char *agent_session_next(const struct run_state *state, int task,
                               const struct plan_agent *agent);

/* The arguments with which the program of the step's latest attempt was called, or, where the next
 * one is waited for, will be; as adapter_argv() gives them without the prompt; of a step without an
 * agent a copy of the plan's. The caller ends it with adapter_argv_free(). */
char **agent_session_argv(const struct run_state *state, int task, int step);

#endif
