#include "retry_hint.h"

#include "hint_date.h"
#include "hint_form.h"

#include <stdio.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "calendar.h"
#include "words.h"

enum { HOUR_S = 3600, MINUTE_S = 60, SHORT_NAME = 3 };

/* The rest of a text while it is read. */
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

static bool take(struct cursor *cursor, const char *word)
{
    const size_t len = strlen(word);
    if ((size_t)(cursor->end - cursor->at) < len || memcmp(cursor->at, word, len) != 0)
        return false;
    cursor->at += len;
    return true;
}

static bool take_either(struct cursor *cursor, const char *one, const char *other)
{
    return take(cursor, one) || take(cursor, other);
}

static bool at_digit(const struct cursor *cursor)
{
    return cursor->at < cursor->end && ascii_is_digit(*cursor->at);
}

/* Between `least` and `most` digits. */
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
    return take_digits(cursor, 2, 2, &date->hour) && take(cursor, ":") &&
           take_digits(cursor, 2, 2, &date->minute) && take(cursor, ":") &&
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
    return take_weekday(&cursor, SHORT_NAME) && take(&cursor, ", ") &&
           take_digits(&cursor, 2, 2, &date->day) && take(&cursor, " ") &&
           take_month(&cursor, &date->month) && take(&cursor, " ") &&
           take_digits(&cursor, 4, 4, &date->year) && take(&cursor, " ") &&
           take_time(&cursor, date) && take(&cursor, " GMT") && cursor.at == cursor.end;
}

/* A year of two digits that would be more than 50 years ahead is past. */
static bool read_rfc850(struct cursor cursor, int64_t now_s, struct date *date)
{
    int year = 0;
    if (!take_weekday(&cursor, 0) || !take(&cursor, ", ") ||
        !take_digits(&cursor, 2, 2, &date->day) || !take(&cursor, "-") ||
        !take_month(&cursor, &date->month) || !take(&cursor, "-") ||
        !take_digits(&cursor, 2, 2, &year) || !take(&cursor, " ") || !take_time(&cursor, date) ||
        !take(&cursor, " GMT") || cursor.at != cursor.end)
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
    if (!take_weekday(&cursor, SHORT_NAME) || !take(&cursor, " ") ||
        !take_month(&cursor, &date->month) || !take(&cursor, " "))
        return false;
    (void)take(&cursor, " "); /* a day of one digit */
    return take_digits(&cursor, 1, 2, &date->day) && take(&cursor, " ") &&
           take_time(&cursor, date) && take(&cursor, " ") &&
           take_digits(&cursor, 4, 4, &date->year) && cursor.at == cursor.end;
}

bool hint_http_date(const char *text, size_t len, int64_t now_s, int64_t *out_s)
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

