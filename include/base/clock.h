/*
 * clock.h - the only place that reads the clocks. Not for core.
 */
#ifndef DEVS_CLOCK_H
#define DEVS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "moment.h"

/* Both clocks now. Any thread. */
struct moment clock_now(void);

/* Has somebody set the wall clock? Compares what two looks say; one's own time, however long, is
 * none. A plain value, zero before the first look. */
struct clock_jump {
    bool has_looked;
    int64_t apart_ms; /* wall clock less steady clock, at the last look */
};
enum { CLOCK_JUMP_MS = 2000 }; /* less is how clocks are kept right */
/* True if it has been moved since the last look, by *moved_ms_out (back: below 0). */
bool clock_jump_look(struct clock_jump *jump, const struct moment *now, int64_t *moved_ms_out);

/* CLOCK_BOOTTIME in microseconds, for measurements. */
int64_t clock_mono_us(void);

enum { CLOCK_TEXT_MAX = 32 };

/* From now on times that are written for people are UTC, or local again. The whole process has one
 * such choice; any thread. */
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

#endif
