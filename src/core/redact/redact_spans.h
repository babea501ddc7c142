/*
 * redact_spans.h - what is to be cut and has not been written yet, in order, without overlaps.
 */
#ifndef DEVS_REDACT_SPANS_H
#define DEVS_REDACT_SPANS_H

#include <stddef.h>
#include <stdint.h>

/* Offsets in the stream. */
struct redact_span {
    int64_t start, end;
    int name;
};

struct redact_spans {
    struct redact_span *items; /* owned */
    size_t count, cap;
    size_t first; /* those before it are done with */
};

/* The first one; NULL if there is none. */
const struct redact_span *redact_spans_first(const struct redact_spans *spans);
/* Forget that one. There is one. */
void redact_spans_drop_first(struct redact_spans *spans);
void redact_spans_done(struct redact_spans *spans);

#endif
