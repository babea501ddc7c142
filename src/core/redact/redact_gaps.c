#include "redact_gaps.h"

#include "redact_alphabet.h"
#include "text.h"

enum {
    ESC = 0x1b,
    DEL = 0x7f,
    C1_LEAD = 0xc2, /* of U+0080 to U+00BF in UTF-8 */
};

bool redact_gaps_add(struct redact_gaps *gaps, int64_t start, int64_t end)
{
    if (gaps->count == REDACT_GAPS_MAX)
        return false;
    gaps->items[gaps->count].start = start;
    gaps->items[gaps->count++].end = end;
    return true;
}

int64_t redact_gaps_start(const struct redact_gaps *gaps, int64_t end, int64_t depth)
{
    int64_t start = end - depth;
    for (size_t i = gaps->count; i > 0 && start < gaps->items[i - 1].end; i--)
        start -= gaps->items[i - 1].end - gaps->items[i - 1].start;
    return start;
}

bool redact_gaps_within(const struct redact_gaps *gaps, int64_t end, int64_t depth)
{
    return redact_gaps_start(gaps, end, depth) != end - depth;
}

bool redact_gap_begins(unsigned char c)
{
    const bool is_control = c < 0x20 && c != '\n' && c != '\r' && c != '\t';
    return is_control || c == DEL || c == C1_LEAD;
}

size_t redact_gap_len(const char *bytes, size_t len, bool *open)
{
    const unsigned char c = (unsigned char)bytes[0];
    *open = false;
    if (!redact_gap_begins(c))
        return 0;
    if (c == C1_LEAD) {
        *open = len < 2;
        return len >= 2 && (unsigned char)bytes[1] >= 0x80 && (unsigned char)bytes[1] < 0xa0 ? 2
                                                                                             : 0;
    }
    if (c != ESC)
        return 1;
    const size_t there = len < REDACT_GAP_MAX ? len : REDACT_GAP_MAX;
    if (there >= 2 && redact_is_one_of((unsigned char)bytes[1], "]PX^_"))
        return 0; /* what is in a string may be a secret itself */
    const size_t escape = text_escape_len(bytes, there);
    *open = escape == there && len < REDACT_GAP_MAX;
    return escape < REDACT_GAP_MAX ? escape : 0;
}
