/*
 * clock.h - the only place that reads the clocks, and times as people write them. Not for core.
 */
#ifndef DEVS_CLOCK_H
#define DEVS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "moment.h"

/* Both clocks now. Any thread. */
struct moment clock_now(void);

/* Finds out whether somebody set the wall clock, by comparing both clocks at two looks; time that
 * merely passes between them does not count. A plain value, zero before the first look. */
struct clock_jump {
    bool has_looked;
    int64_t apart_ms; /* wall clock minus steady clock, at the last look */
};
enum { CLOCK_JUMP_MS = 2000 }; /* a smaller step is an ordinary correction */
/* True if it was set since the last look, by *moved_ms_out (negative: set back). */
bool clock_jump_look(struct clock_jump *jump, const struct moment *now, int64_t *moved_ms_out);

/* CLOCK_BOOTTIME in microseconds, for measurements. */
int64_t clock_mono_us(void);

enum { CLOCK_TEXT_MAX = 32 };

/* From now on write times for people in UTC, or in local time again. One choice for the whole
 * process; any thread. */
void clock_show_utc(bool utc);

/* Local time as HH:MM:SS, or UTC after clock_show_utc(). Returns out. */
const char *clock_hms(int64_t at_ms, char out[CLOCK_TEXT_MAX]);
/* The same with milliseconds: HH:MM:SS.mmm. */
const char *clock_hms_ms(int64_t at_ms, char out[CLOCK_TEXT_MAX]);
/* Local time as HH:MM; on another day than that of `now_ms` "Sun HH:MM", a week or more away
 * "29 Nov HH:MM". Returns out. */
const char *clock_short(int64_t at_ms, int64_t now_ms, char out[CLOCK_TEXT_MAX]);
/* Local date and time as YYYY-MM-DD HH:MM:SS. Returns out. */
const char *clock_date(int64_t at_ms, char out[CLOCK_TEXT_MAX]);
/* UTC as RFC 3339 with milliseconds, for JSON. Returns out. */
const char *clock_rfc3339(int64_t at_ms, char out[CLOCK_TEXT_MAX]);

/* The period that a person's words about time refer to: UTC, ms. */
struct clock_span {
    int64_t from_ms, until_ms;
};

/* The wall time that these words mean:
 *   14:00, 14:00:31              on the day on which the span begins, or on the next day if that is
 *                                within the span or nearer to it
 *   2025-11-20 14:00[:31]        local time; 'T' may replace the blank
 *   2025-11-20T14:00[:31]Z       UTC
 *   -2m, -90s, -1h, -1:30        that long before the end of the span
 * ERR_INVALID for anything else. *out_ms need not be within the span. Any thread. */
ATTR_MUST_USE bool clock_find(const char *words, const struct clock_span *span, int64_t *out_ms,
                              struct err *err);

#endif
