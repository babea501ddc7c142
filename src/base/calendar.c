/*
 * calendar.c - converts between Gregorian dates and day numbers.
 */
#include "calendar.h"

enum { DAYS_OF_400_YEARS = 146097, DAYS_TO_1970 = 719468 };

/* Years are counted from March, so that the leap day is the last day of the year. */
int64_t calendar_days(int64_t year, int month, int day)
{
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const int64_t of_era = y - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * DAYS_OF_400_YEARS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           DAYS_TO_1970;
}

int64_t calendar_year(int64_t at_s)
{
    int64_t year = 1970 + at_s / ((int64_t)366 * CALENDAR_DAY_S);
    while (calendar_days(year, 1, 1) * CALENDAR_DAY_S > at_s)
        year--;
    while (calendar_days(year + 1, 1, 1) * CALENDAR_DAY_S <= at_s)
        year++;
    return year;
}

void calendar_date(int64_t days, int *year_out, int *month_out, int *day_out)
{
    const int64_t year = calendar_year(days * CALENDAR_DAY_S);
    int month = 12;
    while (calendar_days(year, month, 1) > days)
        month--;
    *year_out = (int)year;
    *month_out = month;
    *day_out = (int)(days - calendar_days(year, month, 1)) + 1;
}
