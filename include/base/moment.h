/*
 * moment.h - a point in time on both clocks, as a value.
 *
 * Pure code (core) receives moments as arguments; only clock.h reads the clocks.
 */
#ifndef DEVS_MOMENT_H
#define DEVS_MOMENT_H

#include <stdint.h>

struct moment {
    int64_t at_ms;   /* UTC wall clock, ms since 1970; for people and storage */
    int64_t mono_ms; /* CLOCK_BOOTTIME, ms; for differences and timers */
};

#endif
