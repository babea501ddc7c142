/* token_time.c - dates, clocks and epochs (rules 2 and 3). */
#include "attr.h"
#include "token_scan.h"

enum { YEAR_MIN = 1900, YEAR_MAX = 2199, FRACTION_MAX = 9 };

/* The number of exactly `len` digits at `at`, -1 if it is none. */
static int number_of(const struct token_scan *scan, const byte *at, int len)
{
    int value = 0;
    if (scan->end - at < len)
        return -1;
    for (int i = 0; i < len; i++) {
        if (!byte_is(at[i], CLASS_DIGIT))
            return -1;
        value = value * 10 + (at[i] - '0');
    }
    return value;
}

static bool is_between(int value, int least, int most)
{
    return value >= least && value <= most;
}

static bool is_year(const struct token_scan *scan, const byte *at)
{
    return is_between(number_of(scan, at, 4), YEAR_MIN, YEAR_MAX);
}

/* "Jan" and so on; English, as programs write them. */
static bool is_one_of(const byte *at, const char *names)
{
    for (const char *name = names; *name; name += 3) {
        if (memcmp(at, name, 3) == 0)
            return true;
    }
    return false;
}

static bool is_month(const struct token_scan *scan, const byte *at)
{
    return scan->end - at >= 3 && is_one_of(at, "JanFebMarAprMayJunJulAugSepOctNovDec");
}

static bool is_weekday(const byte *at)
{
    return is_one_of(at, "MonTueWedThuFriSatSun");
}

/* The end of a fraction that may follow seconds. */
static const byte *skip_fraction(const struct token_scan *scan, const byte *at, const char *marks)
{
    const byte mark = byte_at(scan, at);
    if (mark == 0 || !strchr(marks, mark) || !byte_is(byte_at(scan, at + 1), CLASS_DIGIT))
        return at;
    const byte *end = run_end(scan, at + 1, CLASS_DIGIT);
    return end - at <= FRACTION_MAX + 1 ? end : at;
}

/* The end of "Z", "+02:00", " +0000", " UTC", " PM" where they follow a clock. */
static const byte *skip_one_zone(const struct token_scan *scan, const byte *at)
{
    static const char *const names[] = {" UTC", " GMT", " CEST", " CET", " EST",
                                        " EDT", " PST", " PDT",  " AM",  " PM"};
    if (byte_at(scan, at) == 'Z' && !byte_is(byte_at(scan, at + 1), CLASS_WORD))
        return at + 1;
    const byte *sign = at + (byte_at(scan, at) == ' ');
    if (byte_at(scan, sign) == '+' || byte_at(scan, sign) == '-') {
        const bool colon = byte_at(scan, sign + 3 < scan->end ? sign + 3 : scan->end) == ':';
        const byte *minutes = scan->end - sign > 3 ? sign + 3 + colon : scan->end;
        if (number_of(scan, sign + 1, 2) >= 0 && is_between(number_of(scan, minutes, 2), 0, 59) &&
            !byte_is(byte_at(scan, minutes + 2), CLASS_WORD))
            return minutes + 2;
    }
    if (byte_at(scan, at) != ' ' || !byte_is(byte_at(scan, at + 1), CLASS_UPPER))
        return at;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const byte *end = at + strlen(names[i]);
        if (token_is_next(scan, at, names[i]) && !byte_is(byte_at(scan, end), CLASS_WORD))
            return end;
    }
    return at;
}

/* " PM UTC" */
static const byte *skip_zone(const struct token_scan *scan, const byte *at)
{
    const byte *end = skip_one_zone(scan, at);
    return end > at ? skip_one_zone(scan, end) : at;
}

enum clock_form { CLOCK_MINUTES, CLOCK_SECONDS };

/* The end of 14:03:22.123 (or 14:03, where minutes will do) with its zone; NULL if there is
 * none. `mark` is what stands between the parts. */
static const byte *clock_end(const struct token_scan *scan, const byte *at, byte mark,
                             enum clock_form form)
{
    const int hour_len = (int)(run_end(scan, at, CLASS_DIGIT) - at);
    if (!is_between(hour_len, 1, 2) || byte_at(scan, at + hour_len) != mark)
        return NULL;
    const byte *minute = at + hour_len + 1;
    if (!is_between(number_of(scan, minute, 2), 0, 59))
        return NULL;
    const byte *end = minute + 2;
    const bool has_seconds =
        byte_at(scan, end) == mark && is_between(number_of(scan, end + 1, 2), 0, 60);
    if (!has_seconds && form == CLOCK_SECONDS)
        return NULL;
    if (has_seconds)
        end = skip_fraction(scan, end + 3, mark == ':' ? ".," : ".,_-");
    const byte *zone = skip_zone(scan, end);
    const byte next = byte_at(scan, zone);
    const bool goes_on =
        zone == end && (byte_is(next, CLASS_WORD) ||
                        (next == ':' && end + 1 < scan->end && byte_is(end[1], CLASS_WORD)));
    return goes_on ? NULL : zone;
}

