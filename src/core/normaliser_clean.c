/* normaliser_clean.c - what only a terminal sees of a line (rule 0); see normaliser_mask.h. */
#include <stdint.h>
#include <string.h>

#include "normaliser_mask.h"
#include "text.h"

enum { ESCAPE = 0x1b, DELETE = 0x7f };

/* Signs that turn while something is awaited: braille patterns, quartered circles. */
static bool is_spinner(const unsigned char *at)
{
    return at[0] == 0xe2 && ((at[1] >= 0xa0 && at[1] <= 0xa3) ||
                             (at[1] == 0x97 && ((at[2] >= 0x90 && at[2] <= 0x93) ||
                                                (at[2] >= 0xb4 && at[2] <= 0xb7))));
}

/* A backspace takes back one character, of however many bytes. */
static void take_back(struct str *out, size_t start)
{
    while (out->len > start && ((unsigned char)out->data[out->len - 1] & 0xc0) == 0x80)
        out->len--;
    out->len -= out->len > start;
}

static void add_blank(struct str *out, size_t start)
{
    if (out->len > start && out->data[out->len - 1] != ' ')
        str_add_char(out, ' ');
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

void mask_clean(const char *bytes, size_t len, struct str *out)
{
    const size_t start = out->len;
    const char *end = bytes + len;
    for (const char *p = bytes; p < end;) {
        if (*p == ' ' || *p == '\t') {
            add_blank(out, start);
            p++;
        } else if (*p == '\b') {
            take_back(out, start);
            p++;
        } else {
            const size_t dropped = dropped_len(p, end);
            if (dropped == 0)
                str_add_char(out, *p);
            p += dropped > 0 ? dropped : 1;
        }
    }
    while (out->len > start && out->data[out->len - 1] == ' ')
        out->len--;
    if (out->data)
        out->data[out->len] = '\0';
}
