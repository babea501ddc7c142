/*
 * redact_gaps.h - colours and the like (CSI sequences, ECMA-48, 5.4) within a secret: a terminal
 * shows it in one piece all the same.
 */
#ifndef DEVS_REDACT_GAPS_H
#define DEVS_REDACT_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REDACT_GAPS_MAX = 32,   /* within one secret */
    REDACT_ESCAPE_MAX = 32, /* bytes of a sequence; a longer one is none */
};

/* What was passed over since the search was at its root; in order. Offsets in the stream. */
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

/* Bytes of the sequence that begins at bytes[0], an ESC; 0 if it is none. *open: it is none yet,
 * but may become one. */
size_t redact_escape_len(const char *bytes, size_t len, bool *open);

#endif