/* 2026-08-21T14:03:22.123Z, 2026/08/21 14:03:22, 2026-08-21T14_03_22_123Z; a date alone
 * is no time that moves. */
static const byte *iso_end(const struct token_scan *scan, const byte *at)
{
    if (scan->end - at < 15 || !is_year(scan, at))
        return NULL;
    const byte dash = at[4];
    if ((dash != '-' && dash != '/') || at[7] != dash)
        return NULL;
    if (!is_between(number_of(scan, at + 5, 2), 1, 12) ||
        !is_between(number_of(scan, at + 8, 2), 1, 31))
        return NULL;
    const byte between = at[10];
    if (between == ' ')
        return clock_end(scan, at + 11, ':', CLOCK_MINUTES);
    if (between != 'T' && between != 't' && between != '_' && between != '-')
        return NULL;
    const byte mark = at[13];
    bool known = mark == ':' || mark == '_' || mark == '-' || mark == '.';
    return known ? clock_end(scan, at + 11, mark, CLOCK_MINUTES) : NULL;
}

/* 20260821T140322Z, 20260821-140322, 20260821140322. */
static const byte *compact_end(const struct token_scan *scan, const byte *at)
{
    if (scan->end - at < 14 || !is_year(scan, at))
        return NULL;
    if (!is_between(number_of(scan, at + 4, 2), 1, 12) ||
        !is_between(number_of(scan, at + 6, 2), 1, 31))
        return NULL;
    const byte *clock = at + 8 + (at[8] == 'T' || at[8] == '-' || at[8] == '_');
    if (!is_between(number_of(scan, clock, 2), 0, 23) ||
        !is_between(number_of(scan, clock + 2, 2), 0, 59) ||
        !is_between(number_of(scan, clock + 4, 2), 0, 60))
        return NULL;
    const byte *end = run_end(scan, clock + 6, CLASS_DIGIT); /* a fraction without its point */
    end += byte_at(scan, end) == 'Z';
    return byte_is(byte_at(scan, end), CLASS_WORD) ? NULL : end;
}

/* A year that follows a clock or a day: " 2026". */
static const byte *skip_year(const struct token_scan *scan, const byte *at)
{
    bool is = byte_at(scan, at) == ' ' && is_year(scan, at + 1) &&
              !byte_is(byte_at(scan, at + 5), CLASS_WORD);
    return is ? at + 5 : at;
}

/* 21/Aug/2026:14:03:22 +0000, 21 Aug 2026 14:03:22 GMT, 21-Aug-2026 14:03. */
static const byte *day_month_end(const struct token_scan *scan, const byte *at, int day_len)
{
    const byte *month = at + day_len + 1;
    const byte mark = byte_at(scan, month - 1);
    if ((mark != '/' && mark != ' ' && mark != '-') || month >= scan->end || !is_month(scan, month))
        return NULL;
    const byte *clock = month + 3;
    if (byte_at(scan, clock) == mark && is_year(scan, clock + 1))
        clock += 5;
    const byte next = byte_at(scan, clock);
    if (next != ' ' && !(mark == '/' && next == ':'))
        return NULL;
    return clock_end(scan, clock + 1, ':', CLOCK_MINUTES);
}

/* Aug 21 14:03:22 2026, where `at` is the day. */
static const byte *month_day_end(const struct token_scan *scan, const byte *at, int day_len)
{
    const byte *clock = at + day_len + 1;
    if (at - scan->floor < 4 || at[-1] != ' ' || !is_month(scan, at - 4) ||
        byte_at(scan, clock - 1) != ' ')
        return NULL;
    const byte *end = clock_end(scan, clock, ':', CLOCK_MINUTES);
    return end ? skip_year(scan, end) : NULL;
}

/* The start of a weekday before a date: "Fri, ", "Fri ". */
static const byte *back_over_weekday(const struct token_scan *scan, const byte *at)
{
    const ptrdiff_t room = at - scan->floor;
    if (room >= 5 && memcmp(at - 2, ", ", 2) == 0 && is_weekday(at - 5))
        return at - 5;
    return room >= 4 && at[-1] == ' ' && is_weekday(at - 4) ? at - 4 : at;
}

