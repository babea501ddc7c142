/*
 * classify_agent.h - the verdict of what an agent's CLI tells of its own end. Pure; classify.c
 * only.
 */
#ifndef DEVS_CLASSIFY_AGENT_H
#define DEVS_CLASSIFY_AGENT_H

#include "classify.h"
#include "classify_rules.h"

/* False where facts and text must say; *structured: stdout is the agent's protocol, not words of
 * its end. */
bool classify_by_agent(const struct rules *rules, const struct classify_input *input,
                       struct verdict *out, bool *structured);

/* The verdict on the failure that the agent reports for its last own retry, if that was not
 * answered. False if there is none, or if no rule matches. */
bool classify_by_own_retry(const struct rules *rules, const struct classify_input *input,
                           struct verdict *out);

/* For an attempt that was cancelled: an error that the agent reported before and that no successful
 * call followed becomes the matched line. */
void classify_quote_failure(const struct classify_input *input, struct verdict *out);

/* Was it ended by a signal that asks to? Its events, and the end of them, say more than that. */
bool classify_agent_interrupted(const struct classify_input *input);

#endif
