#include "clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

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

/* The milliseconds within the second, also before 1970. */
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

/* As people read it. */
static struct tm shown(int64_t at_ms)
{
    return broken_down(at_ms, atomic_load(&shows_utc));
}

const char *clock_hms(int64_t at_ms, char out[CLOCK_TEXT_MAX])
{
    struct tm tm = shown(at_ms);
    (void)strftime(out, CLOCK_TEXT_MAX, "%H:%M:%S", &tm);
    return out;
}

const char *clock_hms_ms(int64_t at_ms, char out[CLOCK_TEXT_MAX])
{
    struct tm tm = shown(at_ms);
    size_t len = strftime(out, CLOCK_TEXT_MAX, "%H:%M:%S", &tm);
    (void)snprintf(out + len, CLOCK_TEXT_MAX - len, ".%03d", ms_part(at_ms));
    return out;
}

/* Words of our own: the locale's may be of any length. */
static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

const char *clock_short(int64_t at_ms, int64_t now_ms, char out[CLOCK_TEXT_MAX])
{
    const int64_t week_ms = (int64_t)7 * 24 * 3600 * MS_PER_S;
    struct tm tm = shown(at_ms);
    struct tm now = shown(now_ms);
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
    struct tm tm = shown(at_ms);
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
