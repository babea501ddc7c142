/*
 * agent_used.h - what an agent has used: of one attempt, of a task, of a run.
 *
 * A plain value; all zero: nothing yet, or nothing that is known.
 */
#ifndef DEVS_AGENT_USED_H
#define DEVS_AGENT_USED_H

#include <stdint.h>

struct agent_used {
    int64_t turns;
    int64_t calls;       /* of its tools */
    int64_t cost_micro;  /* millionths of a US dollar */
    int64_t tokens;      /* in and out */
    int64_t own_retries; /* requests that the CLI itself made again */
};

#endif
