/*
 * zone.c - reads the offset of a time zone from its zone file.
 *
 * After the last listed transition, the POSIX rule at the end of the file applies. Names that lead
 * out of the folder of zones are rejected.
 */
#include "zone.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "calendar.h"

enum {
    ZONE_FILE_MAX = 64 * 1024, /* the largest file in the zone database is 4 KiB */
    ZONE_NAME_MAX = 64,
    ZONE_PATH_MAX = 512,
    HEADER = 44,
    TIME_SIZE_V1 = 4,
    TIME_SIZE_V2 = 8,
    TYPE_SIZE = 6, /* offset, daylight flag, abbreviation */
};

enum { HOUR = 3600, DEFAULT_CHANGE = 2 * HOUR };

/* The unread part of a rule. */
struct cursor {
    const char *at;
    const char *end;
};

/* When a clock change occurs: 'M' month, week, weekday; 'J' day 1..365, never counting 29 February;
 * 'n' day 0..365, counting it. */
struct change {
    char kind;
    int month, week, day;
    int time_s; /* local time of day, may be negative */
};

static bool take_char(struct cursor *cursor, char c)
{
    if (cursor->at == cursor->end || *cursor->at != c)
        return false;
    cursor->at++;
    return true;
}

static bool take_int(struct cursor *cursor, int max, int *out)
{
    int value = 0;
    const char *start = cursor->at;
    while (cursor->at < cursor->end && ascii_is_digit(*cursor->at) && value <= max)
        value = value * 10 + (*cursor->at++ - '0');
    *out = value;
    return cursor->at > start && value <= max;
}

/* Skips a name such as "CET" or "<+03>". */
static bool take_name(struct cursor *cursor)
{
    const char *start = cursor->at;
    if (take_char(cursor, '<')) {
        while (cursor->at < cursor->end && *cursor->at != '>')
            cursor->at++;
        return take_char(cursor, '>');
    }
    while (cursor->at < cursor->end && ascii_is_letter(*cursor->at))
        cursor->at++;
    return cursor->at > start;
}

/* Parses [+-]hh[:mm[:ss]] into seconds. */
static bool take_time(struct cursor *cursor, int *out)
{
    const int sign = take_char(cursor, '-') ? -1 : 1;
    if (sign > 0)
        (void)take_char(cursor, '+');
    int parts[3] = {0};
    if (!take_int(cursor, 167, &parts[0]))
        return false;
    for (int i = 1; i < 3 && take_char(cursor, ':'); i++) {
        if (!take_int(cursor, 59, &parts[i]))
            return false;
    }
    *out = sign * (parts[0] * HOUR + parts[1] * 60 + parts[2]);
    return true;
}

static bool take_change(struct cursor *cursor, struct change *out)
{
    *out = (struct change){.kind = 'n', .time_s = DEFAULT_CHANGE};
    if (!take_char(cursor, ','))
        return false;
    if (take_char(cursor, 'M')) {
        out->kind = 'M';
        if (!take_int(cursor, 12, &out->month) || !take_char(cursor, '.') ||
            !take_int(cursor, 5, &out->week) || !take_char(cursor, '.') ||
            !take_int(cursor, 6, &out->day) || out->month < 1 || out->week < 1)
            return false;
    } else {
        out->kind = take_char(cursor, 'J') ? 'J' : 'n';
        if (!take_int(cursor, 365, &out->day))
            return false;
    }
    return !take_char(cursor, '/') || take_time(cursor, &out->time_s);
}

/* Returns when the change happens in a year, in seconds since 1970. */
static int64_t moment_of(const struct change *change, int64_t year, int offset_s)
{
    int64_t day; /* since 1970 */
    if (change->kind == 'n') {
        day = calendar_days(year, 1, 1) + change->day;
    } else if (change->kind == 'J') {
        const bool leap = calendar_days(year, 3, 1) - calendar_days(year, 2, 28) == 2;
        day = calendar_days(year, 1, 1) + change->day - 1 + (leap && change->day >= 60);
    } else {
        const int64_t first = calendar_days(year, change->month, 1);
        const int64_t next = change->month == 12 ? calendar_days(year + 1, 1, 1)
                                                 : calendar_days(year, change->month + 1, 1);
        const int64_t weekday = ((first + 4) % 7 + 7) % 7; /* 1 January 1970 was a Thursday */
        day = first + (change->day - weekday + 7) % 7 + (int64_t)7 * (change->week - 1);
        while (day >= next)
            day -= 7;
    }
    return day * CALENDAR_DAY_S + change->time_s - offset_s;
}

