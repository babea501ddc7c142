/* token_amount.c - durations and rates (rules 8 and 11). */
#include <string.h>

#include "token_scan.h"

enum {
    UNIT_MAX = 8,     /* letters */
    FIGURES_MAX = 20, /* with the commas between thousands */
    LIST_MAX = 8,     /* numbers with a slash between them */
    PARTS_MAX = 6,    /* of one duration: from weeks to milliseconds */
};

/* What may follow a number at once, and what only after a blank: "5m" is an age, but "5 m"
 * are metres. */
enum unit_place { UNIT_AT_ONCE = 1, UNIT_AFTER_BLANK = 2, UNIT_ANYWHERE = 3 };

static const struct {
    const char *name;
    enum unit_place place;
} units[] = {
    {"s", UNIT_ANYWHERE},        {"ms", UNIT_ANYWHERE},        {"m", UNIT_AT_ONCE},
    {"h", UNIT_AT_ONCE},         {"d", UNIT_AT_ONCE},          {"ns", UNIT_ANYWHERE},
    {"us", UNIT_ANYWHERE},       {"\xc2\xb5s", UNIT_ANYWHERE}, {"\xce\xbcs", UNIT_ANYWHERE},
    {"sec", UNIT_ANYWHERE},      {"secs", UNIT_ANYWHERE},      {"second", UNIT_ANYWHERE},
    {"seconds", UNIT_ANYWHERE},  {"min", UNIT_ANYWHERE},       {"mins", UNIT_ANYWHERE},
    {"minute", UNIT_ANYWHERE},   {"minutes", UNIT_ANYWHERE},   {"hr", UNIT_ANYWHERE},
    {"hrs", UNIT_ANYWHERE},      {"hour", UNIT_ANYWHERE},      {"hours", UNIT_ANYWHERE},
    {"day", UNIT_ANYWHERE},      {"days", UNIT_ANYWHERE},      {"week", UNIT_AFTER_BLANK},
    {"weeks", UNIT_AFTER_BLANK}, {"months", UNIT_AFTER_BLANK}, {"msec", UNIT_ANYWHERE},
    {"millis", UNIT_ANYWHERE},   {"usec", UNIT_ANYWHERE},
};

static bool is_text(const byte *from, const byte *to, const char *text)
{
    const size_t len = strlen(text);
    return (size_t)(to - from) == len && memcmp(from, text, len) == 0;
}

/* Letters of a unit, the Greek one of microseconds included. */
static const byte *unit_end(const struct token_scan *scan, const byte *at)
{
    const byte *p = at;
    while (p < scan->end && p - at <= UNIT_MAX &&
           (byte_is(*p, CLASS_LETTER) || (*p >= 0x80 && p - at < 2)))
        p++;
    return p;
}

/* The end of 12, 1.5 or 1,234.5; and of 0.03/0.05/0.07, as a ping sums up. */
static const byte *figures_end(const struct token_scan *scan, const byte *at)
{
    const byte *end = run_end(scan, at, CLASS_DIGIT);
    while (byte_at(scan, end) == ',' && end - at < FIGURES_MAX &&
           run_end(scan, end + 1, CLASS_DIGIT) - end == 4)
        end += 4;
    bool fraction = byte_at(scan, end) == '.' && byte_is(byte_at(scan, end + 1), CLASS_DIGIT);
    if (!fraction)
        return end;
    end = run_end(scan, end + 1, CLASS_DIGIT);
    for (int i = 1; i < LIST_MAX && byte_at(scan, end) == '/'; i++) {
        const byte *point = run_end(scan, end + 1, CLASS_DIGIT);
        const byte *next =
            byte_at(scan, point) == '.' ? run_end(scan, point + 1, CLASS_DIGIT) : point;
        if (next - point < 2)
            break;
        end = next;
    }
    return end;
}

/* Is at..end a unit of time that may stand there? */
static bool is_unit(const byte *at, const byte *end, enum unit_place place)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if ((units[i].place & place) && is_text(at, end, units[i].name))
            return true;
    }
    return false;
}

