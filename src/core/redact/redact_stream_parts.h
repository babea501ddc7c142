/*
 * redact_stream_parts.h - a stream from inside: redact_stream.c keeps and writes its bytes,
 * redact_search.c finds in them what is cut.
 */
#ifndef DEVS_REDACT_STREAM_PARTS_H
#define DEVS_REDACT_STREAM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "redact.h"
#include "redact_forms.h"
#include "redact_lanes.h"
#include "redact_spans.h"
#include "redact_words.h"
#include "rule_pattern.h"

struct redact_stream {
    const struct redactor *redactor; /* borrowed; NULL: nothing is cut */
    unsigned char *bytes;            /* owned; from `base` on */
    size_t len, cap;
    int64_t base;    /* where bytes[0] stands in the stream */
    int64_t written; /* what is before it was given to the sink, or a mark for it */
    int before;      /* the byte before bytes[0], -1 = none */
    /* The search. */
    int64_t searched;                /* up to here */
    struct redact_joined joined;     /* the same over what shows nothing */
    struct redact_lanes *lanes;      /* owned; the same in what was escaped; NULL: none yet */
    uint32_t lanes_from;             /* the node after which they begin; UINT32_MAX = none do */
    uint32_t node;                   /* what ends there may become an entry */
    uint32_t ending;                 /* an entry ends there that was not taken yet; 0 = none */
    bool undecided;                  /* the form at `ending` hangs on what comes */
    int64_t undecided_from;          /* it cuts nothing before this */
    int64_t letters_at, letters_end; /* letters of a token, without another byte between */
    struct redact_spans spans;
    /* The last form that was found. */
    struct redact_tail tail; /* how it goes on */
    int64_t tail_at;         /* up to where it goes */
    int tail_name;
    bool tail_is_named; /* a token within it gives the name */
    int64_t tail_start;
    /* The lines, for patterns. */
    struct rule_matcher *matcher; /* owned; NULL: there are none */
    int64_t line_at;              /* what is before it was looked at */
    bool line_begins;             /* a line begins there */
    struct redact_counts counts;
};

/* Where the stream ends by now, as offsets in it count. */
static inline int64_t redact_stream_end_of(const struct redact_stream *stream)
{
    return stream->base + (int64_t)stream->len;
}

/* The byte there; it is kept. */
static inline const char *redact_stream_at(const struct redact_stream *stream, int64_t offset)
{
    return (const char *)stream->bytes + (offset - stream->base);
}

/* Look at what has come and was not looked at yet; what is found goes into stream->spans. `ended`:
 * nothing more comes, so nothing waits for it. */
void redact_search(struct redact_stream *stream, bool ended);

/* Cut from `start` to `end`. What was written before counts as the rest of another cut. */
void redact_search_add_span(struct redact_stream *stream, int64_t start, int64_t end, int name);

/* What is before this offset is not looked at again. */
int64_t redact_search_settled(const struct redact_stream *stream);
/* No cut that is still to be found begins before this offset; not less than that one. */
int64_t redact_search_writable(const struct redact_stream *stream);

/* After the last bytes: a value that was broken off is cut as far as it came. */
void redact_search_cut_short(struct redact_stream *stream);

#endif
