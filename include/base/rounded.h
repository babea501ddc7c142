/*
 * rounded.h - figures for people: rounded, not truncated. Pure; any thread.
 *
 * A counter that runs (seconds so far, bytes read so far, percent done) is truncated instead, so
 * that it is never ahead.
 */
#ifndef DEVS_ROUNDED_H
#define DEVS_ROUNDED_H

#include <stdint.h>

/* How many whole units (> 0) are nearest to `value`; halves go away from zero, so -3599.5 s are
 * -3600 s. */
static inline int64_t rounded(int64_t value, int64_t unit)
{
    const int64_t whole = value / unit, rest = value % unit;
    if (rest >= 0)
        return whole + (rest >= unit - rest ? 1 : 0);
    return whole - (-rest >= unit + rest ? 1 : 0);
}

#endif