bool zone_rule_offset(const char *rule, size_t len, int64_t at_s, int *offset_s_out)
{
    if (len < 2 || rule[0] != '\n')
        return false;
    const char *feed = memchr(rule + 1, '\n', len - 1);
    struct cursor cursor = {.at = rule + 1, .end = feed};
    int west = 0;
    if (!feed || !take_name(&cursor) || !take_time(&cursor, &west))
        return false;
    const int standard = -west;
    if (cursor.at == cursor.end) {
        *offset_s_out = standard;
        return true;
    }

    int summer_west = west - HOUR;
    struct change begin;
    struct change end;
    if (!take_name(&cursor) ||
        (cursor.at < cursor.end && *cursor.at != ',' && !take_time(&cursor, &summer_west)) ||
        !take_change(&cursor, &begin) || !take_change(&cursor, &end))
        return false;
    const int summer = -summer_west;
    const int64_t year = calendar_year(at_s + standard);
    const int64_t from = moment_of(&begin, year, standard);
    const int64_t until = moment_of(&end, year, summer);
    const bool is_summer =
        from < until ? at_s >= from && at_s < until : at_s >= from || at_s < until; /* southern */
    *offset_s_out = is_summer ? summer : standard;
    return true;
}

struct bytes {
    const unsigned char *at;
    size_t len;
};

/* The counts of a data block, in the order of its header. */
struct block {
    uint32_t ut, std, leap, times, types, chars;
};

static int64_t read_number(const unsigned char *bytes, size_t size)
{
    uint64_t value = (bytes[0] & 0x80U) != 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8U | bytes[i];
    return (int64_t)value;
}

static bool skip_bytes(struct bytes *bytes, size_t size)
{
    if (bytes->len < size)
        return false;
    bytes->at += size;
    bytes->len -= size;
    return true;
}

static bool read_header(struct bytes *bytes, struct block *out)
{
    if (bytes->len < HEADER || memcmp(bytes->at, "TZif", 4) != 0)
        return false;
    uint32_t *const counts[] = {&out->ut,    &out->std,   &out->leap,
                                &out->times, &out->types, &out->chars};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        const int64_t count = read_number(bytes->at + 20 + 4 * i, 4);
        if (count < 0 || count > ZONE_FILE_MAX)
            return false;
        *counts[i] = (uint32_t)count;
    }
    return skip_bytes(bytes, HEADER);
}

static size_t block_size(const struct block *block, size_t time_size)
{
    return block->times * (time_size + 1) + (size_t)block->types * TYPE_SIZE + block->chars +
           block->leap * (time_size + 4) + block->std + block->ut;
}

/* After the last transition that the file lists, the rule at its end applies. */
static bool find_offset(struct bytes bytes, const struct block *block, int64_t at_s, int *out)
{
    const unsigned char *indices = bytes.at + (size_t)block->times * TIME_SIZE_V2;
    const unsigned char *types = indices + block->times;
    size_t after = 0;
    while (after < block->times && read_number(bytes.at + after * TIME_SIZE_V2, 8) <= at_s)
        after++;
    if (after == block->times) {
        const size_t size = block_size(block, TIME_SIZE_V2);
        const char *rule = (const char *)bytes.at + size;
        if (zone_rule_offset(rule, bytes.len - size, at_s, out))
            return true;
    }
    const size_t type = after > 0 ? indices[after - 1] : 0;
    if (type >= block->types)
        return false;
    *out = (int)read_number(types + type * TYPE_SIZE, 4);
    return true;
}

bool zone_offset(void *folder, const char *zone, int64_t at_s, int *offset_s_out)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
    const char *dir = folder ? folder : getenv("TZDIR");
    char path[ZONE_PATH_MAX];
    const int len = snprintf(path, sizeof(path), "%s/%s", dir ? dir : "/usr/share/zoneinfo", zone);
    /* Rejects names that lead out of the directory or cannot be a zone file. */
    const size_t zone_len = strlen(zone);
    if (zone_len == 0 || zone_len > ZONE_NAME_MAX || zone[0] == '/' ||
        strspn(zone, letters) != zone_len || len < 0 || (size_t)len >= sizeof(path))
        return false;

    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    unsigned char *content = malloc(ZONE_FILE_MAX);
    const size_t size = content ? fread(content, 1, ZONE_FILE_MAX, file) : 0;
    (void)fclose(file);

    struct bytes bytes = {.at = content, .len = size};
    struct block old = {0};
    struct block block = {0};
    const bool ok = read_header(&bytes, &old) &&
                    skip_bytes(&bytes, block_size(&old, TIME_SIZE_V1)) &&
                    read_header(&bytes, &block) && block.types > 0 &&
                    bytes.len >= block_size(&block, TIME_SIZE_V2) &&
                    find_offset(bytes, &block, at_s, offset_s_out);
    free(content);
    return ok;
}
