/*
 * chance.h - the simulator's own random numbers: the same seed always gives the same numbers.
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
/* Returns 0 .. below-1. */
int chance_below(struct chance *chance, int below);
/* Returns from .. to, both included. */
int64_t chance_between(struct chance *chance, int64_t from, int64_t to);
/* Returns true with a probability of `percent` %. */
bool chance_hits(struct chance *chance, int percent);

/* Picks an index from a table of weights, whose sum must not be 0. */
int chance_pick(struct chance *chance, const int *weights, int count);

#endif
