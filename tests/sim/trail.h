/*
 * trail.h - what a task's attempts were like, and whether that loops: the rungs
 * that attempts can come to, written a second time and counted anew each time.
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

/* One attempt that left a fact. */
struct trail_step {
    int step, attempt;
    struct digest result;
    bool failed, poll, news;
    int raw;
};

/* What is said of it. */
struct trail_saying {
    enum entropy_level level;
    enum entropy_rung rung;
    int count;
    int first; /* index of its first step; the last one is the latest */
};

struct trail {
    int count;
    struct trail_step steps[TRAIL_MAX];
    int scale;           /* 1, or what "go on" made of it */
    int nudged;          /* hints since a person last said a word */
    unsigned told_steps; /* bits: steps of the plan that they were about */
    struct trail_saying saying;
    int said_at;      /* how many steps there were when that was said */
    bool news;        /* it is to be told */
    bool newly_stuck; /* before that it was not */
    bool told;
    struct moment since;
};

/* One more attempt. */
void trail_add(struct trail *trail, const struct trail_step *step,
               const struct entropy_limits *limits, const struct moment *at);
/* A person lets it go on. */
void trail_go_on(struct trail *trail, int scale);

#endif