/* The fraction of a second, as milliseconds; more digits are cut off. */
static bool take_fraction(struct cursor *cursor, int *out_ms)
{
    *out_ms = 0;
    if (!take(cursor, "."))
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
    const int sign = take(cursor, "-") ? -1 : 1;
    int hours = 0;
    int minutes = 0;
    if (sign > 0 && !take(cursor, "+"))
        return false;
    if (!take_digits(cursor, 2, 2, &hours) || !take(cursor, ":") ||
        !take_digits(cursor, 2, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *out_s = sign * (hours * HOUR_S + minutes * MINUTE_S);
    return true;
}

bool hint_rfc3339(const char *text, size_t len, int64_t *out_ms)
{
    struct cursor cursor = {.at = text, .end = text + len};
    struct date date = {0};
    int ms = 0;
    int offset = 0;
    bool ok = take_digits(&cursor, 4, 4, &date.year) && take(&cursor, "-") &&
              take_digits(&cursor, 2, 2, &date.month) && take(&cursor, "-") &&
              take_digits(&cursor, 2, 2, &date.day) &&
              (take_either(&cursor, "T", "t") || take(&cursor, " ")) && take_time(&cursor, &date) &&
              take_fraction(&cursor, &ms) && take_offset(&cursor, &offset);
    if (!ok || cursor.at != cursor.end || !is_date(&date))
        return false;
    *out_ms = (seconds_of(&date) - offset) * 1000 + ms;
    return true;
}

static bool take_half(struct cursor *cursor, int *hour)
{
    const bool noon = take_either(cursor, "pm", "PM");
    if (!noon && !take_either(cursor, "am", "AM"))
        return false;
    if (*hour < 1 || *hour > 12)
        return false;
    *hour = *hour % 12 + (noon ? 12 : 0);
    return true;
}

/* "Nov 24, ", "Nov 24th, 2026 ", "Nov 24 at " */
static bool take_day(struct cursor *cursor, struct hint_clock *out)
{
    if (!take(cursor, " ") || !take_digits(cursor, 1, 2, &out->day) || out->day < 1 ||
        out->day > 31)
        return false;
    (void)(take_either(cursor, "st", "nd") || take_either(cursor, "rd", "th"));
    (void)take(cursor, ",");
    struct cursor year = *cursor;
    if (take(&year, " ") && take_digits(&year, 4, 4, &out->year))
        *cursor = year;
    else
        out->year = 0;
    (void)take(cursor, " at");
    return take(cursor, " ");
}

bool hint_clock_time(const char *text, size_t len, struct hint_clock *out)
{
    struct cursor cursor = {.at = text, .end = text + len};
    *out = (struct hint_clock){0};
    if (take_month(&cursor, &out->month) && !take_day(&cursor, out))
        return false;
    int hour = 0;
    int minute = 0;
    if (!take_digits(&cursor, 1, 2, &hour))
        return false;
    const bool minutes = take(&cursor, ":");
    if (minutes && !take_digits(&cursor, 2, 2, &minute))
        return false;
    (void)take(&cursor, " ");
    if (!take_half(&cursor, &hour) && (!minutes || cursor.at != cursor.end))
        return false; /* "3" alone is not a time */
    out->minute = hour * 60 + minute;
    return cursor.at == cursor.end && hour < 24 && minute < 60;
}

enum {
    NUMBER_DIGITS_MAX = 18,
    ZONE_NAME_MAX = 48,
    HOUR_MS = 3600 * 1000,
};
/* Smaller epochs are seconds to wait, larger ones count milliseconds. */
#define EPOCH_LEAST    ((int64_t)1000000000)
#define EPOCH_MS_LEAST ((int64_t)100000000000)

static const struct {
    const char *name;
    double ms;
} units[] = {
    {"ms", 1},          {"millisecond", 1}, {"milliseconds", 1}, {"s", 1000},     {"sec", 1000},
    {"secs", 1000},     {"second", 1000},   {"seconds", 1000},   {"m", 60000},    {"min", 60000},
    {"mins", 60000},    {"minute", 60000},  {"minutes", 60000},  {"h", 3600000},  {"hr", 3600000},
    {"hrs", 3600000},   {"hour", 3600000},  {"hours", 3600000},  {"d", 86400000}, {"day", 86400000},
    {"days", 86400000},
};

static bool is_letter(char c)
{
    return ascii_is_lower(words_small(c));
}

/* Digits with at most one point; false if there are none. */
static bool take_number(const char *text, size_t len, size_t *at, double *out)
{
    double value = 0;
    double place = 1;
    bool point = false;
    bool any = false;
    for (; *at < len; (*at)++) {
        const char c = text[*at];
        if (c == '.' && !point && any && *at + 1 < len && ascii_is_digit(text[*at + 1])) {
            point = true;
        } else if (ascii_is_digit(c)) {
            any = true;
            place = point ? place / 10 : place;
            value = point ? value + (c - '0') * place : value * 10 + (c - '0');
        } else {
            break;
        }
    }
    *out = value;
    return any;
}

static bool is_unit(const char *name, const char *text, size_t len)
{
    if (strlen(name) != len)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (words_small(text[i]) != name[i])
            return false;
    }
    return true;
}

/* The unit in ms; 0 for a word that is not a unit, unit_ms if there is no word. */
static double take_unit(const char *text, size_t len, size_t *at, int64_t unit_ms)
{
    size_t start = *at;
    if (start < len && text[start] == ' ')
        start++;
    size_t end = start;
    while (end < len && is_letter(text[end]))
        end++;
    if (end == start)
        return (double)unit_ms;

    *at = end;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (is_unit(units[i].name, text + start, end - start))
            return units[i].ms;
    }
    return 0;
}

