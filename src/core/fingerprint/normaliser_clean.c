/* normaliser_clean.c - what only a terminal sees of a line (rule 0); see normaliser_mask.h. */
#include <string.h>

#include "normaliser_block.h"
#include "normaliser_mask.h"
#include "text.h"
#include "utf8.h"
#include "xalloc.h"

enum { ESCAPE = 0x1b, DELETE = 0x7f };

/* Signs that turn while something is awaited: braille patterns, quartered circles. */
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

/* What of the line stays, written so far; there is room for all of it. */
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

void mask_clean(const char *bytes, size_t len, struct str *out)
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
