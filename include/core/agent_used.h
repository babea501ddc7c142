/*
 * agent_used.h - what an agent has used: of one attempt, of a task, of a run.
 *
 * A plain value; all zero: nothing yet, or nothing that is known.
 */
#ifndef DEVS_AGENT_USED_H
#define DEVS_AGENT_USED_H

#include <stdint.h>

/* Of each sum: what a CLI says beyond it is not believed, and no log takes it. */
#define AGENT_USED_MAX INT64_C(1000000000000000)

struct agent_used {
    int64_t turns;
    int64_t calls;       /* of its tools */
    int64_t cost_micro;  /* millionths of a US dollar */
    int64_t tokens;      /* in and out */
    int64_t own_retries; /* requests that the CLI itself made again */
    int64_t refused;     /* calls that the CLI did not allow */
};

/* a + b, at least 0 and at most AGENT_USED_MAX. Neither may be further from 0 than that. */
int64_t agent_used_sum(int64_t a, int64_t b);
/* The same of each of them. */
void agent_used_add(struct agent_used *sum, const struct agent_used *used);

struct event;
/* What an event of the kind EVENT_AGENT_USED says. */
struct agent_used agent_used_of_event(const struct event *event);

#endif
