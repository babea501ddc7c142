/* clock.c - reads the clocks, formats times, and parses times that a user types.
 *
 * The wall clock has jumped if its distance from the monotonic one has changed
 * (clock_jump_look). */
#define _XOPEN_SOURCE   700 /* strptime */
#define _DEFAULT_SOURCE     /* timegm */

#include "clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "parse.h"

enum { MS_PER_S = 1000, US_PER_S = 1000000, NS_PER_MS = 1000000, NS_PER_US = 1000 };

static struct timespec read_clock(clockid_t id)
{
    struct timespec ts = {0};
    int status = clock_gettime(id, &ts);
    assert(status == 0);
    (void)status;
    return ts;
}

static int64_t to_ms(struct timespec ts)
{
    return (int64_t)ts.tv_sec * MS_PER_S + ts.tv_nsec / NS_PER_MS;
}

struct moment clock_now(void)
{
    return (struct moment){
        .at_ms = to_ms(read_clock(CLOCK_REALTIME)),
        .mono_ms = to_ms(read_clock(CLOCK_BOOTTIME)),
    };
}

bool clock_jump_look(struct clock_jump *jump, const struct moment *now, int64_t *moved_ms_out)
{
    int64_t apart_ms = now->at_ms - now->mono_ms;
    int64_t moved_ms = apart_ms - jump->apart_ms;
    bool moved = jump->has_looked && (moved_ms >= CLOCK_JUMP_MS || moved_ms <= -CLOCK_JUMP_MS);
    *jump = (struct clock_jump){.has_looked = true, .apart_ms = apart_ms};
    if (moved)
        *moved_ms_out = moved_ms;
    return moved;
}

int64_t clock_mono_us(void)
{
    struct timespec ts = read_clock(CLOCK_BOOTTIME);
    return (int64_t)ts.tv_sec * US_PER_S + ts.tv_nsec / NS_PER_US;
}

/* Returns the milliseconds within the second; also correct before 1970. */
static int ms_part(int64_t at_ms)
{
    int64_t rest = at_ms % MS_PER_S;
    return (int)(rest < 0 ? rest + MS_PER_S : rest);
}

static struct tm broken_down(int64_t at_ms, bool utc)
{
    time_t seconds = (time_t)((at_ms - ms_part(at_ms)) / MS_PER_S);
    struct tm tm = {0};
    struct tm *done = utc ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm);
    assert(done);
    (void)done;
    return tm;
}

static atomic_bool shows_utc;

void clock_show_utc(bool utc)
{
    atomic_store(&shows_utc, utc);
}

/* Converts to local time or UTC, as selected by clock_show_utc(). */
static struct tm shown_time(int64_t at_ms)
{
    return broken_down(at_ms, atomic_load(&shows_utc));
}

const char *clock_hms(int64_t at_ms, char out[CLOCK_TEXT_MAX])
{
    struct tm tm = shown_time(at_ms);
    (void)strftime(out, CLOCK_TEXT_MAX, "%H:%M:%S", &tm);
    return out;
}

const char *clock_hms_ms(int64_t at_ms, char out[CLOCK_TEXT_MAX])
{
    struct tm tm = shown_time(at_ms);
    size_t len = strftime(out, CLOCK_TEXT_MAX, "%H:%M:%S", &tm);
    (void)snprintf(out + len, CLOCK_TEXT_MAX - len, ".%03d", ms_part(at_ms));
    return out;
}

/* English names, because the locale's names may have any length. */
static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

const char *clock_short(int64_t at_ms, int64_t now_ms, char out[CLOCK_TEXT_MAX])
{
    const int64_t week_ms = (int64_t)7 * 24 * 3600 * MS_PER_S;
    struct tm tm = shown_time(at_ms);
    struct tm now = shown_time(now_ms);
    int64_t apart_ms = at_ms > now_ms ? at_ms - now_ms : now_ms - at_ms;
    int len = 0;
    if (apart_ms >= week_ms)
        len = snprintf(out, CLOCK_TEXT_MAX, "%d %s ", tm.tm_mday, months[tm.tm_mon]);
    else if (tm.tm_yday != now.tm_yday)
        len = snprintf(out, CLOCK_TEXT_MAX, "%s ", days[tm.tm_wday]);
    (void)snprintf(out + len, (size_t)(CLOCK_TEXT_MAX - len), "%02d:%02d", tm.tm_hour, tm.tm_min);
    return out;
}

const char *clock_date(int64_t at_ms, char out[CLOCK_TEXT_MAX])
{
    struct tm tm = shown_time(at_ms);
    (void)strftime(out, CLOCK_TEXT_MAX, "%Y-%m-%d %H:%M:%S", &tm);
    return out;
}

