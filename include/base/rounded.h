/*
 * rounded.h - rounds numbers for display. Pure; any thread.
 *
 * Running counters (seconds so far, bytes read so far, percent done) are truncated instead, so that
 * they are never ahead.
 */
#ifndef DEVS_ROUNDED_H
#define DEVS_ROUNDED_H

#include <stdint.h>

/* Returns `value` in whole units (> 0), rounded to nearest; halves round away from zero, so that
 * -3599.5 s becomes -3600 s. */
static inline int64_t rounded(int64_t value, int64_t unit)
{
    const int64_t whole = value / unit, rest = value % unit;
    if (rest >= 0)
        return whole + (rest >= unit - rest ? 1 : 0);
    return whole - (-rest >= unit + rest ? 1 : 0);
}

#endif
