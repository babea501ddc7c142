#include "json_text.h"

#include "parse.h"

size_t json_text_plain(const char *bytes, size_t len)
{
    /* Everything from ' ' to '~' but the quote and the backslash: a bit for each. */
    static const uint64_t plain[4] = {UINT64_C(0xFFFFFFFB00000000), UINT64_C(0x7FFFFFFFEFFFFFFF)};
    size_t at = 0;
    while (at < len) {
        const unsigned char byte = (unsigned char)bytes[at];
        if ((plain[byte / 64] >> byte % 64 & 1) == 0)
            break;
        at++;
    }
    return at;
}

void json_text_skip_blanks(struct json_text *text)
{
    while (json_text_is_blank(json_text_peek(text)))
        text->at++;
}

/* The four digits behind "\u"; -1 if there are none. */
static int take_unit(struct json_text *text)
{
    int unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = parse_hex_digit(json_text_peek(text));
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
        text->at++;
    }
    return unit;
}

enum { HIGH_FIRST = 0xD800, LOW_FIRST = 0xDC00, LOW_LAST = 0xDFFF };

/* The character that "\uXXXX", or a pair of them, stands for; -1 if none. Past the "\u". */
int32_t json_text_take_character(struct json_text *text)
{
    int high = take_unit(text);
    if (high < HIGH_FIRST || high > LOW_LAST)
        return high;
    int low = high < LOW_FIRST && json_text_take(text, '\\') && json_text_take(text, 'u')
                  ? take_unit(text)
                  : -1;
    if (low < LOW_FIRST || low > LOW_LAST)
        return -1;
    return 0x10000 + (high - HIGH_FIRST) * 0x400 + (low - LOW_FIRST);
}
