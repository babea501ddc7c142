#include "normaliser.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "normaliser_block.h"
#include "normaliser_mask.h"
#include "str.h"
#include "text.h"
#include "utf8.h"
#include "xalloc.h"

enum { ESCAPE = 0x1b, DELETE = 0x7f };

/* Spinners: braille patterns, quartered circles. */
static bool is_spinner(const unsigned char *at)
{
    return at[0] == 0xe2 && ((at[1] >= 0xa0 && at[1] <= 0xa3) ||
                             (at[1] == 0x97 && ((at[2] >= 0x90 && at[2] <= 0x93) ||
                                                (at[2] >= 0xb4 && at[2] <= 0xb7))));
}

/* How many bytes at p belong together and are dropped; 0 if they stay. */
static size_t dropped_len(const char *p, const char *end)
{
    const unsigned char *at = (const unsigned char *)p;
    const size_t left = (size_t)(end - p);
    if (*at == ESCAPE)
        return text_escape_len(p, left);
    if (left >= 3 && is_spinner(at))
        return 3;
    if (left >= 2 && at[0] == 0xc2 && at[1] < 0xa0)
        return 2; /* the controls from 128 on */
    return *at < ' ' || *at == DELETE;
}

/* The part of the line that stays, as far as written; there is room for the whole line. */
struct cleaned {
    char *start, *to;
};

/* A backspace takes back one character, of however many bytes. */
static void take_back(struct cleaned *cleaned)
{
    while (cleaned->to > cleaned->start && utf8_is_inner(cleaned->to[-1]))
        cleaned->to--;
    cleaned->to -= cleaned->to > cleaned->start;
}

static bool is_after_blank(const struct cleaned *cleaned)
{
    return cleaned->to == cleaned->start || cleaned->to[-1] == ' ';
}

/* One character, or what is dropped together; returns what is next. */
static const char *clean_one(struct cleaned *cleaned, const char *p, const char *end)
{
    if (*p == ' ' || *p == '\t') {
        if (!is_after_blank(cleaned))
            *cleaned->to++ = ' ';
        return p + 1;
    }
    if (*p == '\b') {
        take_back(cleaned);
        return p + 1;
    }
    const size_t dropped = dropped_len(p, end);
    if (dropped > 0)
        return p + dropped;
    *cleaned->to++ = *p;
    return p + 1;
}

/* Writes the line to *out without what only a terminal sees: escape sequences, controls, text taken
 * back by backspaces, spinners. Runs of blanks become one, and none is left at the ends. */
static void mask_clean(const char *bytes, size_t len, struct str *out)
{
    const char *end = bytes + len;
    out->data = xgrow(out->data, &out->cap, len + 1, 1);
    struct cleaned cleaned = {.start = out->data, .to = out->data};
    for (const char *p = bytes; p < end;) {
        const char *stop = end - p > BLOCK_BYTES ? p + BLOCK_BYTES : end;
        const struct block block = block_look(block_load(p, end));
        if ((block.noise | block_blank_pairs(&block, is_after_blank(&cleaned))) == 0) {
            memcpy(cleaned.to, p, (size_t)(stop - p));
            cleaned.to += stop - p;
            p = stop;
        }
        while (p < stop)
            p = clean_one(&cleaned, p, end);
    }
    while (cleaned.to > cleaned.start && cleaned.to[-1] == ' ')
        cleaned.to--;
    *cleaned.to = '\0';
    out->len = (size_t)(cleaned.to - cleaned.start);
}

struct normaliser {
    const struct normaliser_words *words; /* borrowed; NULL = none */
    normaliser_line_fn *line;
    void *ctx;          /* borrowed */
    size_t line_max;    /* bytes of a raw line, at most NORMALISER_LINE_MAX */
    struct str part;    /* the line that has not ended yet, at most line_max */
    bool returned;      /* a \r was its last byte: an end of line, or all of it is overwritten */
    struct str clean;   /* the line without noise */
    struct str text;    /* the line without its tokens */
    struct str general; /* and without the call's words */
};

const char *normaliser_mask_words(enum normaliser_mask mask)
{
    static const char *const words[] = {
        [NORMALISER_TIMES] = "times",
        [NORMALISER_IDS] = "ids",
        [NORMALISER_ADDRESSES] = "addresses",
        [NORMALISER_TEMPS] = "temp paths",
        [NORMALISER_HEX] = "hex",
        [NORMALISER_DURATIONS] = "durations",
        [NORMALISER_PIDS] = "pids",
        [NORMALISER_PORTS] = "ports",
        [NORMALISER_TRIES] = "try counters",
        [NORMALISER_SEEDS] = "seeds",
        [NORMALISER_RATES] = "rates",
        [NORMALISER_ARGUMENTS] = "arguments",
    };
    static_assert(ARRAY_LEN(words) == NORMALISER_MASK_COUNT, "every kind has its words");
    assert(mask < NORMALISER_MASK_COUNT);
    return words[mask];
}

