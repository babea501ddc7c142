/*
 * agent_used.h - what an agent has used: in an attempt, a task or a run. A plain value; zero-
 * initialized: nothing yet, or unknown.
 */
#ifndef DEVS_AGENT_USED_H
#define DEVS_AGENT_USED_H

#include <stdint.h>

/* Limit of each sum: larger reports of a CLI are not believed, and no log accepts them. */
#define AGENT_USED_MAX INT64_C(1000000000000000)

struct agent_used {
    int64_t turns;
    int64_t calls;       /* of its tools */
    int64_t cost_micro;  /* millionths of a US dollar */
    int64_t tokens;      /* in and out */
    int64_t own_retries; /* requests that the CLI itself retried */
    int64_t refused;     /* calls that the CLI denied */
};

/* Returns a + b, clamped to 0..AGENT_USED_MAX. Neither may be further from 0 than that. */
int64_t agent_used_sum(int64_t a, int64_t b);
/* Adds each member like agent_used_sum(). */
void agent_used_add(struct agent_used *sum, const struct agent_used *used);

struct event;
/* Returns the usage in an EVENT_AGENT_USED. */
struct agent_used agent_used_of_event(const struct event *event);

#endif
