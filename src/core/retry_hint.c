#include "retry_hint.h"

#include <stdbool.h>
#include <string.h>

#include "attr.h"

static const struct {
    const char *name;
    double ms;
} units[] = {
    {"ms", 1},          {"millisecond", 1}, {"milliseconds", 1}, {"s", 1000},
    {"sec", 1000},      {"secs", 1000},     {"second", 1000},    {"seconds", 1000},
    {"m", 60000},       {"min", 60000},     {"mins", 60000},     {"minute", 60000},
    {"minutes", 60000}, {"h", 3600000},     {"hour", 3600000},   {"hours", 3600000},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
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
        if (c == '.' && !point && any && *at + 1 < len && is_digit(text[*at + 1])) {
            point = true;
        } else if (is_digit(c)) {
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

/* A unit's name; 0 for a word that is none, unit_ms where no word stands. */
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
        bool same = strlen(units[i].name) == end - start &&
                    memcmp(units[i].name, text + start, end - start) == 0;
        if (same)
            return units[i].ms;
    }
    return 0;
}

int64_t retry_hint_parse(const char *text, size_t len, int64_t unit_ms)
{
    double total = 0;
    size_t at = 0;
    if (len == 0)
        return RETRY_HINT_NONE;
    while (at < len) {
        double number = 0;
        if (!take_number(text, len, &at, &number))
            return RETRY_HINT_NONE;
        const double ms = take_unit(text, len, &at, unit_ms);
        if (ms <= 0)
            return RETRY_HINT_NONE;
        total += number * ms;
        if (total > (double)RETRY_HINT_MAX_MS)
            return RETRY_HINT_NONE;
    }
    return (int64_t)(total + 0.5);
}

int64_t retry_hint_find(struct scan *scan)
{
    const struct rule_list *hints = &scan->rules->hints;
    for (size_t i = 0; i < hints->count; i++) {
        struct scan_match match;
        if (!scan_rule(scan, &hints->items[i], &match))
            continue;
        const struct clean_text *text = &scan->streams[match.stream].text;
        const struct rule_span time = match.spans[1];
        const char *line = text->bytes + text->lines[match.line].start;
        const int64_t ms =
            retry_hint_parse(line + time.start, time.end - time.start, hints->items[i].unit_ms);
        if (ms != RETRY_HINT_NONE)
            return ms;
    }
    return RETRY_HINT_NONE;
}
