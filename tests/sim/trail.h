/*
 * trail.h - the history of a task's attempts, and whether they are looping: the loop rungs for
 * attempts, written a second time and computed from scratch each time.
 *
 * A plain value; nothing here calls the code under test.
 */
#ifndef DEVS_SIM_TRAIL_H
#define DEVS_SIM_TRAIL_H

#include <stdbool.h>

#include "digest.h"
#include "entropy.h"
#include "moment.h"

enum { TRAIL_MAX = 160 };

/* An attempt that left a fact. */
struct trail_step {
    int step, attempt;
    struct digest result;
    bool failed, poll, news;
    int raw;
};

/* The result of loop detection. */
struct trail_saying {
    enum entropy_level level;
    enum entropy_rung rung;
    int count;
    int first; /* index of its first step; the last one is the latest */
};

struct trail {
    int count;
    struct trail_step steps[TRAIL_MAX];
    int scale;           /* 1, or the value set by "go on" */
    int nudged;          /* hints since the user last intervened */
    unsigned told_steps; /* bits: steps of the plan that the hints were about */
    struct trail_saying saying;
    int said_at;      /* number of steps at that time */
    bool news;        /* it has to be reported */
    bool newly_stuck; /* it was not stuck before */
    bool told;
    struct moment since;
};

/* Adds an attempt. */
void trail_add(struct trail *trail, const struct trail_step *step,
               const struct entropy_limits *limits, const struct moment *at);
/* The user lets it continue. */
void trail_go_on(struct trail *trail, int scale);

#endif
