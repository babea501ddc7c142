/*
 * retry_hint.c - reads when a server wants to be asked again.
 *
 * A table has the forms: durations, dates, times of day, and numbers that may be either. If the
 * zone of a time is unknown, a rough wait is good enough, because the next answer of the server is
 * nearer to the time.
 */
#include "classify_internal.h"

#include <stdio.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "calendar.h"
#include "moment_text.h"

enum {
    NUMBER_DIGITS_MAX = 18,
    ZONE_NAME_MAX = 48,
    HOUR_MS = 3600 * 1000,
};
/* The smallest numbers that count as an epoch time, in seconds and in milliseconds. Smaller numbers
 * are seconds to wait. */
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

/* Reads digits with at most one point. Returns false if there are none. */
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
        if (ascii_lower(text[i]) != name[i])
            return false;
    }
    return true;
}

/* Returns the length of the unit in ms; 0 for a word that is not a unit, unit_ms if there is no
 * word. */
static double take_unit(const char *text, size_t len, size_t *at, int64_t unit_ms)
{
    size_t start = *at;
    if (start < len && text[start] == ' ')
        start++;
    size_t end = start;
    while (end < len && ascii_is_lower(ascii_lower(text[end])))
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
        /* Skip the separator of "3 days, 4 hours" or "3 days and 4 hours". */
        if (at < len && text[at] == ',')
            at++;
        if (at < len && text[at] == ' ')
            at++;
        if (len - at > 4 && memcmp(text + at, "and ", 4) == 0)
            at += 4;
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

/* Reads the pushback of gRPC, where a negative or missing number means that no retry is wanted. */
static int64_t read_pushback(const struct hint_text *text)
{
    const int64_t ms = hint_duration(text->time, text->time_len, 1);
    return ms == HINT_NONE ? HINT_STOP : ms;
}

static int64_t read_http_date(const struct hint_text *text)
{
    int64_t at_s = 0;
    if (!moment_text_http(text->time, text->time_len, text->input->now_ms / 1000, &at_s))
        return HINT_NONE;
    return from_now(text, at_s * 1000);
}

static int64_t read_rfc3339(const struct hint_text *text)
{
    int64_t at_ms = 0;
    if (!moment_text_rfc3339(text->time, text->time_len, &at_ms))
        return HINT_NONE;
    return from_now(text, at_ms);
}

/* Reads seconds or milliseconds since 1970. A small number is seconds to wait. */
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

/* Returns the moment in local time, as seconds since 1970 by a clock of that zone: the next moment
 * with the given time of day, or the given date; a date without a year is at most half a year in
 * the past. */
static int64_t local_moment(const struct clock_text *clock, int64_t local_now_s)
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

/* Reads a time such as "3am" in a zone. Returns one hour if the zone or the current time is
 * unknown. */
static int64_t read_clock(const struct hint_text *text)
{
    struct clock_text clock;
    if (!moment_text_clock(text->time, text->time_len, &clock))
        return HINT_NONE;
    const int64_t now_s = text->input->now_ms / 1000;
    int offset_s = 0;
    if (now_s == 0 || !offset_at(text, now_s, &offset_s))
        return HOUR_MS;
    const int64_t local_s = local_moment(&clock, now_s + offset_s);
    (void)offset_at(text, local_s - offset_s, &offset_s); /* the clock may change until then */
    return from_now(text, (local_s - offset_s) * 1000);
}

/* Reads a day in an unknown zone as UTC, which is less than a day off; the next hint will be
 * closer. */
static int64_t read_day(const struct hint_text *text)
{
    struct clock_text clock;
    const int64_t now_s = text->input->now_ms / 1000;
    if (!moment_text_clock(text->time, text->time_len, &clock) || clock.month == 0)
        return HINT_NONE;
    const int64_t ms = now_s > 0 ? from_now(text, local_moment(&clock, now_s) * 1000) : HOUR_MS;
    return ms >= 0 && ms < HOUR_MS ? HOUR_MS : ms;
}

/* Reads a time of day in an unknown zone: returns one hour. */
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

/* If several lines give a time, the longest counts: all must have passed. */
struct longest {
    struct retry_hint *hint;
    bool stop; /* the server wants no retry */
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