/* The end of the unit of time after a number, NULL if there is none. */
static const byte *time_unit_end(const struct token_scan *scan, const byte *at)
{
    const bool blank = byte_at(scan, at) == ' ';
    const byte *unit = at + blank;
    const byte *end = unit_end(scan, unit);
    return end > unit && is_unit(unit, end, blank ? UNIT_AFTER_BLANK : UNIT_AT_ONCE) ? end : NULL;
}

/* "1m23s", "1m 23s": the end of all that belongs to one duration. */
static const byte *duration_end(const struct token_scan *scan, const byte *at)
{
    const byte *end = time_unit_end(scan, figures_end(scan, at));
    for (int part = 1; part < PARTS_MAX && end; part++) {
        const byte *more = end + (byte_at(scan, end) == ' ');
        if (!byte_is(byte_at(scan, more), CLASS_DIGIT))
            break;
        const byte *next = time_unit_end(scan, figures_end(scan, more));
        if (!next && more == end)
            return NULL; /* "5m3" is a name */
        if (!next)
            break;
        end = next;
    }
    return end;
}

/* A part of a name or of a version: what is before the number is joined to it. */
static bool is_joined(const struct token_scan *scan, const byte *at)
{
    const byte before = byte_before(scan, at);
    if (before == '.')
        return true;
    if ((before != '-' && before != '/') || at - scan->start < 2)
        return false;
    return at - 1 != scan->matched && (byte_is(at[-2], CLASS_WORD) || at[-2] == '>');
}

/* "[00:05<00:10," of a progress bar, where `at` is the first figure. */
static const byte *bar_end(const struct token_scan *scan, const byte *at)
{
    if (byte_before(scan, at) != '[')
        return NULL;
    const byte *left = run_end(scan, at, CLASS_DIGIT);
    while (byte_at(scan, left) == ':')
        left = run_end(scan, left + 1, CLASS_DIGIT);
    if (byte_at(scan, left) != '<' || left - at < 4)
        return NULL;
    const byte *end = left + 1;
    while (byte_is(byte_at(scan, end), CLASS_DIGIT) || byte_at(scan, end) == ':' ||
           byte_at(scan, end) == '?')
        end++;
    return end > left + 1 ? end : NULL;
}

bool token_duration(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const byte *at = word->from;
    if (!byte_is(*at, CLASS_DIGIT) || is_joined(scan, at))
        return false;
    const byte *end = bar_end(scan, at);
    if (!end) {
        end = duration_end(scan, at);
        if (!end || byte_is(byte_at(scan, end), CLASS_WORD) || token_is_next(scan, end, "/s"))
            return false;
    }
    return token_set(out, at, end, TOKEN_DURATION, NORMALISER_DURATIONS);
}

/* Units that are rates by themselves. */
static bool is_rate_unit(const byte *at, const byte *end)
{
    static const char *const names[] = {"bps", "kbps", "Kbps", "Mbps", "Gbps", "fps"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (is_text(at, end, names[i]))
            return true;
    }
    return false;
}

/* The end of "/s", "/sec", "/it", ... */
static const byte *per_end(const struct token_scan *scan, const byte *at)
{
    static const char *const names[] = {"s",  "sec", "second", "min",       "h",
                                        "it", "op",  "iter",   "iteration", "step"};
    if (byte_at(scan, at) != '/')
        return NULL;
    const byte *end = run_end(scan, at + 1, CLASS_WORD);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (is_text(at + 1, end, names[i]))
            return end;
    }
    return NULL;
}

bool token_rate(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const byte *at = word->from;
    if (!byte_is(*at, CLASS_DIGIT) || is_joined(scan, at))
        return false;
    const byte *figures = figures_end(scan, at);
    const byte *unit = figures + (byte_at(scan, figures) == ' ');
    const byte *end = unit_end(scan, unit);
    if (end == unit)
        return false;
    const byte next = byte_at(scan, end);
    if (!is_rate_unit(unit, end) || byte_is(next, CLASS_WORD) || next == '=')
        end = per_end(scan, end);
    return end && token_set(out, at, end, TOKEN_RATE, NORMALISER_RATES);
}