const char *clock_rfc3339(int64_t at_ms, char out[CLOCK_TEXT_MAX])
{
    struct tm tm = broken_down(at_ms, true);
    size_t len = strftime(out, CLOCK_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(out + len, CLOCK_TEXT_MAX - len, ".%03dZ", ms_part(at_ms));
    return out;
}

/* Parsing of user-supplied times. */

enum { S_PER_MIN = 60, S_PER_HOUR = 3600, AGO_MAX = 1000000 };

/* Returns true if all of the text matches one of the strptime() formats in `forms`. */
static bool matches_any(const char *text, const char *const *forms, struct tm *tm)
{
    for (; *forms; forms++) {
        struct tm tried = *tm;
        const char *end = strptime(text, *forms, &tried);
        if (end && *end == '\0') {
            *tm = tried;
            return true;
        }
    }
    return false;
}

static bool find_date(const char *words, int64_t *out_ms)
{
    static const char *const local[] = {"%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                        "%Y-%m-%dT%H:%M:%S", NULL};
    static const char *const utc[] = {"%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M:%SZ", NULL};
    struct tm tm = {.tm_isdst = -1};
    const bool is_local = matches_any(words, local, &tm);
    if (!is_local && !matches_any(words, utc, &tm))
        return false;
    const int day = tm.tm_mday;
    const time_t found = is_local ? mktime(&tm) : timegm(&tm);
    if (tm.tm_mday != day) /* rejects dates such as 31 February */
        return false;
    *out_ms = (int64_t)found * MS_PER_S;
    return true;
}

/* Finds a time of day in the span, with the precision that the user typed: a span that begins at
 * 13:50:00.4 contains 13:50:00 and 13:50, because screens show no more than that. */
static bool find_hour(const char *words, const struct clock_span *span, int64_t *out_ms)
{
    static const char *const forms[] = {"%H:%M:%S", "%H:%M", NULL};
    time_t from = (time_t)(span->from_ms / MS_PER_S);
    struct tm began = {0};
    if (!localtime_r(&from, &began))
        return false;
    struct tm tm = began;
    tm.tm_sec = 0;
    if (!matches_any(words, forms, &tm))
        return false;
    bool says_seconds = strchr(words, ':') != strrchr(words, ':');
    if (!says_seconds)
        began.tm_sec = 0;
    tm.tm_isdst = -1;
    began.tm_isdst = -1;
    const time_t found = mktime(&tm);
    const time_t first = mktime(&began);
    tm.tm_mday++;
    tm.tm_isdst = -1;
    const time_t next = mktime(&tm);
    const bool is_next = found < first && next - span->until_ms / MS_PER_S <= first - found;
    *out_ms = (int64_t)(is_next ? next : found) * MS_PER_S;
    return true;
}

static bool find_number(const char *text, size_t len, int64_t *out)
{
    char digits[16];
    struct err err = {0};
    if (len == 0 || len >= sizeof(digits))
        return false;
    memcpy(digits, text, len);
    digits[len] = '\0';
    return parse_i64(digits, 0, AGO_MAX, out, &err);
}

/* Parses a duration such as "2m", "1:30" or "90" into seconds. */
static bool find_length(const char *text, int64_t *out_s)
{
    static const struct {
        char letter;
        int seconds;
    } units[] = {{'s', 1}, {'m', S_PER_MIN}, {'h', S_PER_HOUR}};
    size_t len = strlen(text);
    const char *colon = strchr(text, ':');
    int64_t minutes = 0;
    if (colon) {
        bool ok = find_number(text, (size_t)(colon - text), &minutes) && strlen(colon + 1) == 2 &&
                  find_number(colon + 1, 2, out_s) && *out_s < S_PER_MIN;
        *out_s += minutes * S_PER_MIN;
        return ok;
    }
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (len > 0 && text[len - 1] == units[i].letter && find_number(text, len - 1, out_s)) {
            *out_s *= units[i].seconds;
            return true;
        }
    }
    return false;
}

bool clock_find(const char *words, const struct clock_span *span, int64_t *out_ms, struct err *err)
{
    int64_t ago_s = 0;
    if (*words == '-' && find_length(words + 1, &ago_s)) {
        *out_ms = span->until_ms - ago_s * MS_PER_S;
        return true;
    }
    if (find_hour(words, span, out_ms) || find_date(words, out_ms))
        return true;
    (void)err_set(err, ERR_INVALID, "'%s' is not a time", words);
    return err_hint(err, "use a time such as 14:00:31, -2m or 2025-11-20T14:00:31Z");
}
