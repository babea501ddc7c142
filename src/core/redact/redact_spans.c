#include "redact_spans.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

/* Does `a` give the name where both are one? */
static bool names_both(const struct redactor *redactor, const struct redact_span *a,
                       const struct redact_span *b)
{
    const enum redact_rank ranks[] = {redactor->names[a->name].rank, redactor->names[b->name].rank};
    if (a->start != b->start)
        return a->start < b->start;
    if (ranks[0] != ranks[1])
        return ranks[0] < ranks[1];
    return a->end != b->end ? a->end > b->end : a->name < b->name;
}

static struct redact_span merge(const struct redactor *redactor, const struct redact_span *a,
                                const struct redact_span *b)
{
    return (struct redact_span){
        .start = a->start < b->start ? a->start : b->start,
        .end = a->end > b->end ? a->end : b->end,
        .name = names_both(redactor, a, b) ? a->name : b->name,
    };
}

void redact_spans_add(struct redact_spans *spans, const struct redactor *redactor,
                      struct redact_span span)
{
    assert(span.start < span.end);
    size_t at = spans->count;
    while (at > spans->first && spans->items[at - 1].start >= span.end)
        at--;
    size_t from = at;
    while (from > spans->first && spans->items[from - 1].end > span.start) {
        from--;
        span = merge(redactor, &spans->items[from], &span);
    }
    if (from == at)
        spans->items = xgrow(spans->items, &spans->cap, spans->count + 1, sizeof(*spans->items));
    memmove(spans->items + from + 1, spans->items + at,
            (spans->count - at) * sizeof(*spans->items));
    spans->items[from] = span;
    spans->count += from + 1 - at;
}

const struct redact_span *redact_spans_first(const struct redact_spans *spans)
{
    return spans->first < spans->count ? &spans->items[spans->first] : NULL;
}

void redact_spans_drop_first(struct redact_spans *spans)
{
    spans->first++;
    if (spans->first == spans->count)
        spans->first = spans->count = 0;
}

void redact_spans_done(struct redact_spans *spans)
{
    free(spans->items);
    *spans = (struct redact_spans){0};
}
