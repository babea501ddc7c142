/*
 * agent_event.h - one JSON event of an agent's output: is it the end, and how
 * did it end? One function for each CLI. Pure.
 */
#ifndef DEVS_AGENT_EVENT_H
#define DEVS_AGENT_EVENT_H

#include <stdbool.h>

#include "agent_result.h"

struct json;

enum agent_step {
    AGENT_STEP_NONE, /* no event of such an output */
    AGENT_STEP_ON,   /* an event on the way: look at the one before */
    AGENT_STEP_END,  /* the result is complete */
};

/* Take one event, the last of the output first. */
enum agent_step agent_event_read(enum agent agent, const struct json *event,
                                 struct agent_result *result);

#endif
