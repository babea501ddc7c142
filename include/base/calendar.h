/*
 * calendar.h - conversion between Gregorian dates and day numbers. Pure.
 */
#ifndef DEVS_CALENDAR_H
#define DEVS_CALENDAR_H

#include <stdint.h>

enum { CALENDAR_DAY_S = 86400 };

/* Returns the number of days from 1 January 1970 to the date. `month` is 1..12 and `day` counts
 * from 1; a day past the end of the month falls in the next one. */
int64_t calendar_days(int64_t year, int month, int day);

/* Converts a day number back to a date; the inverse of calendar_days(). */
void calendar_date(int64_t days, int *year_out, int *month_out, int *day_out);

/* Returns the year of a time given in seconds since 1970. */
int64_t calendar_year(int64_t at_s);

#endif