void normaliser_open(struct normaliser **out, const struct normaliser_words *words,
                     normaliser_line_fn *line, void *ctx)
{
    struct normaliser *normaliser = xcalloc(1, sizeof(*normaliser));
    normaliser->words = words;
    normaliser->line = line;
    normaliser->ctx = ctx;
    normaliser->line_max = NORMALISER_LINE_MAX;
    *out = normaliser;
}

void normaliser_set_line_max(struct normaliser *normaliser, size_t bytes)
{
    assert(bytes > 0 && normaliser->part.len == 0);
    normaliser->line_max = bytes < NORMALISER_LINE_MAX ? bytes : NORMALISER_LINE_MAX;
}

void normaliser_close(struct normaliser *normaliser)
{
    if (!normaliser)
        return;
    str_done(&normaliser->part);
    str_done(&normaliser->clean);
    str_done(&normaliser->text);
    str_done(&normaliser->general);
    free(normaliser);
}

static bool is_margin(char c)
{
    return c == ' ' || c == '\t';
}

/* What of a line a lone \r has not overwritten. */
static const char *last_written(const char *bytes, size_t *len)
{
    const char *from = bytes;
    const char *end = bytes + *len;
    for (const char *p = bytes; (p = memchr(p, '\r', (size_t)(end - p))); p++)
        from = p + 1;
    *len = (size_t)(end - from);
    return from;
}

static void tell(struct normaliser *normaliser, const struct mask_line *masked, const char *raw,
                 size_t raw_len)
{
    struct normaliser_line line = {
        .bytes = masked->bytes,
        .len = masked->len,
        .general = masked->bytes,
        .general_len = masked->len,
        .raw = raw,
        .raw_len = raw_len,
        .masked = masked->masked,
    };
    str_clear(&normaliser->general);
    if (normaliser->words &&
        normaliser_words_mask(normaliser->words, line.bytes, line.len, &normaliser->general)) {
        line.general = str_text(&normaliser->general);
        line.general_len = normaliser->general.len;
        line.masked |= 1U << NORMALISER_ARGUMENTS;
    }
    assert(line.len <= NORMALISER_TEXT_MAX && line.general_len <= NORMALISER_TEXT_MAX);
    normaliser->line(normaliser->ctx, &line);
}

/* One line without its end. */
static void take_line(struct normaliser *normaliser, const char *raw, size_t raw_len)
{
    const char *from = raw;
    const char *to = raw + raw_len;
    while (from < to && is_margin(*from))
        from++;
    while (to > from && is_margin(to[-1]))
        to--;
    struct mask_line masked = {
        .bytes = from, .len = (size_t)(to - from), .text = &normaliser->text};
    if (!mask_is_plain(masked.bytes, masked.len)) {
        raw = last_written(raw, &raw_len);
        mask_clean(raw, raw_len, &normaliser->clean);
        masked.bytes = str_text(&normaliser->clean);
        masked.len = normaliser->clean.len;
    }
    mask_tokens(&masked);
    if (masked.len > 0)
        tell(normaliser, &masked, raw, raw_len);
}

static void end_part(struct normaliser *normaliser)
{
    take_line(normaliser, str_text(&normaliser->part), normaliser->part.len);
    normaliser_drop(normaliser);
}

/* Bytes of an unfinished line, none of them an end of line or a \r. */
static void keep(struct normaliser *normaliser, const char *bytes, size_t len)
{
    if (normaliser->returned && len > 0)
        normaliser_drop(normaliser);
    while (len > 0) {
        if (normaliser->part.len == normaliser->line_max)
            end_part(normaliser);
        const size_t room = normaliser->line_max - normaliser->part.len;
        const size_t taken = len < room ? len : room;
        str_add_n(&normaliser->part, bytes, taken);
        bytes += taken;
        len -= taken;
    }
}

/* Bytes of an unfinished line; a \r overwrites what is before it, but not at the line's end. */
static void keep_with_returns(struct normaliser *normaliser, const char *bytes, size_t len)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *mark = memchr(bytes, '\r', (size_t)(end - bytes));
        keep(normaliser, bytes, (size_t)((mark ? mark : end) - bytes));
        if (!mark)
            return;
        normaliser->returned = true;
        bytes = mark + 1;
    }
}

/* The length of a line without the \r before its line feed. */
static size_t without_returns(const char *bytes, size_t len)
{
    while (len > 0 && bytes[len - 1] == '\r')
        len--;
    return len;
}

void normaliser_add(struct normaliser *normaliser, const char *bytes, size_t len)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t line_len = (size_t)((feed ? feed : end) - bytes);
        bool whole = feed && normaliser->part.len == 0 && !normaliser->returned &&
                     line_len <= normaliser->line_max;
        if (whole) {
            take_line(normaliser, bytes, without_returns(bytes, line_len));
        } else {
            keep_with_returns(normaliser, bytes, line_len);
        }
        if (!feed)
            return;
        if (!whole)
            end_part(normaliser);
        bytes = feed + 1;
    }
}

void normaliser_end(struct normaliser *normaliser)
{
    end_part(normaliser);
}

void normaliser_drop(struct normaliser *normaliser)
{
    str_clear(&normaliser->part);
    normaliser->returned = false;
}
