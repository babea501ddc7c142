/*
 * calendar.h - days of the Gregorian calendar, as numbers. Pure.
 */
#ifndef DEVS_CALENDAR_H
#define DEVS_CALENDAR_H

#include <stdint.h>

enum { CALENDAR_DAY_S = 86400 };

/* Days from 1 January 1970 to a date; month 1..12, day from 1 (a day beyond the
 * month counts on into the next). */
int64_t calendar_days(int64_t year, int month, int day);

/* The date of a day that calendar_days() counts. */
void calendar_date(int64_t days, int *year_out, int *month_out, int *day_out);

/* The year that holds a moment given in seconds since 1970. */
int64_t calendar_year(int64_t at_s);

#endif
