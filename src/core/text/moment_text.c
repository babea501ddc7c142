/* moment_text.c - reads points in time: HTTP dates, RFC 3339, and times of day.
 *
 * Names of months and days are English, regardless of the locale. */
#include "moment_text.h"

#include <string.h>

#include "ascii.h"
#include "calendar.h"

enum { HOUR_S = 3600, MINUTE_S = 60, SHORT_NAME = 3 };

/* The unread rest of a string. */
struct cursor {
    const char *at;
    const char *end;
};

struct date {
    int year, month, day, hour, minute, second;
};

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
static const char *const weekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday"};

static bool take_text(struct cursor *cursor, const char *word)
{
    const size_t len = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < len || memcmp(cursor->at, word, len) != 0)
        return false;
    cursor->at += len;
    return true;
}

static bool take_either(struct cursor *cursor, const char *one, const char *other)
{
    return take_text(cursor, one) || take_text(cursor, other);
}

static bool at_digit(const struct cursor *cursor)
{
    return cursor->at < cursor->end && ascii_is_digit(*cursor->at);
}

/* Reads between `least` and `most` digits. */
static bool take_digits(struct cursor *cursor, int least, int most, int *out)
{
    int value = 0;
    int count = 0;
    for (; count < most && at_digit(cursor); count++)
        value = value * 10 + (*cursor->at++ - '0');
    *out = value;
    return count >= least;
}

static bool take_month(struct cursor *cursor, int *out)
{
    for (int i = 0; i < 12; i++) {
        if (cursor->end - cursor->at >= SHORT_NAME &&
            memcmp(cursor->at, months + (size_t)SHORT_NAME * (size_t)i, SHORT_NAME) == 0) {
            cursor->at += SHORT_NAME;
            *out = i + 1;
            return true;
        }
    }
    return false;
}

static bool take_weekday(struct cursor *cursor, size_t letters)
{
    for (size_t i = 0; i < sizeof(weekdays) / sizeof(weekdays[0]); i++) {
        const size_t len = letters > 0 ? letters : strlen(weekdays[i]);
        if ((size_t)(cursor->end - cursor->at) >= len &&
            memcmp(cursor->at, weekdays[i], len) == 0) {
            cursor->at += len;
            return true;
        }
    }
    return false;
}

static bool take_time(struct cursor *cursor, struct date *date)
{
    return take_digits(cursor, 2, 2, &date->hour) && take_text(cursor, ":") &&
           take_digits(cursor, 2, 2, &date->minute) && take_text(cursor, ":") &&
           take_digits(cursor, 2, 2, &date->second);
}

static bool is_date(const struct date *date)
{
    if (date->month < 1 || date->month > 12 || date->day < 1 || date->hour > 23 ||
        date->minute > 59 || date->second > 60)
        return false;
    const int64_t first = calendar_days(date->year, date->month, 1);
    const int64_t next = date->month == 12 ? calendar_days(date->year + 1, 1, 1)
                                           : calendar_days(date->year, date->month + 1, 1);
    return first + date->day <= next;
}

static int64_t seconds_of(const struct date *date)
{
    return calendar_days(date->year, date->month, date->day) * CALENDAR_DAY_S +
           date->hour * HOUR_S + date->minute * MINUTE_S + date->second;
}

static bool read_imf(struct cursor cursor, struct date *date)
{
    return take_weekday(&cursor, SHORT_NAME) && take_text(&cursor, ", ") &&
           take_digits(&cursor, 2, 2, &date->day) && take_text(&cursor, " ") &&
           take_month(&cursor, &date->month) && take_text(&cursor, " ") &&
           take_digits(&cursor, 4, 4, &date->year) && take_text(&cursor, " ") &&
           take_time(&cursor, date) && take_text(&cursor, " GMT") && cursor.at == cursor.end;
}

/* Reads an RFC 850 date. A two-digit year that would be more than 50 years ahead is in the past. */
static bool read_rfc850(struct cursor cursor, int64_t now_s, struct date *date)
{
    int year = 0;
    if (!take_weekday(&cursor, 0) || !take_text(&cursor, ", ") ||
        !take_digits(&cursor, 2, 2, &date->day) || !take_text(&cursor, "-") ||
        !take_month(&cursor, &date->month) || !take_text(&cursor, "-") ||
        !take_digits(&cursor, 2, 2, &year) || !take_text(&cursor, " ") ||
        !take_time(&cursor, date) || !take_text(&cursor, " GMT") || cursor.at != cursor.end)
        return false;
    const int64_t now = calendar_year(now_s);
    int64_t full = now - now % 100 + year;
    if (full > now + 50)
        full -= 100;
    else if (full + 100 <= now + 50)
        full += 100;
    date->year = (int)full;
    return true;
}