static bool is_date(const struct token_scan *scan, const byte *at, int day_len, struct token *out)
{
    const byte *end = day_month_end(scan, at, day_len);
    const byte *from = at;
    if (!end) {
        end = month_day_end(scan, at, day_len);
        from = at - 4;
    }
    return end && token_set(out, back_over_weekday(scan, from), end, TOKEN_TIME, NORMALISER_TIMES);
}

/* Seconds, milliseconds, microseconds or nanoseconds since 1970, from 2017 to 2039. */
static const byte *epoch_end(const struct token_scan *scan, const struct token_word *word)
{
    const ptrdiff_t len = word->to - word->from;
    const int first = (word->from[0] - '0') * 10 + (word->from[1] - '0');
    if ((len != 10 && len != 13 && len != 16 && len != 19) || !is_between(first, 15, 21))
        return NULL;
    return len == 10 ? skip_fraction(scan, word->to, ".") : word->to;
}

/* The figures of 0.1787300000, but not what follows a token and a point. */
static bool is_fraction(const struct token_scan *scan, const byte *at)
{
    return at - scan->start >= 2 && at[-1] == '.' && byte_is(at[-2], CLASS_DIGIT) &&
           scan->matched != at - 1;
}

bool token_time(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const byte *at = word->from;
    const ptrdiff_t digits = run_end(scan, at, CLASS_DIGIT) - at;
    const byte before = byte_before(scan, at);
    const byte *end = NULL;
    if (digits <= 2) {
        if (is_date(scan, at, (int)digits, out))
            return true;
        end = before != ':' ? clock_end(scan, at, ':', CLOCK_SECONDS) : NULL;
    } else if (digits == 4) {
        end = iso_end(scan, at);
    } else if (!is_fraction(scan, at)) {
        end = compact_end(scan, at);
        if (!end && (word->all_classes & CLASS_DIGIT))
            end = epoch_end(scan, word);
    }
    return end && token_set(out, at, end, TOKEN_TIME, NORMALISER_TIMES);
}

/* "[   12.345678] " of a kernel; runs of blanks are one by now. */
static const byte *kernel_prefix_end(const struct token_scan *scan)
{
    const byte *at = scan->start + 1;
    at += byte_at(scan, at) == ' ';
    const byte *point = run_end(scan, at, CLASS_DIGIT);
    if (point == at || byte_at(scan, point) != '.')
        return NULL;
    const byte *end = run_end(scan, point + 1, CLASS_DIGIT);
    return end - point > 3 && byte_at(scan, end) == ']' ? end + 1 : NULL;
}

/* "#7 12.34 " of a build in containers. */
static const byte *build_prefix_end(const struct token_scan *scan)
{
    const byte *at = run_end(scan, scan->start + 1, CLASS_DIGIT);
    if (at == scan->start + 1 || byte_at(scan, at) != ' ')
        return NULL;
    const byte *point = run_end(scan, at + 1, CLASS_DIGIT);
    if (point == at + 1 || byte_at(scan, point) != '.')
        return NULL;
    const byte *end = run_end(scan, point + 1, CLASS_DIGIT);
    return end > point + 1 && byte_at(scan, end) == ' ' ? end : NULL;
}

/* "E0821 14:03:22.123456 4711 ". */
static const byte *klog_prefix_end(const struct token_scan *scan)
{
    const byte *at = scan->start;
    if (!is_between(number_of(scan, at + 1, 4), 101, 1231) || byte_at(scan, at + 5) != ' ')
        return NULL;
    const byte *end = clock_end(scan, at + 6, ':', CLOCK_SECONDS);
    if (!end || byte_at(scan, end) != ' ')
        return NULL;
    const byte *pid = run_end(scan, end + 1, CLASS_DIGIT);
    return pid > end + 1 && byte_at(scan, pid) == ' ' ? pid : NULL;
}

bool token_time_prefix(const struct token_scan *scan, struct token *out)
{
    const byte *from = scan->start;
    const byte *end = NULL;
    switch (*from) {
    case '[':
        end = kernel_prefix_end(scan);
        break;
    case '#':
        end = build_prefix_end(scan);
        break;
    case 'I':
    case 'W':
    case 'E':
    case 'F':
        end = klog_prefix_end(scan);
        from++; /* the level stays */
        break;
    default:
        break;
    }
    return end && token_set(out, from, end, TOKEN_TIME, NORMALISER_TIMES);
}
