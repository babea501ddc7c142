/*
 * agent_session.h - which session of its agent an attempt continues. Pure; any thread.
 */
#ifndef DEVS_AGENT_SESSION_H
#define DEVS_AGENT_SESSION_H

#include "run_state.h"

/* Returns the id of the session that the next attempt of this agent's step continues: the last one
 * that the task's agent reported, otherwise the plan's `resume`. Returns NULL if a new session
 * begins: there is none, the agent cannot continue one, or its id was redacted as a secret.
 * Borrowed from the state or the plan. */
const char *agent_session_next(const struct run_state *state, int task,
                               const struct plan_agent *agent);

/* Returns the arguments of the step's latest attempt, or of the next one if the step is waiting for
 * it: those of adapter_argv() without the prompt, or a copy of the plan's if the step has no agent.
 * The caller frees them with adapter_argv_free(). */
char **agent_session_argv(const struct run_state *state, int task, int step);

#endif