static bool read_asctime(struct cursor cursor, struct date *date)
{
    if (!take_weekday(&cursor, SHORT_NAME) || !take_text(&cursor, " ") ||
        !take_month(&cursor, &date->month) || !take_text(&cursor, " "))
        return false;
    (void)take_text(&cursor, " "); /* day with a single digit */
    return take_digits(&cursor, 1, 2, &date->day) && take_text(&cursor, " ") &&
           take_time(&cursor, date) && take_text(&cursor, " ") &&
           take_digits(&cursor, 4, 4, &date->year) && cursor.at == cursor.end;
}

bool moment_text_http(const char *text, size_t len, int64_t now_s, int64_t *out_s)
{
    const struct cursor cursor = {.at = text, .end = text + len};
    struct date date = {0};
    if (!read_imf(cursor, &date) && !read_rfc850(cursor, now_s, &date) &&
        !read_asctime(cursor, &date))
        return false;
    if (!is_date(&date))
        return false;
    *out_s = seconds_of(&date);
    return true;
}

/* Reads the fraction of a second as milliseconds; cuts off further digits. */
static bool take_fraction(struct cursor *cursor, int *out_ms)
{
    *out_ms = 0;
    if (!take_text(cursor, "."))
        return true;
    int place = 100;
    const char *start = cursor->at;
    for (; at_digit(cursor); cursor->at++, place /= 10)
        *out_ms += place * (*cursor->at - '0');
    return cursor->at > start;
}

static bool take_offset(struct cursor *cursor, int *out_s)
{
    *out_s = 0;
    if (take_either(cursor, "Z", "z"))
        return true;
    const int sign = take_text(cursor, "-") ? -1 : 1;
    int hours = 0;
    int minutes = 0;
    if (sign > 0 && !take_text(cursor, "+"))
        return false;
    if (!take_digits(cursor, 2, 2, &hours) || !take_text(cursor, ":") ||
        !take_digits(cursor, 2, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *out_s = sign * (hours * HOUR_S + minutes * MINUTE_S);
    return true;
}

bool moment_text_rfc3339(const char *text, size_t len, int64_t *out_ms)
{
    struct cursor cursor = {.at = text, .end = text + len};
    struct date date = {0};
    int ms = 0;
    int offset = 0;
    bool ok = take_digits(&cursor, 4, 4, &date.year) && take_text(&cursor, "-") &&
              take_digits(&cursor, 2, 2, &date.month) && take_text(&cursor, "-") &&
              take_digits(&cursor, 2, 2, &date.day) &&
              (take_either(&cursor, "T", "t") || take_text(&cursor, " ")) &&
              take_time(&cursor, &date) && take_fraction(&cursor, &ms) &&
              take_offset(&cursor, &offset);
    if (!ok || cursor.at != cursor.end || !is_date(&date))
        return false;
    *out_ms = (seconds_of(&date) - offset) * 1000 + ms;
    return true;
}

/* Reads the day and the year after a month, as in "Nov 24, ", "Nov 24th, 2026 " or "Nov 24 at ". */
static bool take_day(struct cursor *cursor, struct clock_text *out)
{
    if (!take_text(cursor, " ") || !take_digits(cursor, 1, 2, &out->day) || out->day < 1 ||
        out->day > 31)
        return false;
    (void)(take_either(cursor, "st", "nd") || take_either(cursor, "rd", "th"));
    (void)take_text(cursor, ",");
    struct cursor year = *cursor;
    if (take_text(&year, " ") && take_digits(&year, 4, 4, &out->year))
        *cursor = year;
    else
        out->year = 0;
    (void)take_text(cursor, " at");
    return take_text(cursor, " ");
}

bool moment_text_clock(const char *text, size_t len, struct clock_text *out)
{
    struct cursor cursor = {.at = text, .end = text + len};
    *out = (struct clock_text){0};
    if (take_month(&cursor, &out->month) && !take_day(&cursor, out))
        return false;
    int hour = 0;
    int minute = 0;
    if (!take_digits(&cursor, 1, 2, &hour))
        return false;
    const bool minutes = take_text(&cursor, ":");
    if (minutes && !take_digits(&cursor, 2, 2, &minute))
        return false;
    (void)take_text(&cursor, " ");
    const bool is_pm = take_either(&cursor, "pm", "PM");
    const bool is_half = (is_pm || take_either(&cursor, "am", "AM")) && hour >= 1 && hour <= 12;
    if (is_half)
        hour = hour % 12 + (is_pm ? 12 : 0);
    else if (!minutes || cursor.at != cursor.end)
        return false; /* "3" alone is not a time */
    out->minute = hour * 60 + minute;
    return cursor.at == cursor.end && hour < 24 && minute < 60;
}
