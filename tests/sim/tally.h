/*
 * tally.h - how often each thing has occurred over all runs, and whether that was enough.
 *
 * A plain value without pointers: workers pass it through shared memory.
 */
#ifndef DEVS_SIM_TALLY_H
#define DEVS_SIM_TALLY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "control.h"
#include "event.h"
#include "outcome.h"
#include "plot.h"
#include "rules.h"

enum {
    TALLY_FULL = 10000, /* runs; fewer say nothing about rare events */
    TALLY_ENOUGH = 20,  /* of each, per 1,000 runs */
    TALLY_CRASHES = 5,  /* after each kind of event; there are few crashes per run, and many
                           events */
    TALLY_RUNS = 100,   /* no averages for fewer */
    TALLY_TASKS = 8,    /* required average per run */
    TALLY_STEPS = 3,    /* required average per task */
    TALLY_EVENTS = 150,
};

/* What happened to a gate. */
enum tally_gate {
    TALLY_GATE_CLOSES,  /* a limit */
    TALLY_GATE_LONGER,  /* another limit while it was closed */
    TALLY_GATE_AGAIN,   /* the probe hit the limit */
    TALLY_GATE_LOST,    /* the probe's end was inconclusive */
    TALLY_GATE_SENT,    /* the user chose the probe */
    TALLY_GATE_OPENS,   /* nothing was waiting */
    TALLY_GATE_SPREADS, /* waiting tasks start one by one */
    TALLY_GATE_COUNT,
};

struct tally {
    int64_t runs, tasks, steps, turns;
    int64_t events[EVENT_KIND_COUNT];
    int64_t rows[ROW_COUNT];
    int64_t jitters[3];
    int64_t policies[PLOT_BUILTIN + 1];     /* attempts under each policy; last: a plan's own */
    int64_t phases[PHASE_COUNT];            /* attempts */
    int64_t acts[CONTROL_VERB_COUNT][2][2]; /* [verb][of the run][done] */
    int64_t crashes[EVENT_KIND_COUNT];      /* after an event of each kind; 0: before any */
    int64_t gates[TALLY_GATE_COUNT];
    int64_t reboots, orphan_acts, leaves, wall_jumps, sleeps, stale, followers, refolds;
    int64_t ends[5]; /* runs by exit code: 0, 1, 3, 4, 130 */
};

void tally_add(struct tally *tally, const struct tally *other);
/* Prints the counters, one per line. */
void tally_print(const struct tally *tally, FILE *out);
/* Prints what occurred too rarely, or that there were too few runs to tell. Returns true if
 * neither. */
bool tally_is_enough(const struct tally *tally, FILE *out);
/* Prints what an average run lacks. Returns true if nothing. */
bool tally_is_rich(const struct tally *tally, FILE *out);

#endif
