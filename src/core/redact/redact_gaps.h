/*
 * redact_gaps.h - colours and the like within a secret: where text_clean() shows nothing of
 * them, the screen would have it in one piece.
 */
#ifndef DEVS_REDACT_GAPS_H
#define DEVS_REDACT_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REDACT_GAPS_MAX = 32, /* within one secret */
    REDACT_GAP_MAX = 32,  /* bytes of one; a longer sequence is none */
};

/* What was passed over, in order. Offsets in the stream. */
struct redact_gaps {
    struct {
        int64_t start, end;
    } items[REDACT_GAPS_MAX];
    size_t count;
};

/* False if there are too many. */
bool redact_gaps_add(struct redact_gaps *gaps, int64_t start, int64_t end);
/* Where the last `depth` bytes before `end` begin, the gaps among them not counted. */
int64_t redact_gaps_start(const struct redact_gaps *gaps, int64_t end, int64_t depth);

/* Is one of them among these bytes, the gaps not counted? */
bool redact_gaps_within(const struct redact_gaps *gaps, int64_t end, int64_t depth);

/* What goes on behind gaps, beside a search that knows of none. */
struct redact_joined {
    uint32_t node;     /* in the trie; the root: nothing */
    int64_t resume_at; /* the end of the last gap */
    struct redact_gaps gaps;
};

/* Can one begin with this byte? */
bool redact_gap_begins(unsigned char c);
/* Bytes of the escape sequence or control at bytes[0] of which nothing is shown, and which has no
 * text in it; 0 if it is none.
 * *open: it is none yet, but may become one, or may go on. */
size_t redact_gap_len(const char *bytes, size_t len, bool *open);

#endif
