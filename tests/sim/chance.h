/*
 * chance.h - the simulator's own dice: a seed in, the same numbers out, always.
 */
#ifndef DEVS_SIM_CHANCE_H
#define DEVS_SIM_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

struct chance chance_new(uint64_t seed);
uint64_t chance_next(struct chance *chance);
/* 0 .. below-1. */
int chance_below(struct chance *chance, int below);
/* from .. to, both included. */
int64_t chance_between(struct chance *chance, int64_t from, int64_t to);
/* True `percent` times in a hundred. */
bool chance_hits(struct chance *chance, int percent);

/* One of a table of weights; the sum must not be 0. */
int chance_pick(struct chance *chance, const int *weights, int count);

#endif