/* What may be between "3 days" and "4 hours". */
static void skip_between(const char *text, size_t len, size_t *at)
{
    if (*at < len && text[*at] == ',')
        (*at)++;
    if (*at < len && text[*at] == ' ')
        (*at)++;
    if (len - *at > 4 && memcmp(text + *at, "and ", 4) == 0)
        *at += 4;
}

int64_t hint_duration(const char *text, size_t len, int64_t unit_ms)
{
    double total = 0;
    size_t at = 0;
    if (len == 0)
        return HINT_NONE;
    while (at < len) {
        double number = 0;
        if (!take_number(text, len, &at, &number))
            return HINT_NONE;
        const double ms = take_unit(text, len, &at, unit_ms);
        if (ms <= 0)
            return HINT_NONE;
        total += number * ms;
        if (total > (double)HINT_MAX_MS)
            return HINT_NONE;
        skip_between(text, len, &at);
    }
    return (int64_t)(total + 0.5);
}

static int64_t from_now(const struct hint_text *text, int64_t at_ms)
{
    const int64_t ms = at_ms - text->input->now_ms;
    if (text->input->now_ms == 0 || ms > HINT_MAX_MS)
        return HINT_NONE;
    return ms > 0 ? ms : 0;
}

static int64_t read_duration(const struct hint_text *text)
{
    return hint_duration(text->time, text->time_len, text->unit_ms);
}

/* gRPC: a negative number, or none at all, means that no try is wanted. */
static int64_t read_pushback(const struct hint_text *text)
{
    const int64_t ms = hint_duration(text->time, text->time_len, 1);
    return ms == HINT_NONE ? HINT_STOP : ms;
}

static int64_t read_http_date(const struct hint_text *text)
{
    int64_t at_s = 0;
    if (!hint_http_date(text->time, text->time_len, text->input->now_ms / 1000, &at_s))
        return HINT_NONE;
    return from_now(text, at_s * 1000);
}

static int64_t read_rfc3339(const struct hint_text *text)
{
    int64_t at_ms = 0;
    if (!hint_rfc3339(text->time, text->time_len, &at_ms))
        return HINT_NONE;
    return from_now(text, at_ms);
}

/* Seconds or milliseconds since 1970; a small number is seconds to wait. */
static int64_t read_epoch(const struct hint_text *text)
{
    int64_t value = 0;
    if (text->time_len == 0 || text->time_len > NUMBER_DIGITS_MAX)
        return HINT_NONE;
    for (size_t i = 0; i < text->time_len; i++) {
        if (!ascii_is_digit(text->time[i]))
            return HINT_NONE;
        value = value * 10 + (text->time[i] - '0');
    }
    if (value < EPOCH_LEAST)
        return hint_duration(text->time, text->time_len, 1000);
    return from_now(text, value < EPOCH_MS_LEAST ? value * 1000 : value);
}

static bool offset_at(const struct hint_text *text, int64_t at_s, int *out_s)
{
    char zone[ZONE_NAME_MAX];
    const struct classify_input *input = text->input;
    if (!input->zone_offset || text->zone_len == 0 || text->zone_len >= sizeof(zone))
        return false;
    (void)snprintf(zone, sizeof(zone), "%.*s", (int)text->zone_len, text->zone);
    return input->zone_offset(input->zone_ctx, zone, at_s, out_s);
}

/* The local moment that is meant, seconds since 1970 by a clock of that zone: the
 * next such time of the day, or that of the date given, at most half a year past. */
static int64_t local_moment(const struct hint_clock *clock, int64_t local_now_s)
{
    const int64_t time_s = (int64_t)clock->minute * 60;
    if (clock->month == 0) {
        int64_t at_s = local_now_s - local_now_s % CALENDAR_DAY_S + time_s;
        return at_s < local_now_s ? at_s + CALENDAR_DAY_S : at_s;
    }
    const int64_t year = clock->year > 0 ? clock->year : calendar_year(local_now_s);
    int64_t day = calendar_days(year, clock->month, clock->day);
    if (clock->year == 0 && day + 183 < local_now_s / CALENDAR_DAY_S)
        day = calendar_days(year + 1, clock->month, clock->day);
    return day * CALENDAR_DAY_S + time_s;
}

