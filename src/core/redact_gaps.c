#include "redact_gaps.h"

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

size_t redact_escape_len(const char *bytes, size_t len, bool *open)
{
    *open = len < 2;
    if (len < 2 || bytes[1] != '[')
        return 0;
    for (size_t i = 2; i < len && i < REDACT_ESCAPE_MAX; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x40 && c <= 0x7e)
            return i + 1;
        if (c < 0x20 || c > 0x3f)
            return 0;
    }
    *open = len < REDACT_ESCAPE_MAX;
    return 0;
}
