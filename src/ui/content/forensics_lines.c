/* forensics_lines.c - lines of the forensics while they are made. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "forensics_parts.h"
#include "text.h"
#include "xalloc.h"

enum {
    HANG = 2,          /* of lines without a label, beyond their own indent */
    PIECE_BYTES = 192, /* so much of a line fits on a small screen */
};

/* Where a long line is broken: behind a blank, if there is one not too far back, and never
 * within a character. */
static size_t piece_len(const char *text, size_t len)
{
    size_t at = 0;
    size_t blank = 0;
    while (at < len) {
        uint32_t rune;
        size_t bytes = (size_t)text_rune(text + at, len - at, &rune);
        if (at + bytes > PIECE_BYTES)
            return blank > PIECE_BYTES / 2 ? blank : at;
        at += bytes;
        blank = rune == ' ' ? at : blank;
    }
    return len;
}

/* `like`: mark and hang of the line. */
static void add_line(struct forensics *out, const struct forensics_line *like, const char *text,
                     size_t len)
{
    const size_t first = out->text.len;
    size_t start = first;
    text_clean(&out->text, text, len);
    const size_t end = out->text.len;
    do {
        size_t piece = piece_len(str_text(&out->text) + start, end - start);
        out->lines = xgrow(out->lines, &out->cap, out->count + 1, sizeof(*out->lines));
        struct forensics_line *line = &out->lines[out->count++];
        *line = *like;
        line->start = start;
        line->len = piece;
        line->goes_on = start + piece < end;
        line->is_rest = start > first;
        start += piece;
    } while (start < end);
}

static void add_free_line(struct forensics *out, enum forensics_mark mark, const char *text,
                          size_t len)
{
    struct forensics_line like = {.mark = mark};
    while ((size_t)like.hang < len && text[like.hang] == ' ')
        like.hang++;
    like.hang += HANG;
    add_line(out, &like, text, len);
}

static void add_pair(struct forensics *out, enum forensics_mark mark, const char *text)
{
    const struct forensics_line like = {.mark = mark, .hang = FORENSICS_LABEL_COLUMNS};
    add_line(out, &like, text, strlen(text));
}

void forensics_add(struct forensics *out, enum forensics_mark mark, const char *text, size_t len)
{
    const char *end = text + len;
    do {
        const char *feed = len > 0 ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        const char *stop = feed ? feed : end;
        add_free_line(out, mark, text, (size_t)(stop - text));
        text = stop + 1;
    } while (text < end);
}

void forensics_addf(struct forensics *out, enum forensics_mark mark, const char *fmt, ...)
{
    char text[TEXT_LINE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    add_free_line(out, mark, text, strlen(text));
}

void forensics_pair(struct forensics *out, const char *label, const char *fmt, ...)
{
    char text[TEXT_LINE_MAX];
    va_list args;
    int used = snprintf(text, sizeof(text), "%-*s", FORENSICS_LABEL_COLUMNS, label);
    va_start(args, fmt);
    (void)vsnprintf(text + used, sizeof(text) - (size_t)used, fmt, args);
    va_end(args);
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    add_pair(out, FORENSICS_PLAIN, text);
}

const struct json *forensics_item(const struct forensics_facts *facts, const char *item)
{
    return json_get(facts->capture, item);
}

void forensics_lacks(struct forensics *out, const struct forensics_facts *facts, const char *label,
                     const char *item)
{
    const char *why = json_text(json_get(forensics_item(facts, "missing"), item), "");
    if (*why == '\0')
        why = facts->capture ? "not captured by the devs that wrote this log" : "not captured";
    char text[TEXT_LINE_MAX];
    (void)snprintf(text, sizeof(text), "%-*s%s", FORENSICS_LABEL_COLUMNS, label, why);
    add_pair(out, FORENSICS_LACKS, text);
}

void forensics_note(struct forensics *out, enum forensics_section section, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(out->sections[section].note, FORENSICS_NOTE_MAX, fmt, args);
    va_end(args);
}

void forensics_size(int64_t bytes, struct str *out)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < ARRAY_LEN(units)) {
        value /= 1000;
        unit++;
    }
    str_addf(out, unit > 0 && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void forensics_size_kib(int64_t kib, struct str *out)
{
    enum { KIB_BYTES = 1024 };
    forensics_size(kib < INT64_MAX / KIB_BYTES ? kib * KIB_BYTES : INT64_MAX, out);
}