/* "3am" in a zone. Where the zone or the clock is not known, an hour. */
static int64_t read_clock(const struct hint_text *text)
{
    struct hint_clock clock;
    if (!hint_clock_time(text->time, text->time_len, &clock))
        return HINT_NONE;
    const int64_t now_s = text->input->now_ms / 1000;
    int offset_s = 0;
    if (now_s == 0 || !offset_at(text, now_s, &offset_s))
        return HOUR_MS;
    const int64_t local_s = local_moment(&clock, now_s + offset_s);
    (void)offset_at(text, local_s - offset_s, &offset_s); /* the clock may change till then */
    return from_now(text, (local_s - offset_s) * 1000);
}

/* A day whose zone is not given: UTC is less than a day off, and the next hint will be nearer. */
static int64_t read_day(const struct hint_text *text)
{
    struct hint_clock clock;
    const int64_t now_s = text->input->now_ms / 1000;
    if (!hint_clock_time(text->time, text->time_len, &clock) || clock.month == 0)
        return HINT_NONE;
    const int64_t ms = now_s > 0 ? from_now(text, local_moment(&clock, now_s) * 1000) : HOUR_MS;
    return ms >= 0 && ms < HOUR_MS ? HOUR_MS : ms;
}

/* A time of a zone that is not given. */
static int64_t read_hour(const struct hint_text *text)
{
    (void)text;
    return HOUR_MS;
}

static const struct {
    const char *name;
    hint_form_fn *read;
} forms[] = {
    {"duration", read_duration}, {"pushback", read_pushback}, {"http-date", read_http_date},
    {"rfc3339", read_rfc3339},   {"epoch", read_epoch},       {"clock", read_clock},
    {"hour", read_hour},         {"day", read_day},
};

hint_form_fn *hint_form_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if (strcmp(forms[i].name, name) == 0)
            return forms[i].read;
    }
    return NULL;
}

static int64_t read_match(const struct scan *scan, const struct scan_match *match, int group,
                          hint_form_fn *read)
{
    const struct clean_text *text = &scan->streams[match->stream].text;
    const char *line = text->bytes + text->lines[match->line].start;
    const struct rule_span time = match->spans[group];
    const struct rule_span zone = match->spans[2];
    const struct hint_text found = {
        .time = line + time.start,
        .time_len = time.end - time.start,
        .zone = line + zone.start,
        .zone_len = group == 1 ? zone.end - zone.start : 0,
        .unit_ms = match->rule->unit_ms,
        .input = scan->input,
    };
    return read(&found);
}

/* Of several lines that say a time, the longest counts: all of them must have
 * come. */
struct longest {
    struct retry_hint *hint;
    bool stop; /* the server wants no try */
};

static bool take_longer(void *ctx, const struct scan *scan, const struct scan_match *match)
{
    struct longest *longest = ctx;
    const int64_t ms = read_match(scan, match, 1, match->rule->form);
    longest->stop = longest->stop || ms == HINT_STOP;
    if (ms > longest->hint->ms)
        *longest->hint = (struct retry_hint){
            .ms = ms, .rule = match->rule, .stream = match->stream, .line = match->line};
    return match->rule->most;
}

bool retry_hint_find(struct scan *scan, struct retry_hint *out)
{
    *out = (struct retry_hint){.ms = HINT_NONE};
    const struct rule_list *hints = &scan->rules->hints;
    struct longest longest = {.hint = out};
    for (size_t i = 0; i < hints->count && out->ms == HINT_NONE && !longest.stop; i++)
        scan_each(scan, &hints->items[i], take_longer, &longest);
    if (longest.stop)
        *out = (struct retry_hint){.ms = HINT_NONE};
    return out->ms != HINT_NONE;
}

int64_t retry_hint_of_group(const struct scan *scan, const struct scan_match *match)
{
    if (match->stream < 0 || match->rule->retry_group == 0)
        return HINT_NONE;
    const int64_t ms =
        read_match(scan, match, match->rule->retry_group, hint_form_find("duration"));
    return ms >= 0 ? ms : HINT_NONE;
}
